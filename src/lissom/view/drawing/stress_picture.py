"""Pictures of a finite-element link: its deformed surface, coloured by stress."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import LissomError
from lissom.view.figures.figure_style import GREY, INK, SEQUENTIAL, style

if TYPE_CHECKING:
    from lissom.fem import ReducedLink

LIGHT = np.array([-0.35, -0.5, 0.79])  # towards the lamp, as seen by the viewer: x right, y away, z up
AMBIENT = 0.55


def stress_picture(
    link: ReducedLink,
    eta: np.ndarray,
    title: str = "",
    magnify: float | None = None,
    view: tuple[float, float] = (-58.0, 24.0),
    peak: int | None = None,
) -> Any:
    """Return a figure of the link's surface, deformed and coloured by von Mises stress; its peak is marked.

    Parameters
    ----------
    eta : array
        (m,) coordinates of the link.
    magnify : float, optional
        Factor of the displacements; chosen to make them visible unless given.
    view : tuple[float, float], optional
        Azimuth and elevation of the viewer, degrees.
    peak : int, optional
        The node to mark; that of the largest stress unless given.
    """
    import matplotlib.pyplot as plt

    if not len(link.faces):
        raise LissomError("the link has no surface to draw; only links meshed with solid elements have one")
    stress = link.von_mises(eta) / 1e6
    if magnify is None:
        moved = np.abs(link.shapes @ eta).max()
        magnify = float(f"{0.08 * np.ptp(link.nodes, axis=0).max() / max(moved, 1e-30):.0e}")
    nodes = link.nodes + magnify * (link.shapes @ eta)
    with style():
        figure, axes = plt.subplots(figsize=(9.5, 4.6), layout="constrained")
        drawn = draw_surface(axes, nodes, link.faces, stress, view)
        bar = figure.colorbar(drawn, ax=axes, shrink=0.75, pad=0.02)
        bar.set_label("von Mises stress [MPa]")
        bar.outline.set_visible(False)
        k = int(np.argmax(stress)) if peak is None else peak
        at = _to_viewer_axes(nodes[k][None], view)[0]
        axes.annotate(
            f"{stress[k]:.3g} MPa",
            (at[0], at[2]),
            xytext=(28, 34),
            textcoords="offset points",
            arrowprops={"arrowstyle": "-", "color": INK, "lw": 0.8},
            fontweight="bold",
            bbox={"boxstyle": "round,pad=0.2", "fc": "white", "ec": "none", "alpha": 0.85},
        )
        axes.plot(at[0], at[2], "o", mfc="none", mec=INK, ms=7)
        axes.set_title(title)
        axes.text(0.0, 0.0, f"displacements x {magnify:g}", transform=axes.transAxes, color=GREY, fontsize=8)
    return figure


def draw_surface(axes: Any, nodes: np.ndarray, faces: np.ndarray, values: np.ndarray, view: tuple[float, float]) -> Any:
    """Draw triangles (f, 3) of a closed surface, seen from `view`, coloured by a value per node."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import Normalize

    seen = _to_viewer_axes(nodes, view)
    corners = seen[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    normals = normals / np.where(lengths > 0, lengths, 1)[:, None]
    front = normals[:, 1] < 0  # the viewer looks along y
    order = np.flatnonzero(front)[np.argsort(-corners[front][:, :, 1].mean(axis=1))]  # far ones first
    colours = ScalarMappable(Normalize(0.0, float(values.max())), SEQUENTIAL)
    rgba = colours.to_rgba(values[faces[order]].mean(axis=1))
    shade = AMBIENT + (1 - AMBIENT) * np.clip(normals[order] @ LIGHT, 0, 1)
    rgba[:, :3] *= shade[:, None]
    axes.add_collection(PolyCollection(corners[order][:, :, [0, 2]], facecolors=rgba, edgecolors=rgba, linewidths=0.3))
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.margins(0.03)
    axes.axis("off")
    return colours


def _to_viewer_axes(points: np.ndarray, view: tuple[float, float]) -> np.ndarray:
    """Return points as the viewer has them: x to the right, y away, z up."""
    azimuth, elevation = np.deg2rad(view)
    away = -np.array([np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)])
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    return points @ np.stack([right, away, np.cross(right, away)], axis=1)
