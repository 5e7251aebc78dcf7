"""Random mechanisms whose links bow under their weight: `first` against the exact field with more functions.

Sections are given by a shape, so that they shear; every joint of a ring is once the one at which it is cut.
"""

import numpy as np
import pytest

import lissom

PIN = {"type": "revolute", "axis": [0, 0, 1]}
KINDS = ("four-bar", "four-bar cut at the ground", "slider-crank", "parallelogram", "five-bar", "strut")


def beam(rng, length, slender, stiffening):
    """A random strip or tube, uniform, tapered or stepped."""
    rng = np.random.default_rng(rng.integers(1 << 30))
    modes = {"y": 6, "axial": 1} if stiffening == "first" else {"y": 8, "axial": 2}
    thick = length / (slender * rng.uniform(0.8, 1.2))

    def strip(factor):
        return {"shape": "rectangle", "width": float(factor * thick), "height": float(2 * thick)}

    made = {"length": length, "material": "steel", "modes": modes, "stiffening": stiffening, "damping": 0.01}
    kind, other = rng.choice(["strip", "tube", "taper", "step"]), float(rng.uniform(0.8, 1.3))
    if kind == "strip":
        return made | {"section": strip(1.0)}
    if kind == "tube":
        return made | {"section": {"shape": "tube", "outer": 1.2 * thick, "thickness": 0.15 * thick}}
    places = [0.0, length] if kind == "taper" else [0.0, 0.4 * length, 0.4 * length, length]
    factors = [1.0, other] if kind == "taper" else [1.0, 1.0, other, other]
    return made | {"stations": [{"x": x, "section": strip(f)} for x, f in zip(places, factors, strict=True)]}


def mechanism(seed, stiffening):
    """A random mechanism, where it starts and what is held."""
    rng = np.random.default_rng(seed)
    kind, slender = KINDS[seed % len(KINDS)], rng.uniform(350, 500)
    ground = rng.uniform(1.0, 3.0)
    a, b, c = ground * rng.uniform(0.3, 0.4), ground * rng.uniform(0.9, 1.1), ground * rng.uniform(0.7, 0.9)
    angle = rng.uniform(0.5, 2.0)

    def link(name, parent, length, xyz=(0.0, 0.0, 0.0), stiffer=1.0, joint=PIN):
        made = beam(rng, length, slender / stiffer, stiffening)
        return {"name": name, "parent": parent, "origin": {"xyz": list(xyz)}, "joint": joint, "beam": made}

    start = {"crank": angle, "coupler.near": -angle, "rocker.near": 1.5}
    if kind == "parallelogram":
        b, c = ground, a
        start |= {"rocker.near": angle}
    links = [link("crank", "world", a, stiffer=6.0), link("coupler", "crank", b)]
    if kind == "four-bar cut at the ground":
        links.append(link("rocker", "coupler", c))
        start |= {"rocker.near": -1.8}
        pin = {"name": "pin", "joint": PIN, "between": [{"link": "world", "origin": {"xyz": [ground, 0, 0]}}, {"link": "rocker"}]}  # fmt: skip  # noqa: E501
    elif kind == "slider-crank":
        slide = {"name": "slider", "parent": "world", "joint": {"type": "prismatic", "axis": [1, 0, 0]}, "body": {"mass": 0.1}}  # fmt: skip  # noqa: E501
        links.append(slide)
        start = {"crank": angle, "coupler.near": -1.2 * angle, "slider.near": a * np.cos(angle) + 0.9 * b}
        pin = {"name": "pin", "joint": PIN, "between": [{"link": "slider"}, {"link": "coupler"}]}
    elif kind == "strut":  # a clamped boom on a strut with ball joints
        ball = {"type": "spherical"}
        links = [
            link("crank", "world", ground, stiffer=6.0, joint={"type": "fixed"}),
            link("coupler", "world", float(np.hypot(ground, 0.5 * ground)), [0.0, -0.5 * ground, 0.0], joint=PIN),
        ]
        start = {"coupler.near": 0.46}
        pin = {"name": "pin", "joint": ball, "between": [{"link": "crank"}, {"link": "coupler"}]}
    else:
        links.append(link("rocker", "world", c, [ground, 0.0, 0.0], stiffer=6.0 if kind == "five-bar" else 1.0))
        if kind == "five-bar":
            links += [link("far", "rocker", b)]
            start = {"crank": angle, "rocker": 2.6 - 0.5 * angle, "coupler.near": 0.6 - angle, "far.near": 0.5}
        pin = {"name": "pin", "joint": PIN, "between": [{"link": "coupler"}, {"link": links[-1]["name"]}]}
    data = {"name": kind, "gravity": [0.0, -9.81, 0.0], "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850}},
            "links": links, "loops": [pin]}  # fmt: skip
    held = ["crank", "rocker"] if kind == "five-bar" else [] if kind == "strut" else ["crank"]
    if kind == "four-bar" and seed // len(KINDS) % 2:  # the coupler between two links that stand: its bow stretches it
        held = ["crank", "rocker"]
    return lissom.Robot.from_dict(data), start, held


def at_rest(seed, stiffening):
    """Bows over lengths of the links and the force that closes the ring, N."""
    robot, start, held = mechanism(seed, stiffening)
    model = robot.compile()
    rest = lissom.static_equilibrium(model, lissom.close_loops(model, start), hold=held)
    bows = {
        body.link: float(lissom.beam.flexible_link.bow(beam, rest.q[body.modes_q]) / beam.length)
        for body in model.bodies
        if (beam := model.flexible.get(body.link)) is not None
    }
    return bows, rest.loop_wrenches["pin"][3:], rest.warnings


@pytest.mark.parametrize("seed", range(54))
def test_bows_and_forces_at_rest_are_those_of_the_exact_field(seed):
    bows, force, told = at_rest(seed, "first")
    true, pulled, _ = at_rest(seed, "exact")
    assert max(true.values()) > 0.002  # it bows
    if told:
        return
    largest = max(true.values())
    assert all(abs(bows[link] - true[link]) < 0.01 * largest for link in true), (bows, true)
    assert np.linalg.norm(force - pulled) < 0.01 * np.linalg.norm(pulled), (force, pulled)
