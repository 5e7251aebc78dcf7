"""Runs for tests of results, made with scipy's integrator on the equations of motion."""

from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

import lissom
from lissom.dynamics import integrate
from lissom.lie import quaternion
from lissom.results.trajectory import Trajectory, from_run
from lissom.simulation.raw_run import Event, RawRun


class Lift:
    """PD control along a quintic of 0.6 s, with the attributes of a control law that results look at."""

    def __init__(self, model):
        self.nv = model.nv
        self.measured_q = self.measured_v = np.array([b.joint_v.start for b in model.bodies])
        self.kp = np.array([900.0, 2000.0, 600.0])
        self.kd = np.array([157.0, 200.0, 40.0])

    def reference(self, t):
        s = np.minimum(np.asarray(t) / 0.6, 1.0)[..., None]
        goal = np.array([-0.4928, 0.6922, 0.4270])
        return goal * (10 - 15 * s + 6 * s**2) * s**3, goal * (30 - 60 * s + 30 * s**2) * s**2 / 0.6, None

    def __call__(self, t, q, v):
        r, rd, _ = self.reference(t)
        tau = np.zeros(self.nv)
        tau[self.measured_v] = self.kp * (r - q[self.measured_q]) + self.kd * (rd - v[self.measured_v])
        return tau


def small_ella():
    """The two-link arm with few modes, its links damped by 1 %."""
    data = lissom.load("ella").to_dict()
    for link in data["links"][1:]:
        link["beam"] |= {"modes": {"y": 1, "z": 1}, "damping": 0.01}
    return lissom.Robot.from_dict(data)


@cache
def ella_run() -> Trajectory:
    """The arm lifts its payload in 0.6 s, 1 s in all."""
    model = small_ella().compile()
    noted = [Event(0.25, "upper", "deflection", "upper is bent by 1.8 % of its length", 0.018)]
    return from_run(sampled(model, np.linspace(0, 1, 201), controller=Lift(model), warnings=noted, wall=0.05))


@cache
def satellite_run() -> Trajectory:
    """A free satellite tumbles, its arms swing; a torque on one shoulder."""
    data = lissom.load("satellite-two-arm").to_dict()
    for link in data["links"]:
        if "beam" in link:
            link["beam"]["modes"] = {"y": 1, "z": 1}
    model = lissom.Robot.from_dict(data).compile()
    v = np.zeros(model.nv)
    v[:6] = 0.4, -0.3, 0.2, 0.05, 0.1, -0.02
    tau = np.zeros(model.nv)
    tau[model.coordinates.index("left-shoulder.1")] = 2.0
    return from_run(sampled(model, np.linspace(0, 0.5, 26), v=v, controller=lambda t, q, v: tau))


def sampled(model, t, q=None, v=None, controller=None, **more) -> RawRun:
    """Integrate the motion, the work of the controller and the losses in the links."""
    q = model.neutral() if q is None else q
    v = np.zeros(model.nv) if v is None else v
    force = controller or (lambda t, q, v: np.zeros(model.nv))

    def rates(t, state):
        q, v = state[: model.nq], state[model.nq : model.nq + model.nv]
        tau = force(t, q, v)
        a = lissom.forward_dynamics(model, q, v, tau)
        return np.concatenate([position_rate(model, q, v), a, [tau @ v, loss(model, q, v)]])

    start = np.concatenate([q, v, [0, 0]])
    found = solve_ivp(rates, t[[0, -1]], start, "LSODA", t_eval=t, rtol=1e-7, atol=1e-9)
    q, v = found.y[: model.nq].T, found.y[model.nq : model.nq + model.nv].T
    if model.nq > model.nv:  # the free satellite
        q[:, :4] = quaternion.normalise(q[:, :4])
    tau = np.array([force(s, *state) for s, *state in zip(t, q, v)])
    a = np.array([lissom.forward_dynamics(model, *state) for state in zip(q, v, tau)])
    work, dissipated = found.y[-2:]
    more = {"method": "lsoda", "reason": "a test", "steps": found.nfev} | more
    return RawRun(model, t, q, v, a, tau, work, dissipated, controller=controller, **more)


def position_rate(model, q, v):
    """dq/dt, by the complex step along v where there are quaternions."""
    return v if model.nq == model.nv else integrate(model, q, 1e-30j * v).imag / 1e-30


def loss(model, q, v):
    """Power lost in links with linear damping and in viscous joints."""
    arrays = model.arrays
    power = sum(arrays.passive.viscous * v[arrays.passive.v] ** 2)
    for i, body in enumerate(model.bodies, start=1):
        rate = v[body.modes_v]
        power += rate @ arrays.strain.damping[i, : len(rate), : len(rate)] @ rate
    return power
