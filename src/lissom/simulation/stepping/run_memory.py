"""Everything that compiled code works on in a run: the system, its working vectors, the state and the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lissom.control.laws.law_tables import packed_law
from lissom.control.references.reference import Reference
from lissom.dynamics.state_checks import finite
from lissom.kernel.compile import Struct
from lissom.model.any_robot import AnyRobot, as_model, model_for
from lissom.model.description.sensor import Sensor
from lissom.model.model import Model
from lissom.simulation.equations.recorder import make_record, write_sample
from lissom.simulation.equations.system import (
    KERNEL,
    Dynamics,
    System,
    acceleration,
    dynamics_pointers,
    linear_parts,
    make_scratch,
)
from lissom.simulation.initial_state import start_state
from lissom.simulation.inputs.cylinder_pressures import carrying_pressures
from lissom.simulation.inputs.loads import activate, as_loads
from lissom.simulation.inputs.packed_inputs import (
    check_motion,
    continuous_or_sampled,
    driven_rows,
    lengths_apart,
    stack_motion,
)
from lissom.simulation.inputs.payload import as_payloads, with_payloads
from lissom.simulation.inputs.sensor_signals import FILTERED, Sensors, check_asked
from lissom.simulation.integrators.error_scales import pace
from lissom.simulation.integrators.integrator_state import Status, make_state
from lissom.simulation.integrators.registry import Buffers, Method, MethodLimits, check_installed
from lissom.simulation.settings import RunSettings
from lissom.simulation.stepping.output_times import check_size, output_times
from lissom.simulation.stepping.segments import Segments, cut_at_jumps


class RunMemory:
    """One run at its start; arguments as for `lissom.simulate`."""

    def __init__(
        self,
        robot: AnyRobot,
        settings: RunSettings,
        controller: Any = None,
        start: Any = None,
        motion: Mapping[str, Reference] | None = None,
        loads: Any = None,
        payloads: Any = None,
        sensors: Sequence[Sensor] = (),
        dynamics: Dynamics = KERNEL,
    ) -> None:
        # The model: frames where loads and payloads act, prescribed joints, rows for payloads and loads.
        check_installed(settings.method)
        motion, payloads, loads = check_motion(motion), as_payloads(payloads), as_loads(loads)
        if not isinstance(robot, Model):
            # a controller was made for the coordinates of the robot by itself
            acted = [(part.link, part.at) for part in (*loads, *payloads) if part.link and controller is None]
            robot = model_for(robot, acted, start[0] if isinstance(start, tuple) and start else start).robot
        motion, driven = lengths_apart(as_model(robot), motion) if motion else ({}, {})
        carrying, self.carried = with_payloads(as_model(robot, motion), payloads)
        self.model, self.loads = activate(carrying, loads, settings.duration)
        self.samplers = self.loads.samplers()
        self.settings = settings
        self.duration, self.step = settings.duration, settings.step
        # What drives it, as tables over time, and where steps must end because of them.
        self.controller, self.law, self.sampled = continuous_or_sampled(self.model, controller)
        moved, lengths = stack_motion(self.model, motion), driven_rows(self.model, driven)
        tables = (
            (moved["motion_breaks"], moved["motion_coefficients"]),
            (lengths["driven_breaks"], lengths["driven_coefficients"]),
        )
        references = [Reference(*table) for given, table in zip((motion, driven), tables) if given]
        self._others = references, (self.loads.reference.jumps, self.carried.times)
        self.segments = self.cut()
        # Outputs, and the samples of sensors among them.
        self.times = output_times(self.model, settings)
        self.sensors = self._sensors(sensors)
        self.times = self.times if self.sensors is None else self.sensors.times
        # Memory of compiled code: the system, working vectors, the record and the state.
        self.twin = (self.law.twin if self.law is not None else None) or self.model
        parts: dict[str, Any] = moved | lengths | dynamics_pointers(self.model, dynamics)
        self.system = System(
            model=self.model.struct,
            twin=self.twin.struct,
            law=packed_law(self.law),
            held=np.zeros(self.model.nv),
            load_row=self.loads.row,
            load_entry=self.loads.entry,
            load_breaks=np.array(self.loads.reference.breaks),
            load_coefficients=np.array(self.loads.reference.coefficients),
            load_held=np.zeros(len(self.loads.row)),
            latest=np.array([np.inf]),
            **parts,
        )
        self.packed = Struct(self.system)
        self.scratch = self.make_scratch(np.float64, dynamics)
        self.scratch_c: Any = self.scratch
        self.keep(make_record(self.model, self.times, settings.audit, len(self.loads.row), self.closure))
        self.start = q, v = start_state(self.model, start, motion, driven, self.loads)
        self.given = v  # without the pressures that carry the machine
        if self.model.states:
            q, v = self.start = q, carrying_pressures(self.model, q, v)
        self.state = make_state(self.model, q, v, settings.rtol, settings.absolute_error, pace(self.model, q))
        self.packed_state = Struct(self.state)

    def cut(self) -> Segments:
        """Return where steps must end."""
        return cut_at_jumps(self.law, *self._others, corners=self.step is None)

    @property
    def closure(self) -> Any:
        """By which explicit methods bring states to closed loops."""
        return self.scratch.fields.closure

    def given_lengths(self, t: float) -> np.ndarray:
        """Return values that the rows of loops are to have at a time, (rows,); zero but for lengths that are driven."""
        wanted, driven = np.zeros(len(self.model.arrays.loops.hold)), self.system.driven
        if len(driven):
            wanted[driven] = Reference(self.system.driven_breaks, self.system.driven_coefficients)(t)[0]
        return wanted

    def keep(self, record: Any) -> None:
        """Write outputs into this Record from now on."""
        self.record = record
        self._packed_record: Struct | None = None

    @property
    def packed_record(self) -> Any:
        """The record as kernels take it."""
        if self._packed_record is None:
            self._packed_record = Struct(self.record)
        return self._packed_record

    def make_scratch(self, number: type, dynamics: Dynamics = KERNEL) -> Any:
        """Return working vectors of the number type, without loads of an earlier run."""
        outside = None if self.law is None else self.law.outside
        scratch = make_scratch(self.model, self.twin, number, dynamics, self.system.law, outside)
        scratch.fields.wrench[:] = 0.0
        return scratch

    @property
    def touches(self) -> bool:
        """Whether surfaces may come in contact."""
        return bool(self.model.robot.contacts)

    def march(self, method: Method, end: float, steps: int, longest: float = np.inf) -> Status:
        """Take some steps, not beyond `end` (s) and not longer than `longest` (s)."""
        buffers = Buffers(self.packed, self.scratch, self.scratch_c, self.packed_record, self.packed_state)
        return method.march(
            buffers, MethodLimits(end, self.step or min(0.1 * self.duration, longest), method.fixed, steps)
        )

    def compile(self, method: Method) -> None:
        """Take no step, so that clocks do not count compilation."""
        if method.integrator.compiled:
            self.march(method, self.duration, 0)

    def accelerate(self, t: float) -> None:
        """Set the accelerations of the state to those of its forces at t."""
        acceleration(self.packed, self.scratch, t, self.state.q, self.state.v, self.state.a)

    def write(self, t: float) -> None:
        """Note the state as the next output."""
        s = self.state
        write_sample(self.packed, self.scratch, self.packed_record, t, s.q, s.v, s.a)

    def poles(self) -> np.ndarray:
        """Return eigenvalues of the loop, linearised at the present state: all of them, n^3."""
        scratch_c = self.make_scratch(np.complex128)
        n = self.model.nv
        M, C, K = (np.zeros((n, n)) for _ in range(3))
        s = self.state
        linear_parts(self.packed, self.scratch, scratch_c, 0.0, s.q, s.v, s.a, M, C, K)
        for part in (M, C, K):
            finite(self.model, "the linear model of the start", part, q=s.q, v=s.v)
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
        return np.linalg.eigvals(A)

    def _sensors(self, sensors: Sequence[Sensor]) -> Sensors | None:
        """Return the sensors of the run, with when its controllers read them."""
        asked = {} if self.sampled is None else self.sampled.asked(self.duration)
        check_asked(self.model, sensors, asked)
        for k, sensor in enumerate(sensors):
            for field, per_second in (("rate", sensor.rate), ("low_pass", FILTERED * (sensor.low_pass or 0.0))):
                check_size(self.model, self.duration * (per_second or 0.0), ("sensors", k, field), per_second or 0.0)
        return Sensors(self.model, sensors, self.times, asked) if sensors else None
