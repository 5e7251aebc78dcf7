"""Object files are kept as long as nothing that they are made of changes."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from lissom.kernel.compile.libraries import toolchain
from lissom.kernel.compile.libraries.object_files import Objects
from lissom.kernel.compile.libraries.toolchain import CompilerError, Target

TEXT = '#include "prelude.h"\nint64_t three(void) { return 3; }\n'
HERE, OTHER = toolchain.own_target(), Target("any")  # which no option names


def compiled(folder, text=TEXT, target=HERE):
    """Where the object file is, and how many were compiled."""
    counts = []
    with ThreadPoolExecutor(1) as pool:
        objects = Objects(folder, pool)
        path = objects.add(text, target)
        objects.wait(lambda done, total: counts.append(total))
    assert path.exists()
    return path, counts[0]


def test_the_same_c_is_compiled_once(tmp_path):
    first, count = compiled(tmp_path)
    assert count == 1
    assert compiled(tmp_path) == (first, 0)


def test_other_c_another_processor_and_another_prelude_are_compiled_anew(tmp_path, monkeypatch):
    first, _ = compiled(tmp_path / "objects")
    assert compiled(tmp_path / "objects", TEXT.replace("3", "4"))[1] == 1
    assert compiled(tmp_path / "objects", target=OTHER)[1] == 1
    prelude = tmp_path / "prelude.h"
    prelude.write_text(toolchain.PRELUDE.read_text(encoding="utf-8") + "/* more */\n", encoding="utf-8")
    monkeypatch.setattr(toolchain, "PRELUDE", prelude)
    path, count = compiled(tmp_path / "objects")
    assert path != first
    assert count == 1


def test_c_that_is_wrong_leaves_no_object_file(tmp_path):
    with pytest.raises(CompilerError, match="three"):
        compiled(tmp_path, TEXT.replace("return 3", "return three four"))
    assert list(tmp_path.glob("*.o")) == []
