"""Charts beside the live picture, before they are drawn."""

import numpy as np
import pytest

pytest.importorskip("viser", reason="needs the package viser: pip install lissom[view]")

from lissom.view.figures.chart import PREFIXES, Chart, Series
from lissom.view.live.live_charts import DIGITS, _scales


def chart(low, high):
    time = np.linspace(0, 1, 50)
    return Chart("angle", "angle", "rad", time, (Series("elbow", np.linspace(low, high, 50), "#0072B2"),))


@pytest.mark.parametrize("middle", [0.0, 97.31234, -1234.5678])
@pytest.mark.parametrize("height", [0.0, 1e-9, 1e-4, 3.9e-3])
def test_what_hardly_changes_keeps_labels_that_differ(middle, height):
    """Axes are labelled with three digits: a chart is higher than some of their steps, and its curve lies on it."""
    low, high = _scales(chart(middle - height / 2, middle + height / 2))["y"]["range"]
    assert low <= middle - height / 2
    assert middle + height / 2 <= high
    assert high - low > 5 * 10**-DIGITS


def test_what_changes_fills_its_chart():
    assert "y" not in _scales(chart(0.0, 5e-3))
    assert "y" not in _scales(chart(np.nan, np.nan))


@pytest.mark.parametrize(("most", "unit"), [(9e5, "N m"), (1.4e6, "kN m"), (2e9, "MN m"), (5e15, "GN m")])
def test_large_numbers_take_a_prefix_for_which_there_is_room(most, unit):
    """1,400,000 would stand over the name of the axis."""
    time = np.linspace(0, 1, 50)
    drawn = Chart("Torque", "torque", "N m", time, (Series("elbow", -most * time, "#0072B2"),)).prefixed(1e6)
    assert drawn.label == f"torque [{unit}]"
    assert drawn.series[0].values[-1] * PREFIXES[unit.removesuffix("N m")] == pytest.approx(-most)
    assert chart(0, most).prefixed(1e6).unit == "rad"  # there are no kiloradians
