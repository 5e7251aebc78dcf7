"""Rigid arms on SE(3), after Park, Bobrow and Ploen (1995), "A Lie group formulation of robot dynamics".

`arm(model)` gives the constant screws and inertias of a rigid robot; free functions take it with coordinates x of any
leading shape. `LieGroup(model)` is the same as a formulation of `lissom.theory`.
"""

from lissom.theory.lie_group.adjoint import adjoint_derivative, adjoint_map, adjoint_second_derivative
from lissom.theory.lie_group.applications.adaptive import AdaptiveControl, control_regressor
from lissom.theory.lie_group.applications.operations import featherstone_count, operation_count
from lissom.theory.lie_group.applications.optimal import MinimumEnergy, Path
from lissom.theory.lie_group.arm import Arm, arm
from lissom.theory.lie_group.curvature import curvature, scalar_curvature, sectional_curvature
from lissom.theory.lie_group.derivatives import (
    ForceDerivatives,
    Linear,
    christoffel_derivative,
    gravity_derivative,
    inverse_dynamics_derivatives,
    linearise,
    mass_matrix_second_derivative,
)
from lissom.theory.lie_group.formulation import LieGroup
from lissom.theory.lie_group.kinematics import (
    body_jacobian,
    frames,
    product_of_exponentials,
    screws,
    space_jacobian,
    tip_pose,
)
from lissom.theory.lie_group.lagrange import (
    christoffel,
    coriolis_matrix,
    factors_body,
    factors_space,
    gravity_energy,
    gravity_forces,
    kinetic_energy,
    mass_matrix,
    mass_matrix_derivative,
)
from lissom.theory.lie_group.recursion import Recursion, inverse_dynamics, newton_euler
from lissom.theory.lie_group.regressor import MinimalParameters, minimal_parameters, regressor
from lissom.theory.lie_group.screw_derivatives import inverse_dynamics_by_screws

__all__ = [
    "AdaptiveControl",
    "Arm",
    "ForceDerivatives",
    "LieGroup",
    "Linear",
    "MinimalParameters",
    "MinimumEnergy",
    "Path",
    "Recursion",
    "adjoint_derivative",
    "adjoint_map",
    "adjoint_second_derivative",
    "arm",
    "body_jacobian",
    "christoffel",
    "christoffel_derivative",
    "coriolis_matrix",
    "control_regressor",
    "curvature",
    "factors_body",
    "factors_space",
    "featherstone_count",
    "frames",
    "gravity_derivative",
    "gravity_energy",
    "gravity_forces",
    "inverse_dynamics",
    "inverse_dynamics_by_screws",
    "inverse_dynamics_derivatives",
    "kinetic_energy",
    "linearise",
    "mass_matrix",
    "mass_matrix_derivative",
    "mass_matrix_second_derivative",
    "minimal_parameters",
    "newton_euler",
    "operation_count",
    "product_of_exponentials",
    "regressor",
    "scalar_curvature",
    "screws",
    "sectional_curvature",
    "space_jacobian",
    "tip_pose",
]
