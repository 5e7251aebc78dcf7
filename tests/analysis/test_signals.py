"""Frequency response, spectra, identified modes and the energy audit, on signals with known answers."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray
from single_beams import clamped_beam, hinged_beam

import lissom
from lissom.analysis import (
    amplitude_spectrum,
    audit_energy,
    energy_audit,
    find_peaks,
    identify_modes,
    power_density,
)

# Frequency response


def test_response_of_a_clamped_beam_is_the_sum_over_its_modes_at_resonance_and_elsewhere():
    model = clamped_beam(0.02).compile()
    modes = lissom.natural_modes(model)
    omega = 2 * np.pi * modes.frequencies
    hz = np.concatenate([[0.0], modes.frequencies[:4], np.geomspace(0.1, 500, 60)])
    s = 2j * np.pi * hz[:, None]
    tip = lissom.jacobian(model, model.neutral(), "beam")[4] @ modes.shapes
    expected = (tip**2 / (s**2 + 0.04 * omega * s + omega**2)).sum(axis=1)
    found = lissom.frequency_response(model, outputs="beam.deflection.y", inputs=("tip", "beam", "y"), frequencies=hz)
    assert found.response == pytest.approx(expected, rel=1e-8)
    assert np.array_equal(np.asarray(found), found.response)
    in_y = modes.participation.directions["y"] > 0.5
    first = np.flatnonzero(in_y)[0]
    peak = tip[first] ** 2 / (0.04 * omega[first] ** 2)  # what the first mode alone gives at resonance
    assert found.magnitude[1 + first] == pytest.approx(peak, rel=0.01)
    assert found.magnitude[0] == pytest.approx(1.0 / (3 * 200.0), rel=1e-9)  # static: L^3 / 3 EI
    assert found.phase_deg[0] == pytest.approx(0, abs=1e-9)
    assert found.magnitude_db[0] == pytest.approx(-20 * np.log10(600), rel=1e-9)


def test_response_equals_the_inverse_of_the_dynamic_stiffness():
    model = lissom.load("ella").compile()
    rest = lissom.static_equilibrium(model, {"elbow": 0.8})
    linear = lissom.linearise(model, rest, outputs=["elbow", "forearm.y1.rate"])
    hz = np.array([0.7, 3.0, 11.2, 60.0])
    still = np.zeros(model.nv)
    exact = lissom.dynamics.inverse_derivatives(model, rest.q, still, still)
    found = lissom.frequency_response(
        linear, outputs=["elbow", "forearm.y1.rate"], inputs=["shoulder", "elbow"], frequencies=hz
    )
    assert found.response.shape == (4, 2, 2)
    rows = [model.coordinates.index(name) for name in ("elbow", "forearm.y1")]
    columns = [model.coordinates.index(name) for name in ("shoulder", "elbow")]
    for k, s in enumerate(2j * np.pi * hz):
        expected = np.linalg.inv(s**2 * exact.a + s * exact.v + exact.q)[np.ix_(rows, columns)]
        assert found.response[k] == pytest.approx(expected * [[1], [s]], rel=1e-6)
    table = found.to_dataarray()
    assert complex(table.sel(input="elbow", output="elbow")[1]) == found.response[1, 0, 1]
    whole = lissom.frequency_response(model, rest, outputs=("tip", "forearm"), inputs="elbow", frequencies=hz)
    assert whole.outputs == ("forearm.tip.x", "forearm.tip.y", "forearm.tip.z")


def test_a_discrete_model_answers_like_the_continuous_one_at_low_frequency():
    linear = lissom.linearise(hinged_beam(), outputs=["hinge.rate"])
    hz = np.array([0.5, 2.0])
    slow = lissom.frequency_response(linear, outputs="hinge.rate", inputs="hinge", frequencies=hz).response
    held = lissom.frequency_response(
        linear.discretise(1e-4), outputs="hinge.rate", inputs="hinge", frequencies=hz
    ).response
    assert held == pytest.approx(slow * np.exp(-1j * np.pi * hz * 1e-4), rel=1e-4)  # a hold delays by half a step


def test_a_response_that_is_not_there_is_told():
    linear = lissom.linearise(clamped_beam().compile(), outputs=["beam.y1"], inputs=["beam.y1"])
    with pytest.raises(lissom.LissomError, match=r"output = 'beam\.z1': the linear model has no such output"):
        lissom.frequency_response(linear, outputs="beam.z1", inputs="beam.y1", frequencies=[1.0])
    with pytest.raises(lissom.LissomError, match="has its state already"):
        lissom.frequency_response(linear, np.zeros(8), outputs="beam.y1", inputs="beam.y1", frequencies=[1.0])
    with pytest.raises(lissom.LissomError, match="a list of finite numbers, in Hz"):
        lissom.frequency_response(linear, outputs="beam.y1", inputs="beam.y1", frequencies=[np.nan])
    free = lissom.linearise(hinged_beam(), outputs=["hinge"])
    with pytest.raises(lissom.LissomError, match="no finite response between 0 and 1 Hz"):
        lissom.frequency_response(free, outputs="hinge", inputs="hinge", frequencies=[0.0, 1.0])


# Spectra


def test_a_sine_shows_its_frequency_and_amplitude():
    t = np.arange(4000) / 500.0
    y = 7.0 + 0.8 * np.sin(2 * np.pi * 12.345 * t + 0.3) + 0.05 * np.cos(2 * np.pi * 41.0 * t)
    peaks = amplitude_spectrum(t, y).peaks(2)
    assert peaks.frequencies == pytest.approx([12.345, 41.0], abs=2e-3)
    assert peaks.values == pytest.approx([0.8, 0.05], rel=2e-3)
    both = amplitude_spectrum(t, np.stack([y, 2 * y], axis=1))
    assert both.values[:, 1] == pytest.approx(2 * both.values[:, 0])
    with pytest.raises(lissom.LissomError, match="in one channel"):
        both.peaks()


def test_power_density_integrates_to_the_variance():
    rng = np.random.default_rng(0)
    t = np.arange(20000) * 1e-3
    y = rng.normal(size=len(t)) + 3 * np.sin(2 * np.pi * 50 * t)
    density = power_density(t, y)
    assert np.trapezoid(density.values, density.frequencies) == pytest.approx(y.var(), rel=0.01)
    assert density.peaks(1).frequencies == pytest.approx([50.0], abs=0.5)


def test_peaks_between_the_lines_are_interpolated():
    hz = np.arange(0, 20, 0.5)
    bell = 3.0 * np.exp(-((hz - 7.13) ** 2) / 2) + 1.0 * np.exp(-((hz - 14.9) ** 2) / 2)
    peaks = find_peaks(hz, bell)
    assert peaks.frequencies == pytest.approx([7.13, 14.9], abs=1e-6)
    assert peaks.values == pytest.approx([3.0, 1.0], rel=1e-6)
    assert len(find_peaks(hz, bell, least=0.5).frequencies) == len(find_peaks(hz, bell, number=1).frequencies) == 1


def test_labelled_arrays_and_trajectories_bring_their_times():
    t = np.arange(512) / 100.0
    series = xarray.DataArray(np.sin(2 * np.pi * 5 * t), {"time": t}, ("time",))
    for spectrum in (amplitude_spectrum(series), amplitude_spectrum({"elbow": series}, "elbow")):
        assert spectrum.peaks(1).frequencies == pytest.approx([5.0], abs=1e-2)
    assert identify_modes(series).frequencies == pytest.approx([5.0])


@pytest.mark.parametrize(
    ("t", "y", "message"),
    [
        (np.arange(20.0), np.zeros(19), "do not fit"),
        (np.arange(5.0), np.zeros(5), "signal: 5 samples are too few"),
        (np.arange(20.0) ** 2, np.zeros(20), "even intervals"),
        (np.arange(20.0), np.full(20, np.nan), "not finite"),
        (np.arange(20.0), None, "give times and values"),
    ],
)
def test_signals_that_cannot_be_used_are_refused(t, y, message):
    with pytest.raises(lissom.LissomError, match=message):
        amplitude_spectrum(t, y)


# Identified modes


def decay(t, *modes, offset=0.0):
    """Sum of modes (hz, zeta, amplitude, phase)."""
    y = np.full_like(t, offset)
    for hz, zeta, amplitude, phase in modes:
        omega = 2 * np.pi * hz
        y += amplitude * np.exp(-zeta * omega * t) * np.cos(omega * np.sqrt(1 - zeta**2) * t + phase)
    return y


MODES = [(1.84, 0.012, 1.0, 0.4), (5.65, 0.03, 0.3, -1.1), (6.1, 0.008, 0.2, 2.0)]


@pytest.mark.parametrize("number", [None, 3])
@pytest.mark.parametrize("offset", [0.0, 2.5])
def test_clean_decays_give_back_frequency_damping_amplitude_and_phase(number, offset):
    t = np.arange(1500) / 500.0 + 2.0
    found = identify_modes(t, decay(t - 2.0, *MODES, offset=offset), number)
    hz, zeta, amplitude, phase = np.transpose(MODES)
    assert found.frequencies == pytest.approx(hz, rel=1e-6)
    assert found.damping_ratios == pytest.approx(zeta, rel=1e-6)
    assert found.amplitudes == pytest.approx(amplitude, rel=1e-5)
    assert found.phases == pytest.approx(phase, abs=1e-5)
    assert found.misfit < 1e-8
    assert found.table().row_count == len(found) == 3


def test_noise_of_one_per_cent_leaves_three_digits_of_frequency():
    rng = np.random.default_rng(4)
    t = np.arange(4000) / 500.0
    y = decay(t, *MODES[:2]) + 0.01 * rng.normal(size=len(t))
    found = identify_modes(t, y, least=0.05)
    assert found.frequencies == pytest.approx([1.84, 5.65], rel=2e-3)
    assert found.damping_ratios == pytest.approx([0.012, 0.03], rel=0.1)


def test_channels_share_their_poles():
    t = np.arange(800) / 200.0
    y = np.stack([decay(t, MODES[0]), decay(t, MODES[0], MODES[1])], axis=1)
    found = identify_modes(t, y)
    assert found.frequencies == pytest.approx([1.84, 5.65], rel=1e-6)
    assert found.amplitudes == pytest.approx(np.array([[1.0, 1.0], [0.0, 0.3]]), abs=1e-6)


def test_a_free_decay_of_a_beam_shows_its_natural_modes():
    model = clamped_beam(0.01).compile()
    linear = lissom.linearise(model, outputs=["beam.deflection.y"])
    step = linear.discretise(1e-3)
    x = np.zeros(len(step.A))
    x[model.coordinates.index("beam.y1")], x[model.coordinates.index("beam.y2")] = 1e-3, 2e-4
    y = np.empty(1200)
    for k in range(len(y)):
        y[k] = (step.C @ x)[0]
        x = step.A @ x
    found = identify_modes(np.arange(len(y)) * 1e-3, y, least=0.01)
    modes = lissom.natural_modes(model)
    in_y = [k for k, label in enumerate(modes.labels) if "bending y" in label]
    assert found.frequencies[:2] == pytest.approx(modes.frequencies[in_y[:2]], rel=1e-6)
    assert found.damping_ratios[:2] == pytest.approx([0.01, 0.01], rel=1e-6)


def test_a_constant_or_an_impossible_number_is_refused():
    t = np.arange(100) * 0.01
    with pytest.raises(lissom.LissomError, match="constant"):
        identify_modes(t, np.full(100, 3.0))
    with pytest.raises(lissom.LissomError, match="1 or more"):
        identify_modes(t, np.sin(t), 0)


# Energy audit


def test_rounding_of_what_stands_still_is_no_leak():
    t = np.linspace(0, 1, 51)
    energies = 20 + 1e-13 * np.random.default_rng(2).normal(size=51)
    audit = audit_energy(t, energies, 0 * t, 0 * t)
    assert np.any(audit.residual)
    assert audit.relative == 0


def test_the_audit_finds_a_leak_its_time_and_its_share():
    t = np.linspace(0, 2, 201)
    work, lost = 10 * t, 2 * t**2
    parts = np.stack([5 * np.sin(t) ** 2, 100 + work - lost - 5 * np.sin(t) ** 2], axis=1)
    assert audit_energy(t, parts, work, lost).relative < 1e-14
    parts[120:, 0] += 0.04
    parts[120, 0] += 0.01
    audit = audit_energy(t, parts, work, lost)
    assert audit.worst_time == pytest.approx(1.2)
    assert audit.relative == pytest.approx(0.05 / 20)
    assert "0.05 J at t = 1.2 s, 0.0025 of the 20 J that moved" in str(audit)
    assert audit.monotonic
    assert "warning" not in str(audit)
    assert "a damper feeds energy in" in audit_energy(t, parts, work, -lost).report()
    with pytest.raises(lissom.LissomError, match="one length"):
        audit_energy(t, parts[1:], work, lost)
    with pytest.raises(lissom.LissomError, match="audit=True"):
        audit_energy(t, parts, work * np.nan, lost)


def test_a_swinging_arm_keeps_its_energy():
    model = lissom.load("l-mechanism").compile()
    q, v, h = model.neutral(), np.zeros(model.nv), 2e-6
    times, states = [0.0], [(q, v)]
    for k in range(150):
        stages = [(v, lissom.forward_dynamics(model, q, v))]
        for part in (0.5, 0.5, 1.0):
            rate = v + part * h * stages[-1][1]
            stages.append((rate, lissom.forward_dynamics(model, q + part * h * stages[-1][0], rate)))
        q, v = (y + h / 6 * (a + 2 * b + 2 * c + d) for y, a, b, c, d in zip((q, v), *stages, strict=True))
        times.append((k + 1) * h)
        states.append((q, v))
    none = np.zeros(len(times))
    q, v = map(np.array, zip(*states))
    run = SimpleNamespace(model=model, time=times, q=q, v=v, work=none, dissipated=none)
    audit = energy_audit(run)
    assert audit.scale > 0
    assert audit.relative < 1e-6
    with pytest.raises(lissom.LissomError, match="it lacks model"):
        energy_audit(SimpleNamespace())


def test_a_damped_run_is_audited_alike_from_its_results():
    run = lissom.simulate(hinged_beam(), 0.05, start={"hinge.rate": 1.0, "beam.y1": 0.01})
    audit = energy_audit(run)
    assert audit.relative < 1e-4
    assert audit.dissipated[-1] > 0
    assert audit.monotonic
    assert audit.residual == pytest.approx(run.energy_audit().residual, rel=1e-6)
    assert amplitude_spectrum(run, "beam.y1").values.shape[0] > 8
