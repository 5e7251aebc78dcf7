"""Results print as a short text, and as HTML in a notebook."""

import numpy as np
import pytest

import lissom
from lissom.analysis import identify_modes

ELLA = lissom.load("ella")
T = np.arange(0, 2, 0.01)
RESULTS = {
    "modes": (lambda: lissom.natural_modes(ELLA, number=3), ("natural modes of ella", "what gives way", "2.7")),
    "equilibrium": (lambda: lissom.static_equilibrium(ELLA), ("ella at rest", "upper deflection", "stable")),
    "linear": (lambda: lissom.linearise(ELLA, outputs="elbow"), ("linear model of ella", "states", "46", "continuous")),
    "poles": (lambda: lissom.linearise(ELLA).poles(), ("poles", "damping ratio")),
    "feedback": (lambda: lissom.control.lqr(ELLA).function, ("state feedback", "motors", "of the unit circle")),
    "sampled": (
        lambda: lissom.control.Sampled(lambda t, q, v: 0 * v, rate=200, delay=0.002),
        ("sampled", "samples per second", "200", "2 ms"),
    ),
    "sampled feedback": (lambda: lissom.control.lqr(ELLA), ("state feedback", "motors", "samples per second")),
    "law": (
        lambda: lissom.control.pd(ELLA, {"elbow": {"p": 600, "d": 40}}, reference=[0.1], saturation=250),
        ("control law", "elbow", "600", "40", "-250", "PD"),
    ),
    "comparison": (
        lambda: lissom.compare(ELLA, ["recursive_lagrange"], duration=0.02),
        ("ella: largest differences from kernel", "recursive_lagrange", "tip path"),
    ),
    "sensitivity": (lambda: lissom.sensitivity("spinup-beam", "gravity.2", 0.02), ("sensitivity", "gravity.2")),
    "identified": (lambda: identify_modes(T, np.exp(-T) * np.sin(20 * T)), ("identified modes", "Hz")),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_print_as_tables(name):
    make, words = RESULTS[name]
    result = make()
    html = result._repr_html_()
    assert html.startswith("<table>")
    assert html.endswith(("</table>", "</p>"))
    for word in words:
        assert word in str(result)
        assert word in html
    assert str(result.table()) == str(result)
    assert max(map(len, str(result).splitlines())) <= 100


def test_robots_and_runs_print_what_they_are():
    assert str(ELLA) == ELLA.describe()
    assert "forearm" in ELLA._repr_html_()
    run = lissom.simulate(ELLA, 0.02)
    assert str(run) == str(run.summary())
    assert "elbow" in str(run)
    assert repr(run).startswith("<Trajectory of ella: 0.02 s in 5 samples")


def test_long_names_lose_no_letters():
    """They share their beginning: what tells them apart stands at the end."""
    long = [f"a-link-of-a-long-chain-of-links-whose-names-are-long-{k}" for k in range(4)]
    bar = {
        "length": 0.3,
        "material": "steel",
        "section": {"shape": "circle", "diameter": 0.01},
        "modes": {"y": 1, "z": 1},
    }
    links = [{"name": name, "joint": {"type": "revolute", "axis": [0, 1, 0]}, "beam": bar} for name in long]
    data = {"lissom": 1, "name": "chain", "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850}}, "links": links}
    robot = lissom.Robot.from_dict(data)
    for text in (robot.describe(), str(lissom.natural_modes(robot, locked=True))):
        assert "…" not in text
        assert max(map(len, text.splitlines())) <= 100
