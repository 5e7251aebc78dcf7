"""Natural frequencies of a Timoshenko beam."""

import numpy as np
from scipy.optimize import brentq


def timoshenko_cantilever(rhoA, rhoI, EI, kGA, length, count):
    """Natural frequencies in Hz of a clamped-free Timoshenko beam, by its characteristic determinant."""

    def determinant(omega):
        # y'''' + (rhoI/EI + rhoA/kGA) w^2 y'' + (rhoA rhoI w^4/(EI kGA) - rhoA w^2/EI) y = 0, y = exp(r x)
        a, b = (rhoI / EI + rhoA / kGA) * omega**2, rhoA * omega**2 / EI * (rhoI * omega**2 / kGA - 1)
        roots = np.sqrt(np.roots([1, a, b]).astype(complex))
        r = np.concatenate([roots, -roots])
        turn = r + rhoA * omega**2 / kGA / r  # psi of y = exp(r x)
        tip = np.exp(r * length)
        rows = [np.ones(4), turn, turn * r * tip, (r - turn) * tip]
        return np.linalg.det(np.array(rows) / np.abs(rows).max(axis=1, keepdims=True))

    found, step = [], 2 * np.pi * 5.0
    omega, last = step, determinant(step)
    part = np.real if abs(last.real) > abs(last.imag) else np.imag
    while len(found) < count:
        value = determinant(omega + step)
        if part(value) * part(last) < 0:
            found.append(brentq(lambda w: part(determinant(w)), omega, omega + step) / (2 * np.pi))
        omega, last = omega + step, value
    return np.array(found)
