"""Trajectory: the results of a run, every quantity under its own name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import LissomError, check_choice
from lissom.lie import quaternion, so3
from lissom.messages import suggestion
from lissom.results.lookup import NamedColumns
from lissom.results.presentation.display_units import DisplayUnits
from lissom.results.presentation.presentation import Presentation, noise_floors
from lissom.results.run_info import RunInfo
from lissom.results.run_samples import Samples
from lissom.simulation.raw_run import RawRun
from lissom.simulation.status.run_ending import Ending

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.figure import Figure

    from lissom.analysis.energy_balance import EnergyAudit
    from lissom.results.error_bars import Trust
    from lissom.results.fatigue import Fatigue, Woehler
    from lissom.results.momentum import Momentum
    from lissom.results.registry.stress_peaks import StressPeak
    from lissom.results.summaries.summary import Summary
    from lissom.simulation.inputs.payload import Payload
    from lissom.view.figures.overlays import OverlaidCurves

Frame = Literal["local", "parent", "world"]


class Trajectory(Samples):
    """A run as a labelled dataset, with the robot it belongs to.

    Names lead to numbers: `run["elbow"]` is the angle of a joint over time, `run.tip("forearm")` where the
    tip of a link is, `run.wrench("elbow")` what a joint transmits, `run.deflection("upper")` how far a link
    is bent away at its tip. All are xarray.DataArray with units; `run.dataset` holds everything.
    """

    _units: tuple[str, ...] | None = None  # chosen for this object
    others: tuple[OverlaidCurves, ...] = ()  # what is drawn beside it
    repeat: Any = None  # what it was made of, a `RepeatableRun`; None of a run from a file
    measured: Trust | None = None  # its error bars with the runs behind them, where `lissom.trust` was called

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
        """Return the position of a joint, (time,) or (time, coordinates); one coordinate; a variable of the dataset."""
        if not self.numbers.has(name) and name in self.dataset:
            return self.dataset[name]
        return self._label_columns(name, self.numbers.position(name))

    def velocity(self, name: str) -> xr.DataArray:
        """Return the velocity of a joint or coordinate, (time,) or (time, coordinates)."""
        return self._label_columns(name, self.numbers.velocity(name))

    def acceleration(self, name: str) -> xr.DataArray:
        """Return the acceleration of a joint or coordinate, (time,) or (time, coordinates)."""
        return self._label_columns(name, self.numbers.acceleration(name))

    def torque(self, name: str) -> xr.DataArray:
        """Return the force of a joint's motor, at the joint side of its gear; of a prescribed joint, what moves it."""
        return self._label_columns(name, self.numbers.torque(name))

    def wrench(self, joint: str, frame: Frame = "local") -> xr.DataArray:
        """Return wrench (torque, force) of the parent on the child at a joint, (time, 6).

        It acts at the origin of the child's frame and includes the motor's torque.

        Parameters
        ----------
        joint : str
            Name of the joint, or of the link that it carries.
        frame : {"local", "parent", "world"}, optional
            Axes of the components: "local" (those of the child), "parent" or "world".
        """
        body = self.numbers.joint(joint)
        values = self.dataset["wrench"].sel(joint=body.joint, drop=True).rename(f"wrench at {body.joint}")
        if frame == "local":
            return values
        check_choice("frame", frame, ("local", "parent", "world"))
        R = self.numbers.axes(body.link)
        parent = int(self.model.arrays.tree.parent[self.model.row(body.link)])
        if frame == "parent" and parent > 0:
            R = so3.inverse(self.numbers.axes(self.model.links[parent - 1])) @ R
        turned = np.concatenate([so3.act(R, values[:, :3]), so3.act(R, values[:, 3:])], axis=1)
        axes = "world" if frame == "world" else "the parent's"
        text = f"wrench of the parent on the child at the joint, in {axes} axes"
        return values.copy(data=turned).assign_attrs(long_name=text)

    def loop_wrench(self, loop: str, frame: Literal["local", "world"] = "local") -> xr.DataArray:
        """Return the wrench (torque, force) of a loop's first frame on its second, at the latter's origin, (time, 6).

        Parameters
        ----------
        loop : str
            Name of the loop.
        frame : {"local", "world"}, optional
            Axes of the components: "local" (those of the second frame) or "world".
        """
        names = [each.name for each in self.model.loops]
        if loop not in names:
            raise LissomError(f"{self.model.robot.name} has no loop {loop!r}; {suggestion(loop, names)}", value=loop)
        check_choice("frame", frame, ("local", "world"))
        values = self.dataset["loop_wrench"].sel(loop=loop, drop=True).rename(f"wrench at {loop}")
        if frame == "local":
            return values
        R = quaternion.to_matrix(self.dataset["loop_orientation"].sel(loop=loop).values)
        turned = np.concatenate([so3.act(R, values[:, :3]), so3.act(R, values[:, 3:])], axis=1)
        return values.copy(data=turned).assign_attrs(long_name="wrench of the first frame on the second, world axes")

    def reading(self, sensor: str, ideal: bool = False) -> xr.DataArray:
        """Return what a sensor tells at the output times, (time,) or (time, numbers): its last sample, with its delay.

        Parameters
        ----------
        sensor : str
            Its name, or that of one of its numbers: "imu", "imu.x".
        ideal : bool, optional
            What an ideal sensor would tell instead, without low-pass, samples, noise, steps and delay.
        """
        return self._label_columns(sensor, self.numbers.reading(sensor, ideal))

    def tip(
        self, link: str | None = None, what: Literal["position", "orientation", "twist"] = "position"
    ) -> xr.DataArray:
        """Return the tip of a link (the last one unless given) in the world.

        Parameters
        ----------
        what : {"position", "orientation", "twist"}, optional
            Its "position" (time, 3) in m; "orientation" (time, 4), a quaternion (w, x, y, z); or
            "twist" (time, 6), angular velocity of its section and velocity of the tip in world axes.
        """
        check_choice("what", what, ("position", "orientation", "twist"))
        name = self.model.links[-1] if link is None else link
        self.model.row(name)
        return self.dataset[f"tip_{what}"].sel(link=name, drop=True).rename(f"tip {what} of {name}")

    def deflection(self, link: str) -> xr.DataArray:
        """Return the elastic displacement of the tip of a flexible link, link axes, (time, 3) m."""
        self.numbers.flexible(link)
        return self.dataset["deflection"].sel(flexible=link, drop=True).rename(f"deflection of {link}")

    def bow(self, link: str) -> xr.DataArray:
        """Return the largest distance of a flexible link's bent axis from the line through both its ends, (time,) m."""
        self.numbers.flexible(link)
        return self.dataset["bow"].sel(flexible=link, drop=True).rename(f"bow of {link}")

    def rotation(self, link: str) -> xr.DataArray:
        """Return elastic rotation (a rotation vector) of the tip of a flexible link, link axes, (time, 3) rad."""
        self.numbers.flexible(link)
        return self.dataset["rotation"].sel(flexible=link, drop=True).rename(f"rotation of {link}")

    def shape(self, link: str, stations: int | ArrayLike = 21) -> xr.DataArray:
        """Return the deformation field of a flexible link: displacement of its axis, link axes, (time, x, 3) m.

        Parameters
        ----------
        stations : int or array-like, optional
            How many points evenly from base to tip, or their places x in m.
        """
        x = self.numbers.stations(link, stations)
        attrs = {"long_name": "displacement of the link's axis, link axes", "units": "m"}
        axes = tuple(self.dataset["axis"].values)
        return self._along(f"shape of {link}", x, self.numbers.shape(link, x), ("axis", axes), attrs)

    def centre_line(self, link: str, stations: int | ArrayLike = 21) -> xr.DataArray:
        """Return the bent axis of a flexible link in the world, (time, x, 3) m."""
        field = self.shape(link, stations)
        named = field.copy(data=self.numbers.centre_line(link, stations)).rename(f"centre line of {link}")
        return named.assign_attrs(long_name="the link's axis in the world")

    def section_forces(self, link: str, stations: int | ArrayLike = 21) -> xr.DataArray:
        """Return forces and moments inside a beam, (time, x, 6): tension N, shear Vy, Vz, torsion T, bending My, Mz.

        In the axes of each section and about the link's axis; of the outer part on the inner one. They follow from
        the balance of what lies beyond the section, so that at the base they are the wrench of the joint.

        Parameters
        ----------
        stations : int or array-like, optional
            How many points evenly from base to tip, or their places x in m.
        """
        from lissom.results.registry.section_forces import COMPONENTS, section_forces

        x = self.numbers.stations(link, stations)
        attrs = {
            "long_name": "forces and moments in the sections, their axes",
            "units": "N, N m",
            "column_units": ["N"] * 3 + ["N m"] * 3,
        }
        name, values = f"section forces of {link}", section_forces(self.data, link, x)
        return self._along(name, x, values, ("section_force", COMPONENTS), attrs)

    def stress(self, link: str, stations: int | ArrayLike = 21) -> xr.DataArray:
        """Return largest stresses in the sections of a beam, (time, x, 4) Pa.

        They are the `highest` and the `lowest` normal stress (of tension and bending, at the outer fibres), the
        largest `shear` stress (of torsion and shear forces) and the largest `von_mises` stress of each section, from
        the forces of `section_forces` and the section's shape. At sharp inner corners shear has no limit: they are
        left out.

        Parameters
        ----------
        stations : int or array-like, optional
            How many points evenly from base to tip, and both sides of every jump of the section; or their
            places x in m. At a jump x is the section that begins there; given twice, that which ends there, too.
        """
        from lissom.beam.sections.section_stress import COMPONENTS
        from lissom.results.registry.section_forces import both_sides, section_stresses

        x = self.numbers.stations(link, stations)
        beam = self.model.robot.link(link).beam
        if isinstance(stations, int) and beam is not None and beam.jumps:
            x = both_sides(x, beam.jumps)
        attrs = {"long_name": "largest stress in the section", "units": "Pa"}
        return self._along(f"stress of {link}", x, section_stresses(self.data, link, x), ("stress", COMPONENTS), attrs)

    def stress_peaks(self) -> tuple[StressPeak, ...]:
        """Return the largest von Mises stress of every beam with a known shape: value, time, place, safety factor.

        The safety factor is the material's `yield_stress` over it. Stresses are looked at in nine sections along each
        beam (of tapered beams three) and on both sides of whatever is fixed to it; `stress` tells them at others.
        """
        from lissom.results.registry.stress_peaks import stress_peaks

        return self.data.once(stress_peaks)

    def fatigue(self, link: str, woehler: Woehler | float) -> Fatigue:
        """Return the most damaged point of a beam: Miner's sum of one run, place, counted cycles, repetitions it lasts.

        Cycles of the normal stress at the outer fibres are counted by rainflow (ASTM E1049).

        Parameters
        ----------
        woehler : Woehler or float
            The line of the detail; a number is its detail category in Pa by EN 1993-1-9 (71e6).
        """
        from lissom.results.fatigue import Woehler, fatigue

        return fatigue(self.data, link, woehler if isinstance(woehler, Woehler) else Woehler(woehler))

    # how it is shown

    def beside(self, others: Mapping[str, Any] | None = None, /, **more: Any) -> Trajectory:
        """Return this run such that its plots and pages draw others into their charts, by their labels.

        Parameters
        ----------
        others : mapping of str, optional
            A run each, the path of a saved one, or measured data: columns by name, or the path of a CSV, Parquet or
            NumPy file. Columns are called as those of `to_dataframe`, "position.elbow" or "elbow [deg]", and "time".
        **more
            Likewise, where labels are words: `run.beside(measured="bench.csv", rigid=other).plot("joints")`.

        Returns
        -------
        Trajectory
            The same results; what is drawn beside them is not saved with them.
        """
        from lissom.view.figures.overlays import read_overlays

        made = object.__new__(type(self))
        made.__dict__ |= self.__dict__
        made.others = (*self.others, *read_overlays(self, {**(others or {}), **more}))
        return made

    @property
    def units(self) -> tuple[str, ...]:
        """Units of tables, figures, pages and exports, such as ("kN", "mm", "deg"); data itself is always SI.

        They are those of the scenario, or else of the user's settings; set them to other names to have others.
        """
        if self._units is not None:
            return self._units
        from lissom.results.presentation.user_settings import user_settings

        chosen = self.info.scenario.get("units")
        return DisplayUnits.of(chosen).names if chosen else user_settings().units

    @units.setter
    def units(self, names: str | Sequence[str]) -> None:
        self._units = DisplayUnits.of(names).names

    @cached_property
    def _floors(self) -> dict[str, float]:
        return noise_floors(self.numbers)

    @property
    def shown(self) -> Presentation:
        """Units of what is shown of this run, and the sizes below which numbers are rounding errors."""
        return Presentation(DisplayUnits(self.units), self._floors)

    # accounts

    def energy_audit(self) -> EnergyAudit:
        """Return what went in, what was dissipated, what is stored, and how far the balance is off."""
        from lissom.analysis.energy_balance import audit_energy

        return audit_energy(self.time, self.energies, self.work, self.dissipated, self.load_work)

    @property
    def payloads(self) -> tuple[Payload, ...]:
        """Bodies that links picked up and dropped."""
        return () if self.raw.carried is None else self.raw.carried.payloads

    def momentum(self) -> Momentum:
        """Return centre of mass, momentum, angular momentum about it: (N, 3) each, of the robot in world axes.

        Payloads that it carries are part of it.
        """
        from lissom.results.momentum import Momentum, momentum

        if "momentum" in self.quantities:  # of a robot that floats
            return Momentum(*(self.numbers[name] for name in ("centre_of_mass", "momentum", "angular_momentum")))
        return momentum(self.model, self.q, self.v, self.time, self.raw.carried)

    @property
    def trust(self) -> Trust | None:
        """Error bars of the numbers in the summary; None where they were not measured (see `lissom.trust`)."""
        from lissom.results.error_bars import Trust

        return self.measured or (Trust.from_dict(self.info.trust) if self.info.trust else None)

    def summary(self) -> Summary:
        """Return peak wrenches and deflections, settling, energy balance, speed, events; prints as tables."""
        from lissom.results.summaries.summary import summarise

        return summarise(self)

    def plot(self, kind: str = "overview", **options: Any) -> Figure:
        """Return one figure of the whole run, or a closer look.

        Parameters
        ----------
        kind : str, optional
            "overview", "joints", "tip", "wrenches", "deflection", "energy", "outside", "shape",
            "sections", "spectrum" or "sensors".
        **options
            What that plot takes, such as link="forearm"; see lissom.view.figures.plots.
        """
        from lissom.view.figures.plots import plot

        return plot(self, kind, **options)

    # pages and films

    def report(
        self, path: str | Path, title: str | None = None, text: str | None = None, logo: str | Path | None = None
    ) -> Path:
        """Write one HTML file with the moving arm, charts and tables, which needs no server; or a PDF.

        Parameters
        ----------
        path : str or Path
            Its ending, .html or .pdf, says what it becomes.
        title, text : str, optional
            What stands over it and in front; an empty line begins a paragraph of the text. Those of the scenario
            unless given.
        logo : str or Path, optional
            A picture for its head (.png, .jpg or .svg); that of the scenario or of the user's settings unless given.
        """
        from lissom.view.pages.run_report import save

        return save(self, path, title=title, text=text, logo=None if logo is None else str(logo))

    def animate(self, path: str | Path, **options: Any) -> Path:
        """Write a film of the motion: .mp4 (by ffmpeg) or .gif.

        Parameters
        ----------
        **options
            `fps`, `speed`, `scale` (of the deflection), size in pixels, turn and lift of the view, `stress`; see
            lissom.view.films.film.
        """
        from lissom.view.films.film import film

        return film(self, path, **options)

    def _repr_html_(self) -> str:
        """Return how a notebook shows the run: a table, charts and the moving arm."""
        from lissom.view.pages.notebook import notebook_html

        return notebook_html(self)

    # files

    def save(self, path: str | Path) -> None:
        """Write everything to a NetCDF file, the robot included."""
        from lissom.results.files.netcdf_files import save

        save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Trajectory:
        """Read what `save` wrote."""
        from lissom.results.files.netcdf_files import load

        return load(path)

    @staticmethod
    def rescue(path: str | Path) -> xr.Dataset:
        """Read the variables of a damaged file that are as they were written; `.attrs["damaged"]` names the others."""
        from lissom.results.files.netcdf_files import rescue

        return rescue(path)

    def to_dataframe(
        self, columns: Iterable[str] | None = None, units: bool | str | Sequence[str] = False
    ) -> pd.DataFrame:
        """Return one row per time, one column per number: position.elbow, wrench.elbow.fx, deflection.upper.y, ...

        `.attrs["units"]` has the unit of every column.

        Parameters
        ----------
        columns : iterable of str, optional
            Those wanted, by name, by what names begin with ("wrench.elbow"), or by patterns: "*.elbow*".
        units : bool or sequence of str, optional
            Names of units, such as ["kN", "mm", "deg"]; True takes those of the run. SI unless given.
        """
        from lissom.results.files.table_files import to_dataframe

        return to_dataframe(self, columns, units)

    def to_csv(
        self,
        path: str | Path,
        units: bool | str | Sequence[str] = False,
        columns: Iterable[str] | None = None,
    ) -> None:
        """Write the table of `to_dataframe` as CSV; where `units` are wanted the header has them: position.elbow [deg].

        Parameters
        ----------
        units, columns
            As of `to_dataframe`.
        """
        from lissom.results.files.table_files import to_csv

        to_csv(self, path, units, columns)

    def to_excel(
        self,
        path: str | Path,
        units: bool | str | Sequence[str] = True,
        columns: Iterable[str] | None = None,
    ) -> None:
        """Write the table of `to_dataframe` as an Excel file, with a sheet that says how it was computed.

        Parameters
        ----------
        units, columns
            As of `to_dataframe`; it needs the package openpyxl.
        """
        from lissom.results.files.table_files import to_excel

        to_excel(self, path, units, columns)

    def to_parquet(self, path: str | Path, columns: Iterable[str] | None = None) -> None:
        """Write the table of `to_dataframe` as Parquet, in SI (needs pyarrow)."""
        from lissom.results.files.table_files import to_parquet

        to_parquet(self, path, columns)

    def to_mat(self, path: str | Path) -> None:
        """Write all variables for MATLAB (.mat, version 5): `wrench` (time, joint, component), `labels.joint`, ..."""
        from lissom.results.files.table_files import to_mat

        to_mat(self, path)

    def _along(
        self, name: str, x: np.ndarray, values: np.ndarray, last: tuple[str, tuple[str, ...]], attrs: dict[str, Any]
    ) -> xr.DataArray:
        """Return values (N, k, ...) at places x (k,) of a link, with the name of the last axis and its labels."""
        import xarray as xr

        axis, labels = last
        coords = {
            "time": self.dataset["time"],
            "x": ("x", x, {"long_name": "place along the link", "units": "m"}),
            axis: list(labels),
        }
        return xr.DataArray(values, dims=("time", "x", axis), coords=coords, name=name, attrs=attrs)

    def _label_columns(self, name: str, part: NamedColumns) -> xr.DataArray:
        """Return the columns of a variable with their own units."""
        values, at = self.dataset[part.variable], part.at
        found = values[:, at[0]].drop_vars(part.axis) if len(at) == 1 else values[:, at]
        different = list(dict.fromkeys(part.units))
        text = f"{values.attrs['long_name']} {name}"
        found = found.rename(name).drop_attrs().assign_attrs(long_name=text, units=", ".join(different))
        return found if len(different) == 1 else found.assign_attrs(column_units=part.units)


def from_run(raw: RawRun) -> Trajectory:
    """Return the results of a run; what is more than its samples is computed when it is asked for."""
    return Trajectory(raw, raw.model, RunInfo.of(raw), raw.warnings)


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")
