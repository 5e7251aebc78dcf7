"""The search for the lightest sections: SLSQP by the exact gradients of a design."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

from lissom.dynamics.coordinates import configuration
from lissom.errors import LissomError, OptimiseError, within
from lissom.messages import listed
from lissom.model.description.robot import Robot
from lissom.model.io.robot_paths import get
from lissom.model.schema.number_fields import is_number
from lissom.optimise.design_stress import KNOWN
from lissom.optimise.section_design import STATIONS, Case, Design, DualValue, LoadedDesign
from lissom.optimise.sizing_result import MISSED, Lightest, LimitedQuantity
from lissom.optimise.sizing_schema import CaseSpec, Sizing
from lissom.progress import Progress

ITERATIONS = 200
# A search ends where what is missed most has not come nearer by a share for so many designs. Searches that arrive halve
# it within two or three iterations of at most ten designs; SLSQP goes on for its 200 where nothing keeps the limits.
STALLED, NEARER = 15, 0.02


def solve(asked: Sizing, *, progress: bool = True) -> Lightest:
    """Return the lightest robot of a sizing."""
    with Progress("sizing", show=progress) as bar:
        return _SizingSearch(asked, lambda count: bar.say(f"sizing, design {count}")).solve()


class _SizingSearch:
    """SLSQP over the sizes in shares of their bounds, by exact gradients."""

    def __init__(self, asked: Sizing, tell: Callable[[int], None]) -> None:
        self.asked, self.tell = asked, tell
        self.robot = asked.scenario.load_robot()
        self.paths = list(asked.sizes)
        self.low, self.high = (np.array([pair[k] for pair in asked.sizes.values()]) for k in range(2))
        self.cases = [_case(self.robot, case, k) for k, case in enumerate(asked.cases)]
        self.known: dict[bytes, tuple[Design, list[LimitedQuantity]]] = {}
        self.missed: list[float] = []  # by what is missed most, of every design
        _check(asked, self.robot)

    def solve(self) -> Lightest:
        from scipy.optimize import minimize

        began = perf_counter()
        own = np.array([float(get(self.robot, path)) for path in self.paths])
        start = np.clip((own - self.low) / (self.high - self.low), 0.0, 1.0)
        unit = self.at(start)[0].mass.value
        found = minimize(
            lambda x: self.at(x)[0].mass.value / unit,
            start,
            jac=lambda x: self.at(x)[0].mass.slope * (self.high - self.low) / unit,
            bounds=[(0.0, 1.0)] * len(start),
            constraints=[
                {
                    "type": "ineq",
                    "fun": lambda x: np.array([each.room.value for each in self.at(x)[1]]),
                    "jac": lambda x: np.array([each.room.slope for each in self.at(x)[1]]) * (self.high - self.low),
                }
            ]
            if self.at(start)[1]
            else (),
            method="SLSQP",
            options={"maxiter": ITERATIONS, "ftol": 1e-9},
        )
        best = np.clip(found.x, 0.0, 1.0)
        design, limited = self.at(best)
        short = _shortest(limited)
        if short is not None and short.room.value < -MISSED:
            raise self._failure(max((_shortest(each) for _, each in self.known.values()), key=_room))
        before = Design(self.robot, dict(zip(self.paths, own.tolist(), strict=True)))
        return Lightest(
            self.asked,
            dict(zip(self.paths, own.tolist(), strict=True)),
            dict(zip(self.paths, self.sizes(best).tolist(), strict=True)),
            before.mass.value,
            design.mass.value,
            self.limited_quantities(before),
            limited,
            design.robot,
            len(self.known),
            perf_counter() - began,
        )

    def _watch(self, missed: float) -> None:
        """End a search that comes no nearer to its limits."""
        self.missed.append(max(missed, 0.0))
        before, since = self.missed[:-STALLED], self.missed[-STALLED:]
        if before and min(since) > max((1 - NEARER) * min(before), MISSED):
            raise self._failure(max((_shortest(each) for _, each in self.known.values()), key=_room))

    def sizes(self, x: np.ndarray) -> np.ndarray:
        return self.low + x * (self.high - self.low)

    def at(self, x: np.ndarray) -> tuple[Design, list[LimitedQuantity]]:
        """Return the design at shares x of the bounds, and what is limited there."""
        x = np.clip(x, 0.0, 1.0)
        key = x.tobytes()
        if key not in self.known:
            try:
                design = Design(self.robot, dict(zip(self.paths, self.sizes(x).tolist(), strict=True)))
                self.known[key] = design, self.limited_quantities(design)
            except LissomError as error:
                sizes = ", ".join(f"{path} = {size:.4g}" for path, size in zip(self.paths, self.sizes(x), strict=True))
                raise OptimiseError(
                    f"there is no such robot with {sizes}: {error}; narrow the bounds", ("sizes",)
                ) from None
            self.tell(len(self.known))
            self._watch(-_room(_shortest(self.known[key][1])))
        return self.known[key]

    def limited_quantities(self, design: Design) -> list[LimitedQuantity]:
        """Return every quantity that has a limit, in every case."""
        limits, out = self.asked.limits, self._walls(design)
        for k, case in enumerate(self.cases):
            place = f" in case {k + 1}" if len(self.cases) > 1 else ""
            loaded: LoadedDesign = design.at(case)
            if limits.frequency is not None:
                for i, value in enumerate(loaded.frequencies()):
                    out.append(LimitedQuantity(f"frequency {i + 1}{place}", value, limits.frequency, "Hz", least=True))
            for link, most in limits.deflection.items():
                out.append(LimitedQuantity(f"deflection of {link}{place}", loaded.deflection(link), most, "m"))
            for link, most in limits.sag.items():
                out.append(LimitedQuantity(f"sag of {link}{place}", loaded.sag(link), most, "m"))
            for link, most in limits.stress.items():
                for i, value in enumerate(loaded.stresses(link)):
                    where = f" at {i}/{STATIONS}" if i else ""
                    out.append(LimitedQuantity(f"stress of {link}{where}{place}", value, most, "Pa"))
        return out

    def _walls(self, design: Design) -> list[LimitedQuantity]:
        """Return outer sizes over walls, which local buckling limits."""
        most = self.asked.limits.slenderness
        if most is None:
            return []
        out = []
        for path in self.paths:
            whole, _, name = path.rpartition(".")
            if name == "thickness":
                section = get(design.robot, whole)
                outer = (
                    "outer"
                    if hasattr(section, "outer")
                    else max(("width", "height"), key=lambda n: getattr(section, n))
                )
                size, wall = getattr(section, outer), section.thickness
                slope = np.zeros(len(self.paths))
                slope[self.paths.index(path)] = -size / wall**2
                if f"{whole}.{outer}" in self.paths:
                    slope[self.paths.index(f"{whole}.{outer}")] = 1 / wall
                out.append(
                    LimitedQuantity(
                        f"{outer} over wall of {whole.split('.')[1]}", DualValue(size / wall, slope), most, ""
                    )
                )
        return out

    def _failure(self, short: LimitedQuantity | None) -> OptimiseError:
        assert short is not None  # a limit was missed
        value = f"{short.quantity.value:.4g} {short.unit}".strip()
        return OptimiseError(
            f"no sizes within the bounds keep the limits; what comes nearest has {short.name} {value}, where "
            f"{short.limit:.4g} is {'the least' if short.least else 'the most'}; widen the bounds or the limits",
            ("limits",),
        )


def _shortest(limited: list[LimitedQuantity]) -> LimitedQuantity | None:
    """Return what is nearest to its limit, or farthest beyond."""
    return min(limited, key=lambda each: each.room.value, default=None)


def _room(limited: LimitedQuantity | None) -> float:
    return np.inf if limited is None else limited.room.value


def _case(robot: Robot, spec: CaseSpec, k: int) -> Case:
    model = robot.compile()
    with within("cases", k):
        configuration(model, dict(spec.pose), "pose")
        for i, load in enumerate(spec.loads):
            if load.link not in model.links:
                text = f"there is no such link; there are {listed(model.links, 'and')}"
                raise OptimiseError(text, ("loads", i, "link"), load.link)
    loads = {(each.link, each.at): np.array([*each.torque, *each.force]) for each in spec.loads}
    return Case(dict(spec.pose), loads, spec.factor)


def _check(asked: Sizing, robot: Robot) -> None:
    """Refuse what cannot be sized or limited."""
    if robot.loops:
        raise OptimiseError(f"{robot.name} has loops, which sizing does not cover; take a robot without")
    for path, (low, high) in asked.sizes.items():
        try:
            value = get(robot, path)
        except (LissomError, ValueError, TypeError) as error:
            raise OptimiseError(str(getattr(error, "text", error)), ("sizes", path)) from None
        if not is_number(value):
            raise OptimiseError(
                "is not a number of the robot; give paths such as links.boom.beam.section.outer", ("sizes", path)
            )
        if not low < high:
            raise OptimiseError("must be [least, largest]", ("sizes", path), [low, high])
    limits = asked.limits
    flexible = robot.flexible_links()
    for field in ("deflection", "stress"):
        for link in getattr(limits, field):
            if link not in flexible:
                text = f"does not bend; the links that do are {listed(flexible, 'and') or 'none'}"
                raise OptimiseError(text, ("limits", field, link))
    for link in limits.sag:
        if link not in [each.name for each in robot.links]:
            text = f"there is no such link; there are {listed([each.name for each in robot.links], 'and')}"
            raise OptimiseError(text, ("limits", "sag", link))
    for link in limits.stress:
        beam = robot.link(link).beam
        sections = (
            [] if beam is None else [beam.section] if beam.section is not None else [s.section for s in beam.stations]
        )
        if not sections or not all(isinstance(section, KNOWN) for section in sections):
            text = "stress limits take tubes, round bars, boxes and rectangles; give the section as one of these shapes"
            raise OptimiseError(text, ("limits", "stress", link))
