"""From the displacements of the joints themselves, theta + slip, to the coordinates of the theory and their rates."""

from __future__ import annotations

from lissom.kernel.compile import kernel
from lissom.simulation.equations.dense_lu import factorise, largest, solve
from lissom.theory.erls.compiled.compatibility import elastic_slips, joint_slopes, move, place
from lissom.theory.erls.compiled.frames import relate

SETTLED = 1e-13  # change of theta, rad or m, at which its search ends
TRIES = 20


@kernel
def settle(table, work):
    """Compute theta so that theta + slip are work.joints, by Newton's method, and all that `place` gives there."""
    n = work.theta.shape[0]
    for k in range(n):
        work.theta[k] = work.joints[k]
    for _ in range(TRIES):
        relate(table, work)
        place(table, work)
        joint_slopes(table, work)
        for k in range(n):
            work.miss[k] = work.joints[k] - work.theta[k] - work.slip[k]
            for j in range(n):
                work.lu[k, j] = work.slope[k, j]
        factorise(work.lu, work.pivots)
        solve(work.lu, work.pivots, work.miss)
        if largest(work.miss) < SETTLED:
            break
        for k in range(n):
            work.theta[k] += work.miss[k]


@kernel
def set_rates(table, work):
    """Rates of theta and of all modal coordinates from work.joint_rate and the elastic q_rate, once settled."""
    elastic_slips(table, work, work.q_rate, work.theta_rate)
    for k in range(work.theta.shape[0]):
        work.theta_rate[k] = work.joint_rate[k] - work.theta_rate[k]
    solve(work.lu, work.pivots, work.theta_rate)
    move(table, work)


@kernel
def set_second(table, work):
    """Compute thetaddot from work.joint_second and the elastic q_second, after the rates."""
    elastic_slips(table, work, work.q_second, work.theta_second)
    for k in range(work.theta.shape[0]):
        work.theta_second[k] = work.joint_second[k] - work.slip_bias[k] - work.theta_second[k]
    solve(work.lu, work.pivots, work.theta_second)
