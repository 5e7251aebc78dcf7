"""Write the table of docs/theory/error-bars.md that says how far error bars can be trusted themselves.

python docs/calibration.py out/calibration.jsonl               # all machines, hours of one core; goes on where it was
python docs/calibration.py out/calibration.jsonl --part 0/2    # every second machine, for two processes
python docs/calibration.py out/*.jsonl --write                 # the table
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

DOCS = Path(__file__).parent
PAGE = DOCS / "theory" / "error-bars.md"
BEGIN, END = "<!-- calibration: written by docs/calibration.py -->", "<!-- end of calibration -->"
HEAD = "| | machines | numbers | covered | bar over true error | trusted to 1 %, off by 10 % | no error bar |"
sys.path.insert(0, str(DOCS.parent / "tests" / "helpers"))

from trust_calibration import (  # noqa: E402
    GROUPS,
    MACHINES,
    MANOEUVRES,
    extend,
    judge,
    manoeuvre,
    random_machine,
    read,
    textbook_cases,
    textbook_machine,
)


def table(records: list[dict]) -> str:
    """Return the table of the page."""
    random = [one for one in records if one["kind"] in GROUPS]
    rows = {text: [one for one in random if one["kind"] == kind] for kind, text in GROUPS.items()}
    rows |= {
        "**all random machines**": random,
        "textbook machines": [one for one in records if one["kind"] == "textbook"],
        "manoeuvres computed by another program": [one for one in records if one["kind"] == "manoeuvre"],
    }
    lines = [HEAD, "|---|--:|--:|--:|--:|--:|--:|"]
    for text, some in rows.items():
        if some:
            found = judge(some)
            counts = f"{found.machines} | {found.numbers} | {100 * found.covered:.1f} % | {found.ratio:.2g}"
            lines.append(f"| {text} | {counts} | {found.misled} | {found.limitless} |")
    return "\n".join(lines)


def main() -> None:
    """Record machines, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--part", default="0/1", help="which of how many parts of the machines, such as 0/2")
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    given = parser.parse_args()
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        before, _, rest = page.partition(BEGIN)
        text = table([one for path in given.files for one in read(path)])
        PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
        return
    first, step = map(int, given.part.split("/"))
    path = given.files[0]
    extend(path, "seed", range(first, MACHINES, step), random_machine)
    extend(path, "book", list(textbook_cases())[first::step], textbook_machine)
    extend(path, "manoeuvre", MANOEUVRES[first::step], manoeuvre)


if __name__ == "__main__":
    main()
