"""Reduced links on disk: one .npz file, plain arrays and a little JSON."""

from __future__ import annotations

import json
from dataclasses import fields
from io import BytesIO
from typing import Any

import numpy as np

from lissom.beam import Invariants
from lissom.errors import LissomError
from lissom.fem.reduced_link import Attachment, ReducedLink
from lissom.fem.truncation import Truncation
from lissom.files import check_file, write_whole

FORMAT = 1
SYMMETRIC = 1e-6  # of the largest entry, by which entries that mirror each other may differ
ARRAYS = ("modal_stiffness", "nodes", "shapes", "stress_shapes", "faces", "lines")


def save(link: ReducedLink, path: Any) -> None:
    """Write a link; a complex one (for derivatives) is refused."""
    arrays = {name: getattr(link, name) for name in ARRAYS if getattr(link, name) is not None}
    arrays |= {f"inertia.{name}": np.asarray(value) for name, value in vars(link.inertia).items()}
    for name, attachment in link.interfaces.items():
        arrays |= {f"interface.{name}.{part}": value for part, value in attachment._asdict().items()}
    about: dict[str, Any] = {"format": FORMAT, "base": link.base, "tip": link.tip, "damping": link.damping}
    for entry in fields(Truncation):
        value = getattr(link.truncation, entry.name)
        if isinstance(value, np.ndarray):
            arrays[f"truncation.{entry.name}"] = value
        else:
            about[f"truncation.{entry.name}"] = list(value) if isinstance(value, tuple) else value
    if any(np.iscomplexobj(value) for value in arrays.values()):
        raise LissomError("a link with complex numbers carries a derivative; save the real one")
    content = BytesIO()
    np.savez_compressed(content, about=np.array(json.dumps(about)), **arrays)
    write_whole(path, content.getvalue())


def load(path: Any) -> ReducedLink:
    """Read a link; an error that names the file if it is not one."""
    check_file(path, ".npz file that ReducedLink.save wrote")
    try:
        with np.load(path, allow_pickle=False) as file:
            data = {name: file[name] for name in file.files}
        about = json.loads(str(data.pop("about")))
        if about["format"] != FORMAT:
            raise LissomError(f"reduced link of format {about['format']}, this lissom reads {FORMAT}", source=str(path))
        link = _link(data, about)
        _check(link)
        return link
    except LissomError:
        raise
    except Exception as error:  # whatever the archive's reader makes of damaged bytes
        text = f"is not a reduced link ({error}); give a file that ReducedLink.save wrote"
        raise LissomError(text, source=str(path)) from None


def _link(data: dict[str, np.ndarray], about: dict[str, Any]) -> ReducedLink:
    def part(prefix: str) -> dict[str, np.ndarray]:
        return {name.removeprefix(prefix): value for name, value in data.items() if name.startswith(prefix)}

    inertia = part("inertia.")
    inertia["mass"] = inertia["mass"].item()
    truncation: dict[str, Any] = {
        name.removeprefix("truncation."): value for name, value in about.items() if name.startswith("truncation.")
    }
    truncation |= part("truncation.")
    truncation["interfaces"] = tuple(truncation["interfaces"])
    names = [name.removesuffix(".position") for name in part("interface.") if name.endswith(".position")]
    return ReducedLink(
        inertia=Invariants(**inertia),
        interfaces={name: Attachment(**part(f"interface.{name}.")) for name in names},
        base=about["base"],
        tip=about["tip"],
        damping=about["damping"],
        truncation=Truncation(**truncation),
        **{name: data[name] for name in ARRAYS if name in data},
    )


def _check(link: ReducedLink) -> None:
    """Refuse arrays that do not fit together, which would fail elsewhere or be read beyond their ends."""
    # shapes of all arrays follow from the numbers of modes and nodes
    m, n = len(link.modal_stiffness), len(link.nodes)
    inertia = link.inertia
    expected: list[tuple[str, Any, tuple[int, ...]]] = [
        ("modal_stiffness", link.modal_stiffness, (m, m)),
        ("inertia.mass", inertia.mass, ()),
        ("inertia.mc0", inertia.mc0, (3,)),
        ("inertia.C1", inertia.C1, (3, m)),
        ("inertia.G0", inertia.G0, (3, 3)),
        ("inertia.S0", inertia.S0, (3, 3, m)),
        ("inertia.N", inertia.N, (3, 3, m, m)),
        ("nodes", link.nodes, (n, 3)),
        ("shapes", link.shapes, (n, 3, m)),
        ("faces", link.faces, (len(link.faces), 3)),
        ("lines", link.lines, (len(link.lines), 2)),
    ]
    if link.stress_shapes is not None:
        expected.append(("stress_shapes", link.stress_shapes, (n, 6, m)))
    for name, part in link.interfaces.items():
        expected += [(f"{name}.position", part.position, (3,)), (f"{name}.phi", part.phi, (3, m))]
        expected.append((f"{name}.psi", part.psi, (3, m)))
    for entry in fields(Truncation):
        value = getattr(link.truncation, entry.name)
        shape = value.shape if isinstance(value, np.ndarray) else ()
        if isinstance(value, np.ndarray):
            expected.append((entry.name, value, (len(value), 6) if entry.name == "shares" else shape[:1]))
    for name, value, shape in expected:
        array = np.asarray(value)
        if array.dtype.kind not in "fiu" or array.shape != shape or not np.all(np.isfinite(array)):
            raise ValueError(f"{name} is not {shape or 'a number'} of finite numbers")
    # symmetric matrices, indices within the nodes, interfaces that exist
    symmetric = (("modal_stiffness", link.modal_stiffness, (1, 0)), ("inertia.G0", inertia.G0, (1, 0)))
    for name, array, order in (*symmetric, ("inertia.N", inertia.N, (1, 0, 3, 2))):
        if np.abs(array - array.transpose(order)).max(initial=0.0) > SYMMETRIC * np.abs(array).max(initial=0.0):
            raise ValueError(f"{name} is not symmetric")
    for name, corners in (("faces", link.faces), ("lines", link.lines)):
        if corners.dtype.kind not in "iu" or (corners.size and not 0 <= corners.min() <= corners.max() < n):
            raise ValueError(f"{name} name nodes that are not there")
    ends = [name for name in (link.base, link.tip) if name not in link.interfaces]
    if ends:
        raise ValueError(f"there is no interface {ends[0]!r}")
    texts, numbers = (
        (link.truncation.method, *link.truncation.interfaces),
        (link.truncation.unknowns, link.truncation.mass),
    )
    if not all(isinstance(text, str) for text in texts) or not all(isinstance(x, int | float) for x in numbers):
        raise ValueError("its account of the reduction is of another form")
