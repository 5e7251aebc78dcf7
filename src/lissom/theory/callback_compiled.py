"""The compiled side of `callback`: apart from it, because it loads the compiler."""

from __future__ import annotations

from numba import objmode

from lissom.kernel.machine import called_back
from lissom.theory.callback import call_forward, call_inverse


@called_back
def inverse(model, work, q, v, a, wrench, tau):
    with objmode():
        call_inverse(q, v, a, tau)


@called_back
def forward(model, work, q, v, tau, wrench, a):
    with objmode():
        call_forward(q, v, tau, a)
