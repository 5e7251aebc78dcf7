"""What an agent sees: quantities of one moment, found by name once and then read quickly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lissom.errors import StudyError
from lissom.messages import listed
from lissom.results.quantities import Quantities
from lissom.results.quantity_names import position_columns, velocity_columns
from lissom.results.registry.result_quantity import QUANTITIES, RunData, look_for
from lissom.results.registry.run_quantities import quantities
from lissom.simulation.batch.stepper import Stepper
from lissom.simulation.postprocess import observe_run
from lissom.simulation.raw_run import RawRun
from lissom.study.plan.kept_quantities import Quantity

STATE = {  # variables of the state: which vector, and which of joints, modes and rotors in it
    **{name: (vector, "joints") for name, vector in (("position", "q"), ("velocity", "v"), ("acceleration", "a"))},
    **{name: (vector, "modes") for name, vector in (("eta", "q"), ("eta_rate", "v"), ("eta_acceleration", "a"))},
    **{f"rotor_{name}": (vector, "rotors") for name, vector in (("position", "q"), ("velocity", "v"))},
}


class ObservationVector:
    """Quantities of a run at one moment, one after the other in a vector."""

    def __init__(self, raw: RawRun, wanted: Sequence[str]) -> None:
        model = raw.model
        self._columns = {"q": position_columns(model), "v": velocity_columns(model), "a": velocity_columns(model)}
        whole = quantities(raw)
        # each number replaced by its place, so that what a name selects is where to read
        places = {
            name: one._replace(values=np.arange(one.values[0].size).reshape(1, *one.values.shape[1:]))
            for name, one in whole.variables.items()
            if one.dims[:1] == ("time",) and name != "time"
        }
        axes = {name: one for name, one in whole.variables.items() if one.dims == (name,)}
        numbered = Quantities(axes | places)
        self.labels: list[str] = []
        self._parts: list[tuple[str, np.ndarray]] = []
        for text in wanted:
            self._add(Quantity.of(text), numbered, raw)
        self.size = len(self.labels)
        self._look = look_for([name for name, _ in self._parts])

    def _add(self, quantity: Quantity, numbered: Quantities, raw: RawRun) -> None:
        if quantity.reduction or quantity.length:
            raise StudyError(
                "must be a quantity of one moment, such as deflection.upper.y", ("observations",), quantity.text
            )
        found = quantity.measure(numbered, raw.model, raw.q[0])
        name = quantity.channel.partition(".")[0]
        seen = {name for name, one in QUANTITIES.items() if one.look is not None and not one.audit}
        if name not in STATE and name not in seen:
            known = sorted((set(STATE) | seen) & set(numbered.names))
            raise StudyError(f"cannot be observed; there are {listed(known, 'and')}", ("observations",), quantity.text)
        at = found.values[0].ravel()
        self._parts.append((name, at))
        rows: list[tuple[str, ...]] = [()]
        for dim in found.dims[1:]:
            rows = [(*row, label) for row in rows for label in found.labels[dim]]
        self.labels += [".".join((quantity.channel, *row)) for row in rows]

    def __call__(self, episode: Stepper) -> np.ndarray:
        """Return the quantities now, (size,)."""
        state = {"q": episode.q, "v": episode.v, "a": episode.a}
        now: RunData | None = None
        found = []
        for name, at in self._parts:
            if name in STATE:
                vector, part = STATE[name]
                values = state[vector][getattr(self._columns[vector], part)]
            else:
                now = now or self._at_last(episode)
                values = now[name][0].ravel()
            found.append(values[at])
        return np.concatenate(found) if found else np.zeros(0)

    def _at_last(self, episode: Stepper) -> RunData:
        raw = episode.latest()
        return RunData(raw, lambda: observe_run(raw, self._look))

    def values_like(self, given: Mapping[str, Any]) -> np.ndarray:
        """Return numbers for every quantity, as one vector; one number stands for all of a quantity."""
        made = []
        for (name, value), (_, at) in zip(given.items(), self._parts, strict=True):
            try:
                made.append(np.broadcast_to(np.asarray(value, float), at.shape))
            except (TypeError, ValueError):
                raise StudyError(f"must be a number, or {len(at)} of them", ("goal", name), value) from None
        return np.concatenate(made) if made else np.zeros(0)
