"""Texts around axes find room: none covers another, none leaves the figure."""

import itertools

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from lissom.scenario import load
from lissom.view.figures.figure_style import grid, headline, legend, style


def drawn(values, columns, names=("one",), count=4):
    with style():
        figure, axes = grid(count, columns, sharex=True)
        for one in axes:
            for k, name in enumerate(names):
                one.plot(np.linspace(0, 4, 9), (1 + k / 100) * np.asarray(values), label=name)
            one.set(title="What it shows", ylabel="its unit [N m]", xlabel="time [s]")
            legend(one)
        headline(figure, "a robot", "4 s of motion")
        figure.canvas.draw()
    return figure


def texts(figure):
    """(text, box in pixels) of what is drawn around axes."""
    for axes in figure.axes:
        found = [axes._left_title, axes.xaxis.label, axes.yaxis.label, axes.yaxis.offsetText]
        found += [tick.label1 for axis in (axes.xaxis, axes.yaxis) for tick in axis._update_ticks()]  # in sight
        for text in found:
            if text.get_visible() and text.get_text():
                yield text.get_text(), text.get_window_extent()


@pytest.mark.parametrize("size", [1e-7, 0.1, 1234.5, 3e7])
@pytest.mark.parametrize("columns", [1, 2])
def test_no_text_covers_another_or_leaves_the_figure(size, columns):
    assert_free(drawn(size * np.sin(np.arange(9.0)) - size / 3, columns))


def assert_free(figure):
    found = list(texts(figure))
    assert len(found) > 20
    for (a, box), (b, other) in itertools.combinations(found, 2):
        assert not box.padded(-1).overlaps(other.padded(-1)), f"{a!r} covers {b!r}"
    width, height = figure.bbox.size
    for name, box in found:
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height, f"{name!r} is cut off"


def test_powers_of_ten_find_room():
    with style():
        figure, axes = grid(2, 1)
        for one, least in zip(axes, (1e-16, 1e-3)):
            one.semilogy([0, 1], [least, 1.0])
            one.set(title="What it shows", ylabel="its unit [N m]", xlabel="time [s]")
        figure.canvas.draw()
    assert_free(figure)


def test_labels_of_a_column_stand_below_each_other():
    figure = drawn(np.arange(9.0), 2)
    left = [axes.yaxis.label.get_window_extent().x0 for axes in figure.axes[::2]]
    assert np.ptp(left) < 1


def test_a_long_legend_gets_room_beside_the_axes():
    figure = drawn(np.arange(9.0), 1, names=[f"a rather long name {k}" for k in range(10)], count=2)
    for axes in figure.axes:
        box = axes.get_legend().get_window_extent()
        assert box.x0 >= axes.get_window_extent().x1 - 1
        assert box.x1 <= figure.bbox.width + 1


def test_a_small_window_is_drawn_all_the_same():
    figure = drawn(np.arange(9.0), 2)
    figure.set_size_inches(0.5, 0.5)
    figure.canvas.draw()


@pytest.mark.parametrize("names", [2, 4, 7])
def test_no_legend_hides_a_curve(names):
    """Curves that leave no corner free: the axis grows above them."""
    with style():
        figure, (axes, easy) = grid(2, 2)
        t = np.linspace(0, 1, 400)
        for k in range(names):
            axes.plot(t, np.cos(40 * t + k), label=f"left-shoulder.{k}")
            easy.plot(t, t**4 + 0.01 * k, label=f"{k}")
        legend(axes)
        legend(easy)
        headline(figure, "one")
        figure.canvas.draw()
    for one in (axes, easy):
        box = one.get_legend().get_window_extent()
        assert one.bbox.x0 < box.x0 < box.x1 < one.bbox.x1
        assert one.bbox.y0 < box.y0 < box.y1 < one.bbox.y1
        for line in one.lines:
            x, y = one.transData.transform(line.get_xydata()).T
            assert not np.any((x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1))
    assert axes.get_ylim()[1] > 1.2
    assert easy.get_ylim()[1] < 1.2


LONG = tuple(f"segment-number-{k:02d}-of-the-long-chain" for k in range(1, 31))


@pytest.mark.parametrize("count", [2, 30])
def test_long_names_many_curves_and_tall_figures_find_room(count):
    with style():
        figure, axes = grid(count, 2, sharex=True)
        for one in axes:
            for k, name in enumerate(LONG):
                one.plot([0, 1], [0, k], label=name)
            one.set(title=f"{LONG[0]}: displacement, peak 0.68 % of length", ylabel="its unit [N m]", xlabel="time [s]")
            legend(one)
        headline(figure, "a robot", "4 s of motion")
        figure.canvas.draw()
    assert_free(figure)
    head = figure._suptitle.get_window_extent()
    for one in figure.axes:
        assert one.bbox.width > 0.5 * figure.bbox.width / 2  # curves have more room than their names
        box = one.get_legend().get_window_extent()
        assert box.y0 > one.bbox.y0
        assert not head.overlaps(box)
        assert not head.overlaps(one.get_tightbbox())
        named = [text.get_text() for text in one.get_legend().get_texts()]
        assert named[-2:] == ["segme…30…chain", "and 22 more"]
        assert len(named) == 9
        assert one.get_title("left").startswith("segment")
        assert one.get_title("left").endswith("% of length")
    figure.canvas.draw()  # and stays as it is
    assert axes[0].get_title("left").count("…") == 1


def test_labels_of_a_picture_in_space_stay_off_the_axes_beside_it():
    figure = load("spinup-beam").run(duration=0.5, progress=False).plot("tip")
    figure.canvas.draw()
    space, *beside = figure.axes
    right = max(axis.label.get_window_extent().x1 for axis in (space.xaxis, space.yaxis, space.zaxis))
    assert right + 15 < min(one.yaxis.label.get_window_extent().x0 for one in beside)
