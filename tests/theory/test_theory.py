"""Formulations by name, and in time."""

import numpy as np
import pytest

import lissom
from lissom import theory
from lissom.control import Reference, computed_torque, pd
from lissom.simulation import Ending


def test_the_kernel_is_the_first_formulation():
    assert theory.names()[0] == "kernel"


def test_every_formulation_keeps_the_protocol():
    model = lissom.load("ella").compile()
    for name in theory.names():
        try:
            formulation = theory.build(name, model)
        except theory.Unsupported:
            continue
        assert isinstance(formulation, theory.Formulation), name


def test_an_unknown_formulation_is_named_with_the_nearest_one():
    with pytest.raises(lissom.LissomError, match="did you mean 'kernel'"):
        theory.build("kernal", lissom.load("ella").compile())


def test_a_formulation_in_time_is_the_simulation():
    model = lissom.load("ella").compile()
    gains = {"shoulder": {"p": 3000.0, "d": 150.0}, "elbow": {"p": 1500.0, "d": 60.0}}
    reference = Reference.quintic(np.zeros(2), np.array([0.69, 0.43]), 0.3)
    law = pd(model, gains, reference)
    kernel = theory.build("kernel", model)
    same = lissom.simulate(model, 0.5, controller=law, method="radau", rtol=1e-7, atol=1e-9, progress=False)
    assert np.array_equal(theory.simulate(kernel, 0.5, controller=law).q, same.q)
    own = theory.simulate(kernel, 0.5, controller=law, rtol=1e-8, atol=1e-10)
    run = lissom.simulate(model, 0.5, controller=law, rtol=1e-9, atol=1e-11)
    assert np.abs(own["elbow"] - run["elbow"]).max() < 1e-7
    assert np.abs(own.tip("forearm") - run.tip("forearm")).max() < 1e-7
    own_wrench, wrench = own.wrench("shoulder"), run.wrench("shoulder")
    assert np.abs(own_wrench - wrench).max() < 1e-3 * np.abs(wrench).max()


def test_a_ball_joint_in_time():
    robot = lissom.Robot.model_validate(
        {
            "lissom": 1,
            "name": "ball",
            "links": [
                {
                    "name": "bar",
                    "joint": {"name": "ball", "type": "spherical"},
                    "body": {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.01, 0.1, 0.1]},
                },
            ],
        }
    )
    model = robot.compile()
    start = (model.neutral(), np.array([3.0, -2.0, 1.0]))
    own = theory.simulate(theory.build("kernel", model), 1.0, start=start)
    run = lissom.simulate(model, 1.0, start=start, rtol=1e-10, atol=1e-12)
    assert np.abs(own.tip("bar") - run.tip("bar")).max() < 1e-6


class Forward(theory.Formulation):
    """A formulation in Python without inverse dynamics: the kernel's accelerations."""

    def __init__(self, model):
        self.model = model

    def accelerations(self, q, v, tau):
        return lissom.forward_dynamics(self.model, q, v, tau)

    def wrenches(self, q, v, a):
        return lissom.joint_wrenches(self.model, q, v, a)

    def tip(self, q):
        return lissom.tip_pose(self.model, q)


class Called(Forward):
    """With inverse dynamics too, until it fails at an angle."""

    offers = frozenset({theory.Offer.INVERSE_DYNAMICS})

    def __init__(self, model, until=np.inf):
        super().__init__(model)
        self.until = until

    def inverse_dynamics(self, q, v, a):
        if q[0] > self.until:
            raise lissom.LissomError(f"beyond {self.until} rad")
        return lissom.inverse_dynamics(self.model, q, v, a)


def test_a_formulation_with_inverse_dynamics_takes_the_steps_of_the_simulation():
    """Under computed torque, whose rigid twin stays the controller's own."""
    model = lissom.load("ella").compile()
    gains = {joint: {"p": 400.0, "d": 40.0} for joint in ("shoulder", "elbow")}
    law = computed_torque(model, gains, Reference.quintic(np.zeros(2), np.array([0.1, 0.05]), 0.3))
    own = theory.simulate(Called(model), 0.3, controller=law)
    run = lissom.simulate(model, 0.3, controller=law, method="radau", rtol=1e-7, atol=1e-9, progress=False)
    assert own.info.steps == run.info.steps
    assert np.abs(own.q - run.q).max() < 1e-12


def test_a_formulation_that_fails_stops_there_and_keeps_what_it_has():
    model = lissom.load("rigid-7-axis").compile()
    speeds = np.eye(model.nv)[0]
    with pytest.raises(theory.Stopped, match=r"after t = 0\.\d+ s: beyond 0\.1 rad") as stopped:
        theory.simulate(Called(model, 0.1), 0.5, start=(model.neutral(), speeds))
    assert 0.09 < stopped.value.run["joint1"].values[-1] <= 0.1
    assert stopped.value.run.info.status is Ending.FORMULATION_FAILED


def test_a_formulation_stopped_by_hand_keeps_what_it_has():
    model = lissom.load("rigid-7-axis").compile()

    class Stopping(Called):
        def inverse_dynamics(self, q, v, a):
            if q[0] > 0.05 and self.until == np.inf:
                self.until = 0.0
                raise KeyboardInterrupt
            return lissom.inverse_dynamics(self.model, q, v, a)

    with pytest.raises(theory.Stopped, match="stopped by hand after t = 0") as stopped:
        theory.simulate(Stopping(model), 0.5, start=(model.neutral(), np.eye(model.nv)[0]))
    assert stopped.value.run.info.status is Ending.INTERRUPTED
    assert len(stopped.value.run.time) > 3


def test_a_formulation_that_fails_at_the_start_says_why():
    model = lissom.load("rigid-7-axis").compile()

    class Unable(Called):
        def accelerations(self, q, v, tau):
            raise lissom.LissomError("no accelerations here")

    with pytest.raises(lissom.LissomError, match="no accelerations here"):
        theory.simulate(Unable(model), 0.1)


def test_a_formulation_far_from_the_kernel_is_integrated_all_the_same():
    """With three times the inertia: Newton's method on forces diverges, that on accelerations does not."""

    class Heavy(Called):
        def inverse_dynamics(self, q, v, a):
            return lissom.inverse_dynamics(self.model, q, v, a) + 2 * lissom.mass_matrix(self.model, q) @ a

        def accelerations(self, q, v, tau):
            return lissom.forward_dynamics(self.model, q, v, tau) / 3

    heavy = Heavy(lissom.load("rigid-7-axis").compile())
    run = theory.simulate(heavy, 0.05)
    assert run.info.status == "finished"
    assert run.time[-1] == 0.05
    a = run.dataset["acceleration"].values[-1]
    assert np.abs(heavy.inverse_dynamics(run.q[-1], run.v[-1], a)).max() < 1e-9


def test_a_formulation_of_accelerations_alone_moves_as_the_simulation_under_control():
    """Jumps of the set points included: the forces that the loop applies are those that the formulation is given."""
    model = lissom.load("ella").compile()
    gains = {"shoulder": {"p": 3000.0, "d": 150.0}, "elbow": {"p": 1500.0, "d": 60.0}}
    law = pd(model, gains, Reference.steps([(0.0, [0.0, 0.0]), (0.05, [0.02, 0.01])]))
    own = theory.simulate(Forward(model), 0.2, controller=law)
    run = lissom.simulate(model, 0.2, controller=law, rtol=1e-9, atol=1e-11, progress=False)
    assert np.abs(own["elbow"] - run["elbow"]).max() < 1e-7
    assert np.abs(run["elbow"]).max() > 1e-3


def test_what_a_formulation_offers_is_declared_and_works_and_the_rest_is_refused_by_name():
    model = lissom.load("rigid-7-axis").compile()
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, model.nv))
    for name in theory.names():
        built = theory.build(name, model)
        calls = {
            theory.Offer.INVERSE_DYNAMICS: lambda f: (
                np.abs(f.inverse_dynamics(q, v, a) - lissom.inverse_dynamics(model, q, v, a)).max() < 1e-9
            ),
            theory.Offer.ENERGY: lambda f: np.allclose(f.energy(q, v), lissom.energy(model, q, v), atol=1e-9),
            theory.Offer.LINEAR_MODEL: lambda f: f.linearise(q, v, a).A.shape == (2 * model.nv, 2 * model.nv),
        }
        for offer, call in calls.items():
            if offer in built.offers:
                assert call(built), f"{name}: {offer}"
            else:
                with pytest.raises(theory.Unsupported, match=f"does not offer {offer}"):
                    call(built)
        assert built.dynamics is not None, name
