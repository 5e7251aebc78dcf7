"""What a robot asks of a formulation, and the gate that every formulation passes: what it does not cover is refused.

A formulation names the features that it covers. Whatever else a robot has is refused by the name of its part, so that
a feature that is new to lissom is refused by all formulations until somebody teaches it to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from lissom.beam import BeamLink, FlexibleLink
from lissom.errors import ABSENT, LissomError
from lissom.kernel.data.arrays import JointMotion
from lissom.model.model import Model

# Motions that formulations go through, as exponentials of constant screws or as quaternions; others are refused.
KNOWN_MOTIONS = frozenset({JointMotion.TURN, JointMotion.SLIDE, JointMotion.SCREW, JointMotion.BALL, JointMotion.FLOAT})


class Unsupported(LissomError):
    """A formulation that does not cover a robot; the message names the link or joint, and why."""


class Feature(Enum):
    """What a robot may have beside rigid links on joints of one axis: why it is refused, and what to do."""

    LOOPS = "covers trees without loops; `theory.build` closes them by its kinematics"
    COUPLED_JOINTS = "knows no joints that follow others by a ratio; use kernel"
    ELEMENTS = "knows no elements; `theory.build` adds them by its kinematics"
    CONTACTS = "knows no contacts; `theory.build` adds them by its kinematics"
    ACTUATORS = "knows no actuators and no friction with bristles, which have states of their own; use kernel"
    PRESCRIBED_JOINTS = "takes forces; `theory.build` drives this joint"
    GROUP_JOINTS = "is a chain of turning and sliding joints, each of one coordinate; take another joint"
    OTHER_MOTIONS = "knows no such motion of a joint, whose screw changes as it moves; use kernel"
    ELASTIC_GEARS = "has rigid gears; remove the stiffness"
    FLEXIBLE_LINKS = "covers rigid arms; give it a rigid `body`, or use a formulation with flexible links"
    FINITE_ELEMENTS = "covers beams, not finite elements"
    GENERAL_SECTIONS = (
        "covers uniform beams without shear; this one has shear, stations, or a section off its axis: "
        "give it one section and shear: none"
    )
    PRESTRESS = "has no prestress, and heat or a tendon strains this link; remove it"
    EXACT_FIELD = "has no geometrically exact field; use stiffening: first"
    PROPELLER_MOMENT = "has no propeller moment, which this strip has with stiffening: first; use none"
    FOURTH_ORDER = "has no terms of fourth order, which a link on a loop has with stiffening: first; use none"


class Part(NamedTuple):
    """A part of a robot that has a feature."""

    feature: Feature
    path: tuple[str, ...]
    value: Any = ABSENT


def parts(model: Model) -> Iterator[Part]:
    """Yield every part of a robot that has one of the features; a cylinder of given length is a loop."""
    robot = model.robot
    for feature, field, owners in (
        (Feature.COUPLED_JOINTS, "loops", [loop for loop in model.loops if loop.ratio is not None]),
        (Feature.LOOPS, "loops", [loop for loop in model.loops if loop.ratio is None]),
        (Feature.ELEMENTS, "elements", [element for element in robot.elements if element.held() is None]),
        (Feature.CONTACTS, "contacts", robot.contacts),
        (Feature.ACTUATORS, "actuators", robot.drives),
    ):
        yield from (Part(feature, (field,), each.name) for each in owners)
    yield from (Part(Feature.PRESCRIBED_JOINTS, ("prescribed",), joint) for joint in model.prescribed)
    for link in robot.bodies:
        place = ("links", link.name)
        if link.joint.kind.on_group:
            yield Part(Feature.GROUP_JOINTS, (*place, "joint", "type"), link.joint.type)
        if not KNOWN_MOTIONS.issuperset(motion for motion, _ in link.joint.kind.motions):
            yield Part(Feature.OTHER_MOTIONS, (*place, "joint", "type"), link.joint.type)
        if link.joint.elastic:
            yield Part(Feature.ELASTIC_GEARS, (*place, "joint", "transmission"))
    for name, flexible in model.flexible.items():
        yield from _of_flexible_link(name, flexible)


def _of_flexible_link(name: str, link: FlexibleLink) -> Iterator[Part]:
    place = ("links", name)
    yield Part(Feature.FLEXIBLE_LINKS, place)
    if not isinstance(link, BeamLink):
        yield Part(Feature.FINITE_ELEMENTS, place)
    elif not link.plain:
        yield Part(Feature.GENERAL_SECTIONS, (*place, "beam"))
    if np.any(link.preload() != 0):
        yield Part(Feature.PRESTRESS, (*place, "beam"))
    if link.stiffening == "exact":
        yield Part(Feature.EXACT_FIELD, (*place, "beam", "stiffening"), link.stiffening)
    if isinstance(link, BeamLink) and link.draws_in_width:
        yield Part(Feature.PROPELLER_MOMENT, (*place, "beam", "stiffening"))
    if link.bow is not None:
        yield Part(Feature.FOURTH_ORDER, (*place, "beam", "stiffening"))


def check_coverage(model: Model, formulation: str, covers: frozenset[Feature]) -> None:
    """Raise `Unsupported` where a robot has what the formulation of this name does not cover."""
    for part in parts(model):
        if part.feature not in covers:
            raise Unsupported(f"{formulation} {part.feature.value}", part.path, part.value)


EVERYTHING = frozenset(Feature)
# What joins the links of a tree from outside: formulations of trees take it by the motion of their frames.
JOINED = frozenset({Feature.LOOPS, Feature.ELEMENTS, Feature.CONTACTS, Feature.PRESCRIBED_JOINTS})
# Links whose sections are integrated one by one, and links in any form whose inertia and stiffness are constants.
UNIFORM_BEAMS = frozenset({Feature.FLEXIBLE_LINKS})
LINEAR_LINKS = UNIFORM_BEAMS | {Feature.FINITE_ELEMENTS, Feature.GENERAL_SECTIONS}
