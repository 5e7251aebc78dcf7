"""Every plot shows something, and every axis says what and in which unit."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from figures import assert_is_labelled
from sample_runs import ella_run, satellite_run

import lissom
from lissom.results.trajectory import from_run
from lissom.simulation.raw_run import RawRun
from lissom.view.figures.plots import PLOTS
from lissom.view.pages.page_charts import charts


def assert_shows_data(figure):
    for axes in figure.axes:
        drawn = [line.get_ydata() for line in axes.lines if len(line.get_ydata())]
        assert drawn or axes.collections, axes.get_title()
        assert all(np.all(np.isfinite(values)) for values in drawn)


@pytest.mark.parametrize("kind", [kind for kind in PLOTS if kind not in ("outside", "sensors")])
def test_every_plot_of_a_flexible_arm_is_full_and_labelled(kind):
    figure = ella_run().plot(kind)
    assert_is_labelled(figure)
    assert_shows_data(figure)


def test_elements_contacts_and_loops_have_a_figure_where_there_are_any():
    figure = lissom.scenario.load("luffing-crane").run(duration=0.2, progress=False).plot("outside")
    assert_is_labelled(figure)
    assert_shows_data(figure)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["Pull of elements", "Length of elements"]
    with pytest.raises(lissom.LissomError, match="nothing to show"):
        ella_run().plot("outside")


def test_sensors_have_a_figure_and_charts_where_there_are_any():
    sensors = [{"type": "encoder", "joint": "elbow", "rate": 50}, {"type": "force-torque", "joint": "elbow"}]
    run = lissom.simulate("ella", 0.1, sensors=sensors)
    figure = run.plot("sensors")
    assert_is_labelled(figure)
    assert_shows_data(figure)
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["reading [rad]", "reading [N m]", "reading [N]"]
    titles = [chart.title for chart in charts(run)]
    assert titles[-3:] == ["Sensor encoder-elbow", "Sensor force-torque-elbow", "Sensor force-torque-elbow"]
    with pytest.raises(lissom.LissomError, match="has no sensors"):
        ella_run().plot("sensors")


@pytest.mark.parametrize("kind", ["overview", "joints", "tip"])
def test_plots_of_a_free_robot_have_a_panel_for_every_unit(kind):
    figure = satellite_run().plot(kind)
    assert_is_labelled(figure)
    assert_shows_data(figure)
    if kind == "overview":
        labels = {axes.get_ylabel() for axes in figure.axes}
        assert {"angle [rad]", "position [m]", "unit quaternion [1]", "torque [N m]"} <= labels


def test_the_overview_shows_references_torques_deflections_wrenches_and_energy():
    figure = ella_run().plot()
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles[:3] == ["Joint angles", "Applied torques", "Tip deflection of links"]
    assert titles[3].startswith("Energy balance")
    assert titles[4:] == ["Torque through joints", "Force through joints"]
    names = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert names == ["shoulder-yaw", "shoulder", "elbow", "reference"]
    goal = ella_run().dataset["reference"].values[:, 0]
    assert any(np.array_equal(line.get_ydata(), goal) for line in figure.axes[0].lines)


def test_a_joint_and_its_link_have_one_colour_in_all_panels():
    angles, torques, bent, _, wrench, _ = ella_run().plot().axes
    colours = [
        next(line.get_color() for line in axes.lines if line.get_label() == name)
        for axes, name in ((angles, "elbow"), (torques, "elbow"), (bent, "forearm"), (wrench, "elbow"))
    ]
    assert len(set(colours)) == 1


def test_a_joint_of_several_coordinates_has_shades_of_its_colour_in_all_figures():
    run = satellite_run()
    drawn = [line for kind in ("joints", "wrenches") for axes in run.plot(kind).axes for line in axes.lines]
    colours = {name: {one.get_color() for one in drawn if one.get_label() == name} for name in run.model.joints}
    colours |= {f"{name}.1": {one.get_color() for one in drawn if one.get_label() == f"{name}.1"} for name in colours}
    for side in ("left", "right"):
        assert colours[f"{side}-shoulder"] == colours[f"{side}-shoulder.1"]
        assert len(colours[f"{side}-shoulder"]) == 1
    found = set.union(*(colours[f"{side}-{joint}"] for side in ("left", "right") for joint in ("shoulder", "elbow")))
    assert len(found) == 4
    second = {one.get_color() for one in drawn if one.get_label() == "left-shoulder.2"}
    assert len(second) == 1
    assert not second & found


def test_the_figure_can_be_written(tmp_path):
    ella_run().plot().savefig(tmp_path / "run.png", dpi=50)
    image = plt.imread(tmp_path / "run.png")
    assert image[..., :3].std() > 0.05


def test_a_single_joint_shows_the_components_of_its_wrench():
    run = ella_run()
    torque, force = run.plot("wrenches", joint="elbow", frame="world").axes
    assert np.array_equal(torque.lines[2].get_ydata(), run.wrench("elbow", "world").values[:, 2])
    assert np.array_equal(force.lines[1].get_ydata(), run.wrench("elbow", "world").values[:, 4])


def test_a_spectrum_shows_the_frequency_and_amplitude_of_a_sine():
    run = ella_run()
    t = np.linspace(0, 4, 801)
    q = np.zeros((801, run.model.nq))
    q[:, run.model.q_names.index("elbow")] = 0.2 * np.sin(2 * np.pi * 12 * t)
    zero = np.zeros((801, run.model.nv))
    swing = from_run(RawRun(run.model, t, q, zero, zero, zero, 0 * t, 0 * t))
    (axes,) = swing.plot("spectrum", signals="elbow").axes
    hz, amplitude = axes.lines[0].get_data()
    assert hz[np.argmax(amplitude)] == pytest.approx(12, abs=0.25)
    assert amplitude.max() == pytest.approx(0.2, rel=0.02)
    assert [text.get_text() for text in axes.texts] == ["12 Hz"]


def test_settings_of_matplotlib_stay_as_they_were():
    before = dict(matplotlib.rcParams)
    ella_run().plot("energy")
    assert dict(matplotlib.rcParams) == before


def test_a_rigid_robot_has_no_shape_to_plot():
    model = lissom.load("rigid-7-axis").compile()
    t, zero = np.linspace(0, 1, 9), np.zeros((9, model.nv))
    run = from_run(RawRun(model, t, zero, zero, zero, zero, 0 * t, 0 * t))
    with pytest.raises(lissom.LissomError, match="has no flexible link"):
        run.plot("shape")
    assert_is_labelled(run.plot())
    assert_is_labelled(run.plot("joints"))


@pytest.mark.parametrize("kind", ["overview", "tip", "deflection"])
def test_names_with_dollars_are_names_not_formulas(kind, tmp_path):
    data = ella_run().model.robot.to_dict() | {"name": "a $\\frac{1$ robot"}
    robot = lissom.Robot.from_dict(data)
    figure = lissom.simulate(robot, 0.02, progress=False).plot(kind)
    figure.savefig(tmp_path / "figure.png")
    assert any("$" in text.get_text() for text in figure.texts) or "$" in figure.get_suptitle()


def test_sections_show_forces_and_where_shapes_are_known_stresses():
    from lissom.scenario import load

    run = load("ella").run(duration=0.1, progress=False)
    link = next(iter(run.model.flexible))
    figure = run.plot("sections", link=link)
    shaped = run.model.robot.link(link).beam.has_shape
    assert len(figure.axes) == (6 if shaped else 4)
    forces = run.section_forces(link, 41)
    top = figure.axes[0].lines[0].get_ydata()
    assert top == pytest.approx(forces.sel(section_force="My").max(dim="time").values)
