"""Draws the pictures of the tutorials anew: runs the Python of every page that shows some, keeps what it writes.

python docs/pictures.py [page ...]
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

DOCS = Path(__file__).parent
PYTHON = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
PICTURE = re.compile(r"!\[[^\]]*\]\(\.\./images/([\w-]+\.png)\)")


def draw(page: Path) -> list[str]:
    """Names of the pictures of one page, freshly drawn into docs/images."""
    from PIL import Image

    text = page.read_text(encoding="utf-8")
    names = PICTURE.findall(text)
    if names:
        with TemporaryDirectory() as folder:
            os.chdir(folder)
            space = {"__name__": "page"}
            for block in PYTHON.findall(text):
                exec(compile(block, str(page), "exec"), space)
            for name in names:
                small = Image.open(name).convert("RGB").quantize(200)  # a third of the size, and nobody sees it
                small.save(DOCS / "images" / name, optimize=True)
            os.chdir(DOCS)
    return names


def main(pages: list[str]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    for page in [Path(page).resolve() for page in pages] or sorted(DOCS.glob("tutorials/*.md")):
        print(page.stem, *draw(page))


if __name__ == "__main__":
    main(sys.argv[1:])
