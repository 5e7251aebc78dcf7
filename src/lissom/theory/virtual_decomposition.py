"""Control of an arm link by link, on the wrenches at its joints: virtual decomposition.

After W.-H. Zhu, *Virtual Decomposition Control* (Springer 2010); the subsystems are the links of the stacked system.
Joints are to move at u_r = u_d + rate (q_d - q). From the base outwards that asks of every link a twist V_r, the actual
motion of its deflection included; from the tips inwards of every joint a wrench,

    W_r = M V_r' + (M ad(V) - ad(V)^T M) V_r + rest + damping M (V_r - V) + sum X^T W_r (children),

whose part along the joint is the motor's. `rest` is what the twist rows hold beside: gravity, and what the deflection
and its rate bring. With e = V_r - V and the skew matrix above, the energy of errors n = 1/2 sum e^T M e obeys

    n' = -2 damping n + sum (e^T M_eta + p^T X_eta) eta'' + 1/2 sum e^T M' e,

with p = M e of all beyond a section, as the virtual powers e^T (W_r - W) on both sides of every joint cancel. Errors of
a rigid arm vanish exponentially. On one that bends the first sum, `VirtualDecomposition.fed`, is what vibrations feed
into them: nothing is promised about it, it can be read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.errors import LissomError
from lissom.lie import se3
from lissom.model.any_robot import AnyRobot
from lissom.theory.coverage import Unsupported
from lissom.theory.screw_pde.formulation import ScrewPDE

Array = np.ndarray


class Step(NamedTuple):
    """What the controller finds at one state; n links and their joints."""

    forces: Array  # (nv,) of the motors
    wrenches: Array  # (n, 6) W_r of the joints, child axes
    twists: Array  # (n, 6) V_r
    errors: Array  # (n, 6) V_r - V
    energy: float  # J, of errors: of links, and of rotors behind rigid gears
    lost: float  # W, what damping takes of it


class VirtualDecomposition:
    """A controller per link on the wrenches at its joints; call it as a sampled controller does.

    Parameters
    ----------
    robot : str, path, Robot or Model
        A tree of links on joints of one axis that turn or slide, or are fixed.
    reference : Reference
        Of all joint coordinates, in their order.
    rate : float
        At which errors of joint coordinates vanish, 1/s.
    damping : float
        At which errors of the links' twists vanish, 1/s.

    Examples
    --------
    >>> law = VirtualDecomposition("ella", Reference.quintic([0, 0, 0], [-0.5, 0.7, 0.4], 1.5))
    >>> run = lissom.simulate("ella", 2.0, controller=lissom.control.Sampled(law, 1000))
    """

    def __init__(self, robot: AnyRobot, reference: Any, rate: float = 10.0, damping: float = 20.0) -> None:
        self.system = ScrewPDE(robot)
        model = self.system.model
        for body in model.bodies:
            link = model.robot.link(body.link)
            if link.joint.kind.on_group or body.joint_v.stop - body.joint_v.start > 1 or body.rotor_v is not None:
                text = "virtual decomposition drives joints of one axis by rigid gears; take another joint"
                raise Unsupported(text, ("links", body.link, "joint", "type"), link.joint.type)
        if model.loops or model.prescribed:
            raise Unsupported("virtual decomposition covers trees that are driven by forces", ("loops",))
        for name, value in (("rate", rate), ("damping", damping)):
            if not (np.isfinite(value) and value > 0):
                raise LissomError("must be a positive number of 1/s", (name,), value)
        self.reference, self.rate, self.damping = reference, rate, damping
        self.joints = np.concatenate([np.r_[body.joint_v] for body in model.bodies]).astype(int)
        self._joint_q = np.concatenate([np.r_[body.joint_q] for body in model.bodies]).astype(int)

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Return the motors' forces (nv,) at the time t and the state (q, v)."""
        return self.step(t, q, v).forces

    def step(self, t: float, q: Array, v: Array) -> Step:
        """Return what is asked of every link and joint at the time t and the state (q, v)."""
        system, table = self.system, self.system.table
        system.evaluate(q, v, np.zeros(len(v)))
        wanted, speed, push = (np.asarray(x, float) for x in self.reference(t))
        needed, gain = np.zeros(len(v)), np.zeros(len(v))
        needed[self.joints] = speed + self.rate * (wanted - q[self._joint_q])
        gain[self.joints] = push + self.rate * (speed - v[self.joints])
        n = len(table.parent)
        twists, accelerations = np.zeros((n, 6)), np.zeros((n, 6))
        for i in range(n):
            twists[i], accelerations[i] = self._outward(i, twists, accelerations, needed, gain)
        return self._inward(twists, accelerations, needed, gain, v)

    def _outward(self, i: int, twists: Array, accelerations: Array, needed: Array, gain: Array) -> tuple[Array, Array]:
        """Return V_r and V_r' of link i from those of its parent, its section moving as it does."""
        table, work, up = self.system.table, self.system.work, self.system.table.parent[i]
        V, A = np.zeros(6), np.zeros(6)
        if up >= 0:
            back = se3.Ad(se3.inverse(se3.from_parts(work.R[i], work.p[i])))
            V = back @ twists[up] + work.U[i]
            A = back @ accelerations[up] + work.dU[i] + se3.ad(V) @ work.U[i]
        back = se3.Ad(se3.inverse(se3.from_parts(work.joint_R[i], work.joint_p[i])))
        V, A = back @ V, back @ A
        for k in range(table.dofs[i]):
            S, at = work.S[i, k], table.joint_v[i] + k
            V, A = V + needed[at] * S, A - se3.ad(work.joint_U[i]) @ V + gain[at] * S
        return V, A

    def _inward(self, twists: Array, accelerations: Array, needed: Array, gain: Array, v: Array) -> Step:
        """Return the wrenches that the links and those beyond ask for, tips to base, and the motors' forces."""
        table, work = self.system.table, self.system.work
        forces = np.zeros(len(v))
        errors, wrenches = twists - work.V, np.zeros_like(twists)
        rotor = needed[self.joints] - v[self.joints]
        armature = table.armature[self.joints]
        energy = 0.5 * float(armature @ rotor**2)
        for i in range(len(twists) - 1, -1, -1):
            mass = np.tril(work.mass[i, :6, :6])
            mass = mass + np.tril(mass, -1).T
            spin = se3.ad(work.V[i])
            rest = work.bias[i, :6] + spin.T @ mass @ work.V[i]
            skew = mass @ spin - spin.T @ mass
            wrenches[i] += mass @ (accelerations[i] + self.damping * errors[i]) + skew @ twists[i] + rest
            energy += 0.5 * float(errors[i] @ mass @ errors[i])
            if table.parent[i] >= 0:
                wrenches[table.parent[i]] += work.reach[i, :, :6].T @ wrenches[i]
            for k in range(table.dofs[i]):
                forces[table.joint_v[i] + k] = work.S[i, k] @ wrenches[i]
        forces[self.joints] += armature * (gain[self.joints] + self.damping * rotor) - work.force[self.joints]
        return Step(forces, wrenches, twists, errors, energy, 2.0 * self.damping * energy)

    def fed(self, t: float, q: Array, v: Array, a: Array) -> float:
        """Return the power in W that vibrations with the accelerations a (nv,) feed into the errors, M' left out."""
        found, work, total = self.step(t, q, v), self.system.work, 0.0
        for i, body in enumerate(self.system.model.bodies):
            m = self.system.table.modes[i]
            coupling = work.mass[i, 6 : 6 + m, :6]
            total += float(found.errors[i] @ coupling.T @ a[body.modes_v])
        for i, up in enumerate(self.system.table.parent):
            if up >= 0:  # the section that carries link i moves as it does, but for the acceleration of its modes
                m = self.system.table.modes[up]
                felt = work.reach[i, :, 6 : 6 + m] @ a[self.system.model.bodies[up].modes_v]
                total += float(self._pulled(found, i) @ felt)
        return total

    def _pulled(self, found: Step, i: int) -> Array:
        """Return M e of a link and of those beyond, at its base."""
        work, table = self.system.work, self.system.table
        momentum = np.zeros((len(table.parent), 6))
        for k in range(len(table.parent) - 1, -1, -1):
            mass = np.tril(work.mass[k, :6, :6])
            momentum[k] += (mass + np.tril(mass, -1).T) @ found.errors[k]
            if table.parent[k] >= 0:
                momentum[table.parent[k]] += work.reach[k, :, :6].T @ momentum[k]
        return momentum[i]


def joint_powers(run: Any) -> Array:
    """Return the power (N, joints) in W that every parent hands to its child through the joint, motors included.

    It is the wrench at the joint times the twist of the child's base. What a link takes and does not hand on changes
    its energy or is lost in it. Runs may be of any formulation, whose wrenches they are.
    """
    system, wrenches = ScrewPDE(run.raw.model), run.numbers["wrench"]
    out = np.zeros(wrenches.shape[:2])
    for k, (q, v) in enumerate(zip(run.q, run.v, strict=True)):
        system.evaluate(q, v, np.zeros(len(v)))
        out[k] = np.einsum("nr,nr->n", wrenches[k], system.work.base_V)
    return out
