"""References: piecewise polynomials of time, their constructors and operations."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lissom import LissomError
from lissom.control import Reference

VIA = Reference.minimum_jerk([[0.0, 1.0], [0.5, 0.2], [1.0, -0.5], [0.8, 0.0]], [0.0, 0.7, 1.5, 2.0])
EXAMPLES = {
    "constant": Reference.constant([0.3, -1.0]),
    "steps": Reference.steps([(0.0, [0.0, 1.0]), (0.5, [1.0, 1.0]), (1.2, [0.5, -2.0])]),
    "quintic": Reference.quintic([0.0, 1.0], [0.7, -0.4], 1.5, begin=0.2),
    "trapezoid": Reference.trapezoid([0.0, 1.0], [0.7, -0.4], speed=0.8, acceleration=2.0),
    "spin-up": Reference.spin_up([2.0, -1.0], 1.1, until=2.0, start=[0.3, 0.0], begin=0.2),
    "via": VIA,
    "samples": Reference.from_samples(np.linspace(0, 2, 9), np.sin(np.linspace(0, 2, 9))),
    "lines": Reference.from_samples([0.0, 1.0, 2.0], [[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]], kind="linear"),
    "sine": Reference.sine([0.2, 0.1], [1.5, 0.8], 1.8, offset=[0.0, 1.0], phase=0.4),
    "chirp": Reference.chirp([0.2, 0.1], [0.5, 2.0], 2.0, sweep="exponential", ramp=0.4),
    "multisine": Reference.multisine(0.1, [0.5, 1.0, 1.5], 2.0, ramp=0.5, begin=0.1),
    "function": Reference.from_function(lambda t: [np.sin(3 * t), t**2], 2.0),
}
every = pytest.mark.parametrize("reference", EXAMPLES.values(), ids=EXAMPLES.keys())


@every
def test_rates_are_the_derivatives_of_values(reference: Reference) -> None:
    t = np.linspace(-0.3, 2.5, 200) + 1e-3
    h = 1e-4
    t = t[np.abs(t[:, None] - reference.breaks).min(axis=1) > 2 * h]
    value, rate, acceleration = (np.array(part) for part in zip(reference(t - h), reference(t), reference(t + h)))
    np.testing.assert_allclose((value[2] - value[0]) / (2 * h), rate[1], atol=2e-6)
    np.testing.assert_allclose((rate[2] - rate[0]) / (2 * h), acceleration[1], atol=2e-5)


@every
def test_outside_its_time_a_reference_rests_at_its_ends(reference: Reference) -> None:
    first, last = reference(reference.breaks[0])[0], reference(reference.breaks[-1])[0]
    for t, held in ((reference.breaks[0] - 5.0, first), (reference.end + 5.0, last)):
        value, rate, acceleration = reference(t)
        np.testing.assert_allclose(value, held)
        assert not rate.any()
        assert not acceleration.any()


@every
def test_times_of_any_shape_are_taken(reference: Reference) -> None:
    t = np.linspace(0, 2, 12).reshape(3, 4)
    for whole, one in zip(reference(t), reference(t[1, 2])):
        assert whole.shape == (3, 4, reference.channels)
        np.testing.assert_array_equal(whole[1, 2], one)


@pytest.mark.parametrize("name", ["constant", "quintic", "trapezoid", "via", "chirp", "multisine"])
def test_smooth_motions_have_no_jumps(name: str) -> None:
    assert len(EXAMPLES[name].jumps) == 0


def test_a_sine_and_its_derivatives_are_exact() -> None:
    amplitude, omega, phase = np.array([2.0, 0.3]), 2 * np.pi * np.array([3.0, 0.7]), np.array([0.4, -1.0])
    wave = Reference.sine(amplitude, [3.0, 0.7], 2.0, offset=0.5, phase=phase, begin=0.25)
    t = np.linspace(0.25, 2.25, 4001)[:-1]
    angle = phase + np.outer(t - 0.25, omega)
    value, rate, acceleration = wave(t)
    np.testing.assert_allclose(value, 0.5 + amplitude * np.sin(angle), atol=1e-12)
    np.testing.assert_allclose(rate / omega, amplitude * np.cos(angle), atol=1e-10)
    np.testing.assert_allclose(acceleration / omega**2, -amplitude * np.sin(angle), atol=1e-8)


@pytest.mark.parametrize("sweep", ["linear", "exponential"])
def test_the_frequency_of_a_chirp_goes_from_the_first_to_the_second(sweep: str) -> None:
    wave = Reference.chirp(1.0, [2.0, 32.0], 4.0, sweep=sweep)  # type: ignore[arg-type]
    crossings = np.flatnonzero(np.diff(np.sign(wave(np.linspace(0, 4, 400_001))[0][:, 0])) > 0) * 1e-5
    cycles = 4 * (2 + 32) / 2 if sweep == "linear" else 4 * (32 - 2) / np.log(16)
    assert len(crossings) == int(np.ceil(cycles))
    half = 2.0 + 30.0 / 2 if sweep == "linear" else 8.0  # at half the time: the mean, or the geometric one
    near = np.searchsorted(crossings, 2.0)
    assert 1 / np.diff(crossings[near - 1 : near + 1])[0] == pytest.approx(half, rel=0.05)
    back = Reference.chirp(1.0, [32.0, 2.0], 4.0, sweep=sweep)  # type: ignore[arg-type]
    assert len(back.breaks) == len(wave.breaks)


def test_a_multisine_has_its_lines_and_low_peaks() -> None:
    lines = np.arange(1, 17)
    t = np.arange(2048) / 1024
    wave = Reference.multisine(0.5, lines, 2.0)(t)[0][:, 0]
    amplitudes = np.abs(np.fft.rfft(wave))[: 2 * 20 : 2] / 1024
    np.testing.assert_allclose(amplitudes[lines], 0.5, atol=1e-10)
    np.testing.assert_allclose(np.delete(amplitudes, lines), 0.0, atol=1e-10)
    together = Reference.multisine(0.5, lines, 2.0, phases=np.zeros(16))(t)[0]
    assert np.abs(wave).max() < 0.6 * np.abs(together).max()


def test_a_faded_wave_is_itself_in_between_and_starts_and_ends_at_rest() -> None:
    plain, faded = Reference.sine(1.0, 2.0, 3.0), Reference.sine(1.0, 2.0, 3.0, ramp=0.5)
    t = np.linspace(0.5, 2.5, 500)
    np.testing.assert_allclose(faded(t)[2], plain(t)[2], atol=1e-5)
    assert not len(faded.discontinuities(2))
    assert len(plain.jumps)


def test_jumps_are_the_steps_and_the_kinks() -> None:
    np.testing.assert_array_equal(EXAMPLES["steps"].jumps, [0.5, 1.2])
    np.testing.assert_array_equal(EXAMPLES["lines"].jumps, [0.0, 1.0, 2.0])
    np.testing.assert_array_equal(EXAMPLES["lines"].discontinuities(0), [])
    trapezoid = EXAMPLES["trapezoid"]
    np.testing.assert_array_equal(trapezoid.discontinuities(2), trapezoid.breaks)


def test_a_step_takes_effect_at_its_time() -> None:
    step = Reference.step(1.0, 3.0, at=0.25)
    np.testing.assert_array_equal(step([0.0, 0.2499, 0.25, 9.0])[0][:, 0], [1, 1, 3, 3])
    np.testing.assert_array_equal(step.jumps, [0.25])


def test_quintic_starts_and_ends_at_rest_and_is_fastest_half_way() -> None:
    motion = Reference.quintic([0.0, 1.0], [2.0, 1.0], 4.0, begin=1.0)
    value, rate, acceleration = motion([1.0, 3.0, 5.0 - 1e-9])
    np.testing.assert_allclose(value, [[0, 1], [1, 1], [2, 1]], atol=1e-12)
    np.testing.assert_allclose(rate[:, 0], [0, 1.875 * 2 / 4, 0], atol=1e-12)
    np.testing.assert_allclose(acceleration[:, 0], 0, atol=1e-7)


def test_minimum_jerk_passes_its_points_with_four_continuous_derivatives() -> None:
    np.testing.assert_allclose(VIA([0.0, 0.7, 1.5, 2.0])[0], [[0, 1], [0.5, 0.2], [1, -0.5], [0.8, 0]], atol=1e-12)
    assert len(VIA.discontinuities(4)) == 2  # jerk and snap are held at zero outside, so only the ends jump
    assert len(VIA.discontinuities(2)) == 0


def test_minimum_jerk_between_two_points_is_the_quintic() -> None:
    t = np.linspace(0, 2, 50)
    spline, quintic = Reference.minimum_jerk([0.0, 1.0], [0.0, 2.0]), Reference.quintic(0.0, 1.0, 2.0)
    for a, b in zip(spline(t), quintic(t)):
        np.testing.assert_allclose(a, b, atol=1e-12)


@given(
    start=st.floats(-3, 3),
    to=st.floats(-3, 3),
    speed=st.floats(0.1, 5),
    acceleration=st.floats(0.1, 20),
)
def test_a_trapezoid_keeps_its_limits_and_arrives(start: float, to: float, speed: float, acceleration: float) -> None:
    motion = Reference.trapezoid([start, 0.0], [to, 0.3 * (to - start)], speed, acceleration)
    _, rate, accelerations = motion(np.linspace(0, motion.end, 301))
    assert np.abs(rate).max() <= speed * (1 + 1e-9)
    assert np.abs(accelerations).max() <= acceleration * (1 + 1e-9)
    np.testing.assert_allclose(motion(motion.end)[0], [to, 0.3 * (to - start)], atol=1e-9)
    if abs(to - start) > 1e-3:  # as fast as the limits allow
        way = abs(to - start)
        fastest = (
            way / speed + speed / acceleration if way >= speed**2 / acceleration else 2 * np.sqrt(way / acceleration)
        )
        assert motion.end == pytest.approx(fastest)


def test_a_trapezoid_of_given_duration() -> None:
    thirds = Reference.trapezoid(0.0, 1.0, duration=3.0)
    np.testing.assert_allclose(thirds.breaks, [0, 1, 2, 3])
    assert thirds(1.5)[1][0] == pytest.approx(0.5)
    by_speed = Reference.trapezoid(0.0, 1.0, speed=0.4, duration=3.0)
    assert by_speed(1.5)[1][0] == pytest.approx(0.4)
    by_acceleration = Reference.trapezoid(0.0, 1.0, acceleration=0.6, duration=3.0)
    assert by_acceleration(0.1)[2][0] == pytest.approx(0.6)
    for motion in (thirds, by_speed, by_acceleration):
        assert motion.end == pytest.approx(3.0)
        assert motion(3.0)[0][0] == pytest.approx(1.0)


def test_a_function_is_met_to_nine_digits() -> None:
    """The law of the spin-up beam: the angle of a shaft that reaches w0 in T seconds."""
    w0, T = 10.0, 15.0

    def angle(t: float) -> float:
        turn = 2 * np.pi / T
        return w0 / T * (t**2 / 2 + (np.cos(turn * t) - 1) / turn**2) if t < T else w0 * (t - T / 2)

    shaft = Reference.from_function(angle, 20.0)
    spun_up = Reference.spin_up(w0, T, until=20.0)
    t = np.linspace(0, 20, 4001)[:-1]
    value, rate, acceleration = (part[:, 0] for part in shaft(t))
    speed = np.where(t < T, w0 / T * (t - T / (2 * np.pi) * np.sin(2 * np.pi * t / T)), w0)
    np.testing.assert_allclose(value, [angle(s) for s in t], atol=1e-9)
    np.testing.assert_allclose(rate, speed, atol=1e-8)
    np.testing.assert_allclose(acceleration, np.where(t < T, w0 / T * (1 - np.cos(2 * np.pi * t / T)), 0), atol=1e-6)
    for part, same in zip(spun_up(t), (value, rate, acceleration), strict=True):
        np.testing.assert_allclose(part[:, 0], same, atol=1e-6)
    np.testing.assert_allclose(spun_up(t)[0][:, 0], value, atol=1e-9)
    np.testing.assert_array_equal(shaft.jumps, [20.0])  # there the reference stops
    np.testing.assert_array_equal(spun_up.jumps, [20.0])


def test_samples_of_a_cubic_are_met_exactly() -> None:
    t = np.linspace(0, 2, 6)
    curve = np.polynomial.Polynomial([1.0, -2.0, 0.5, 0.3])
    spline = Reference.from_samples(t, curve(t))
    fine = np.linspace(0, 2, 50)[:-1]
    np.testing.assert_allclose(spline(fine)[0][:, 0], curve(fine), atol=1e-12)
    np.testing.assert_allclose(spline(fine)[2][:, 0], curve.deriv(2)(fine), atol=1e-11)


@pytest.mark.parametrize("separator", [",", ";", "\t", "  "])
def test_csv_columns_by_name(tmp_path: Path, separator: str) -> None:
    rows = [["t", "elbow", "wrist"], ["0", "0", "1"], ["1", "0.5", "2"], ["2", "1", "2"]]
    file = tmp_path / "motion.csv"
    file.write_text("# made by hand\n" + "\n".join(separator.join(row) for row in rows) + "\n\n")
    motion = Reference.from_csv(file, ["wrist", "elbow"], kind="linear")
    np.testing.assert_allclose(motion([0.5, 2.0])[0], [[1.5, 0.25], [2, 1]])
    assert Reference.from_csv(file).channels == 2
    assert Reference.from_csv(file, columns=[1], time="t").channels == 1


def test_csv_columns_with_units_become_si(tmp_path: Path) -> None:
    file = tmp_path / "motion.csv"
    file.write_text("t [ms],elbow [deg],lift (mm),q[1],force [kN]\n0,0,5,1,1\n100,90,10,2,2\n")
    motion = Reference.from_csv(file, kind="linear")
    np.testing.assert_allclose(motion.breaks[-1], 0.1)
    np.testing.assert_allclose(motion([0.1])[0], [[np.pi / 2, 0.01, 2, 2000]])
    one = Reference.from_csv(file, "elbow", time="t", kind="linear")
    np.testing.assert_allclose(one([0.05])[0], [[np.pi / 4]])
    np.testing.assert_array_equal(one([0.05])[0], Reference.from_csv(file, "elbow [deg]", kind="linear")([0.05])[0])


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        ("t,a,a\n0,1,2\n1,2,3\n", ["a"], r"column 'a': stands over 2 columns; give its number, from 0"),
        ("t,a [deg],a [mm]\n0,1,2\n1,2,3\n", "a", "column 'a': stands over 2 columns"),
        ("t [mm],a\n0,1\n1,2\n", None, r"column 't \[mm\]': is no time; give times in s or ms"),
        ("t,a\n0,1\n1,x\n", None, r"motion.csv:3: column a = 'x': must be a finite number"),
        ("t,a\n0,1\n1,nan\n", None, r":3: column a = 'nan'"),
        ("t,a\n0,1\n1\n", None, r":3: has 1 columns, the first row has 2"),
        ("t,a\n0,1\n0,2\n", None, r":3: time 0 is not later"),
        ("t,elbow\n0,1\n1,2\n", ["elbo"], r"column 'elbo': is not there \(did you mean 'elbow'\?\)"),
        ("0,1\n1,2\n", ["elbow"], "the first row has no names"),
        ("0,1\n1,2\n", [2], "column 2: is not there; the columns are 0 to 1"),
        ("", None, "has no rows"),
        ("t,a\n0,1\n", None, "at least two"),
    ],
)
def test_a_bad_csv_file_is_named_with_its_line(tmp_path: Path, text: str, columns: list | None, message: str) -> None:
    (tmp_path / "motion.csv").write_text(text)
    with pytest.raises(LissomError, match=message):
        Reference.from_csv(tmp_path / "motion.csv", columns)


def test_a_cell_beyond_all_measure_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "motion.csv").write_text(f"t,a\n0,1\n1,{'1' * 131_073}\n")
    with pytest.raises(
        LissomError, match=r"motion.csv:3: cannot be read as CSV \(field larger than .*one number per cell"
    ):
        Reference.from_csv(tmp_path / "motion.csv")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (5, r"motion.csv: column 5: is not there; the columns are 0 to 1"),
        (1.5, r"^columns = 1.5: must be a list of names or numbers, not a number"),
        ([1.5], r"motion.csv: column 1.5: must be a name, or a number from 0"),
        ([True], r"motion.csv: column true: must be a name, or a number from 0"),
        ("b", r"motion.csv: column 'b': is not there; the columns are t and a"),
    ],
    ids=repr,
)
def test_wrong_columns_are_named(columns: object, message: str, tmp_path: Path) -> None:
    (tmp_path / "motion.csv").write_text("t,a\n0,1\n1,2\n")
    with pytest.raises(LissomError, match=message):
        Reference.from_csv(tmp_path / "motion.csv", columns)  # type: ignore[arg-type]


def test_one_column_may_be_named_alone(tmp_path: Path) -> None:
    (tmp_path / "motion.csv").write_text("t,a,b\n0,1,2\n1,2,3\n")
    for column in ("b", 2):
        assert Reference.from_csv(tmp_path / "motion.csv", column)(0.0)[0] == pytest.approx([2.0])


@pytest.mark.parametrize("path", ["", "a\0b", "/dev/null", "."])
def test_what_is_no_csv_file_is_refused(path: str) -> None:
    with pytest.raises(LissomError):
        Reference.from_csv(path)


def test_a_missing_csv_file_is_named() -> None:
    with pytest.raises(LissomError, match=r"nowhere\.csv: no such CSV file"):
        Reference.from_csv("nowhere.csv")


T = np.linspace(-0.5, 4.0, 181) + 1e-6


@every
def test_shifted_and_scaled_copies(reference: Reference) -> None:
    for plain, later in zip(reference(T - 0.3), reference.shifted(0.3).scaled(-2.0)(T)):
        np.testing.assert_allclose(later, -2.0 * plain, atol=1e-9)


@pytest.mark.parametrize("name", [name for name, r in EXAMPLES.items() if r.channels == 2])
def test_sums_hold_in_value_and_rates(name: str) -> None:
    other = EXAMPLES[name]
    for a, b, both in zip(VIA(T), other.shifted(0.4)(T), (VIA + other.shifted(0.4))(T)):
        np.testing.assert_allclose(both, a + b, atol=1e-9)


def test_stacked_channels_are_selected_again() -> None:
    stacked = Reference.stack([VIA, EXAMPLES["samples"], EXAMPLES["steps"]])
    assert stacked.channels == 5
    for parts, whole in zip(zip(VIA(T), EXAMPLES["samples"](T), EXAMPLES["steps"](T)), stacked(T)):
        np.testing.assert_allclose(whole, np.concatenate(parts, axis=1), atol=1e-9)
    np.testing.assert_allclose(stacked.select([4, 0])(T)[0], stacked(T)[0][:, [4, 0]])


def test_breaks_that_differ_by_round_off_are_one() -> None:
    a, b = Reference.quintic(0.0, 1.0, 0.3), Reference.quintic(0.0, 1.0, 0.1 + 0.2)
    assert len((a + b).breaks) == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Reference.quintic(0, 1, -1), r"duration = -1: must be positive"),
        (lambda: Reference.quintic([0, 1], [1, 2, 3], 1), "has 3 values, start has 2"),
        (lambda: Reference.quintic(0, float("nan"), 1), r"to = nan: must be a finite number"),
        (lambda: Reference.quintic(0, "1", 1), r"to = '1': must be a number, not text"),
        (lambda: Reference.steps([]), "setpoints: is an empty list"),
        (lambda: Reference.steps([(1, 0), (0, 1)]), r"must be later than the one before, 1"),
        (lambda: Reference.steps([(0, [0, 1]), (1, 1)]), r"setpoints\[1\]: has 1 values"),
        (lambda: Reference.trapezoid(0, 1), "a trapezoid takes speed and acceleration"),
        (lambda: Reference.trapezoid(0, 1, speed=0, acceleration=1), "speed = 0: must be positive"),
        (lambda: Reference.trapezoid(0, 1, speed=0.2, duration=3), "takes between 5 s and 10 s"),
        (lambda: Reference.trapezoid(0, 1, acceleration=0.1, duration=3), "takes at least 6.325 s"),
        (lambda: Reference.minimum_jerk([0, 1], [0]), "shape|at least two"),
        (lambda: Reference.from_samples([0, 1, 1], [0, 1, 2]), r"t\[2\] = 1: must be later"),
        (lambda: Reference.from_samples([0, 1], [0, np.inf]), r"values\[1\]\[0\] = inf"),
        (lambda: Reference.from_samples([0, 1], [0, 1], kind="spline"), "choose cubic or linear"),
        (lambda: Reference.from_function(lambda t: np.nan, 1.0), "returned .* at t = 0 s"),
        (lambda: Reference.from_function(lambda t: [1] * (1 + (t > 0.5)), 1.0), "returned shape"),
        (lambda: Reference.from_function(np.sin, 1.0, pieces=0), "pieces = 0"),
        (lambda: Reference.sine(1, 0, 1), "frequency = 0: must be positive"),
        (lambda: Reference.sine([1, 2], [1, 2, 3], 1), "frequency.*has 3 values, not 2"),
        (lambda: Reference.sine(1, 1e5, 1e3), "periods, more than"),
        (lambda: Reference.chirp(1, [1, 2], 1, sweep="quadratic"), "sweep = 'quadratic': is unknown"),
        (lambda: Reference.chirp(1, [1, 2], 1, ramp=0.6), "ramp = 0.6.*at most half"),
        (lambda: Reference.multisine(1, [1, 2], 1, phases=[0, 1, 2]), "phases.*has 3 values, not 2"),
        (lambda: VIA + EXAMPLES["samples"], "2 and 1 channels"),
        (lambda: Reference.sine([1, 2, 3], 1.0, 1.0, [0, 0]), r"amplitude = .*: has 3 values, offset has 2"),
        (lambda: VIA.select(2), "channels = 2: there is no such channel"),
        (lambda: Reference.stack([]), "no references"),
        (lambda: Reference(np.array([0.0, 1.0]), np.zeros((1, 2, 3))), "coefficients: must have shape"),
    ],
)
def test_wrong_arguments_are_named(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(LissomError, match=message):
        make()


def test_roll_pitch_and_yaw_become_quaternions_all_at_once(monkeypatch):
    from lissom.control.schema import pose_motions

    shapes, once = [], pose_motions.so3.from_rpy
    monkeypatch.setattr(pose_motions.so3, "from_rpy", lambda rpy: shapes.append(np.shape(rpy)) or once(rpy))
    t = np.linspace(0.0, 5.0, 1001)
    turned = pose_motions.pose_motion(t, rpy=np.stack([0.3 * np.sin(t), 0.1 * t, t], axis=1))
    assert shapes == [(1001, 3)]
    w, x, y, z = turned(2.0)[0]
    assert np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) == pytest.approx(2.0, abs=1e-9)
