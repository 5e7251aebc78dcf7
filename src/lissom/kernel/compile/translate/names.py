"""Names in C: those of Python where C has no use for them; what the translator adds has two underscores in a row."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from lissom.kernel.compile.translate.refused import Refused

PRELUDE = Path(__file__).with_name("prelude.h")
OWN = "__"  # in every name that the translator makes, and in none of a kernel
C_WORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef typeof union unsigned void volatile while asm bool
    true false abort abs acos asin atan atan2 cbrt ceil copysign cos cosh div environ erf errno exp fabs fflush floor
    fmod fprintf free frexp gamma hypot index int32_t int64_t uint8_t isnan isinf isfinite j0 j1 jn ldexp linux log
    malloc near far pow rand random remainder rint round signal signgam signbit sin sinh size_t sqrt stderr stdin stdout
    tan tanh time unix y0 y1 yn I EOF NAN INFINITY NULL HUGE_VAL
"""
C_MACROS = re.compile(r"(M_[A-Z0-9_]+|FP_[A-Z]+|[A-Z0-9_]+_(MAX|MIN)|RAND_MAX|EXIT_[A-Z]+)$")


@cache
def prelude_names() -> frozenset[str]:
    """Return what prelude.h defines."""
    text = PRELUDE.read_text(encoding="utf-8")
    functions = re.findall(r"(?:INLINE \w+ \*?|BY_LANE\(|PACK[123]\(|#define |HIDDEN \w+ )(\w+)", text)
    joined = "\n".join(re.findall(r"^WITH_\w+\(.*$", text, re.M))
    types = re.findall(r"(\w+)(?: __attribute__.*)?;$", "\n".join(re.findall(r"^typedef .*", text, re.M)), re.M)
    with_complex, with_real = (
        set(re.findall(rf"{which}\((\w+)\)", "\n".join(joined))) for which in ("COMPLEX", "REAL")
    )
    pairs = [f"{op}_{pair}" for op in with_complex for pair in ("qc", "cq")]
    pairs += [f"{op}_{pair}" for op in with_real for pair in ("qp", "pq", "qd", "dq", "pc", "cp")]
    return frozenset((*functions, *types, *pairs, "blocks"))


def c_name(name: str) -> str:
    """Return the C name of a variable: its own, unless C, its library or prelude.h have that."""
    taken = name in prelude_names() or name in C_WORDS.split() or C_MACROS.match(name) or name.startswith("_")
    return f"{name}{OWN}" if taken else name


def check(name: str) -> None:
    """Refuse names of a kernel that might be one of the translator's."""
    if OWN in name:
        raise Refused(f"the name {name}, as those with two underscores side by side are the translator's")
