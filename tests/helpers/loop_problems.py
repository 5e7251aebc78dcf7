"""Mechanisms with closed loops whose motion others have published or computed; figures in `tests/data/loops`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import lissom
from lissom.control.references.reference import Reference

DATA = Path(__file__).parents[1] / "data" / "loops"


def published(name):
    return json.loads((DATA / f"{name}.json").read_text())


def smooth(x):
    """s(x) = x^4 (35 - 84 x + 70 x^2 - 20 x^3) from 0 to 1, with its two derivatives."""
    x = np.clip(x, 0.0, 1.0)
    return (
        x**4 * (35 - 84 * x + 70 * x**2 - 20 * x**3),
        140 * x**3 * (1 - x) ** 3,
        420 * x**2 * (1 - x) ** 2 * (1 - 2 * x),
    )


def followed(law, breaks):
    """A Reference through values, rates and accelerations of `law(t)` at `breaks`: piecewise quintic."""
    value, rate, acceleration = (np.broadcast_to(x, np.shape(breaks)) for x in law(np.asarray(breaks, float)))
    pieces = []
    for k in range(len(breaks) - 1):
        h = breaks[k + 1] - breaks[k]
        c = [value[k], rate[k], acceleration[k] / 2]
        left = np.array(
            [
                value[k + 1] - (c[0] + c[1] * h + c[2] * h**2),
                rate[k + 1] - (c[1] + 2 * c[2] * h),
                acceleration[k + 1] - 2 * c[2],
            ]
        )
        A = np.array([[h**3, h**4, h**5], [3 * h**2, 4 * h**3, 5 * h**4], [6 * h, 12 * h**2, 20 * h**3]])
        pieces.append([[*c, *np.linalg.solve(A, left)]])
    return Reference(np.asarray(breaks, float), np.array(pieces))


def rest_to_rest(start, end, duration, pieces=200):
    def law(t):
        s, ds, dds = smooth(t / duration)
        return start + (end - start) * s, (end - start) * ds / duration, (end - start) * dds / duration**2

    return followed(law, np.linspace(0, duration, pieces + 1))


def rectangle(length, width, height, E, rho, **beam):
    """A beam that bends in its x-y plane only: no shear, no rotary inertia; `height` in the plane."""
    A, I = width * height, width * height**3 / 12
    return planar(length, rho * A, E * A, E * I, **beam)


def planar(length, rhoA, EA, EI, y=4, axial=1, stiffening="exact", **beam):
    section = {"rhoA": rhoA, "EA": EA, "EIy": EI, "EIz": EI, "GJ": EI, "Jx": 1e-9, "Jy": 0.0, "Jz": 0.0}
    return {"length": length, "section": section, "modes": {"y": y, "axial": axial}, "stiffening": stiffening, **beam}


def revolute(axis=(0, 0, 1)):
    return {"type": "revolute", "axis": list(axis)}


def triangle(p, q, lp, lq):
    """Apex at distance lp from p and lq from q, on the left of the direction p -> q."""
    p, q = np.array(p, float), np.array(q, float)
    d = np.linalg.norm(q - p)
    e = (q - p) / d
    along = (d**2 + lp**2 - lq**2) / (2 * d)
    return p + along * e + np.sqrt(lp**2 - along**2) * np.array([-e[1], e[0]])


def angle(p, q):
    return float(np.arctan2(q[1] - p[1], q[0] - p[0]))


def bow(model, q, link, length):
    """Displacement of the middle of a beam from the middle of its chord, along z x chord."""
    base, middle, tip = (lissom.point_pose(model, q, link, s)[:2, 3] for s in (0.0, length / 2, length))
    e = (tip - base) / np.linalg.norm(tip - base)
    return np.array([-e[1], e[0]]) @ (middle - (base + tip) / 2)


def at_times(run, times):
    """Samples of the outputs at the given times."""
    index = [int(np.argmin(abs(run.time - t))) for t in times]
    np.testing.assert_allclose(run.time[index], times, atol=1e-9)
    return index


def worst(reference, columns):
    """Largest error over max(abs_tol, 1e-3 of the column's largest), and over abs_tol; with the columns."""
    rule, strict = {}, {}
    for name, values in columns.items():
        error = np.abs(np.asarray(values) - reference["values"][name]).max()
        tolerance = reference["abs_tol"][name]
        rule[name] = error / max(tolerance, 1e-3 * np.abs(reference["values"][name]).max())
        strict[name] = error / tolerance
    return rule, strict


def loop_force_on_first(run, loop):
    """World force on the first frame of the loop by the second, at all samples."""
    return -run.loop_wrench(loop, frame="world")[:, 3:]


def five_bar(robot=None, **beam):
    """Robot, start and prescribed motion of the five-bar arm."""
    data = published("fivebar_planar_flexible")
    p, case = data["parameters"], data["cases"]["A"]
    near, far = p["proximal"], p["distal"]
    ends = [np.radians(case[f"motor{k}_deg"]) for k in (1, 2)]
    bases = [np.array(p["O1"], float), np.array(p["O2"], float)]

    def made(part, **more):
        return rectangle(part["length"], part["width"], part["height_in_plane"], p["E"], p["rho"], **(beam | more))

    links = []
    for k, base in enumerate(bases):
        origin = {"xyz": [*map(float, base), 0.0]}
        links.append({"name": f"near{k}", "parent": "world", "origin": origin, "joint": revolute(), "beam": made(near)})
        masses = {"masses": [{"mass": p["payload_point_mass"]}]} if k == 0 else {}
        links.append({"name": f"far{k}", "parent": f"near{k}", "joint": revolute(), "beam": made(far, **masses)})
    loops = [{"name": "tip", "joint": revolute(), "between": [{"link": "far0"}, {"link": "far1"}]}]
    robot = lissom.Robot.from_dict({"name": "five-bar", "gravity": [0, 0, 0], "links": links, "loops": loops})
    elbow = [b + near["length"] * np.array([np.cos(e[0]), np.sin(e[0])]) for b, e in zip(bases, ends, strict=True)]
    tip = triangle(elbow[0], elbow[1], far["length"], far["length"])
    start = {f"near{k}": ends[k][0] for k in (0, 1)}
    start |= {f"far{k}": angle(elbow[k], tip) - ends[k][0] for k in (0, 1)}
    motion = {f"near{k}": rest_to_rest(*ends[k], 0.2) for k in (0, 1)}
    return robot, start, motion, case["reference"]["eb"]


def five_bar_columns(run, times):
    at = at_times(run, times)
    q = run.q[at]
    tip = run.tip("far0")[at]
    force = loop_force_on_first(run, "tip")[at]
    return {
        "tip_x": tip[:, 0],
        "tip_y": tip[:, 1],
        "defl_distal1_mid": [bow(run.model, x, "far0", 0.4) for x in q],
        "defl_distal2_mid": [bow(run.model, x, "far1", 0.4) for x in q],
        "F_tip_x": force[:, 0],
        "F_tip_y": force[:, 1],
        "torque1": run.torque("near0")[at],
        "torque2": run.torque("near1")[at],
    }


def four_bar(**beam):
    """Crank-rocker with three flexible links."""
    data = published("fourbar_planar_flexible")
    geo, mat = data["geometry"], data["material"]
    phi0, C = geo["initial_crank_angle"], np.array(geo["C"], float)
    length = {name: geo[name]["length"] for name in ("crank", "coupler", "rocker")}

    def link(name, parent, xyz):
        part = geo[name]
        made = rectangle(part["length"], part["width"], part["height_in_plane"], mat["E"], mat["rho"], **beam)
        return {"name": name, "parent": parent, "origin": {"xyz": xyz}, "joint": revolute(), "beam": made}

    links = [link("crank", "world", [0.0] * 3), link("coupler", "crank", [0.0] * 3), link("rocker", "world", [*C, 0.0])]
    loops = [{"name": "B", "joint": revolute(), "between": [{"link": "coupler"}, {"link": "rocker"}]}]
    robot = lissom.Robot.from_dict({"name": "four-bar", "gravity": [0, 0, 0], "links": links, "loops": loops})
    A = np.array(geo["O"], float) + length["crank"] * np.array([np.cos(phi0), np.sin(phi0)])
    B = triangle(A, C, length["coupler"], length["rocker"])
    start = {"crank": phi0, "coupler": angle(A, B) - phi0, "rocker": angle(C, B)}
    motion = {"crank": rest_to_rest(phi0, phi0 + 2 * np.pi, 0.5)}
    return robot, start, motion, data["cases"]["motion"]["reference"]["eb"]


def four_bar_columns(run, times):
    at = at_times(run, times)
    B, F_B = run.tip("rocker").values[at], run.loop_wrench("B", frame="world").values[at, 3:]
    F_C = run.wrench("rocker", frame="world").values[at, 3:]
    length = {name: float(run.model.flexible[name].length) for name in ("coupler", "rocker")}
    return {
        "crank_angle": run["crank"].values[at],
        "B_x": B[:, 0],
        "B_y": B[:, 1],
        "defl_coupler_mid": [bow(run.model, q, "coupler", length["coupler"]) for q in run.q[at]],
        "defl_rocker_mid": [bow(run.model, q, "rocker", length["rocker"]) for q in run.q[at]],
        "F_B_x": F_B[:, 0],
        "F_B_y": F_B[:, 1],
        "F_C_x": F_C[:, 0],
        "F_C_y": F_C[:, 1],
        "drive_torque": run.torque("crank").values[at],
    }


def slider_crank(**beam):
    """Rigid crank and flexible rod, run up to 150 rad/s; the guide is a loop that lets the rod's end slide and turn."""
    data = published("slider_crank_flexible_rod")
    p, case = data["parameters"], data["cases"]["h8mm"]
    masses = [{"mass": p["slider_mass"]}]
    rod = rectangle(
        p["rod_length"], p["rod_width"], case["rod_height_in_plane"], p["E"], p["rho"], masses=masses, **beam
    )
    J, r = p["crank_inertia_about_O"], p["crank_length"]
    links = [
        {"name": "crank", "joint": revolute(), "body": {"mass": 0.0, "inertia": [J, J, J]}},
        {"name": "rod", "origin": {"xyz": [r, 0.0, 0.0]}, "joint": revolute(), "beam": rod},
    ]
    # turning about z and sliding along x: a planar joint would slide along y too, so the guide's carriage is a body
    links.append({"name": "slider", "parent": "world", "joint": {"type": "prismatic", "axis": [1, 0, 0]},
                  "body": {"mass": 0.0}})  # fmt: skip
    loops = [{"name": "pin", "joint": revolute(), "between": [{"link": "slider"}, {"link": "rod"}]}]
    robot = lissom.Robot.from_dict({"name": "slider-crank", "gravity": [0, 0, 0], "links": links, "loops": loops})

    def run_up(t, T=0.1, speed=150.0):
        x = np.minimum(t / T, 1.0)
        after = np.maximum(t - T, 0.0)
        return (
            speed * T * (x**6 - 3 * x**5 + 2.5 * x**4) + speed * after,
            speed * (6 * x**5 - 15 * x**4 + 10 * x**3),
            speed / T * (30 * x**4 - 60 * x**3 + 30 * x**2),
        )

    reference = case["reference"]["eb"]
    motion = {"crank": followed(run_up, np.linspace(0, 0.4, 801))}
    return robot, {"crank": 0.0, "rod": 0.0, "slider": r + p["rod_length"]}, motion, reference


def slider_crank_columns(run, times):
    at = at_times(run, times)
    pin, guide = run.wrench("rod", frame="world").values[at, 3:], run.loop_wrench("pin", frame="world").values[at, 3:]
    length = float(run.model.flexible["rod"].length)
    return {
        "crank_angle": run["crank"].values[at],
        "slider_x": run.tip("rod").values[at, 0],
        "defl_rod_mid": [bow(run.model, q, "rod", length) for q in run.q[at]],
        "F_pin_x": pin[:, 0],
        "F_pin_y": pin[:, 1],
        "F_guide_y": guide[:, 1],
        "drive_torque": run.torque("crank").values[at],
    }


def crane(**beam):
    """Luffing crane: the boom is split at the lug, where the axial force jumps; the cylinder's length is prescribed."""
    data = published("luffing_crane")
    p = data["parameters"]
    b, lug, Q = p["boom"], p["lug"], p["Q_cylinder_foot"]
    s = lug["s_along_boom"]

    def boom(length, **more):
        return planar(length, b["mass_per_length"], b["EA"], b["EI"], **(beam | more))

    def rigid(part, com):
        J = part["inertia_com"]
        return {"mass": part["mass"], "com": [com, 0.0, 0.0], "inertia": [J, J, J]}

    links = [
        {"name": "inner", "parent": "world", "joint": revolute(), "beam": boom(s)},
        {"name": "boom", "joint": "fixed", "beam": boom(b["length"] - s, masses=[{"mass": p["payload"]}])},
        {"name": "barrel", "parent": "world", "origin": {"xyz": [*map(float, Q), 0.0]}, "joint": revolute(),
         "body": rigid(p["barrel"], p["barrel"]["com_from_Q_along_axis"])},
        {"name": "rod", "joint": {"type": "prismatic", "axis": [1, 0, 0]},
         "body": rigid(p["rod"], -p["rod"]["com_from_lug_pin_towards_Q"])},
    ]  # fmt: skip
    offset = {"xyz": [*map(float, lug["offset_in_section_frame"]), 0.0]}
    loops = [{"name": "lug", "joint": revolute(), "between": [{"link": "rod"}, {"link": "inner", "origin": offset}]}]
    gravity = [*p["gravity"], 0.0]
    robot = lissom.Robot.from_dict({"name": "crane", "gravity": gravity, "links": links, "loops": loops})
    l0 = data["derived"]["cylinder_length_l0"]
    start = {"inner": np.radians(p["initial_chord_angle_undeformed_deg"]), "barrel": 0.77, "rod": l0}
    return robot, start, {"rod": rest_to_rest(l0, l0 + 0.9, 3.0)}, data["cases"]["length"]["reference"]["eb"]


def crane_columns(run, times):
    at = at_times(run, times)
    tip = run.tip("boom").values[at]
    F_L, F_P, F_Q = (
        run.loop_wrench("lug", frame="world").values[at, 3:],
        run.wrench("inner", frame="world").values[at, 3:],
        run.wrench("barrel", frame="world").values[at, 3:],
    )
    return {
        "tip_x": tip[:, 0],
        "tip_y": tip[:, 1],
        "root_angle": run["inner"].values[at],
        "cyl_length": run["rod"].values[at],
        "cyl_force": run.torque("rod").values[at],
        "F_P_x": F_P[:, 0],
        "F_P_y": F_P[:, 1],
        "F_Q_x": F_Q[:, 0],
        "F_Q_y": F_Q[:, 1],
        "F_L_x": F_L[:, 0],
        "F_L_y": F_L[:, 1],
    }


THICK = {
    "rhoA": 1.997,
    "EA": 52.99e6,
    "EIy": 1131.0,
    "EIz": 1131.0,
    "GJ": 733.5,
    "kGAy": 16.88e6,
    "kGAz": 16.88e6,
    "Jx": 85.2e-6,
    "Jy": 42.6e-6,
    "Jz": 42.6e-6,
}
THIN = {"rhoA": 0.4992, "EA": 13.25e6, "EIy": 70.66, "EIz": 70.66, "GJ": 45.84, "Jx": 5.324e-6}
THIN |= {"Jy": 2.662e-6, "Jz": 2.662e-6, "kGAy": 4.220e6, "kGAz": 4.220e6}


def misaligned(y=3, **beam):
    """Bauchau's four-bar with one axis tilted by 5 degrees: rigid it would lock."""
    data = published("fourbar_misaligned_axis_3d")

    def bar(name, parent, length, section, xyz, yaw):
        modes = {"y": y, "z": y, "torsion": 1, "axial": 1}
        made = {"length": length, "section": section, "modes": modes, "stiffening": "exact", **beam}
        origin = {"xyz": xyz, "rpy": [0.0, 0.0, yaw]}
        return {"name": name, "parent": parent, "origin": origin, "joint": revolute(), "beam": made}

    links = [
        bar("bar1", "world", 0.12, THICK, [0.0, 0.0, 0.0], np.pi / 2),
        bar("bar2", "bar1", 0.24, THICK, [0.0, 0.0, 0.0], -np.pi / 2),
        bar("bar3", "world", 0.12, THIN, [0.24, 0.0, 0.0], np.pi / 2),
    ]
    axis = data["geometry"]["axis_C"]
    turned = {"link": "bar3", "origin": {"rpy": [0.0, 0.0, -np.pi / 2]}}  # axes of bar 2 at the start
    loops = [{"name": "C", "joint": revolute(axis), "between": [{"link": "bar2"}, turned]}]
    robot = lissom.Robot.from_dict({"name": "misaligned", "gravity": [0, 0, 0], "links": links, "loops": loops})

    def run_up(t, speed=-0.6):
        x, after = np.minimum(t, 1.0), np.maximum(t - 1.0, 0.0)
        return (
            speed * (x**6 - 3 * x**5 + 2.5 * x**4 + after),
            speed * (6 * x**5 - 15 * x**4 + 10 * x**3),
            speed * (30 * x**4 - 60 * x**3 + 30 * x**2),
        )

    return robot, {"bar1": followed(run_up, np.linspace(0, 12, 601))}, data
