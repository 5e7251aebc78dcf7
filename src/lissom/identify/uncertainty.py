"""How well parameters are known: covariance, intervals, and what the data cannot tell apart, in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.identify.fit_parameters import SearchEntry
from lissom.identify.residuals import OutputBlock, Residuals
from lissom.messages import listed

CONFIDENCE = 0.95
BLIND = 1e-7  # of the largest singular value: directions that the data does not see at all
LOOSE = 1.0  # deviation along a direction, in the parameters' own sizes, from which the data does not tell it
CLOSE = 0.95  # correlation of two parameters that is worth a word
PART = 0.15  # of the largest entry of a direction: smaller ones are not named
AT_BOUND = 1e-6  # of a parameter's size
SURE = 4.0  # deviations of white noise from which errors count as correlated in time


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """What errors of the measurements leave open about p parameters."""

    covariance: np.ndarray  # (p, p); infinite where the data does not tell
    deviations: np.ndarray  # (p,)
    half: np.ndarray  # (p,) half widths of the 95 % intervals
    correlations: np.ndarray  # (p, p)
    blind: tuple[tuple[str, ...], ...]  # parameters that the data cannot tell apart, or not at all if it is one
    words: tuple[str, ...]  # the same, and other doubts, for a reader
    memory: float  # samples that count as one, as errors follow each other


def uncertainty(misfit: Residuals, x: np.ndarray) -> Uncertainty:
    """Find the uncertainty of the parameters x (p,)."""
    size = np.maximum([entry.size for entry in misfit.entries], np.abs(x))
    scaled = misfit.jacobian(x) * size
    blocks = misfit.blocks(x)
    memory = longest_memory(blocks)
    _, singular, directions = np.linalg.svd(scaled, full_matrices=False)
    largest = singular.max(initial=0.0)
    spread = np.sqrt(memory) / np.maximum(singular, 1e-300)
    hidden = (singular <= BLIND * largest) | (spread > LOOSE)
    seen = ~hidden
    inverse = (directions[seen].T * spread[seen] ** 2) @ directions[seen]
    lost = np.zeros(len(x), bool)
    groups, words = [], []
    for direction in directions[hidden]:
        part = np.abs(direction) > PART * np.abs(direction).max()
        lost |= part
        groups.append(tuple(np.array(misfit.names)[part].tolist()))
        words.append(_describe_direction(misfit.entries, direction, part))
    covariance = inverse * np.outer(size, size)
    deviations = np.sqrt(np.diag(covariance))
    correlations = covariance / np.outer(*(2 * (np.where(deviations > 0, deviations, 1.0),)))
    covariance[lost] = covariance[:, lost] = np.inf
    deviations = np.where(lost, np.inf, deviations)
    words += _close(misfit.names, correlations, lost) + _bounds(misfit.entries, x) + _follow(blocks, memory)
    half = deviations * _quantile(misfit, blocks, memory)
    return Uncertainty(covariance, deviations, half, correlations, tuple(groups), tuple(words), memory)


def _quantile(misfit: Residuals, blocks: list[OutputBlock], memory: float) -> float:
    """Return deviations to either side that hold the confidence: Student's where noise was found too."""
    from scipy.stats import norm, t

    found = sum(len(block.errors) for block in blocks if block.source not in misfit.given_noise)
    share = 0.5 + CONFIDENCE / 2
    return float(t.ppf(share, max(1.0, (found - len(misfit.entries)) / memory)) if found else norm.ppf(share))


def _describe_direction(entries: list[SearchEntry], direction: np.ndarray, part: np.ndarray) -> str:
    named = [entry for entry, on in zip(entries, part) if on]
    if len(named) == 1:
        return f"the data says nothing of {named[0].name}: give a prior, hold it, or measure something that it moves"
    lead = direction / direction[np.abs(direction).argmax()]
    moved = [f"{entry.name} {10 * share:+.3g} %" for entry, share in zip(entries, lead) if abs(share) > PART]
    return (
        f"the data cannot tell {listed([entry.name for entry in named], 'and')} apart: changed together "
        f"({', '.join(moved)}) they leave what was measured as it is; hold one, or give a prior"
    )


def _close(names: tuple[str, ...], correlations: np.ndarray, lost: np.ndarray) -> list[str]:
    """Return parameters of which mostly a combination is known, in groups."""
    from scipy.sparse.csgraph import connected_components

    near = (np.abs(correlations) > CLOSE) & ~lost & ~lost[:, None] & ~np.eye(len(names), dtype=bool)
    count, label = connected_components(near, directed=False)
    found = []
    for group in (np.flatnonzero(label == k) for k in range(count)):
        inside = correlations[np.ix_(group, group)]
        strongest = inside.flat[np.abs(inside - np.eye(len(group))).argmax()]
        told = f"{listed([names[k] for k in group], 'and')} are known together better than alone"
        if len(group) == 2:
            share = "sum" if strongest < 0 else "difference"
            found.append(f"{told}: correlation {strongest:+.3f}, so their {share} is the sure part")
        elif len(group) > 2:
            found.append(f"{told}: correlations to {strongest:+.3f}; hold one, or give a prior")
    return found


def _bounds(entries: list[SearchEntry], x: np.ndarray) -> list[str]:
    return [
        f"{entry.name} ended at its bound {value:.4g}; widen the bounds, or doubt the model"
        for entry, value in zip(entries, x)
        if min(value - entry.low, entry.high - value) < AT_BOUND * entry.size
    ]


def _follow(blocks: list[OutputBlock], memory: float) -> list[str]:
    if memory < 2.0:
        return []
    worst = max(blocks, key=lambda block: memory_of(block.errors))
    return [
        f"errors of {worst.output} in {worst.record} follow each other over about {memory:.0f} samples: the model "
        f"misses something, and intervals are {np.sqrt(memory):.1f} times those of white noise"
    ]


def longest_memory(blocks: list[OutputBlock]) -> float:
    """Return samples over which errors follow each other, the longest of all blocks."""
    return max([1.0, *(memory_of(block.errors) for block in blocks)])


def memory_of(errors: np.ndarray) -> float:
    """Count samples over which errors follow each other: 1 + 2 sum of correlations while positive."""
    n = len(errors)
    e = errors - errors.mean()
    power = float(e @ e)
    if n < 8 or power == 0:
        return 1.0
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(e, size)) ** 2
    rho = np.fft.irfft(spectrum, size)[1 : n // 2] / power
    if rho[0] < SURE / np.sqrt(n):
        return 1.0
    ends = np.flatnonzero(rho < 2.0 / np.sqrt(n))
    return float(1.0 + 2.0 * rho[: ends[0] if len(ends) else len(rho)].sum())
