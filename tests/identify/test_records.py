"""Records: files, units, time bases; and one clear message for what cannot be used."""

import numpy as np
import pytest
from measured_arms import record, truth

import lissom
from lissom.errors import LissomError
from lissom.identify import Record

STIFFNESS = "links.arm.joint.transmission.stiffness"
T = np.arange(0, 3, 0.01)
ANGLE = 0.3 * np.sin(3 * T)
OUTPUTS = {"position.hinge": "angle"}


def data(**more):
    return {"time": T.copy(), "angle": ANGLE.copy()} | more


@pytest.mark.parametrize("suffix", ["csv", "npz", "nc", "parquet"])
def test_every_kind_of_file_is_read(tmp_path, suffix):
    import pandas as pd

    path = tmp_path / f"run.{suffix}"
    table = pd.DataFrame({"clock": 1000 * (T + 7), "theta": np.degrees(ANGLE)})
    if suffix == "csv":
        table.to_csv(path, index=False)
    elif suffix == "npz":
        np.savez(path, **{name: table[name].to_numpy() for name in table})
    elif suffix == "nc":
        table.set_index("clock").to_xarray().to_netcdf(path)
    else:
        table.to_parquet(path)
    seen = Record(
        data=path,
        time={"column": "clock", "unit": "ms"},
        outputs={"position.hinge": {"column": "theta", "unit": "deg"}},
    ).samples()
    assert seen.begin == pytest.approx(7.0)
    assert seen.time == pytest.approx(T, abs=1e-9)
    assert seen.outputs["position.hinge"] == pytest.approx(ANGLE, abs=1e-9)
    assert seen.even
    assert seen.rate == pytest.approx(100)


@pytest.mark.parametrize("suffix", ["csv", "npz"])
def test_names_of_columns_may_hold_their_units(tmp_path, suffix):
    table = {"clock [ms]": 1000 * T, "theta (deg)": np.degrees(ANGLE)}
    if suffix == "csv":
        rows = zip(*table.values(), strict=True)
        text = "\n".join([",".join(table), *(f"{t},{angle}" for t, angle in rows)])
        (tmp_path / "run.csv").write_text(text)
    else:
        np.savez(tmp_path / "run.npz", **table)
    given = {"data": tmp_path / f"run.{suffix}", "time": "clock [ms]"}
    seen = Record(**given, outputs={"position.hinge": "theta (deg)"}).samples()
    assert seen.time == pytest.approx(T, abs=1e-9)
    assert seen.outputs["position.hinge"] == pytest.approx(ANGLE, abs=1e-9)
    grads = Record(**given, outputs={"position.hinge": {"column": "theta (deg)", "factor": 0.5}}).samples()
    assert grads.outputs["position.hinge"] == pytest.approx(np.degrees(ANGLE) / 2, abs=1e-9)


def test_files_of_lissom_have_the_names_already(tmp_path):
    run = lissom.simulate(truth("elastic joint"), 1.0, start={"hinge": 0.3}, progress=False)
    run.save(tmp_path / "run.nc")
    run.to_csv(tmp_path / "run.csv")
    for source in (run, tmp_path / "run.nc", tmp_path / "run.csv"):
        seen = Record(data=source, outputs={"position.hinge": None}).samples()
        assert seen.outputs["position.hinge"] == pytest.approx(run.q[:, 0], abs=1e-12)


def test_a_rate_stands_for_a_column_of_times():
    seen = Record(data={"angle": ANGLE}, time=100, outputs=OUTPUTS, window=(1.0, 2.0)).samples()
    assert seen.begin == 1.0
    assert len(seen.time) == 101
    assert seen.outputs["position.hinge"] == pytest.approx(ANGLE[100:201])


def test_a_factor_makes_torque_of_current():
    seen = Record(
        data=data(amps=ANGLE), outputs=OUTPUTS, torques={"hinge": {"column": "amps", "factor": 8.9}}
    ).samples()
    assert seen.torques["hinge"] == pytest.approx(8.9 * ANGLE)


def broken(**changes):
    made = data()
    for name, change in changes.items():
        change(made[name])
    return made


def put(at, value):
    def change(array):
        array[at] = value

    return change


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"data": broken(time=put(50, 0.2))}, "time: runs backwards: 0.2 s follows 0.49 s at sample 51"),
        ({"data": broken(time=put(slice(100, None), T[100:] + 0.5))}, "has a gap of 0.51 s after 0.99 s"),
        ({"data": broken(angle=put(slice(10, 13), np.nan))}, "is not a number at 3 of 300 samples, first at 0.1 s"),
        ({"data": broken(time=put(4, np.nan))}, "time: is not a number at sample 5"),
        ({"data": broken(angle=lambda a: a.__imul__(57.3))}, "did you mean degrees?"),
        ({"data": broken(time=put(50, 0.49))}, "time: stands still: 0.49 s follows 0.49 s at sample 51"),
        ({"data": data(time=1000 * T)}, "time: samples follow after 10 s"),
        ({"data": data(time=1000 * T)}, "did you mean milliseconds? write unit: ms"),
        ({"data": data(), "window": (0.0, 0.1)}, "less than a period of the slowest vibration"),
        ({"data": data(), "window": (7.0, 9.0)}, "the record goes from 0 s to 2.99 s"),
        ({"data": data(), "outputs": {"position.hing": "angle"}}, "did you mean 'hinge'"),
        ({"data": data(), "outputs": {"posiion.hinge": "angle"}}, "did you mean 'position'"),
        ({"data": data(), "outputs": {"position.hinge": "angel"}}, "did you mean 'angle'"),
        ({"data": data(), "outputs": {"position.hinge": {"column": "angle", "unit": "degs"}}}, "did you mean 'deg'"),
        (
            {"data": data(), "outputs": {"position.hinge": {"column": "angle", "unit": "mm"}}},
            "outputs.position.hinge.unit = 'mm': is of the wrong kind: the quantity is in rad",
        ),
        (
            {"data": data(), "torques": {"hinge": {"column": "angle", "unit": "N"}}},
            "torques.hinge.unit = 'N': is of the wrong kind: the quantity is in N m",
        ),
        ({"data": data(), "time": {"column": "time", "unit": "mm"}}, "is not a unit of time"),
        ({"data": data(), "time": "clock"}, "no column 'clock'"),
        ({"data": "nowhere.csv"}, "no such record"),
        ({"data": "run.xlsx"}, "records are read from"),
        ({"data": 7}, "must be a file or columns by name"),
        ({"data": data(angle=ANGLE[:-1])}, "must be equally long"),
        ({"data": data(), "torques": {"elbow": "angle"}}, "elbow"),
        ({"data": data(), "unknown": ["offset.position.elbow"]}, "did you mean 'position.hinge'"),
        ({"data": data(), "unknown": ["ofset.position.hinge"]}, "did you mean 'offset'"),
        ({"data": data(), "start": "equilibrium", "unknown": ["start.hinge"]}, "given by joint"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_one_clear_message(given, said):
    with pytest.raises(LissomError) as caught:
        lissom.fit(truth("elastic joint"), [STIFFNESS], {"outputs": OUTPUTS} | given, progress=False)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("hole", ["", "nan", "NA"])
def test_holes_of_a_text_file_matter_only_where_they_are_used(tmp_path, hole):
    rows = [f"{t:.2f},{'' if k else hole}" if k < 3 else f"{t:.2f},{x:.6f}" for k, (t, x) in enumerate(zip(T, ANGLE))]
    (tmp_path / "run.csv").write_text("\n".join(["time,angle", *rows]))
    given = Record(data=tmp_path / "run.csv", outputs=OUTPUTS)
    assert len(given.windows((0.03, 3.0))[0].samples().time) == len(T) - 3
    with pytest.raises(LissomError, match="hinge") as caught:
        given.samples()
    assert "is not a number at 3 of 300 samples, first at 0 s" in str(caught.value)


def test_small_angles_in_degrees_are_seen_beside_the_model():
    wrong = dict(record("elastic joint", 1).data)
    for name in ("position.hinge", "rotor_position.hinge"):
        wrong[name] = np.degrees(wrong[name]) / 40  # within a turn
    wrong["u.hinge"] = wrong["u.hinge"] / 40
    soft = truth("elastic joint").with_value("links.arm.joint.friction.coulomb", 0.1 / 40)  # scales as the torque does
    with pytest.raises(LissomError, match="times what the model does; did you mean degrees"):
        lissom.fit(soft, [STIFFNESS], record("elastic joint", 1, data=wrong), progress=False)


def test_gaps_can_be_cut_out_by_windows():
    cut = Record(data=broken(time=put(slice(100, None), T[100:] + 0.5)), outputs=OUTPUTS)
    first, second = cut.windows((0, 0.99), (1.5, 3.5))
    assert len(first.samples().time) == 100
    assert len(second.samples().time) == 200
