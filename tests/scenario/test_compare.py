"""Comparison of formulations: one manoeuvre, a table of differences, and reasons where there is none."""

import json

import numpy as np
import pytest
from places import DATA
from typer.testing import CliRunner

import lissom
from lissom import compare
from lissom.cli import app
from lissom.model.io.robot_files import builtin_names


@pytest.fixture(scope="module")
def comparison():
    return compare("dual-screw-arm", ["dual_screw", "dual_screw_nonlinear", "lie_group"], duration=0.6)


def test_every_formulation_is_measured_against_the_kernel(comparison):
    kernel, linear, nonlinear = comparison.rows
    assert [row["formulation"] for row in comparison.rows] == ["kernel", "dual_screw", "dual_screw_nonlinear"]
    assert kernel["tip"] == kernel["angle"] == kernel["torque"] == 0.0
    assert nonlinear["angle"] < 1e-9
    assert nonlinear["tip"] < 1e-9
    assert nonlinear["torque"] < 1e-5
    assert 1e-7 < linear["tip"] < 1e-5
    assert linear["seconds"] > 0


def test_differences_are_those_of_the_runs(comparison):
    linear, kernel = comparison["dual_screw"], comparison["kernel"]
    apart = [np.abs(linear.run[joint].values - kernel.run[joint].values) for joint in linear.run.model.joints]
    assert np.array_equal(linear.angle, np.max(apart, axis=0))
    forces = linear.run.wrench("joint3").values - kernel.run.wrench("joint3").values
    assert np.all(linear.force >= np.linalg.norm(forces[:, 3:], axis=1))


def test_the_jump_of_the_set_points_is_left_out_of_forces(comparison):
    assert np.array_equal(np.flatnonzero(~comparison.smooth), [100])


def test_a_formulation_that_does_not_cover_the_robot_is_listed_with_the_reason(comparison):
    assert list(comparison.missing) == ["lie_group"]
    assert "link2" in comparison.missing["lie_group"]
    with pytest.raises(lissom.LissomError, match="lie_group"):
        comparison["lie_group"]


def test_a_rigid_arm_by_three_formulations():
    found = compare("rigid-7-axis", ["kernel", "lie_group", "dual_screw"], duration=0.1)
    assert not found.missing
    assert all(row["angle"] < 1e-8 and row["tip"] < 1e-8 for row in found.rows)


def test_a_urdf_arm_with_links_that_bend_by_all_that_cover_it(tmp_path):
    """Undamped and stiff, so that runs are long: how far each has come is told."""
    (tmp_path / "arm.yaml").write_text(
        f"lissom: 1\nurdf: {DATA / 'urdf' / 'wrist.urdf'}\n"
        "materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7850}}\n"
        "flexible: {boom: {rest: lumped, material: steel, section: {shape: tube, outer: 0.04, thickness: 0.001},\n"
        "  shear: none, modes: {y: 1, z: 1}}}\n"
    )
    told = []
    with pytest.warns(UserWarning, match="as a lumped mass"):
        found = compare(tmp_path / "arm.yaml", duration=0.05, progress=lambda name, time: told.append((name, time)))
    assert list(found.missing) == ["lie_group"]
    assert all(row["angle"] < 1e-5 and row["tip"] < 1e-5 for row in found.rows)
    assert {name for name, _ in told} == {*found.results, *found.missing}
    assert all(max(time for n, time in told if n == name) > 0.01 for name in found.results)


def test_an_unknown_formulation_is_an_error():
    with pytest.raises(lissom.LissomError, match="did you mean 'dual_screw'"):
        lissom.compare("ella", ["dual_scrw"], duration=0.1)


def test_a_prescribed_motion_is_compared_where_formulations_take_it():
    """These three have the same first-order field; those of first order are near."""
    found = lissom.compare("spinup-beam", duration=2.0)
    assert set(found.missing) == {"lie_group"}
    assert "links.blade" in found.missing["lie_group"]
    assert np.abs(found["kernel"].tip[-1] - [8, 0, 0]).max() > 1e-3
    for name in ("recursive_lagrange", "screw_pde", "dual_screw_nonlinear"):
        assert found[name].distance.max() < 1e-9
        assert found[name].torque.max() < 1e-6
    bent = np.abs(found["kernel"].run.deflection("blade").values).max()
    for name in ("dual_screw", "erls"):  # which leave out the shortening by bending
        assert found[name].distance.max() < bent**2 / 8.0


def test_a_manoeuvre_in_which_nothing_moves_is_told_as_such():
    assert "Nothing moves in this manoeuvre" in str(lissom.compare("two-link-rig", ["erls"], duration=0.01))
    assert "Nothing moves" not in str(lissom.compare("rigid-7-axis", ["lie_group"], duration=0.01))


@pytest.mark.slow
@pytest.mark.parametrize("name", builtin_names())
def test_on_every_built_in_robot_each_formulation_answers_or_refuses_a_part_by_name(name):
    found = lissom.compare(name, duration=0.01, rtol=1e-5)
    assert set(found.results) | set(found.missing) == set(lissom.theory.names())
    assert "kernel" in found.results
    for row in found.rows:
        assert row["tip"] < 1e-6, row
    model = lissom.load(name).compile()
    links, states = [str(part) for part in model.links], [drive.name for drive in model.robot.drives]
    for reason in found.missing.values():
        path, _, words = reason.partition(": ")
        assert words
        if path.startswith("actuators"):
            assert path.split("'")[1] in states, reason
        else:
            general = path.startswith(("loops", "elements", "contacts", "prescribed"))
            assert general or path.split(".")[1] in links, reason


def test_the_command_prints_the_table_and_writes_figure_and_numbers(tmp_path):
    arguments = ["compare", "dual-screw-arm", "--with", "dual_screw", "--duration", "0.2", "--out", str(tmp_path)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "largest differences from kernel" in result.output
    assert "dual_screw" in result.output
    assert "[rad]" in result.output
    assert "[m]" in result.output
    data = json.loads((tmp_path / "comparison.json").read_text())
    assert data["formulations"][1]["tip"] > 0
    assert (tmp_path / "comparison.png").stat().st_size > 10_000


def test_the_command_lists_what_covers_a_robot():
    result = CliRunner().invoke(app, ["compare", "ella", "--list"])
    assert result.exit_code == 0
    assert "dual_screw" in result.output
    assert "no:" in result.output
