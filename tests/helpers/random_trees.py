"""Random trees of everything a robot can have, each in the library and in the independent derivation.

They run through every joint type on rigid and flexible links, with each order of the field. Transmissions, springs,
stops, friction, damping, lumped masses and attachments inside a link come at random.
"""

import itertools
from functools import cache, cached_property

import numpy as np
from independent import Independent
from random_robots import JOINTS, random_robot, random_state

FIELDS = {"none": 13, "first": 13, "exact": 4}  # trees with links of each order
SCREWS = (("helical", False), ("helical", True), ("universal", True))  # one more with each
TREES = sum(FIELDS.values()) + len(FIELDS)
LINKS = 5


class Case:
    """A robot at a random state under random forces, in both derivations."""

    def __init__(self, robot, rng, order=12, deflection=0.02):
        self.robot, self.model, self.order = robot, robot.compile(), order
        self.q, self.v = random_state(robot, rng, deflection)
        self.tau, self.a = rng.normal(size=(2, self.model.nv))
        exact = any(link.beam is not None and link.beam.stiffening == "exact" for link in robot.links)
        self.slack = 1e-9 if exact else 0.0
        self.wrenches = rng.normal(size=(len(robot.links), 6))

    @cached_property
    def independent(self):
        """Derived when first asked for, which takes a second."""
        return Independent(self.robot, order=self.order)

    @property
    def named_wrenches(self):
        return dict(zip(self.model.links, self.wrenches))

    @property
    def state(self):
        return self.q, self.v


@cache
def plans():
    """Each tree's stiffening and its links' (joint type, flexible), from shuffled packs of all pairs."""
    rng = np.random.default_rng(2)
    out = []
    for stiffening, count in FIELDS.items():
        pack = []
        for _ in range(count):
            while len(pack) < LINKS:
                pack += rng.permutation(list(itertools.product(range(len(JOINTS)), (0, 1)))).tolist()
            out.append((stiffening, tuple((JOINTS[j], bool(bends)) for j, bends in pack[:LINKS])))
            del pack[:LINKS]
    return out + [(stiffening, SCREWS) for stiffening in FIELDS]


@cache
def tree(number):
    stiffening, links = plans()[number]
    rng = np.random.default_rng(100 + number)
    joints, flexible = zip(*links)
    return Case(random_robot(rng, joints, flexible=flexible, stiffening=stiffening), rng)
