"""Controllers as C: compiled, and equal to Python sample by sample."""

import subprocess
from typing import Any

import numpy as np
import pytest

import lissom
from lissom import LissomError, control
from lissom.control import Notch, Reference, Sampled
from lissom.export import controller_to_c
from lissom.model import Encoder

ELLA = lissom.load("ella").compile()
GAINS = {"shoulder": {"p": 2000.0, "i": 900.0, "d": 200.0}, "elbow": {"p": 600.0, "i": 500.0, "d": 40.0}}
MOTION = Reference.quintic([0.0, 0.0], [0.2, 0.6], 0.5)


def controllers() -> dict[str, Any]:
    stiff = {joint: {"p": gain["p"], "d": gain["d"]} for joint, gain in GAINS.items()}
    eyes = [Encoder(joint=j, counts=40000) for j in ("shoulder-yaw", "shoulder", "elbow")]
    keep = {"elbow": 0.02, "shoulder": 0.02, "shoulder-yaw": 0.02}
    notches = {"elbow": [15.0, Notch(40.0, 0.1)]}
    fast = {"rate": 20000.0}
    return {
        "pd": Sampled(control.pd(ELLA, stiff, MOTION, saturation=50.0), 20000.0),
        "pd-gravity": Sampled(control.pd(ELLA, stiff, MOTION, gravity_compensation=True), 20000.0),
        "pid": control.pid(ELLA, GAINS, MOTION, notches=notches, saturation=20.0, **fast),
        "pid-feedforward": control.pid(ELLA, GAINS, MOTION, inverse_dynamics=True, derivative=400.0, **fast),
        "lqr": control.lqr(ELLA, delay=0.0007),
        "lqg": control.lqg(ELLA, sensors=eyes, keep=keep, torque=10.0, frequency=60, rate=500),
        "schedule": control.schedule(ELLA, control.lqr, [{"elbow": 0.2}, {"elbow": 0.6}, {"elbow": 1.0}]),
    }


@pytest.mark.parametrize("name", ["pd", "pd-gravity", "pid", "pid-feedforward", "lqr", "lqg", "schedule"])
def test_the_code_gives_the_torques_of_python(name: str, tmp_path: Any) -> None:
    law = controllers()[name]
    shaper = control.impulses("zvd", 7.3, 0.02) if name == "pid" else None
    folder = controller_to_c(ELLA, law, tmp_path / "code", name="arm", shaper=shaper)
    done = subprocess.run(
        ["make", "-C", folder, "test", "CFLAGS=-O1 -Wall -Wextra -Wpedantic -Werror"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all equal" in done.stdout
    text = (folder / "check.c").read_text()
    (folder / "check.c").write_text(text.replace("wanted[SAMPLES][NA] = {{", "wanted[SAMPLES][NA] = {{1e3 + ", 1))
    assert subprocess.run(["make", "-C", folder, "test"], capture_output=True, check=False).returncode != 0


def test_the_shaper_of_the_code_is_that_of_references() -> None:
    """Samples between which the code interpolates, beside the exact shaped reference: off by the square of a period."""
    from lissom.export.c.controller_check import _shaped

    impulses, motion = control.impulses("zvd", 7.3, 0.02), Reference.quintic([0.0], [1.0], 0.4)
    off = []
    for rate in (1000.0, 4000.0):
        t = np.arange(int(0.8 * rate)) / rate
        r = np.stack(motion(t), axis=1)
        off.append(np.abs(_shaped(impulses, r, rate)[:, 0] - control.shape(motion, impulses)(t)[0]).max())
    assert off[0] < 1e-5
    assert off[1] < off[0] / 10


def test_what_has_no_form_as_data_is_refused(tmp_path: Any) -> None:
    with pytest.raises(LissomError, match=r"must be sampled"):
        controller_to_c(ELLA, control.pd(ELLA, {"elbow": {"p": 1.0, "d": 0.0}}, 0.0), tmp_path)
    with pytest.raises(LissomError, match=r"is a function in Python"):
        controller_to_c(ELLA, Sampled(lambda t, q, v: 0 * v), tmp_path)
