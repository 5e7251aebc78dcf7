"""A bracket-and-tube link: meshed with gmsh, reduced, put on a two-joint arm, moved; its peak stress on a picture.

The same as `lissom example boom-from-mesh`, on a coarser mesh.
"""

from pathlib import Path
from tempfile import mkdtemp

from lissom.examples import boom_from_mesh

result = boom_from_mesh.main(Path(mkdtemp()), size=0.035, around=9)

# the reduced link keeps the natural frequencies of the full model
report = result.link.truncation
assert report.worst(report.cutoff / 2) < 1e-3
# peak stress: near the root of the tube, close to what beam theory gives there
assert 13e6 < result.peak < 17e6
assert 0.8 < result.peak / result.nominal < 1.3
assert 0.03 < result.link.nodes[result.node, 0] < 0.12
