"""Sphinx settings of the documentation; `make docs` builds it."""

import sys
from pathlib import Path

from lissom.version import __version__

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

import parts

project = "lissom"
copyright = "the lissom contributors"
release = version = __version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "mathml",
    "commands",
    "fields",
    "parts",
    "sphinx.ext.viewcode",
]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
suppress_warnings = ["myst.xref_missing", "config.cache"]  # the latter: a function in autosummary_context

html_theme = "furo"
html_title = f"lissom {__version__}"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["lissom.css"]
html_math_renderer = "mathml"
html_copy_source = False

default_role = "code"  # single backticks in docstrings
templates_path = ["_templates"]
autosummary_generate = True
autosummary_context = {"of_a_part": parts.inherited}  # what pages of data classes leave out
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("Array", "ArrayLike", "Vector", "NDArray")}
python_maximum_signature_line_length = 88
napoleon_google_docstring = True
