"""From names to columns of a run's dataset, with a helpful error where a name leads nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from lissom.beam import FlexibleLink
from lissom.errors import LissomError
from lissom.lie import quaternion
from lissom.messages import did_you_mean, listed
from lissom.model.compiled import BodyNames, Model
from lissom.simulation.dataset import Columns, column_units, position_columns, velocity_columns

if TYPE_CHECKING:
    import xarray as xr

Kind = Literal["q", "v"]
Variables = tuple[str, str, str]  # of joints, modes and rotors
POSITION: Variables = ("position", "eta", "rotor_position")
VELOCITY: Variables = ("velocity", "eta_rate", "rotor_velocity")
ACCELERATION: Variables = ("acceleration", "eta_acceleration", "rotor_acceleration")


@dataclass(frozen=True)
class Lookup:
    """The dataset of a run and the model whose names it carries."""

    dataset: xr.Dataset
    model: Model

    def coordinate(self, name: str, variables: Variables, kind: Kind) -> xr.DataArray | None:
        """The coordinate `name`, or all coordinates of the joint `name`; None if there is no such thing."""
        for variable, dim in zip(variables, (kind, "mode", "rotor"), strict=True):
            if variable in self.dataset and name in self.dataset[dim].values:
                return self.columns(variable, dim, [name], name)
        for body in self.moving():
            if name == body.joint:
                return self.columns(variables[0], kind, joint_names(body, kind), name)
        return None

    def force(self, name: str) -> xr.DataArray | None:
        """The force on a coordinate, or on a joint: on its rotor where it has one."""
        for body in self.moving():
            if name == body.joint:
                rotor = body.rotor_v
                wanted = joint_names(body, "v") if rotor is None else (self.model.coordinates[rotor],)
                return self.columns("torque", "coordinate", wanted, name)
        if name in self.model.coordinates:
            return self.columns("torque", "coordinate", [name], name)
        return None

    def columns(self, variable: str, dim: str, wanted: Sequence[str], name: str) -> xr.DataArray:
        """Columns of a variable, (time, len(wanted)), or (time,) for a single one, with their own units."""
        values = self.dataset[variable]
        at = [self.dataset[dim].values.tolist().index(label) for label in wanted]
        units = [column_units(values)[k] for k in at]
        part = values[:, at[0]].drop_vars(dim) if len(at) == 1 else values[:, at]
        different = list(dict.fromkeys(units))
        text = f"{values.attrs['long_name']} {name}"
        part = part.rename(name).drop_attrs().assign_attrs(long_name=text, units=", ".join(different))
        return part if len(different) == 1 else part.assign_attrs(column_units=units)

    def whole(self, kind: Kind, variables: Variables) -> np.ndarray:
        """Joints, modes and rotors together in the model's order, (N, nq) or (N, nv)."""
        columns: Columns = (position_columns if kind == "q" else velocity_columns)(self.model)
        out = np.empty((self.dataset.sizes["time"], len(columns.names)))
        for at, variable in zip((columns.joints, columns.modes, columns.rotors), variables, strict=True):
            if len(at):
                out[:, at] = self.dataset[variable].values
        return out

    def axes(self, link: str) -> np.ndarray:
        """Axes of a link in the world over time, (N, 3, 3)."""
        return quaternion.to_matrix(self.dataset["link_orientation"].sel(link=link).values)

    def moving(self) -> Iterator[BodyNames]:
        """Bodies whose joint moves."""
        return (body for body in self.model.bodies if body.joint_v.stop > body.joint_v.start)

    def joint(self, name: str) -> BodyNames:
        """The body that the joint `name` carries, or whose own name it is."""
        for of in ("joint", "link"):
            for body in self.model.bodies:
                if name == getattr(body, of):
                    return body
        known = self.model.joints
        text = f"{self.model.robot.name} has no joint {name!r}{did_you_mean(name, known)}"
        raise LissomError(f"{text}; the joints are {', '.join(known)}")

    def flexible(self, link: str) -> FlexibleLink:
        """A flexible link."""
        self.model.row(link)
        if link not in self.model.flexible:
            known = ", ".join(self.model.flexible)
            raise LissomError(f"{link} is rigid; {f'the flexible links are {known}' if known else 'all are'}")
        return self.model.flexible[link]

    def stations(self, link: str, stations: int | ArrayLike) -> np.ndarray:
        """Places x along a flexible link, from their number or as they are given."""
        length = float(self.flexible(link).length)
        if isinstance(stations, int | np.integer):
            if stations < 2:
                raise LissomError(f"stations = {stations}: a shape needs at least 2, the link's base and tip")
            return np.linspace(0.0, length, int(stations))
        x = np.atleast_1d(np.asarray(stations, float))
        if not np.all((x >= 0) & (x <= length)):
            raise LissomError(f"stations must lie on {link}, from 0 to {length:g} m, got {x.tolist()}")
        return x

    def unknown(self, name: str) -> LissomError:
        """What to say about a name that is not a coordinate."""
        if name in self.model.joints:
            text = f"{name} is a fixed joint without coordinates; run.wrench({name!r}) gives its wrench"
            return LissomError(text)
        if name in self.model.links:
            ask = ("tip", "deflection", "shape") if name in self.model.flexible else ("tip",)
            return LissomError(f"{name} is a link; ask for {listed(f'run.{w}({name!r})' for w in ask)}")
        moving = [body.joint for body in self.moving()]
        known = [*moving, *self.model.q_names, *self.model.coordinates, *map(str, self.dataset)]
        joints = f"the joints are {', '.join(moving)}" if moving else "no joint moves"
        hint = did_you_mean(name, dict.fromkeys(known))
        return LissomError(f"{self.model.robot.name} has no joint or coordinate {name!r}{hint}; {joints}")


def joint_names(body: BodyNames, kind: Kind) -> tuple[str, ...]:
    """Names of the coordinates of a body's joint, without its modes."""
    names, part = (body.q_names, body.joint_q) if kind == "q" else (body.v_names, body.joint_v)
    return names[: part.stop - part.start]
