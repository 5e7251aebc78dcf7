"""Runge-Kutta steps of a model left alone, for tests; quaternions stay of unit length."""

import numpy as np

from lissom.kernel.algorithms.articulated_body import forward_dynamics


class Swing:
    """The state (q, v) of a model on its own, advanced by steps of fourth order."""

    def __init__(self, model, q, v):
        self.model, self.q, self.v = model, np.array(q), np.array(v)
        self.plain_q, self.plain_v, self.quaternions = [], [], []
        for link, body in zip(model.robot.bodies, model.bodies):
            on_group = link.joint.type in ("spherical", "free")
            if on_group:
                self.quaternions.append((body.joint_q.start, body.joint_v.start, link.joint.type == "free"))
            for at_q, at_v in ((body.joint_q, body.joint_v), (body.modes_q, body.modes_v)):
                if not (on_group and at_q is body.joint_q):
                    self.plain_q += range(at_q.start, at_q.stop)
                    self.plain_v += range(at_v.start, at_v.stop)
        rotors = [b for b in model.bodies if b.rotor_v is not None]
        self.plain_q += [b.rotor_q for b in rotors]
        self.plain_v += [b.rotor_v for b in rotors]
        self._memory = np.zeros(model.nv), np.zeros((len(model.bodies) + 1, 6))

    def rate(self, q, v):
        """dq/dt (nq,): quaternions follow q (0, omega) / 2, a floating body its velocity in its own axes."""
        if not self.quaternions:
            return v
        out = np.empty_like(q)
        out[self.plain_q] = v[self.plain_v]
        for i, j, floats in self.quaternions:
            w, x, y, z = q[i : i + 4]
            lift = np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])
            out[i : i + 4] = lift @ v[j : j + 3] / 2
            if floats:
                u, v_body = np.array([x, y, z]), v[j + 3 : j + 6]
                out[i + 4 : i + 7] = v_body + 2 * np.cross(u, w * v_body + np.cross(u, v_body))
        return out

    def slope(self, q, v):
        a = np.empty_like(v)
        forward_dynamics(self.model.struct, self.model.workspace(), q, v, *self._memory, a)
        return self.rate(q, v), a

    def advance(self, step, count):
        q, v = self.q, self.v
        for _ in range(count):
            q1, v1 = self.slope(q, v)
            q2, v2 = self.slope(q + step / 2 * q1, v + step / 2 * v1)
            q3, v3 = self.slope(q + step / 2 * q2, v + step / 2 * v2)
            q4, v4 = self.slope(q + step * q3, v + step * v3)
            q = q + step / 6 * (q1 + 2 * q2 + 2 * q3 + q4)
            v = v + step / 6 * (v1 + 2 * v2 + 2 * v3 + v4)
            for i, _, _ in self.quaternions:
                q[i : i + 4] /= np.sqrt(q[i : i + 4] @ q[i : i + 4])
        self.q, self.v = q, v
