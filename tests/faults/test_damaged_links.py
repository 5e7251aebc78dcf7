"""Links of finite elements from damaged archives: a sound link, or one message that says what is wrong."""

import io
import json
import zipfile
from functools import cache

import numpy as np
import pytest
from scipy.io import mmwrite
from scipy.sparse import coo_array

import lissom
from lissom import LissomError, beam, fem

TYPES = ("U8", "S3", "?", "i8", "u1", "f4", ">f8", "c16", "g", "M8[s]", "m8[s]")
NUMBERS = (np.nan, np.inf, 1e308, -1e308, 5e-324, 0.0, -1.0)
THINGS = (None, True, -1, 1e300, 10**30, "", "tip\n", "x" * 10_000, [], {}, [["root"]])
HEADERS = ("(999999999999,)", "(-1,)", "(2, 3)", "()", "9", "(1e3,)")
COUNT = 400


@cache
def structure():
    bar = beam.Section.rectangle(beam.Material(E=2.1e11, nu=0.3, rho=7800), 0.02, 0.03)
    return fem.frame({"root": (0, 0, 0), "tip": (0.5, 0, 0)}, [fem.Member("root", "tip", bar, 4)])


QUIET = ("ignore::RuntimeWarning:test_damaged_links", "ignore::numpy.exceptions.ComplexWarning")
pytestmark = pytest.mark.filterwarnings(*QUIET)


@pytest.fixture(scope="module")
def link(tmp_path_factory):
    """The arrays of a saved link."""
    path = tmp_path_factory.mktemp("whole") / "link.npz"
    fem.reduce(structure(), [fem.Interface(name, name) for name in ("root", "tip")], 2).save(path)
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


@pytest.fixture(scope="module")
def matrices():
    """Mass and stiffness of a free body."""
    return structure().mass, structure().stiffness


def damaged(arrays, rng):
    """Arrays of which one or two are missing, exchanged, or of another shape, type or value."""
    found = dict(arrays)
    for _ in range(rng.integers(1, 3)):
        name = rng.choice(sorted(found) or ["K"])
        array = np.array(found.get(name, 0.0))
        how = rng.integers(8)
        if how == 0:
            found.pop(name, None)
        elif how == 1:
            found[str(rng.choice([*sorted(found), "more", "interface.x.phi", "truncation.new", "inertia.y"]))] = array
        elif how == 2:
            found[name] = [array.T, array[None], array.ravel(), array[..., None], array[:0] if array.ndim else array][
                rng.integers(5)
            ]
        elif how == 3:
            found[name] = array.ravel()[: rng.integers(array.size + 1)]
        elif how == 4:
            kind = rng.choice(TYPES)
            found[name] = array.astype(kind) if array.dtype.kind in "fiu" else np.zeros(array.shape, kind)
        elif how == 5 and name == "about":
            about = json.loads(str(array))
            key = rng.choice(sorted(about))
            about[key] = THINGS[rng.integers(len(THINGS))]
            if rng.random() < 0.3:
                del about[key]
            found[name] = np.array(json.dumps(about))
        elif array.dtype.kind == "f" and array.size:
            array = array.astype(float)
            array.reshape(-1)[rng.integers(array.size)] = rng.choice(NUMBERS)
            found[name] = array
    return found


def archive(arrays, rng):
    """An .npz file: sometimes cut, bits turned, or with a header that says something else."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    content = file.getvalue()
    how = rng.integers(6)
    if how == 0:
        return content[: rng.integers(len(content))]
    if how == 1:
        data = bytearray(content)
        for at in rng.integers(len(data), size=rng.integers(1, 20)):
            data[at] ^= 1 << rng.integers(8)
        return bytes(data)
    if how == 2:
        out = io.BytesIO()
        victim = rng.choice(sorted(arrays) or [""])
        with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
            for name in old.namelist():
                member = old.read(name)
                if name == f"{victim}.npy":
                    end = 10 + int.from_bytes(member[8:10], "little")
                    said = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {rng.choice(HEADERS)}, }}"
                    member = member[:10] + said.ljust(end - 11).encode()[: end - 11] + b"\n" + member[end:]
                new.writestr(name, member)
        return out.getvalue()
    return content


def used(finite_elements):
    """Why a robot with such a link is refused; empty where it is taken, and then it is sound."""
    link = {"name": "boom", "joint": {"name": "j", "type": "revolute", "axis": [0, 1, 0]}}
    data = {"lissom": 1, "name": "x", "links": [link | {"finite_elements": finite_elements}]}
    try:
        model = lissom.Robot.from_dict(data).compile()
        q = model.neutral()
        inertia = lissom.mass_matrix(model, q)
        scale = 1 / np.sqrt(np.maximum(inertia.diagonal(), 1e-300))
        assert np.all(np.linalg.eigvalsh(scale[:, None] * inertia * scale) > -1e-12)
        assert np.all(np.isfinite(lissom.natural_modes(model).frequencies))
        return ""
    except LissomError as error:
        return str(error)


def test_damaged_archives_of_reduced_links(link, tmp_path):
    rng, path = np.random.default_rng(5), tmp_path / "link.npz"
    taken = 0
    for _ in range(COUNT):
        path.write_bytes(archive(damaged(link, rng), rng))
        why = used({"reduced": str(path)})
        taken += not why
    assert 0 < taken < COUNT / 2


@pytest.mark.parametrize("form", ["csr", "dense", "mtx"])
def test_damaged_matrices(form, matrices, tmp_path):
    rng = np.random.default_rng(7)
    mass, stiffness, nodes = tmp_path / "M.mtx", tmp_path / ("K.mtx" if form == "mtx" else "K.npz"), tmp_path / "nodes"
    mmwrite(mass, coo_array(matrices[0]))
    np.savetxt(nodes, structure().nodes)
    K = coo_array(matrices[1]).tocsr()
    whole = {"csr": {"format": b"csr", "shape": K.shape, "data": K.data, "indices": K.indices, "indptr": K.indptr}}
    whole["dense"] = {"K": K.toarray()}
    text = io.BytesIO()
    mmwrite(text, coo_array(K))
    files = {"mass": str(mass), "stiffness": str(stiffness), "nodes": str(nodes)}
    source = {"matrices": files, "interfaces": {"root": {"x": 0}, "tip": {"x": 0.5}}, "modes": {"count": 2}}
    taken = 0
    for _ in range(COUNT // 3):
        if form == "mtx":
            data = bytearray(text.getvalue())
            for at in rng.integers(len(data), size=rng.integers(1, 5)):
                data[at] = rng.choice(list(b"0123456789-+.eE %\n\x00"))
            content = bytes(data[: rng.integers(len(data))] if rng.random() < 0.3 else data)
        else:
            content = archive(damaged({name: np.array(value) for name, value in whole[form].items()}, rng), rng)
        stiffness.write_bytes(content)
        why = used(source)
        taken += not why
    assert taken < COUNT / 6
