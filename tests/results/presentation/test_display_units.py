"""Units are chosen once, by name, and everything that is shown follows; data stays SI."""

import numpy as np
import pytest
from sample_runs import ella_run, small_ella

import lissom
from lissom.errors import LissomError
from lissom.results.presentation.display_units import DisplayUnits
from lissom.results.presentation.user_settings import user_settings
from lissom.scenario import Scenario


@pytest.mark.parametrize(
    ("names", "unit", "shown", "factor"),
    [
        ("kN, mm, deg", "N", "kN", 1e-3),
        ("kN, mm, deg", "N m", "kN m", 1e-3),
        ("kN, N mm", "N m", "N mm", 1e3),
        ("kN, mm, deg", "m/s", "mm/s", 1e3),
        ("kN, mm, deg", "rad/s2", "deg/s2", 180 / np.pi),
        ("kN, mm, deg", "mm", "mm", 1.0),
        ("cm", "mm", "cm", 0.1),
        ("kN", "Pa", "Pa", 1.0),
        ("N/mm2", "Pa", "N/mm2", 1e-6),
        ("kN, kJ", "J", "kJ", 1e-3),
        ("kN", "J", "J", 1.0),
        ("", "N m", "N m", 1.0),
        ("mm", "1", "1", 1.0),
    ],
)
def test_units_follow_from_the_names_chosen(names, unit, shown, factor):
    chosen = DisplayUnits.of(names) if names else DisplayUnits()
    name, by = chosen.convert(unit)
    assert name == shown and by == pytest.approx(factor, rel=1e-14)


def test_the_usual_unit_is_taken_where_nobody_chose_one():
    assert DisplayUnits().convert("m", "mm") == ("mm", 1000.0)
    assert DisplayUnits.of("cm").convert("m", "mm") == ("cm", 100.0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("kNN", "did you mean 'kN'"),
        ("Hz", "no unit of results"),
        (["mm", "cm"], "of one kind"),
        (5, "must be a list of units"),
        ([3], "must hold names of units"),
    ],
)
def test_what_is_no_unit_of_results_is_refused(given, said):
    with pytest.raises(LissomError, match=said):
        DisplayUnits.of(given)


def test_tables_charts_and_files_are_in_the_units_of_the_run(tmp_path):
    run = ella_run().beside()
    run.units = "kN, cm, deg"
    text = str(run.summary())
    assert "torque kN m" in text and "force kN" in text and "tip cm" in text and "deg" in text
    peak = max(np.linalg.norm(run.wrench("shoulder").values[:, :3], axis=1))
    row = next(row for row in run.summary().rows()["joints"].cells if row[0] == "shoulder")
    assert row[1] == pytest.approx(peak / 1e3)
    labels = [axes.get_ylabel() for axes in run.plot().axes]
    assert "angle [deg]" in labels and "deflection [cm]" in labels and "torque [kN m]" in labels
    run.to_csv(tmp_path / "run.csv", units=True, columns=["position.elbow"])
    head, first = (tmp_path / "run.csv").read_text().splitlines()[:2]
    assert head == "time [s],position.elbow [deg]"
    assert float(first.split(",")[1]) == pytest.approx(np.degrees(run["elbow"].values[0]))
    assert run["elbow"].attrs["units"] == "rad" and run.summary().to_dict()["joints"][0]["torque"]["value"] > 1e-3


def test_a_scenario_chooses_units_and_saved_runs_keep_them(tmp_path):
    made = Scenario(robot=small_ella(), duration=0.02, units=["kN", "mm"]).run(progress=False)
    assert made.units == ("kN", "mm")
    made.save(tmp_path / "run.nc")
    assert lissom.Trajectory.load(tmp_path / "run.nc").units == ("kN", "mm")
    with pytest.raises(LissomError, match=r"units.*no unit of results"):
        Scenario(robot="ella", duration=1, units="furlong")


def test_settings_of_the_user_hold_for_all_runs(tmp_path, monkeypatch):
    file = tmp_path / "settings.yaml"
    file.write_text("units: [MN, mm]\norganisation: ACME\n")
    monkeypatch.setenv("LISSOM_SETTINGS", str(file))
    assert user_settings().organisation == "ACME"
    assert ella_run().beside().units == ("MN", "mm")
    file.write_text("units: [MN, mm]\norganization: ACME\n")
    import os

    os.utime(file, ns=(1, 1))
    with pytest.raises(LissomError, match=r"settings.yaml:2.*organi[sz]ation"):
        user_settings()


def test_noise_is_zero_in_what_is_shown():
    """The wrench about the plane's own axes of an arm that moves in a plane is rounding, 1e-17 of its forces."""
    run = ella_run()
    shown = run.shown
    noise, force = 1e-16 * np.ones(3), float(np.abs(run.numbers["wrench"]).max())
    assert shown.value(1e-12 * force, "N") == 0.0 and shown.value(1e-3 * force, "N") != 0.0
    curves, unit = shown.curves([noise, force * np.ones(3)], "N m")
    assert unit == "N m" and not curves[0].any() and np.all(curves[1] == force)
