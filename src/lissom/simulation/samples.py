"""The samples of a run and what follows from them, computed when first asked for: the lower half of a Trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import LissomError, check_choice
from lissom.lie import quaternion
from lissom.model.compiled import Model
from lissom.simulation.dataset import ENERGIES, quantities
from lissom.simulation.interpolate import interpolate
from lissom.simulation.lookup import ACCELERATION, POSITION, VELOCITY, Lookup
from lissom.simulation.numbers import Numbers
from lissom.simulation.observe import Observation, energies_of, observe, observe_run
from lissom.simulation.quantities import Quantities
from lissom.simulation.raw import Event, RawRun
from lissom.simulation.run_info import RunInfo

if TYPE_CHECKING:
    import xarray as xr


class Samples:
    """Times, states and accounts of a run, from the run itself or from a file; results as labelled and plain arrays."""

    def __init__(
        self, source: xr.Dataset | Quantities | RawRun, model: Model, info: RunInfo, warnings: Sequence[Event] = ()
    ) -> None:
        self._source = source if isinstance(source, Quantities | RawRun) else Quantities.of(source)
        self.model = model
        self.info = info
        self.warnings = list(warnings)

    @cached_property
    def dataset(self) -> xr.Dataset:
        """Every quantity of the run, labelled; what follows from the samples is computed when first asked for."""
        return self.quantities.dataset()

    @cached_property
    def quantities(self) -> Quantities:
        """The same as plain arrays."""
        return quantities(self._source, lambda: self.seen) if isinstance(self._source, RawRun) else self._source

    @cached_property
    def numbers(self) -> Numbers:
        """What the methods below give, as plain arrays."""
        return Numbers(self.lookup)

    @cached_property
    def seen(self) -> Observation:
        """What follows from the samples, without labels."""
        if isinstance(self._source, RawRun):
            return observe_run(self._source)
        return observe(self.model, self.q, self.v, self.a)

    @cached_property
    def lookup(self) -> Lookup:
        """Names to columns of the quantities."""
        return Lookup(self.quantities, self.model)

    def __getstate__(self) -> dict[str, Any]:
        """Data alone: a controller that ran may be any function, and its set-points are in the dataset."""
        return {"_source": self.quantities, "model": self.model, "info": self.info, "warnings": self.warnings}

    @cached_property
    def time(self) -> np.ndarray:
        """Times of the samples, (N,) s."""
        return self._source.time if isinstance(self._source, RawRun) else self._source["time"]

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

    @cached_property
    def tau(self) -> np.ndarray:
        """Forces of motors and of prescribed motions in the model's order, (N, nv)."""
        return self._source.tau if isinstance(self._source, RawRun) else self._source["torque"]

    def state(self, t: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """State (q, v) at a time, (nq,) and (nv,), or at several, (k, nq) and (k, nv).

        Between samples by cubic polynomials, on the group where a coordinate is a quaternion.
        """
        at = np.asarray(t, float)
        first, last = self.time[0], self.time[-1]
        slack = 1e-9 * max(abs(first), abs(last))
        if not np.all((at >= first - slack) & (at <= last + slack)):
            raise LissomError(f"is outside the run, which goes from {first:g} s to {last:g} s", ("t",), t)
        q, v = interpolate(self.model, self.time, self.q, self.v, self.a, np.clip(at, first, last).ravel())
        return q.reshape(*at.shape, -1), v.reshape(*at.shape, -1)

    def pose(self, t: ArrayLike, of: Literal["frame", "tip"] = "frame") -> dict[str, np.ndarray]:
        """Pose in the world of every link, at a time (4, 4) or several (k, 4, 4).

        Args:
            of: the link's "frame", which sits at its joint, or its "tip".
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
        if isinstance(self._source, RawRun):
            return self.seen.energy
        return np.stack([self.quantities[name] for name in ENERGIES], axis=1)

    def energies_at(self, samples: np.ndarray) -> np.ndarray:
        """`energies` of a few samples, (n, 5), without the work for all of them."""
        raw = self._source
        if isinstance(raw, RawRun) and "seen" not in self.__dict__ and not (raw.carried and raw.carried.payloads):
            return energies_of(self.model, raw.q[samples], raw.v[samples])
        return self.energies[samples]

    @property
    def audited(self) -> bool:
        """Whether work and dissipation were integrated along the way."""
        return self._source.audited if isinstance(self._source, RawRun) else "work" in self.quantities

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
        if isinstance(self._source, RawRun) and self._source.load_work is not None:
            return self._source.load_work
        return self.quantities["load_work"] if "load_work" in self.quantities else np.zeros(len(self.time))

    def _account(self, name: str) -> np.ndarray:
        if not self.audited:
            raise LissomError("this run kept no energy accounts; simulate with audit=True")
        return getattr(self._source, name) if isinstance(self._source, RawRun) else self.quantities[name]
