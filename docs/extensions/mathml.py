"""Formulas as MathML, made while the pages are built: they show in every browser without a script or a network."""

import re
from html import unescape
from xml.etree import ElementTree as ET

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

# What docutils does not know, in terms of what it does; brackets of MathML grow by themselves.
SAME = ((r"\\dots\b", r"\\ldots"), (r"\\[bB]igg?[lr]?\b", ""), (r"\\[td]?frac(\d)(\d)", r"\\frac{\1}{\2}"))
SPACE = "http://www.w3.org/1998/Math/MathML"
ET.register_namespace("", SPACE)


def markup(text, as_block=False):
    """The MathML of a formula in LaTeX."""
    for command, known in SAME:
        text = re.sub(command, known, text)
    made = re.sub(r"&(?!lt;|gt;|amp;)\w+;", lambda name: unescape(name[0]), tex2mathml(text, as_block))
    root = ET.fromstring(made)
    for parent in list(root.iter()):
        for child in list(parent):
            if _is(child, "munderover") and _is_accent(child[2]):
                _beside(parent, child)
    return ET.tostring(root, encoding="unicode")


def _beside(parent, element):
    """docutils puts the index of a letter with an accent below it: set it beside, with an exponent above it."""
    letter, index, accent = element
    over = ET.Element(f"{{{SPACE}}}mover")
    over.extend([letter, accent])
    if _is(parent, "msup") and parent[0] is element:
        parent.tag = f"{{{SPACE}}}msubsup"
        parent[:] = [over, index, parent[1]]
    else:
        element.tag = f"{{{SPACE}}}msub"
        element[:] = [over, index]


def _is(element, name):
    return element.tag == f"{{{SPACE}}}{name}"


def _is_accent(element):
    return _is(element, "mo") and (element.text or "") in "˙¨^~˘¯→ˉ˜ˆ"


def _shown(self, node, as_block):
    """The markup of a formula; one that cannot be read is a warning, so that `make docs` fails."""
    try:
        return markup(node.astext(), as_block)
    except MathError as error:
        logging.getLogger(__name__).warning("%s in the formula %s", error, node.astext(), location=node)
        return f"<code>{self.encode(node.astext())}</code>"


def inline(self, node):
    self.body.append(_shown(self, node, False))
    raise nodes.SkipNode


def block(self, node):
    self.body.append(f'<div class="formula">{_shown(self, node, True)}</div>')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
