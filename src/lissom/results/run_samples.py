"""The samples of a run and what follows from them, computed when first asked for: the lower half of a Trajectory."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.state_checks import numbers
from lissom.errors import LissomError, check_choice
from lissom.lie import quaternion
from lissom.model.model import Model
from lissom.results.interpolation import interpolate
from lissom.results.lookup import ACCELERATION, POSITION, VELOCITY, Lookup
from lissom.results.quantities import Quantities
from lissom.results.quantity_names import ENERGIES
from lissom.results.registry.result_quantity import RunData
from lissom.results.registry.run_quantities import expected_quantities, quantities
from lissom.results.run_info import RunInfo, describe_run
from lissom.simulation.postprocess import Observation, energies_of, observe, observe_run
from lissom.simulation.raw_run import Event, RawRun
from lissom.simulation.settings import RunSettings

if TYPE_CHECKING:
    import xarray as xr


class Samples:
    """Times, states and accounts of a run, from the run itself or from a file; results as labelled and plain arrays."""

    def __init__(
        self,
        source: xr.Dataset | Quantities | RawRun,
        model: Model,
        info: RunInfo,
        warnings: Sequence[Event] = (),
        stored: Quantities | None = None,
    ) -> None:
        """Take a run, or its quantities; `stored` are those of a run that are known already."""
        if not isinstance(source, RawRun):
            stored = source if isinstance(source, Quantities) else Quantities.of(source)
            source = raw_of(stored, model, info.settings)
        self.raw, self._stored = source, stored
        self.model = model
        self.info = info
        self.warnings = list(warnings)

    @cached_property
    def dataset(self) -> xr.Dataset:
        """Every quantity of the run, labelled; what follows from the samples is computed when first asked for."""
        return self.quantities.dataset().assign_attrs(describe_run(self.info, self.model.robot.name))

    @cached_property
    def quantities(self) -> Quantities:
        """Every quantity of the run as plain arrays; what a file or an older version left out is computed."""
        if self._stored is None:
            return quantities(self.raw, lambda: self.seen)
        usual = [one for one in expected_quantities(RunData(self.raw)) if not one.on_demand]
        known = {one.name for one in usual if self.audited or not one.audit}
        missing = known - self._stored.variables.keys()
        made = quantities(self.raw, lambda: self.seen, missing)
        return Quantities(made.variables | self._stored.variables)

    def quantities_with(self, names: Container[str]) -> Quantities:
        """Return every quantity, and those of the names that are computed on demand alone."""
        wanted = {one.name for one in expected_quantities(self.data) if one.on_demand and one.name in names}
        return Quantities(self.quantities.variables | quantities(self.raw, lambda: self.seen, wanted).variables)

    @cached_property
    def data(self) -> RunData:
        """What registered quantities are computed from."""
        return RunData(self.raw, lambda: self.seen)

    @cached_property
    def seen(self) -> Observation:
        """What follows from the samples, without labels."""
        return observe_run(self.raw)

    @cached_property
    def numbers(self) -> Lookup:
        """What the methods of a trajectory give by name, as plain arrays."""
        return Lookup(self.quantities, self.model)

    def __getstate__(self) -> dict[str, Any]:
        """Return data alone: a controller or a load may be any function, and what they gave is among the quantities."""
        loads = self.raw.loads and replace(self.raw.loads, functions=())
        raw = replace(self.raw, controller=None, loads=loads)
        state = {"raw": raw, "_stored": self.quantities}
        return state | {"model": self.model, "info": self.info, "warnings": self.warnings}

    @property
    def time(self) -> np.ndarray:
        """Times of the samples, (N,) s."""
        return self.raw.time

    @property
    def q(self) -> np.ndarray:
        """Configurations in the model's order, (N, nq)."""
        return self.raw.q

    @property
    def v(self) -> np.ndarray:
        """Velocities in the model's order, (N, nv)."""
        return self.raw.v

    @property
    def a(self) -> np.ndarray:
        """Accelerations in the model's order, (N, nv)."""
        return self.raw.a

    @property
    def tau(self) -> np.ndarray:
        """Forces of motors and of prescribed motions in the model's order, (N, nv)."""
        return self.raw.tau

    def state(self, t: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Return state (q, v) at a time, (nq,) and (nv,), or at several, (k, nq) and (k, nv).

        Between samples by cubic polynomials, on the group where a coordinate is a quaternion.
        """
        at = np.real(numbers(t, "t"))
        first, last = self.time[0], self.time[-1]
        slack = 1e-9 * max(abs(first), abs(last))
        if not np.all((at >= first - slack) & (at <= last + slack)):
            raise LissomError(f"is outside the run, which lasts from {first:g} s to {last:g} s", ("t",), t)
        q, v = interpolate(self.model, self.time, self.q, self.v, self.a, np.clip(at, first, last).ravel())
        return q.reshape(*at.shape, self.model.nq), v.reshape(*at.shape, self.model.nv)

    def pose(self, t: ArrayLike, of: Literal["frame", "tip"] = "frame") -> dict[str, np.ndarray]:
        """Return pose in the world of every link, at a time (4, 4) or several (k, 4, 4).

        Parameters
        ----------
        of : {"frame", "tip"}, optional
            The link's "frame", which sits at its joint, or its "tip".
        """
        check_choice("of", of, ("frame", "tip"))
        q = self.state(np.ravel(t))[0]
        still = np.zeros((len(q), self.model.nv))
        seen = observe(self.model, q, still, still)
        place = (seen.link_position, seen.link_orientation)
        if of == "tip":
            place = (seen.tip_position, seen.tip_orientation)
        T = np.zeros((*place[0].shape[:2], 4, 4))
        T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = quaternion.to_matrix(place[1]), place[0], 1.0
        return {link: T[:, k].reshape(*np.shape(t), 4, 4) for k, link in enumerate(self.model.links)}

    @cached_property
    def energies(self) -> np.ndarray:
        """Kinetic energy, potential of gravity, energy of links, of joints, of elements and contacts, (N, 5) J."""
        if self._stored is None:
            return self.seen.energy
        return np.stack([self.quantities[name] for name in ENERGIES], axis=1)

    def energies_at(self, samples: np.ndarray) -> np.ndarray:
        """Return the `energies` of a few samples, (n, 5), without the work for all of them."""
        raw = self.raw
        given, samples = samples, np.asarray(samples)
        if samples.dtype.kind not in "iu" or not np.all(np.abs(samples + 0.5) < len(raw.time)):
            text = f"must be whole numbers of samples, of which there are {len(raw.time)}"
            raise LissomError(text, ("samples",), given)
        known = self._stored is not None or "seen" in self.__dict__
        if known or (raw.carried and raw.carried.payloads):
            return self.energies[samples]
        return energies_of(self.model, raw.q[samples], raw.v[samples])

    @property
    def audited(self) -> bool:
        """Whether work and dissipation were integrated along the way."""
        return self.raw.audited if self._stored is None else "work" in self._stored

    @property
    def work(self) -> np.ndarray:
        """Work of the applied forces since the start, (N,) J."""
        return self._account("work")

    @property
    def dissipated(self) -> np.ndarray:
        """Energy dissipated since the start, (N,) J."""
        return self._account("dissipated")

    @property
    def load_work(self) -> np.ndarray:
        """Work of loads and of the thrust of cylinders since the start, (N,) J."""
        return np.zeros(len(self.time)) if self.raw.load_work is None else self.raw.load_work

    def _account(self, name: str) -> np.ndarray:
        if not self.audited:
            raise LissomError("this run kept no energy accounts; simulate with audit=True")
        return getattr(self.raw, name)


def raw_of(stored: Quantities, model: Model, settings: RunSettings | None = None) -> RawRun:
    """Return the samples among quantities, in the model's order; what is not among them is zero."""
    whole = Lookup(stored, model).whole
    zero = np.zeros(len(stored["time"]))
    work, dissipated = stored.get("work", zero), stored.get("dissipated", zero)
    return RawRun(
        model,
        stored["time"],
        whole("q", POSITION),
        whole("v", VELOCITY),
        whole("v", ACCELERATION),
        stored["torque"],
        work,
        dissipated,
        load_work=stored.get("load_work"),
        settings=settings,
    )
