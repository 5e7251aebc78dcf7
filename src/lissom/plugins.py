"""Packages from outside that add to lissom: integrators, formats, elements, and what else is kept in a registry.

Such a package names a module, or a function in one, in its pyproject.toml, which registers what it adds:

    [project.entry-points."lissom.plugins"]
    tiny = "my_package.tiny_format"

The modules load when a file holds a word or has a suffix that lissom does not know by itself, so that nobody else
waits for them. In a script or a notebook it is enough to import the module.
"""

from __future__ import annotations

from functools import cache

from lissom.errors import LissomError

GROUP = "lissom.plugins"


@cache
def load_plugins() -> None:
    """Import the modules, and call the functions, of all installed plug-ins, once."""
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP):
        try:
            found = entry.load()
            if callable(found):
                found()
        except Exception as error:
            text = f"the plug-in {entry.name!r} ({entry.value}) cannot be imported ({error}); repair or uninstall it"
            raise LissomError(text) from error
