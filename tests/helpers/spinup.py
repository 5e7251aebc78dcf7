"""The slender beam that spins up: its figures by a fully nonlinear cable model, and the prescribed turn."""

from places import reference_figures

from lissom.control import Reference

FIGURES = reference_figures()["spinup"]
RAMP, CASES = FIGURES["ramp"], FIGURES["cases"]
DURATION = 20.0


def spin_up(speed):
    return Reference.spin_up(speed, RAMP, DURATION + 1)


def tip(run):
    return run.deflection("blade").values[:, 1]
