"""Draw the pictures of the gallery and write its pages: runs every file of examples/gallery.

`python docs/gallery.py [name ...]` draws them all, or those named; `python docs/gallery.py --check` gives exit code 1
if the pages are not current.
"""

import ast
import os
import re
import runpy
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

DOCS = Path(__file__).parent
EXAMPLES = DOCS.parent / "examples" / "gallery"
PICTURES = DOCS / "images" / "gallery"
TRADES = ["Cranes and machines", "Control", "Robots", "Space", "Research and teaching", "Measurement"]
SIZE = (640, 360)  # pixels of a picture
POSES = 5  # of a moving arm
HEAD = """# Gallery

One picture, one page of Python each; copy it and change it. All of them run in the tests, and each ends with a number
that must hold. Longer ones are in `examples/`.
"""
OPEN, CLOSE = ":::::{container} gallery\n", ":::::\n"


def told(path):
    """The caption and the trade of an example, from its docstring."""
    caption, trade = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).split("\n\n")
    return " ".join(caption.split()), trade.strip()


def examples():
    """Examples by trade, in the order of the trades and of their names."""
    found = {trade: [] for trade in TRADES}
    for path in sorted(EXAMPLES.glob("*.py")):
        found[told(path)[1]].append(path)
    return found


def slug(trade):
    """The name of the page of a trade."""
    return re.sub(r"\W+", "-", trade.lower())


def short(caption):
    """The part of a caption that stands below a small picture."""
    return re.match(r"[^.:;?]*\??", caption)[0]


def pages():
    """The text of every page by its path below docs."""
    cards = [HEAD]
    made = {}
    for trade, paths in examples().items():
        cards.append(f"## {trade}\n\n{OPEN}")
        parts = [f"# {trade}\n"]
        for path in paths:
            caption, _ = told(path)
            target = f"gallery/{slug(trade)}.html#{path.stem.replace('_', '-')}"
            picture = f"images/gallery/{path.stem}.png"
            cards.append(f"::::{{figure}} {picture}\n:target: {target}\n:alt: {caption}\n\n{short(caption)}\n::::\n")
            parts.append(f"({path.stem.replace('_', '-')})=\n## {short(caption)}\n\n{caption}\n")
            parts.append(f"![{caption}](../{picture})\n")
            parts.append(
                f"```{{literalinclude}} ../../examples/gallery/{path.name}\n:language: python\n:start-at: import\n```\n"
            )
        cards.append(CLOSE)
        made[f"gallery/{slug(trade)}.md"] = "\n".join(parts)
    listed = "\n".join(f"gallery/{slug(trade)}" for trade in TRADES)
    cards.append(f":::{{toctree}}\n:hidden:\n\n{listed}\n:::\n")
    made["gallery.md"] = "\n".join(cards)
    return made


def draw(path):
    """Run an example and keep its picture."""
    import matplotlib

    matplotlib.use("Agg")
    import numpy as np
    from PIL import Image

    from lissom.view.films.film import still

    with TemporaryDirectory() as folder:
        os.chdir(folder)
        space = runpy.run_path(str(path))
        if "figure" in space:
            space["figure"].savefig("picture.png", dpi=110)
            image = Image.open("picture.png").convert("RGB")
        else:
            run = space["run"]
            times = np.linspace(run.time[0], run.time[-1], POSES)
            image = Image.fromarray(still(run, times, size=(2 * SIZE[0], 2 * SIZE[1])))
        wide = SIZE[0] / image.width
        image = image.resize((SIZE[0], round(wide * image.height)), Image.Resampling.LANCZOS)
        image.quantize(128).save(PICTURES / f"{path.stem}.png", optimize=True)
        os.chdir(DOCS)


def main(arguments):
    texts = pages()
    if arguments == ["--check"]:
        known = {name: (DOCS / name).read_text(encoding="utf-8") if (DOCS / name).exists() else "" for name in texts}
        return int(known != texts)
    PICTURES.mkdir(exist_ok=True)
    (DOCS / "gallery").mkdir(exist_ok=True)
    warnings.simplefilter("ignore")
    for paths in examples().values():
        for path in paths:
            if not arguments or path.stem in arguments:
                draw(path)
    for name, text in texts.items():
        (DOCS / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
