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
is how much of what is allowed the worst of a chapter uses. What is known not to hold is listed at the end, under
[known limits](#known-limits).
"""
LIMITS = """
(known-limits)=

## Known limits

Comparisons that miss what is asked of their neighbours, and why. A test fails as soon as one of them holds.

| what (case) | error | asked | why |
| --- | ---: | ---: | --- |
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
        number, allowed = numbers(line)
        out.setdefault(file, []).append(f"| {words(test)} | {number} | {allowed} | {cases[file, test, unit]} |")
    return out


def cases(lines: list[dict]) -> str:
    """Table of the cases of a chapter, one row each; nothing where its claims name none."""
    table = [
        f"| {row['case']} | {row['source']} | {row['expected']} | {row['found']} | {numbers(line)[0]} |\n"
        for line in lines
        if (row := line.get("row"))
    ]
    head = "\n| case | source | expected | found | error |\n| --- | --- | ---: | ---: | ---: |\n"
    return head + "".join(table) if table else ""


def words(test: str) -> str:
    """The claim that a test's name makes."""
    return test.removeprefix("test_").replace("_", " ")


def numbers(line: dict) -> list[str]:
    """Error and tolerance with their unit."""
    return [f"{line[k]:.2g} {line['unit']}".strip() for k in ("error", "tolerance")]


def limits(lines: list[dict]) -> str:
    """The chapter of known limits, one row for each case; nothing where there is none."""
    table = []
    for line in lines:
        test, _, case = line["test"].split("::")[1].partition("[")
        error, asked = numbers(line)
        table.append(f"| {words(test)}{f' ({case[:-1]})' if case else ''} | {error} | {asked} | {line['limit']} |\n")
    return LIMITS + "".join(table) if table else ""


def anchor(file: str) -> str:
    """Where the chapter of a test file stands on the page."""
    return file.removeprefix("tests/").removesuffix(".py").replace("_", "-").replace("/", "-")


def nearest(lines: list[dict]) -> str:
    """The largest part of a tolerance that a comparison uses."""
    part = max(line["error"] / line["tolerance"] for line in lines if line["tolerance"])
    return f"{100 * part:.0f} %" if part > 0.1 else f"{100 * part:.2g} %"


def main(claims: Path) -> None:
    found = [json.loads(line) for line in claims.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in found if line["limit"] is None]
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
        text += cases([line for line in lines if line["test"].split("::")[0] == file])
    text += limits([line for line in found if line["limit"] is not None])
    (ROOT / "docs" / "verification.md").write_text(text, encoding="utf-8")
    print(f"docs/verification.md: {sum(map(len, rows(lines).values()))} claims")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
