"""Which integrator a run uses: chosen at its start, exchanged on the way where another one suits better."""

from __future__ import annotations

import numpy as np

from lissom.simulation.integrators.error_scales import sharpness
from lissom.simulation.integrators.integrator_state import CONTINUED, STEPS, TIME, set_out
from lissom.simulation.integrators.method_choice import FAST, NONSTIFF, STIFF, followed_vibrations, recommend
from lissom.simulation.integrators.registry import AUTO, Method, integrator
from lissom.simulation.status.run_limits import SINGULAR, RunLimits
from lissom.simulation.stepping.run_memory import RunMemory
from lissom.simulation.stepping.spectral_radius import spectral_radius

AS_ASKED = "as asked"  # why a method was taken
TRIAL = 1000  # steps after which an implicit method has shown how short its steps are
FOLLOWS = "it follows vibrations as well and loses nothing of their energy"
PASSED = "again wherever loops come near a singular position"
WORTH = 7.0  # times the steps of a run: the square of so many velocities has all eigenvalues in half its time


class MethodSelection:
    """The choice of an integrator for the run in a memory, and the reason for it."""

    def __init__(self, memory: RunMemory) -> None:
        self.memory = memory
        self.forget()

    def forget(self) -> None:
        """Begin a run: drop what an earlier one has shown."""
        self.name, self.reason = self.memory.settings.method, AS_ASKED
        self.fastest = 0.0  # 1/s, at the start, where the method is chosen by it

    @property
    def automatic(self) -> bool:
        """Whether the choice is left to lissom."""
        return self.memory.settings.method == AUTO

    def start(self) -> Method:
        """Choose the method of a run, and make it ready for the first step."""
        memory = self.memory
        if self.name == AUTO:
            self.fastest = spectral_radius(memory.model, memory.packed, memory.scratch, memory.state)
            self.name, self.reason = recommend(self.fastest, memory.duration, bool(memory.model.loops))
        method = self._ready()
        set_out(memory.state, memory.duration, memory.step)
        return method

    def _ready(self) -> Method:
        """Make the chosen method ready: an implicit one takes complex vectors and the size of corrections, too."""
        method = self._make()
        if method.integrator.implicit:
            self.memory.scratch_c = self.memory.make_scratch(np.complex128)
        if method.newton is not None:
            method.newton.memory[2] = sharpness(self.memory.model, self.memory.settings)
        return method

    def _make(self) -> Method:
        """Make the chosen method with memory of its own."""
        memory = self.memory
        method = integrator(self.name).make(memory.settings, memory.model, memory.packed, memory.scratch, memory.state)
        if method.projector is not None:
            memory.keep(memory.record._replace(projector=method.projector))
        return method

    def is_unsuited(self, method: Method, limits: RunLimits) -> bool:
        """Return whether another method would do better from here on."""
        return self._outrun(method, limits) or self._is_endangered(method, limits)

    def better(self, method: Method, limits: RunLimits) -> Method:
        """Return the method that goes on where the present one of `auto` no longer suits."""
        if self._outrun(method, limits):
            return self._explicit(method)
        return self._implicit() if self._is_endangered(method, limits) else method

    def _outrun(self, method: Method, limits: RunLimits) -> bool:
        """Return whether implicit steps have become as short as explicit ones: they follow the fastest vibrations.

        Never with contacts or samples of a controller, which cut steps for reasons of their own.
        """
        memory = self.memory
        if not method.integrator.implicit or self.fastest == 0.0 or memory.touches or memory.sampled is not None:
            return False
        steps, t = int(memory.state.counts[STEPS]), float(memory.state.clock[TIME])
        return steps >= TRIAL and t * self.fastest < steps and not self._near_singular(limits)

    def _is_endangered(self, method: Method, limits: RunLimits) -> bool:
        """Return whether an explicit method that took over comes near a position that it should not pass."""
        explicit = self.automatic and not method.integrator.implicit
        return explicit and self._near_singular(limits)

    def _near_singular(self, limits: RunLimits) -> bool:
        """Return whether loops are near a position where explicit stages may leave their branch."""
        return bool(self.memory.model.loops) and limits.near_singular(self.memory.state.q)[0] < SINGULAR

    def _implicit(self) -> Method:
        """Return the implicit method that goes on past a singular position in place of an explicit one."""
        t = float(self.memory.state.clock[TIME])
        if PASSED not in self.reason:
            self.reason += f"; {STIFF} {PASSED}, from t = {t:.3g} s on"
        method = self._ready()
        self._go_on(method, t)
        return method

    def _explicit(self, method: Method) -> Method:
        """Return the explicit method that goes on in place of an implicit one."""
        memory, t = self.memory, float(self.memory.state.clock[TIME])
        if FOLLOWS not in self.reason:
            self.reason += f"; steps of {STIFF} were no longer, so {NONSTIFF} took over at t = {t:.3g} s: {FOLLOWS}"
        method.release()
        memory.keep(memory.record._replace(projector=memory.closure, reach=np.zeros(2)))
        memory.scratch_c = memory.scratch  # as for every explicit method
        taken = integrator(NONSTIFF).make(memory.settings, memory.model, memory.packed, memory.scratch, memory.state)
        self._go_on(taken, t)
        return taken

    def _go_on(self, method: Method, t: float) -> None:
        """Let a method go on from the present state, with nothing of the steps before."""
        self.memory.state.flags[CONTINUED] = 0
        self.memory.accelerate(t)
        self.memory.compile(method)

    def advice(self, method: Method, step: float) -> str:
        """Return what to change where steps of the mean size `step` follow vibrations that nobody asked for.

        Not looked for where that would take longer than half the run.
        """
        memory = self.memory
        if not (self.automatic and method.integrator.implicit) or step > 0.1 / FAST:
            return ""
        if memory.model.nv**2 > WORTH * memory.state.counts[STEPS]:
            return ""
        return followed_vibrations(memory.poles(), step, float(memory.state.atol[0]))
