"""Write what lissom has of every paper: docs/theory/equations-NNN.md and docs/theory/coverage.md.

`python docs/papers.py` writes the pages; `python docs/papers.py --check` gives exit code 1 if one is not current.
"""

import sys
from pathlib import Path

from lissom.theory.equation_tables import equation_table, paper_keys, read_paper, write_equations, write_items

FOLDER = Path(__file__).parent / "theory"
WRITTEN = "Written by `docs/papers.py` from marks in the code and `theory/equation_tables/paper-*.yaml`."


def pages():
    """Text of every page, by its path."""
    found = {FOLDER / f"equations-{key}.md": equations(key) for key in paper_keys()}
    return found | {FOLDER / "coverage.md": coverage()}


def equations(key):
    """The page of the numbered equations of one paper."""
    paper, rows = read_paper(key), equation_table(key)
    computed = sum(bool(row.marks) for row in rows)
    head = (
        f"# Equations of paper {key}\n\n{paper.authors}, *{paper.title}*.\n\n{computed} of {len(rows)} numbered "
        f"equations are computed; the others have a reason. Names are below `lissom.`, tests below `tests/`.\n"
        f"`lissom theory equations {key}` prints this table. {WRITTEN}\n\n"
    )
    return head + write_equations(key)


def coverage():
    """The page of what the papers describe."""
    parts = [
        f"# What the papers describe\n\nEvery item of the five papers, where it is, and what shows it. {WRITTEN}\n"
    ]
    for key in paper_keys():
        paper = read_paper(key)
        if paper.items:
            kept = sum(not item.limit for item in paper.items)
            parts.append(
                f"\n## {key}: {paper.authors}\n\n{len(paper.items)} items, {kept} of them without a limit.\n\n"
            )
            parts.append(write_items(key))
    return "".join(parts)


if __name__ == "__main__":
    stale = [path for path, text in pages().items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        sys.exit(f"not current: {', '.join(path.name for path in stale)}; run python docs/papers.py" if stale else 0)
    for path in stale:
        path.write_text(pages()[path], encoding="utf-8")
