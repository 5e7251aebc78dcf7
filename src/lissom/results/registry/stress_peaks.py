"""The largest von Mises stress in every beam of a run: where along it, where in the section, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lissom.errors import LissomError
from lissom.results.registry.result_quantity import RunData
from lissom.results.registry.section_forces import both_sides, section_forces

if TYPE_CHECKING:
    from lissom.model.flexible.beam import Beam

STATIONS = 9  # evenly along a beam, beside the places where something is fixed to it or its section jumps
TAPERED = 3  # of a beam whose sections all differ, each of which takes a finite-element solution
ASIDE = 1e-9  # of the length: to the other side of a place where forces jump


class StressPeak(NamedTuple):
    """The largest von Mises stress in a beam."""

    link: str
    stress: float  # Pa
    time: float  # s
    x: float  # m, along the beam
    place: tuple[float, float]  # m, (y, z) in the section
    safety: float | None  # yield stress over it, where the material says

    @property
    def at(self) -> str:
        """Where it is in words: along the beam and in the section."""
        y, z = (1e3 * part for part in self.place)
        return f"x {self.x:.4g} m, y {y:.3g} mm, z {z:.3g} mm"


def stressed_links(run: RunData) -> tuple[str, ...]:
    """Return beams whose sections have known shapes: of others stresses are not known."""
    beams = {link.name: link.beam for link in run.model.robot.links if link.beam is not None}
    return tuple(name for name in run.model.links if name in beams and beams[name].has_shape)


def stress_peaks(run: RunData) -> tuple[StressPeak, ...]:
    """Return the peaks of all beams whose shapes are known; of a run that diverged, or lost its loads, none."""
    made = []
    for link in stressed_links(run):
        try:
            made.append(_stress_peak(run, link))
        except LissomError:  # forces do not add up: there is no state of stress to tell
            continue
    return tuple(made)


def peak_stress(run: RunData) -> np.ndarray:
    """Return the largest von Mises stress in each of the `stressed_links` at every sample, (N, links) Pa."""
    return np.stack([stress_along(run, link)[1].max(axis=1) for link in stressed_links(run)], axis=1)


def stress_along(run: RunData, link: str) -> tuple[np.ndarray, np.ndarray]:
    """Return places (k,) along a beam, and the largest von Mises stress in each section there, (N, k) Pa."""
    beam, materials = _beam(run, link), run.model.robot.materials
    x, forces = forces_along(run, link)
    made = []
    for k, place in enumerate(x):
        stress = beam.section_stress(float(place), materials, ending=place in x[k + 1 :])
        assert stress is not None  # its shape is known
        made.append(stress.peaks(forces[:, k])[:, 3])
    return x, np.stack(made, axis=1)


def _stress_peak(run: RunData, link: str) -> StressPeak:
    beam, materials = _beam(run, link), run.model.robot.materials
    x, forces = forces_along(run, link)
    if not np.all(np.isfinite(forces)):
        raise LissomError("its motion diverged", ("link",), link)
    ends = [x[k] in x[k + 1 :] for k in range(len(x))]
    limits = [beam.yield_stress(float(place), materials, ending=end) for place, end in zip(x, ends, strict=True)]
    strongest = max((limit for limit in limits if limit is not None), default=1.0)
    best, used = StressPeak(link, 0.0, float(run.raw.time[0]), 0.0, (0.0, 0.0), None), 0.0
    # parts of the yield stress are compared, as materials may differ; what is found bounds what others must exceed
    for k in np.argsort(-np.abs(forces[:, :, 4:]).max(axis=(0, 2)), kind="stable"):
        strength = limits[k] or strongest
        section = beam.section_stress(float(x[k]), materials, ending=ends[k])
        assert section is not None  # its shape is known
        found = section.largest(forces[:, k], used * strength)
        if found is not None:
            used, limit = found.stress / strength, limits[k]
            safety = None if limit is None else float(limit) / found.stress
            best = StressPeak(link, found.stress, float(run.raw.time[found.sample]), float(x[k]), found.place, safety)
    return best


def _beam(run: RunData, link: str) -> Beam:
    beam = run.model.robot.link(link).beam
    assert beam is not None  # as all `stressed_links` are
    return beam


def forces_along(run: RunData, link: str) -> tuple[np.ndarray, np.ndarray]:
    """Return places (k,) along a beam where stresses may peak, and forces (N, k, 6) in the sections there."""
    beam, length = _beam(run, link), float(np.real(run.model.flexible[link].length))
    parts = [body.at for body in run.model.robot.bodies if body.parent == link]
    parts += [frame.at for frame in run.model.frames if frame.link == link]
    inside = {float(np.real(at)) for at in parts if at is not None and 0 < np.real(at) < length}
    sides = [place + side * ASIDE * length for place in inside for side in (0, 1)]
    tapered = beam.section is None and len(beam.stations) > 1 and not beam.jumps
    even = np.linspace(0.0, length, TAPERED if tapered else STATIONS)
    x = both_sides(np.unique([*even, *sides]), beam.jumps)
    return x, section_forces(run, link, x) - np.real(beam.prestress.build().pull)
