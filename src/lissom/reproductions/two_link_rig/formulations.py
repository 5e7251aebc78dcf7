"""The fitted arm by published formulations, on windows of the records that were held back.

Measured currents drive every formulation through the same torques. What is unknown of a window itself, the offsets of
its currents, is found once, by the kernel; the zero of a gauge is where its error has no mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import lissom
from lissom import theory
from lissom.control.references.reference import Reference
from lissom.identify import Validation
from lissom.identify.estimation import search
from lissom.identify.residuals import OutputBlock, Residuals
from lissom.identify.validation import EVALUATIONS
from lissom.reproductions.two_link_rig.closed_loop import output_blocks
from lissom.reproductions.two_link_rig.fitting import HELD, RUNS
from lissom.reproductions.two_link_rig.records import Columns, Scales, record

JUDGED = ("kernel", "screw_pde", "dual_screw_nonlinear", "dual_screw", "erls")


def by_formulations(
    data: Columns,
    robot: lissom.Robot,
    scales: Scales,
    names: Sequence[str] = JUDGED,
    windows: Mapping[str, tuple[float, float]] = HELD,
) -> Validation:
    """Return errors of hub angles and strains of a fitted arm by each formulation, driven by measured currents."""
    model = robot.compile()
    formulations = {name: theory.build(name, model) for name in names}
    blocks: dict[str, list[OutputBlock]] = {name: [] for name in names}
    for run, window in windows.items():
        seen = record(data, run, window, scales)
        samples = seen.samples()
        misfit = Residuals(robot, {}, {seen.name: seen}, settings=RUNS)
        found = dict(zip(misfit.names, search(misfit, EVALUATIONS)[0], strict=True))
        torques = {
            joint: Reference.from_samples(
                samples.time, values + found[f"{seen.name}: offset.torques.{joint}"], "linear"
            )
            for joint, values in samples.torques.items()
        }
        start = {f"hub{s}": float(samples.outputs[f"position.hub{s}"][0]) for s in "12"}
        for name, formulation in formulations.items():
            told = theory.simulate(
                formulation,
                float(samples.time[-1]),
                controller=lissom.control.torques(model, torques),
                start=start,
                rate=samples.rate,
                **RUNS,
            )
            blocks[name] += output_blocks(told, seen, robot)
    return Validation(blocks)
