"""Mechanisms of rigid bodies with closed loops; figures of the published ones in `tests/data/loops`."""

from __future__ import annotations

import numpy as np
from loop_problems import published, revolute

import lissom

AXES = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}


def rigid_four_bar():
    """A four-bar whose joints turn about z alone, closed by one more: held three times more than it takes."""
    body = {"mass": 1.0, "com": [0.2, 0, 0], "inertia": [0.01, 0.02, 0.02]}
    links = [
        {"name": "crank", "parent": "world", "joint": revolute(), "body": body},
        {"name": "coupler", "origin": {"xyz": [0.3, 0, 0]}, "joint": revolute(), "body": body},
        {"name": "rocker", "parent": "world", "origin": {"xyz": [0.8, 0, 0]}, "joint": revolute(), "body": body},
    ]
    ends = [{"link": "coupler", "origin": {"xyz": [0.9, 0, 0]}}, {"link": "rocker", "origin": {"xyz": [0.6, 0, 0]}}]
    loops = [{"name": "pin", "joint": revolute(), "between": ends}]
    return lissom.Robot.from_dict({"name": "four-bar", "gravity": [0, -9.81, 0], "links": links, "loops": loops})


def bricard():
    """Five rods and six hinges, one degree of freedom more than counting says."""
    data = published("bricard")
    P = [np.array(data["geometry"]["points"][f"P{i}"], float) for i in range(6)]
    axes = [AXES[data["geometry"]["revolute_axes"][f"P{i}"][0]] for i in range(6)]
    links = []
    for i in range(5):
        d = P[i + 1] - P[i]
        inertia = np.where(np.abs(d) > 0.5, 0.01 / 6, 1.01 / 12).tolist()
        origin = {"xyz": [0.0, 0.0, 0.0] if i == 0 else (P[i] - P[i - 1]).tolist()}
        body = {"mass": 1.0, "com": (d / 2).tolist(), "inertia": inertia, "tip": d.tolist()}
        links.append({"name": f"rod{i}", "origin": origin, "joint": revolute(axes[i]), "body": body})
    end = {"link": "rod4", "origin": {"xyz": (P[5] - P[4]).tolist()}}
    ground = {"link": "world", "origin": {"xyz": P[5].tolist()}}
    loops = [{"name": "last", "joint": revolute(axes[5]), "between": [ground, end]}]
    robot = lissom.Robot.from_dict({"name": "bricard", "gravity": [0, -9.81, 0], "links": links, "loops": loops})
    return robot, data


def squeezer():
    """Andrews' squeezing mechanism: seven rigid bodies, three pins that join four of them in one point."""
    data = published("andrews_squeezer")
    p = data["parameters"]

    def body(k, x, y):
        return {"mass": p[f"m{k}"], "com": [x, y, 0.0], "inertia": [p[f"i{k}"]] * 3}

    def link(name, parent, at, body):
        return {"name": name, "parent": parent, "origin": {"xyz": [*at, 0.0]}, "joint": revolute(), "body": body}

    A, B, C = ((p[f"x{k}"], p[f"y{k}"]) for k in "abc")
    links = [
        link("beta", "world", (0.0, 0.0), body(1, p["ra"], 0.0)),
        link("Theta", "beta", (p["rr"], 0.0), body(2, -p["da"], 0.0)),
        link("gamma", "world", B, body(3, p["sb"], -p["sa"])),
        link("delta", "world", A, body(5, p["ta"], p["tb"])),
        link("Phi", "delta", (p["zt"], 0.0), body(4, 0.0, p["ea"] - p["e"])),
        link("epsilon", "world", A, body(7, -p["ub"], -p["ua"])),
        link("Omega", "epsilon", (0.0, -p["u"]), body(6, p["zf"] - p["fa"], 0.0)),
    ]
    E = {"Theta": (-p["d"], 0.0), "gamma": (0.0, -p["ss"]), "Phi": (0.0, -p["e"]), "Omega": (p["zf"], 0.0)}
    ends = {name: {"link": name, "origin": {"xyz": [*at, 0.0]}} for name, at in E.items()}
    loops = [
        {"name": f"pin-{name}", "joint": revolute(), "between": [ends["Theta"], ends[name]]}
        for name in ("gamma", "Phi", "Omega")
    ]
    D = {"link": "gamma", "origin": {"xyz": [p["sd"], -p["sc"], 0.0]}}
    ground = {"link": "world", "origin": {"xyz": [*C, 0.0]}}
    spring = {"name": "spring", "type": "spring", "stiffness": p["c0"], "length": p["l0"], "between": [ground, D]}
    parts = {"links": links, "loops": loops, "elements": [spring]}
    return lissom.Robot.from_dict({"name": "squeezer", "gravity": [0, 0, 0], **parts}), data
