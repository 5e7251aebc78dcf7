"""The names that the page on notation gives stand in the files that it gives."""

import re

import pytest
from places import ROOT

PAGE = (ROOT / "docs" / "notation.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.*?) \| (.*?) \|.*\| `(src/[\w/.]+)` \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("letter", "names", "file"), ROWS)
def test_names_of_the_notation_are_those_of_the_code(letter, names, file):
    source = (ROOT / file).read_text(encoding="utf-8")
    words = re.findall(r"`(\w+)`", names)
    assert words
    assert not [word for word in words if not re.search(rf"\b{word}\b *[:=,(]", source)], letter


def test_the_tables_are_read():
    assert len(ROWS) > 25
