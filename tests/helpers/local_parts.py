"""Local parts of Newton's matrix at a state: stiffness and damping of links, joints, gears and of bodies that turn."""

import numpy as np

from lissom.kernel.algorithms.newton_euler import inverse_dynamics
from lissom.kernel.implicit.link_stiffness import joint_stiffness, link_stiffness
from lissom.kernel.implicit.local_stiffness import keep_frames
from lissom.kernel.links.geometric_stiffness import clear_turns, turn_stiffness
from lissom.simulation.equations.newton_linearisation import local_memory


def local_parts(model, rng, q, v, a):
    """Local parts at a state, with random gains of a law that drives the rotors and measures the joints."""
    packed = local_memory(model)
    local = packed.fields
    local.q[:], local.v[:], local.a[:] = q, v, a
    none = np.zeros((len(model.bodies) + 1, 6))
    inverse_dynamics(model.struct, local.work, local.q, local.v, local.a, none, local.force)
    keep_frames(model.struct, packed)
    link_stiffness(model.struct, local.work, local.q, local.v)
    clear_turns(model.struct, local.work)
    turn_stiffness(model.struct, local.work)
    joint_stiffness(model.struct, local.q, local.v, local.stiffness, local.damping, local.winding, local.slipping)
    local.gear_stiffness[:], local.gear_damping[:] = rng.uniform(0, 50, (2, local.gear_of.max(initial=-1) + 1))
    return packed
