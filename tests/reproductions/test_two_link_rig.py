"""The measured rig: frequencies, a fit that meets records it has not seen, the files it comes with."""

from importlib.resources import files

import numpy as np
import pytest

import lissom
from lissom.identify import validate
from lissom.reproductions import two_link_rig as rig

# what `rig.fitted` finds of ten seconds, so that the quick tests need no search
FITTED = dict(zip(rig.FOUND, (1.09081, 1.12933, 0.0933346, 0.0651402, 9.00462e10, 1.62331e11)))
SCALES = rig.Scales((0.53104, 0.725739), (0.95469, 1.46339))


@pytest.fixture
def fitted():
    return rig.with_friction().with_values(FITTED.items())


def test_the_excerpt_has_its_licence_beside_it():
    text = files("lissom.reproductions").joinpath("data/two-link-rig-LICENSE.txt").read_text()
    assert "MIT License" in text and "Copyright (c) 2022 aa4cc / Edu Ctrl Lab Models" in text


def test_frequencies_are_too_high_before_and_in_their_ranges_after(fitted):
    before, after = rig.frequencies(lissom.load("two-link-rig")), rig.frequencies(fitted)
    for f, g, (low, high) in zip(before, after, rig.RANGES):
        assert f > high and low < g < high


def test_two_measured_frequencies_give_both_stiffnesses():
    known = [{"frequency": f, "deviation": by, "mode": k + 1} for k, (f, by) in enumerate(rig.MEASURED)]
    found = lissom.fit(
        rig.with_friction(), ["materials.steel1.E", "materials.steel2.E"], frequencies=known, progress=False
    )
    assert rig.frequencies(found.robot) == pytest.approx([1.84, 5.65], abs=1e-3)
    assert found.robot.value("materials.steel1.E") < 0.6 * 2.07e11


def test_the_fitted_arm_meets_a_window_that_it_has_not_seen(fitted):
    """A move of the first hub by 50 degrees, in the half of the record that was not fitted."""
    window = (94.0, 97.0)
    seen = rig.record(rig.excerpt(), "square", window, SCALES).model_copy(update={"unknown": {}})
    as_drawn = rig.record(rig.excerpt(), "square", window).model_copy(update={"unknown": {}})
    after = validate({"fitted": fitted}, seen, **rig.RUNS)
    before = validate({"nominal": lissom.load("two-link-rig")}, as_drawn, **rig.RUNS)
    assert after.error("fitted", output="position.hub1") < 0.1
    assert before.error("nominal", output="position.hub1") > 5 * after.error("fitted", output="position.hub1")
    assert before.error("nominal", output="gauge1") > 2 * after.error("fitted", output="gauge1")


def test_a_record_in_the_rigs_own_format_is_read(tmp_path):
    counts = np.arange(6)
    own = {"dt_s": 0.002, "current_first_index": 2}
    for s in "12":
        own |= {f"hub{s}_encoder_counts": counts, f"hub{s}_rad_per_count": 1e-4, f"link{s}_strain_adc_counts": counts}
        own |= {f"link{s}_strain_adc_offset": 0.5, f"link{s}_rad_per_adc_count": 2e-5, f"link{s}_first_valid_index": 1}
        own[f"motor{s}_current_measured_A"] = np.array([0.1, 0.2, 0.3, 0.4])
    np.savez(tmp_path / "run.npz", **own)
    data = rig.published(tmp_path / "run.npz")
    assert data["hub2_angle"] == pytest.approx(1e-4 * counts)
    assert np.isnan(data["link1_deflection"][0]) and data["link1_deflection"][1] == pytest.approx(3e-5)
    assert np.isnan(data["current1"][:2]).all() and data["current1"][2:] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert rig.record(data, "run", (0.004, 0.01)).samples().time == pytest.approx([0, 0.002, 0.004, 0.006])


@pytest.mark.slow
def test_the_whole_study(tmp_path):
    found = rig.main(tmp_path)
    for f, (low, high) in zip(found.fitted, rig.RANGES):
        assert low < f < high
    later = next(block.record for block in found.held.blocks["fitted"] if block.record.startswith("square"))
    for output, factor in (("position.hub1", 20), ("position.hub2", 4), ("gauge1", 3), ("gauge2", 2.5)):
        assert found.held.factor("fitted", "nominal", later, output) > factor
        assert found.linear[later, output] > 2 * found.held.error("fitted", later, output)
    assert (tmp_path / "rig-fitted.png").exists() and (tmp_path / "rig-held-back.png").exists()
