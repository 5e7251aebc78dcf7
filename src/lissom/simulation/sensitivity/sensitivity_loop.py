"""The time loop of a run that is derived by parameters along its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lissom.control.laws.control_law import ControlLaw
from lissom.control.laws.law_tables import law_arrays
from lissom.control.references.reference import Reference
from lissom.errors import LissomError
from lissom.kernel.compile import Hidden, Pointer, Struct
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model
from lissom.simulation.equations.recorder import make_record
from lissom.simulation.equations.system import KERNEL, make_scratch
from lissom.simulation.integrators.integrator_state import TIME, State
from lissom.simulation.integrators.registry import IMPLICIT, Method
from lissom.simulation.loop.failure_causes import Stop
from lissom.simulation.loop.time_loop import TimeLoop
from lissom.simulation.sensitivity import alpha_sensitivity, radau_sensitivity
from lissom.simulation.sensitivity.motion_parameters import complex_numbers, numbered, read_parameters
from lissom.simulation.sensitivity.sensitivity_steps import Variation, make_search, start_variation
from lissom.simulation.settings import RunSettings


class VariationLoop(TimeLoop):
    """A run with the derivatives of its states by parameters."""

    def __init__(
        self,
        robot: AnyRobot,
        settings: RunSettings,
        controller: ControlLaw | None,
        start: Any,
        motion: Mapping[str, Reference] | None,
        names: Sequence[str],
    ) -> None:
        if settings.method not in ("auto", *IMPLICIT):
            text = f"sensitivities follow implicit steps; choose {' or '.join(IMPLICIT)}, or leave it out"
            raise LissomError(text, ("method",), settings.method)
        model = as_model(robot)
        if model.loops:
            raise LissomError(
                f"{model.robot.name} has loops, and sensitivities of motions cover trees; derive accelerations with "
                "lissom.dynamics.parameter_derivatives, or take differences of runs"
            )
        super().__init__(robot, settings, controller, start, motion)
        self.reason = "derivatives follow its steps" if settings.method == "auto" else self.reason
        self.method_name = "radau" if settings.method == "auto" else settings.method
        self.parameters = read_parameters(self.model, names, self.law, start, self.start[0])
        self.variation: Variation | None = None

    def _method(self) -> Method:
        """The method, whose steps are derived before it accepts them."""
        method = super()._method()
        steps: Any = radau_sensitivity if method.name == "radau" else alpha_sensitivity
        self.variation = self._variation(method, steps)
        self.packed_variation = Struct(self.variation)
        hidden = Hidden(self.packed_variation)
        derived = {"variation": hidden, "derive": Pointer(steps.derive, hidden, 0.0, 0.0, 0)}
        return replace(method, work=Struct(method.work.fields._replace(**derived)))

    def _variation(self, method: Method, steps: Any) -> Variation:
        n, count, samples = self.model.nv, len(self.parameters), len(self.times)
        model, law, numbers = numbered(self.model, law_arrays(self.law), self.parameters)
        twin = model
        if self.twin is not self.model:
            parts = complex_numbers(self.twin), self.twin.flexible, self.twin.bodies, self.twin.frames
            twin = Model(self.twin.robot, *parts)
        packed, outside = Struct(law), None if self.law is None else self.law.outside
        scratch = make_scratch(model, twin, np.complex128, law=packed, outside=outside)
        s = scratch.fields
        forward = Pointer(KERNEL.forward, model.struct, s.own, s.q, s.v, s.v, s.wrench, s.v)
        system = self.system._replace(model=model.struct, twin=twin.struct, law=packed, forward=forward)

        def histories(*shape: int) -> np.ndarray:
            return np.zeros((count, *shape, n))

        return Variation(
            u=np.array([each.u for each in self.parameters]).reshape(count, n),
            v=np.array([each.v for each in self.parameters]).reshape(count, n),
            a=histories(),
            stages=histories(4),
            largest=histories(),
            out_u=histories(samples),
            out_v=histories(samples),
            out_a=histories(samples),
            out_tau=histories(samples),
            **numbers,
            before=self.packed_state,
            work=method.work,
            outputs=self.packed_record,
            plain=self.packed,
            plain_scratch=self.scratch,
            complex_scratch=self.scratch_c,
            search=Struct(make_search(steps.STAGES, self.state.atol_rate / self.state.atol[0])),
            system=Struct(system),
            scratch=scratch,
            record=Struct(make_record(self.model, self.times, False, len(self.loads.row), s.closure, complex)),
            state=Struct(_complex(self.state)),
            own=steps.make_own(n),
            residual=np.zeros(n, complex),
            failed=np.zeros(1, np.int64),
        )

    def histories(self) -> dict[str, np.ndarray]:
        """Derivatives (parameters, N, nv) at the outputs of configuration, velocity, acceleration and forces."""
        v = self.variation
        assert v is not None, "there are derivatives after a run"
        return {"q": v.out_u, "v": v.out_v, "a": v.out_a, "tau": v.out_tau}

    def _call(self, method: Method, end: float, max_steps: int, longest: float = np.inf) -> int:
        code = super()._call(method, end, max_steps, longest)
        if self.variation is not None and self.variation.failed[0]:
            t = self.state.clock[TIME]
            raise LissomError(f"the derivatives of {method.name} did not converge at t = {t:.6g} s; tighten rtol")
        return code

    def _record_start(self) -> None:
        super()._record_start()
        self._begin(0.0)

    def _restart(self, t: float) -> Stop | None:
        stop = super()._restart(t)
        self._begin(t)
        return stop

    def _begin(self, t: float) -> None:
        """Derivatives of what jumps, at the start and where forces do; of the output there, too, if there is one."""
        written = int(self.record.next[0])
        output = written - 1 if abs(self.times[written - 1] - t) <= 1e-9 * max(1.0, t) else -1
        start_variation(self.packed_variation, t, output)


def _complex(state: State) -> State:
    """Memory for a complex state of the same run; tolerances are shared."""
    vectors = ("q", "v", "a", "u1", "rate1", "v1", "a1", "q1")
    own: dict[str, Any] = {name: np.array(getattr(state, name), complex) for name in vectors}
    own |= {name: getattr(state, name).copy() for name in ("clock", "counts", "flags")}
    return state._replace(**own)
