"""Write the verification book, docs/verification.md, from the claims that a test run has noted.

make verification        (all tests with LISSOM_CLAIMS set, then this script)
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
HEAD = """# Verification

Written by `make verification` from the results of the tests: every claim is the name of a test, the error the worst of
all its comparisons. Errors are relative unless a unit is given. {claims} claims, {comparisons} comparisons; `nearest`
is how much of what is allowed the worst of a chapter uses.
"""


def chapter(file: str) -> str:
    """Title of a chapter: the first line of the test file's docstring."""
    text = ast.get_docstring(ast.parse((ROOT / file).read_text(encoding="utf-8"))) or file
    return text.splitlines()[0].rstrip(".")


def rows(lines: list[dict]) -> dict[str, list[str]]:
    """Rows of each test file: claims with their worst case."""
    worst: dict[tuple[str, str, str], dict] = {}
    cases: dict[tuple[str, str, str], int] = {}
    for line in lines:
        key = line["test"].split("::")[0], line["test"].split("::")[1].split("[")[0], line["unit"]
        cases[key] = cases.get(key, 0) + 1
        if key not in worst or line["error"] * worst[key]["tolerance"] > worst[key]["error"] * line["tolerance"]:
            worst[key] = line
    out: dict[str, list[str]] = {}
    for (file, test, unit), line in worst.items():
        words = test.removeprefix("test_").replace("_", " ")
        number, allowed = (f"{line[k]:.2g} {unit}".strip() for k in ("error", "tolerance"))
        out.setdefault(file, []).append(f"| {words} | {number} | {allowed} | {cases[file, test, unit]} |")
    return out


def anchor(file: str) -> str:
    """Where the chapter of a test file stands on the page."""
    return file.removeprefix("tests/").removesuffix(".py").replace("_", "-").replace("/", "-")


def nearest(lines: list[dict]) -> str:
    """The largest part of a tolerance that a comparison uses."""
    part = max(line["error"] / line["tolerance"] for line in lines if line["tolerance"])
    return f"{100 * part:.2g} %"


def main(claims: Path) -> None:
    lines = [json.loads(line) for line in claims.read_text(encoding="utf-8").splitlines()]
    tables = sorted(rows(lines).items())
    text = HEAD.format(claims=sum(len(table) for _, table in tables), comparisons=len(lines))
    text += "\n| chapter | claims | comparisons | nearest |\n| --- | ---: | ---: | ---: |\n"
    for file, table in tables:
        own = [line for line in lines if line["test"].split("::")[0] == file]
        text += f"| [{chapter(file)}](#{anchor(file)}) | {len(table)} | {len(own)} | {nearest(own)} |\n"
    for file, table in tables:
        text += f"\n({anchor(file)})=\n"
        text += f"\n## {chapter(file)}\n\n`{file}`\n\n"
        text += "| claim (test) | worst error | allowed | comparisons |\n| --- | ---: | ---: | ---: |\n"
        text += "\n".join(table) + "\n"
    (ROOT / "docs" / "verification.md").write_text(text, encoding="utf-8")
    print(f"docs/verification.md: {sum(map(len, rows(lines).values()))} claims")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
