"""lissom: dynamics of robot arms whose links and joints bend.

>>> import lissom
>>> robot = lissom.load("ella")
>>> model = robot.compile()

Names load when they are first used, so that `import lissom` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lissom.version import __version__ as __version__

if TYPE_CHECKING:
    from lissom.analysis.equilibrium.statics import static_equilibrium
    from lissom.analysis.equilibrium.steady_motion import steady_motion
    from lissom.analysis.linear_models.frequency_response import frequency_response
    from lissom.analysis.linear_models.linearisation import linearise
    from lissom.analysis.linear_models.model_reduction import reduce_model
    from lissom.analysis.modes.natural_modes import natural_modes
    from lissom.citation import cite
    from lissom.dynamics.derivatives import derivatives
    from lissom.dynamics.energy import energy
    from lissom.dynamics.forward import forward_dynamics
    from lissom.dynamics.inverse import bias, inverse_dynamics, joint_wrenches
    from lissom.dynamics.kinematics import jacobian, point_pose, point_velocity, tip_pose
    from lissom.dynamics.loops.loop_closing import close_loops
    from lissom.dynamics.loops.loop_kinematics import closed_loops
    from lissom.dynamics.mass_matrix import mass_matrix
    from lissom.dynamics.sensing import sense
    from lissom.errors import LissomError
    from lissom.identify.estimation import fit
    from lissom.model.any_robot import compile
    from lissom.model.description.robot import Robot
    from lissom.model.io.robot_files import load
    from lissom.model.model import Model
    from lissom.results.trajectory import Trajectory
    from lissom.scenario.formulation_comparison import compare
    from lissom.simulation.inputs.loads import Load
    from lissom.simulation.inputs.payload import Payload
    from lissom.simulation.run_simulation import simulate
    from lissom.simulation.sensitivity.motion_sensitivity import sensitivity
    from lissom.study.execution.batch import simulate_batch

__all__ = [
    "load",
    "compile",
    "Robot",
    "Model",
    "forward_dynamics",
    "forward_dynamics_batch",
    "inverse_dynamics",
    "mass_matrix",
    "bias",
    "joint_wrenches",
    "energy",
    "tip_pose",
    "point_pose",
    "point_velocity",
    "jacobian",
    "sense",
    "derivatives",
    "close_loops",
    "closed_loops",
    "linearise",
    "reduce_model",
    "natural_modes",
    "static_equilibrium",
    "steady_motion",
    "frequency_response",
    "compare",
    "sensitivity",
    "simulate",
    "Load",
    "Payload",
    "simulate_batch",
    "fit",
    "Trajectory",
    "LissomError",
    "cite",
]

_MODULES = {
    "lissom.model": ("load", "compile", "Robot", "Model"),
    "lissom.dynamics": (
        "forward_dynamics",
        "forward_dynamics_batch",
        "inverse_dynamics",
        "mass_matrix",
        "bias",
        "joint_wrenches",
        "energy",
        "tip_pose",
        "point_pose",
        "point_velocity",
        "jacobian",
        "sense",
        "derivatives",
        "close_loops",
        "closed_loops",
    ),
    "lissom.analysis": (
        "linearise",
        "reduce_model",
        "natural_modes",
        "static_equilibrium",
        "steady_motion",
        "frequency_response",
    ),
    "lissom.simulation": ("simulate", "Load", "Payload", "Trajectory"),
    "lissom.simulation.sensitivity.motion_sensitivity": ("sensitivity",),
    "lissom.scenario.formulation_comparison": ("compare",),
    "lissom.study": ("simulate_batch",),
    "lissom.identify": ("fit",),
    "lissom.errors": ("LissomError",),
    "lissom.citation": ("cite",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}
_SUBPACKAGES = (
    "lie",
    "beam",
    "fem",
    "model",
    "kernel",
    "dynamics",
    "analysis",
    "theory",
    "control",
    "simulation",
    "results",
    "scenario",
    "study",
    "identify",
    "optimise",
    "export",
    "view",
)


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        value = getattr(import_module(_MODULE_OF[name]), name)
    elif name in _SUBPACKAGES:
        value = import_module(f"lissom.{name}")
    else:
        raise AttributeError(f"module 'lissom' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBPACKAGES})
