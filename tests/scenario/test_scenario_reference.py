"""The reference page of scenario files: tables made from the code, every type named, every example run."""

import re
from typing import Any

import numpy as np
import pytest
from places import ROOT
from ruamel.yaml import YAML

from lissom import scenario
from lissom.control.schema import control_schema, reference_schema

PAGE = (ROOT / "docs" / "reference" / "scenario-files.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.M | re.S)
BASE, *PIECES = EXAMPLES
TABLES = re.findall(r"^```\{fields\} (\S+)", PAGE, re.M)


def blocks(module: Any, kind: type) -> list[str]:
    """Names of the classes of a module that a file can choose by `type`."""
    return [
        name for name, each in vars(module).items() if isinstance(each, type) and issubclass(each, kind) and each.form
    ]


def title(text: str) -> str:
    return " ".join(text.split())[:60]


@pytest.mark.parametrize("piece", PIECES, ids=title)
def test_an_example_runs(piece: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in re.findall(r"`(\w+\.csv)`:\n\n```text\n(.*?)```", PAGE, re.S):
        (tmp_path / name).write_text(text)
    base = "" if "robot:" in piece else BASE
    (tmp_path / "piece.yaml").write_text(base + ("" if base else "duration: 0.5\n") + piece)
    run = scenario.load("piece.yaml").run(duration=0.05, progress=False)
    assert run.info.status.word == "finished"
    assert np.all(np.isfinite(run.q))


def test_every_type_has_its_table_and_its_example() -> None:
    wanted = {
        f"lissom.control.schema.reference_schema.{name}"
        for name in blocks(reference_schema, reference_schema.ReferenceBlock)
    } | {f"lissom.control.schema.control_schema.{name}" for name in blocks(control_schema, control_schema.ControlBlock)}
    assert wanted <= set(TABLES)
    used = re.findall(r"type: ([\w-]+)", "".join(EXAMPLES))
    for path in wanted:
        module = reference_schema if "reference_schema" in path else control_schema
        assert getattr(module, path.rpartition(".")[2]).form.removeprefix("form:") in used, path


def test_tables_tell_meaning_and_default_of_every_field(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sphinx", reason="needs the package sphinx: pip install lissom[docs]")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "extensions"))
    from fields import coordinates, described, rows

    for path in TABLES:
        part = described(path)
        table = {name: (meaning, default) for name, meaning, default in rows(part)}
        assert part.__doc__ and all(meaning for meaning, _ in table.values()), (path, table)
    quintic = {name: rest for name, *rest in rows(reference_schema.Quintic)}
    assert quintic["duration"] == ["the time of the motion in seconds", "required"]
    assert quintic["begin"][1] == "0.0"
    assert "from" in quintic
    assert "type" not in quintic
    listed = {kind: (q, v) for kind, q, v in coordinates()}
    assert listed["free"] == (
        "qw, qx, qy, qz, x (m), y (m), z (m)",
        "wx (rad/s), wy (rad/s), wz (rad/s), vx (m/s), vy (m/s), vz (m/s)",
    )
    assert listed["universal"][0] == "1 (rad), 2 (rad)"
    assert "fixed" not in listed


def test_examples_read_as_they_are_written() -> None:
    for piece in PIECES:
        data = YAML(typ="safe").load(BASE) | YAML(typ="safe").load(piece)
        if "csv" not in piece:
            made = scenario.Scenario.from_dict(data)
            assert scenario.Scenario.from_dict(made.to_dict()) == made
