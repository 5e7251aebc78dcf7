"""Reduced links on disk: one .npz file, plain arrays and a little JSON."""

from __future__ import annotations

import json
from dataclasses import fields
from io import BytesIO
from typing import Any

import numpy as np

from lissom.beam import Invariants
from lissom.errors import LissomError
from lissom.fem.reduced import Attachment, ReducedLink
from lissom.fem.report import Truncation
from lissom.files import check_file, write_whole

FORMAT = 1
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
        return _link(data, about)
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
