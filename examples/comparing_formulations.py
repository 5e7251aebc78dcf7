"""One manoeuvre by several published formulations of the same physics: how far they are apart, and why one refuses."""

import lissom

found = lissom.compare("dual-screw-arm", ["dual_screw", "recursive_lagrange", "lie_group"], duration=1.0)
for row in found.rows:
    print(f"{row['formulation']:20s} tip {row['tip']:.1e} m, torque {row['torque']:.1e} N m, {row['seconds']:.2f} s")
for name, reason in found.missing.items():
    print(f"{name:20s} {reason}")

# Recursive Lagrange is the same model, derived in another way: nothing but rounding and steps is between them.
assert found["recursive_lagrange"].distance.max() < 1e-10
# Dual screws keep the elastic coordinates to first order: micrometres, where the links bend by millimetres.
assert 1e-7 < found["dual_screw"].distance.max() < 1e-4
assert "rigid" in found.missing["lie_group"]
