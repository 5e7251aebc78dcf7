"""References and controllers."""

from lissom.control.law import ControlLaw, Law, computed_torque, pd, torques
from lissom.control.reference import Reference
from lissom.control.twin import rigid_twin

__all__ = ["Reference", "ControlLaw", "Law", "pd", "computed_torque", "torques", "rigid_twin"]
