"""The time loop of a run that is derived by parameters along its steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from lissom.simulation.integrators.method_choice import STIFF
from lissom.simulation.integrators.registry import AUTO, Method, StepDerivatives, integrator
from lissom.simulation.integrators.step_derivatives import Variation, make_search, start_variation
from lissom.simulation.raw_run import RawRun
from lissom.simulation.sensitivity.motion_parameters import complex_numbers, number_parameters, read_parameters
from lissom.simulation.settings import RunSettings
from lissom.simulation.stepping.method_selection import MethodSelection
from lissom.simulation.stepping.run_memory import RunMemory
from lissom.simulation.stepping.time_loop import TimeLoop


class VariationLoop:
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
        chosen = STIFF if settings.method == AUTO else settings.method
        self._steps = integrator(chosen).step_derivatives()
        model = as_model(robot)
        if model.loops:
            raise LissomError(
                f"{model.robot.name} has loops, and sensitivities of motions cover trees; derive accelerations with "
                "lissom.dynamics.parameter_derivatives, or take differences of runs"
            )
        self._memory = RunMemory(robot, settings, controller, start, motion)
        self._selection = DerivedMethod(self._memory, chosen, self._derive)
        begins = self._memory.start[0], self._memory.given
        self.parameters = read_parameters(self._memory.model, names, self._memory.law, start, *begins)
        self.variation: Variation | None = None

    def run(self, progress: Callable[[float], None] | None = None) -> RawRun:
        """Integrate the motion and its derivatives to the end."""
        return TimeLoop(self._memory, self._selection, self._begin).run(progress)

    def _derive(self, method: Method) -> Method:
        """Return the method, whose steps are derived before it accepts them."""
        self.variation = variation = self._variation(method, self._steps)
        self._packed_variation = Struct(variation)
        hidden = Hidden(self._packed_variation)
        derived = {"variation": hidden, "derive": Pointer(self._steps.derive, hidden, 0.0, 0.0, 0)}
        clock = self._memory.state.clock

        def take_steps(*arguments: Any) -> int:
            status = method.take_steps(*arguments)
            if variation.failed[0]:
                text = f"the derivatives of {method.name} did not converge at t = {clock[TIME]:.6g} s; tighten rtol"
                raise LissomError(text)
            return status

        return replace(method, take_steps=take_steps, work=Struct(method.work.fields._replace(**derived)))

    def _variation(self, method: Method, steps: StepDerivatives) -> Variation:
        """Return memory for the derivatives, with a copy of the run in complex numbers."""
        memory = self._memory
        n, count, samples = memory.model.nv, len(self.parameters), len(memory.times)
        model, law, numbers = number_parameters(memory.model, law_arrays(memory.law), self.parameters)
        twin = model
        if memory.twin is not memory.model:
            parts = complex_numbers(memory.twin), memory.twin.flexible, memory.twin.bodies, memory.twin.frames
            twin = Model(memory.twin.robot, *parts)
        packed, outside = Struct(law), None if memory.law is None else memory.law.outside
        scratch = make_scratch(model, twin, np.complex128, law=packed, outside=outside)
        s = scratch.fields
        forward = Pointer(KERNEL.forward, model.struct, s.own, s.q, s.v, s.v, s.wrench, s.v)
        system = memory.system._replace(model=model.struct, twin=twin.struct, law=packed, forward=forward)

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
            before=memory.packed_state,
            work=method.work,
            outputs=memory.packed_record,
            plain=memory.packed,
            plain_scratch=memory.scratch,
            complex_scratch=memory.scratch_c,
            search=Struct(make_search(steps.STAGES, memory.state.atol_rate / memory.state.atol[0])),
            system=Struct(system),
            scratch=scratch,
            record=Struct(make_record(memory.model, memory.times, False, len(memory.loads.row), s.closure, complex)),
            state=Struct(_complex(memory.state)),
            own=steps.make_own(n),
            residual=np.zeros(n, complex),
            failed=np.zeros(1, np.int64),
        )

    def histories(self) -> dict[str, np.ndarray]:
        """Return derivatives (parameters, N, nv) at the outputs of configuration, velocity, acceleration and forces."""
        v = self.variation
        assert v is not None, "there are derivatives after a run"
        return {"q": v.out_u, "v": v.out_v, "a": v.out_a, "tau": v.out_tau}

    def _begin(self, t: float) -> None:
        """Derive what jumps, at the start and where forces do; the output there, too, if there is one."""
        memory = self._memory
        written = int(memory.record.next[0])
        output = written - 1 if abs(memory.times[written - 1] - t) <= 1e-9 * max(1.0, t) else -1
        start_variation(self._packed_variation, t, output)


class DerivedMethod(MethodSelection):
    """An implicit method for the whole run, whose steps are derived."""

    def __init__(self, memory: RunMemory, name: str, derive: Callable[[Method], Method]) -> None:
        super().__init__(memory)
        self.reason = "derivatives follow its steps" if self.automatic else self.reason
        self.name, self._derive = name, derive

    def start(self) -> Method:
        """Choose the method and make it ready, with derivatives."""
        return self._derive(super().start())


def _complex(state: State) -> State:
    """Return memory for a complex state of the same run; tolerances are shared."""
    vectors = ("q", "v", "a", "u1", "rate1", "v1", "a1", "q1")
    own: dict[str, Any] = {name: np.array(getattr(state, name), complex) for name in vectors}
    own |= {name: getattr(state, name).copy() for name in ("clock", "counts", "flags")}
    return state._replace(**own)
