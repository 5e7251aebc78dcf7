"""Trajectory: the results of a run, every quantity under its own name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import LissomError
from lissom.lie import quaternion, so3
from lissom.model.compiled import Model
from lissom.showing import show
from lissom.simulation.dataset import ENERGIES
from lissom.simulation.dataset import dataset as labelled
from lissom.simulation.ending import Ending
from lissom.simulation.interpolate import interpolate
from lissom.simulation.lookup import ACCELERATION, POSITION, VELOCITY, Lookup
from lissom.simulation.observe import Observation, observe
from lissom.simulation.raw import Event, RawRun
from lissom.simulation.settings import RunSettings
from lissom.version import __version__

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.figure import Figure

    from lissom.analysis.energy_audit import EnergyAudit
    from lissom.simulation.summary import Summary

Frame = Literal["local", "parent", "world"]


@dataclass(frozen=True)
class RunInfo:
    """How a run was made, and how it ended."""

    method: str
    reason: str  # why this method
    steps: int
    rejected: int
    evaluations: int
    jacobians: int
    wall: float  # s spent in the time loop
    status: Ending
    message: str = ""
    version: str = __version__
    newton: dict[str, Any] = field(default_factory=dict)  # how an implicit method iterated; see `newton.report`
    settings: RunSettings | None = None  # None where the samples come from elsewhere


class Trajectory:
    """A run as a labelled dataset, with the robot it belongs to.

    Names lead to numbers: `run["elbow"]` is the angle of a joint over time, `run.tip("forearm")` where the
    tip of a link is, `run.wrench("elbow")` what a joint transmits, `run.deflection("upper")` how far a link
    is bent away at its tip. All are xarray.DataArray with units; `run.dataset` holds everything.
    """

    def __init__(
        self, source: xr.Dataset | RawRun, model: Model, info: RunInfo, warnings: Sequence[Event] = ()
    ) -> None:
        self._source = source
        self.model = model
        self.info = info
        self.warnings = list(warnings)

    @cached_property
    def dataset(self) -> xr.Dataset:
        """Every quantity of the run, labelled; what follows from the samples is computed when first asked for."""
        return labelled(self._source, self._seen) if isinstance(self._source, RawRun) else self._source

    @cached_property
    def _seen(self) -> Observation:
        """What follows from the samples, without labels."""
        return observe(self.model, self.q, self.v, self.a)

    @cached_property
    def lookup(self) -> Lookup:
        """Names to columns of the dataset."""
        return Lookup(self.dataset, self.model)

    def __getstate__(self) -> dict[str, Any]:
        """Data alone: a controller that ran may be any function, and its set-points are in the dataset."""
        return {"_source": self.dataset, "model": self.model, "info": self.info, "warnings": self.warnings}

    def __repr__(self) -> str:
        count = {
            "joint coordinate": sum(b.joint_v.stop - b.joint_v.start for b in self.model.bodies),
            "mode": sum(b.modes_v.stop - b.modes_v.start for b in self.model.bodies),
        }
        parts = [f"{self.time[-1] - self.time[0]:g} s in {len(self.time)} samples"]
        parts += [_plural(number, noun) for noun, number in count.items() if number]
        parts += [self.info.method] if self.info.method else []
        parts += [self.info.status.word] if self.info.status is not Ending.FINISHED else []
        parts += [_plural(len(self.warnings), "warning")] if self.warnings else []
        return f"<Trajectory of {self.model.robot.name}: {', '.join(parts)}>"

    def __str__(self) -> str:
        return str(self.summary())

    # names to numbers

    def __getitem__(self, name: str) -> xr.DataArray:
        """Position of a joint, (time,) or (time, coordinates); one coordinate; a variable of the dataset."""
        found = self.lookup.coordinate(name, POSITION, "q")
        if found is None:
            found = self.lookup.coordinate(name, VELOCITY, "v")
        if found is None and name in self.dataset:
            found = self.dataset[name]
        if found is None:
            raise self.lookup.unknown(name)
        return found

    def velocity(self, name: str) -> xr.DataArray:
        """Velocity of a joint or coordinate, (time,) or (time, coordinates)."""
        return self._found(name, self.lookup.coordinate(name, VELOCITY, "v"))

    def acceleration(self, name: str) -> xr.DataArray:
        """Acceleration of a joint or coordinate, (time,) or (time, coordinates)."""
        return self._found(name, self.lookup.coordinate(name, ACCELERATION, "v"))

    def torque(self, name: str) -> xr.DataArray:
        """Force on a joint by its motor (as seen by the joint), or by what drives a prescribed joint."""
        return self._found(name, self.lookup.force(name))

    def wrench(self, joint: str, frame: Frame = "local") -> xr.DataArray:
        """Wrench (torque, force) of the parent on the child at a joint, (time, 6).

        It acts at the origin of the child's frame and includes the motor's torque.

        Args:
            joint: name of the joint, or of the link that it carries.
            frame: axes of the components: "local" (those of the child), "parent" or "world".
        """
        body = self.lookup.joint(joint)
        values = self.dataset["wrench"].sel(joint=body.joint, drop=True).rename(f"wrench at {body.joint}")
        if frame == "local":
            return values
        if frame not in ("parent", "world"):
            raise LissomError(f"frame must be 'local', 'parent' or 'world', got {frame!r}")
        R = self.lookup.axes(body.link)
        parent = int(self.model.arrays.tree.parent[self.model.row(body.link)])
        if frame == "parent" and parent > 0:
            R = so3.inverse(self.lookup.axes(self.model.links[parent - 1])) @ R
        turned = np.concatenate([so3.act(R, values[:, :3]), so3.act(R, values[:, 3:])], axis=1)
        axes = "world" if frame == "world" else "the parent's"
        text = f"wrench of the parent on the child at the joint, in {axes} axes"
        return values.copy(data=turned).assign_attrs(long_name=text)

    def tip(
        self, link: str | None = None, what: Literal["position", "orientation", "twist"] = "position"
    ) -> xr.DataArray:
        """Tip of a link (the last one unless given) in the world.

        Args:
            what: its "position" (time, 3) in m; "orientation" (time, 4), a quaternion (w, x, y, z); or
                "twist" (time, 6), angular velocity of its section and velocity of the tip in world axes.
        """
        if what not in ("position", "orientation", "twist"):
            raise LissomError(f"what must be 'position', 'orientation' or 'twist', got {what!r}")
        name = self.model.links[-1] if link is None else link
        self.model.row(name)
        return self.dataset[f"tip_{what}"].sel(link=name, drop=True).rename(f"tip {what} of {name}")

    def deflection(self, link: str) -> xr.DataArray:
        """Elastic displacement of the tip of a flexible link, link axes, (time, 3) m."""
        self.lookup.flexible(link)
        return self.dataset["deflection"].sel(flexible=link, drop=True).rename(f"deflection of {link}")

    def rotation(self, link: str) -> xr.DataArray:
        """Elastic rotation (a rotation vector) of the tip of a flexible link, link axes, (time, 3) rad."""
        self.lookup.flexible(link)
        return self.dataset["rotation"].sel(flexible=link, drop=True).rename(f"rotation of {link}")

    def shape(self, link: str, stations: int | ArrayLike = 21) -> xr.DataArray:
        """Deformation field of a flexible link: displacement of its axis, link axes, (time, x, 3) m.

        Args:
            stations: how many points evenly from base to tip, or their places x in m.
        """
        import xarray as xr

        beam, x = self.lookup.flexible(link), self.lookup.stations(link, stations)
        eta = self.q[:, self.model.bodies[self.model.row(link) - 1].modes_q]
        return xr.DataArray(
            beam.displacement(x, eta),
            dims=("time", "x", "axis"),
            coords={
                "time": self.dataset["time"],
                "x": ("x", x, {"long_name": f"place along {link}", "units": "m"}),
                "axis": self.dataset["axis"],
            },
            name=f"shape of {link}",
            attrs={"long_name": "displacement of the link's axis, link axes", "units": "m"},
        )

    def centre_line(self, link: str, stations: int | ArrayLike = 21) -> xr.DataArray:
        """The bent axis of a flexible link in the world, (time, x, 3) m."""
        field = self.shape(link, stations)
        along = self.lookup.flexible(link).position(field["x"].values)
        origin = self.dataset["link_position"].sel(link=link).values[:, None, :]
        world = origin + so3.act(self.lookup.axes(link)[:, None], field.values + along)
        named = field.copy(data=world).rename(f"centre line of {link}")
        return named.assign_attrs(long_name="the link's axis in the world")

    # states

    @cached_property
    def time(self) -> np.ndarray:
        """Times of the samples, (N,) s."""
        return self._source.time if isinstance(self._source, RawRun) else self._source["time"].values

    @cached_property
    def q(self) -> np.ndarray:
        """Configurations in the model's order, (N, nq)."""
        return self._source.q if isinstance(self._source, RawRun) else self.lookup.whole("q", POSITION)

    @cached_property
    def v(self) -> np.ndarray:
        """Velocities in the model's order, (N, nv)."""
        return self._source.v if isinstance(self._source, RawRun) else self.lookup.whole("v", VELOCITY)

    @cached_property
    def a(self) -> np.ndarray:
        """Accelerations in the model's order, (N, nv)."""
        return self._source.a if isinstance(self._source, RawRun) else self.lookup.whole("v", ACCELERATION)

    def state(self, t: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """State (q, v) at a time, (nq,) and (nv,), or at several, (k, nq) and (k, nv).

        Between samples by cubic polynomials, on the group where a coordinate is a quaternion.
        """
        at = np.asarray(t, float)
        first, last = self.time[0], self.time[-1]
        slack = 1e-9 * max(abs(first), abs(last))
        if not np.all((at >= first - slack) & (at <= last + slack)):
            raise LissomError(f"t = {t!r} is outside the run, which goes from {first:g} s to {last:g} s")
        q, v = interpolate(self.model, self.time, self.q, self.v, self.a, np.clip(at, first, last).ravel())
        return q.reshape(*at.shape, -1), v.reshape(*at.shape, -1)

    def pose(self, t: ArrayLike, of: Literal["frame", "tip"] = "frame") -> dict[str, np.ndarray]:
        """Pose in the world of every link, at a time (4, 4) or several (k, 4, 4).

        Args:
            of: the link's "frame", which sits at its joint, or its "tip".
        """
        if of not in ("frame", "tip"):
            raise LissomError(f"of must be 'frame' or 'tip', got {of!r}")
        q = self.state(np.ravel(t))[0]
        still = np.zeros((len(q), self.model.nv))
        seen = observe(self.model, q, still, still)
        place = (seen.link_position, seen.link_orientation)
        if of == "tip":
            place = (seen.tip_position, seen.tip_orientation)
        T = np.zeros((*place[0].shape[:2], 4, 4))
        T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = quaternion.to_matrix(place[1]), place[0], 1.0
        return {link: T[:, k].reshape(*np.shape(t), 4, 4) for k, link in enumerate(self.model.links)}

    # accounts

    def energy_audit(self) -> EnergyAudit:
        """What went in, what was dissipated, what is stored, and how far the balance is off."""
        from lissom.analysis.energy_audit import audit_energy

        return audit_energy(self.time, self.energies, self.work, self.dissipated)

    @cached_property
    def energies(self) -> np.ndarray:
        """Kinetic energy, potential of gravity, strain energy and energy of the joints, (N, 4) J."""
        if isinstance(self._source, RawRun):
            return self._seen.energy
        return np.stack([self.dataset[name].values for name in ENERGIES], axis=1)

    @property
    def audited(self) -> bool:
        """Whether work and dissipation were integrated along the way."""
        return self._source.audited if isinstance(self._source, RawRun) else "work" in self.dataset

    @property
    def work(self) -> np.ndarray:
        """Work of the applied forces since the start, (N,) J."""
        return self._account("work")

    @property
    def dissipated(self) -> np.ndarray:
        """Energy dissipated since the start, (N,) J."""
        return self._account("dissipated")

    def summary(self) -> Summary:
        """Peak wrenches and deflections, settling, energy balance, speed, events; prints as tables."""
        from lissom.simulation.summary import summarise

        return summarise(self)

    def plot(self, kind: str = "overview", **options: Any) -> Figure:
        """One figure of the whole run, or a closer look.

        Args:
            kind: "overview", "joints", "tip", "wrenches", "deflection", "energy", "shape" or "spectrum".
            options: what that plot takes, such as link="forearm"; see lissom.view.plots.
        """
        return show("run.plot", self, kind, **options)

    # pages and films

    def report(self, path: str | Path, title: str | None = None) -> Path:
        """Write one HTML file with the moving arm, charts and tables; it opens without a server or a network."""
        return show("run.report", self, path, title)

    def animate(self, path: str | Path, **options: Any) -> Path:
        """Write a film of the motion: .mp4 (by ffmpeg) or .gif.

        Args:
            options: fps, speed, scale (of the deflection), size in pixels, turn and lift of the view; see
                lissom.view.film.
        """
        return show("run.animate", self, path, **options)

    def _repr_html_(self) -> str:
        """How a notebook shows the run: a table, charts and the moving arm."""
        return show("run.html", self)

    # files

    def save(self, path: str | Path) -> None:
        """Write everything to a NetCDF file, the robot included."""
        from lissom.simulation.netcdf import save

        save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Trajectory:
        """Read what `save` wrote."""
        from lissom.simulation.netcdf import load

        return load(path)

    @staticmethod
    def rescue(path: str | Path) -> xr.Dataset:
        """Read the variables of a damaged file that are as they were written; `.attrs["damaged"]` names the others."""
        from lissom.simulation.netcdf import rescue

        return rescue(path)

    def to_dataframe(self) -> pd.DataFrame:
        """One row per time, one column per number: position.elbow, wrench.elbow.fx, deflection.upper.y, ...

        `.attrs["units"]` has the unit of every column.
        """
        from lissom.simulation.export import to_dataframe

        return to_dataframe(self)

    def to_csv(self, path: str | Path, units: bool = False) -> None:
        """Write the table of `to_dataframe` as CSV; with `units` in the header: position.elbow [rad]."""
        from lissom.simulation.export import to_csv

        to_csv(self, path, units)

    def to_parquet(self, path: str | Path) -> None:
        """Write the table of `to_dataframe` as Parquet (needs pyarrow)."""
        from lissom.simulation.export import to_parquet

        to_parquet(self, path)

    def to_mat(self, path: str | Path) -> None:
        """Write all variables for MATLAB (.mat, version 5): `wrench` (time, joint, component), `labels.joint`, ..."""
        from lissom.simulation.export import to_mat

        to_mat(self, path)

    def _account(self, name: str) -> np.ndarray:
        if not self.audited:
            raise LissomError("this run kept no energy accounts; simulate with audit=True")
        return getattr(self._source, name) if isinstance(self._source, RawRun) else self.dataset[name].values

    def _found(self, name: str, values: xr.DataArray | None) -> xr.DataArray:
        if values is None:
            raise self.lookup.unknown(name)
        return values


def from_run(raw: RawRun) -> Trajectory:
    """The results of a run; what is more than its samples is computed when it is asked for."""
    info = RunInfo(
        method=raw.method,
        reason=raw.reason,
        steps=raw.steps,
        rejected=raw.rejected,
        evaluations=raw.evaluations,
        jacobians=raw.jacobians,
        wall=raw.wall,
        status=raw.status,
        message=raw.message,
        newton=raw.newton,
        settings=raw.settings,
    )
    return Trajectory(raw, raw.model, info, raw.warnings)


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")
