"""Write the tree of folders in docs/architecture.md, from the docstrings of their __init__ files.

`python docs/tree.py` writes it; `python docs/tree.py --check` gives exit code 1 if the page is not current.
"""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "lissom"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- tree: written by docs/tree.py -->", "<!-- end of tree -->"
HEADING = "## Rooms\n\nEvery folder, what lives there, and what may be used from outside.\n\n"


def paragraphs(folder):
    """The docstring of a folder without examples: its paragraphs, each on one line."""
    doc = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    return [" ".join(part.split()) for part in doc.split("\n\n") if not part.startswith(">>>")]


def folders():
    """Folders with Python files, parents before what is inside, in the order of names."""
    found = {path.parent for path in SOURCE.rglob("__init__.py")} - {SOURCE}
    return sorted(found, key=lambda folder: folder.relative_to(SOURCE).parts)


def tree():
    """The lines of the tree in Markdown: nested lists with the first paragraphs of docstrings."""
    lines = []
    for folder in folders():
        name = folder.relative_to(SOURCE)
        said = " ".join(paragraphs(folder)[:2]) if len(name.parts) > 1 else " ".join(paragraphs(folder)[:1])
        lines.append(f"{'  ' * (len(name.parts) - 1)}- `src/lissom/{name.as_posix()}/`: {said}")
    return "\n".join(lines)


def current(text):
    """The page with the tree of today."""
    made = f"{BEGIN}\n\n{tree()}\n\n{END}"
    if BEGIN in text:
        return text[: text.index(BEGIN)] + made + text[text.index(END) + len(END) :]
    place = text.index("## The life of a run")
    return f"{text[:place]}{HEADING}{made}\n\n{text[place:]}"


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    if "--check" in sys.argv:
        sys.exit(text != current(text))
    PAGE.write_text(current(text), encoding="utf-8")
