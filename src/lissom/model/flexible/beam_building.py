"""From the description of a beam to its mechanics, kept: beams that are alike share functions and fields."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.model.flexible.beam_parts import MOST_MODES
from lissom.model.flexible.material import Material
from lissom.model.flexible.section_base import SectionSpec
from lissom.model.io.robot_paths import cache_real

if TYPE_CHECKING:
    from lissom import beam as beams
    from lissom.beam.sections.section_stress import SectionStress
    from lissom.model.flexible.beam import Beam, EndConditions


def same(beam: Beam, other: Beam, field: str) -> bool:
    """Return whether a field of two beams is the same."""
    mine, theirs = getattr(beam, field), getattr(other, field)
    return mine is theirs or mine == theirs


Materials = tuple[tuple[str, Material], ...]
Places = tuple["beams.Place", ...]


@cache_real
def link_of(beam: Beam, materials: Materials, how: EndConditions, places: Places) -> beams.BeamLink:
    """Return the mechanics of a beam that is held so, with something acting at places inside its span."""
    from lissom import beam as beams

    ends = beam.loaded_ends()
    bare = beam.model_copy(update={"masses": (), "ends": ends if ends.family == "clamped-mass" else beam.ends})
    along, functions = _mechanics(bare, materials, how._replace(chord=(), fourth_order=False), places)
    return beams.BeamLink(
        length=beam.length,
        section=along,
        basis=functions,
        stiffening=beam.stiffening,
        damping=beam.damping_law(),
        prestress=beam.prestress.build(),
        masses=beam.lumps(),
        chord=how.chord,
        fourth_order=how.fourth_order,
    )


@cache_real
def _mechanics(bare: Beam, materials: Materials, how: EndConditions, places: Places) -> tuple[Any, Any]:
    """Return sections along a beam and its functions: how much it carries does not change them, where it does may."""
    from lissom import beam as beams

    made_of = dict(materials)
    given = dict(how.ends)
    counts = bare.mode_counts(made_of, how)
    if bare.plain:
        assert bare.section is not None
        section = bare.section.build(made_of[bare.material].build() if bare.material is not None else None)
        wanted = given or bare.basis_ends(section)
        length = float(np.real(bare.length))
        shares = tuple(place._replace(x=place.x / length) for place in places)
        ends_key = wanted if isinstance(wanted, str) else tuple(wanted.items())
        return section, _basis(tuple(counts.items()), ends_key, shares)
    own = bare.ends if isinstance(bare.ends, str) else bare.ends.as_dict()
    functions = beams.own_basis(bare.profile(made_of), counts, given or own, places=places)
    return functions.profile, functions


@lru_cache(maxsize=256)
def _basis(counts: tuple[tuple[str, int], ...], ends: str | tuple[tuple[str, Any], ...], places: Places) -> beams.Basis:
    """Return functions of a plain beam: those of beams that differ in their sections alone are the same."""
    from lissom import beam as beams

    return beams.make_basis(dict(counts), ends=ends if isinstance(ends, str) else dict(ends), places=places)


@lru_cache(maxsize=256)
def known_section_stress(section: SectionSpec, material: Material | None) -> SectionStress | None:
    """Return the stresses of a section; None where only stiffnesses are given."""
    return section.stress(None if material is None else material.build())


@lru_cache(maxsize=256)
def known_mode_counts(
    beam: Beam, materials: Materials, reach: float | None, accuracy: float
) -> tuple[tuple[str, int], ...]:
    """Return counts by direction, kept: they take a while."""
    from lissom import beam as beams

    return tuple(beams.enough_modes(beam.profile(dict(materials)), reach, accuracy, MOST_MODES).items())
