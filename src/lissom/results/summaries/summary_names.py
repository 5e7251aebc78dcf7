"""Names of the numbers of a summary, as studies write them where they can: `lissom.trust` gives them error bars."""

from __future__ import annotations


def torque_name(joint: str) -> str:
    """Return the name of the largest torque in a joint."""
    return f"peak |wrench.{joint}.torque|"


def force_name(joint: str) -> str:
    """Return the name of the largest force in a joint."""
    return f"peak |wrench.{joint}.force|"


def pull_name(element: str) -> str:
    """Return the name of the largest pull of an element."""
    return f"peak pull.{element}"


def push_name(element: str) -> str:
    """Return the name of the largest push of an element."""
    return f"peak push.{element}"


def deflection_name(link: str) -> str:
    """Return the name of the largest deflection of the tip of a link."""
    return f"peak |deflection.{link}|"


def rotation_name(link: str) -> str:
    """Return the name of the largest rotation of the tip of a link."""
    return f"peak |rotation.{link}|"


def bow_name(link: str) -> str:
    """Return the name of the largest bow of a link."""
    return f"peak bow.{link}"


def final_name(entry: str, axis: int | None = None) -> str:
    """Return the name of a final value; of a tip that along one axis."""
    return f"final {entry}" if axis is None else f"final {entry}.{'xyz'[axis]}"


def settled_name(entry: str) -> str:
    """Return the name of a settling time."""
    return f"settled {entry}"
