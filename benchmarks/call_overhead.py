"""What a second call of `simulate` costs beyond its time loop, on an arm of two flexible links.

The loop's own time is `run.info.wall`; the rest of the call is overhead. Results are made when they are asked for, so
the time to have them all is listed apart.
"""

from __future__ import annotations

import time

import numpy as np

import lissom

ARM = """
lissom: 1
name: two-link
materials: {aluminium: {E: 7.0e10, nu: 0.33, rho: 2700}}
links:
  - name: upper
    joint: {name: shoulder, type: revolute, axis: [0, 1, 0], damping: 0.1}
    beam: &beam
      length: 1.0
      material: aluminium
      section: {shape: tube, outer: 0.05, thickness: 0.003}
      modes: {z: 2}
      damping: 0.01
  - name: forearm
    joint: {name: elbow, type: revolute, axis: [0, 1, 0], damping: 0.1}
    beam: *beam
"""
ROUNDS = 20


def measure(robot: lissom.Robot, duration: float, **options: float) -> dict[str, float]:
    """Seconds of the call, its loop, what is around it, and of all results: the least disturbed of many."""
    model = robot.compile()
    lissom.simulate(model, duration, **options)
    rows = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        run = lissom.simulate(model, duration, **options)
        called = time.perf_counter() - began
        run.dataset  # noqa: B018 made when asked for
        rows.append((called, run.info.wall, called - run.info.wall, time.perf_counter() - began - called))
    call, loop, around, results = np.min(rows, axis=0)
    return {"call": call, "loop": loop, "around": around, "results": results, "ratio": call / loop}


def main() -> None:
    cases = {
        "two-link, 0.5 s, 101 samples": (lissom.Robot.from_yaml(ARM), 0.5, {}),
        "ella, 4 s, 801 samples": (lissom.load("ella"), 4.0, {}),
    }
    for name, (robot, duration, options) in cases.items():
        found = measure(robot, duration, **options)
        times = ", ".join(f"{key} {1e3 * value:.2f} ms" for key, value in found.items() if key != "ratio")
        print(f"{name}: {times}; the call is {found['ratio']:.2f} times its loop")


if __name__ == "__main__":
    main()
