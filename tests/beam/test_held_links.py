"""Links held at both ends, of any section: bow and shortening against the geometrically exact field.

A link between two pins bears forces across its span and a force along its chord. It comes to rest where its energy is
least; bow and shortening are seen from the chord, whatever the frame of the link.
"""

import numpy as np
import pytest

import lissom
from lissom.beam.flexible_link import PLACES, bow, small_deflection
from lissom.model.compilation.end_conditions import EndConditions
from lissom.model.flexible.beam import Beam
from lissom.model.flexible.material import Material

STEEL = {"steel": Material(E=2.1e11, nu=0.3, rho=7850.0)}
STEP = 1e-30
MODES = {"y": 5, "axial": 1}  # of all: enough for forces at three places, so that fields alone differ
PINNED = (("y", "legendre"),)
KINDS = ("uniform", "tapered", "stepped", "off-centre", "soft in shear", "shear-rigid")


def description(rng, kind):
    """A random slender beam that bends in its x-y plane."""
    length = rng.uniform(0.4, 3.0)

    def strip():
        height = length / rng.uniform(60, 150)  # along y
        return {"shape": "rectangle", "width": float(height), "height": float(rng.uniform(3, 8) * height)}

    beam = {"length": length, "material": "steel"}
    if kind == "uniform":
        outer = length / rng.uniform(60, 120)
        tube = {"shape": "tube", "outer": outer, "thickness": outer / rng.uniform(5, 15)}
        return beam | {"section": tube if rng.random() < 0.5 else strip()}
    if kind == "off-centre":  # an angle with its corner on the axis has its centroid beside it
        section = strip()
        return beam | {"section": section | {"offset": [float(rng.uniform(0.2, 1.0) * section["width"]), 0.0]}}
    if kind == "soft in shear":  # a sandwich: a tenth of the deflection or more is shear
        EI = float(rng.uniform(5, 50))
        kGA = float(rng.uniform(40, 120) * EI / length**2)
        given = {"EA": 4e4 * EI, "rhoA": 1.0, "EIy": EI, "EIz": EI, "GJ": EI, "Jx": 1e-3, "kGAy": kGA, "kGAz": kGA}
        return {"length": length, "section": given}
    if kind == "shear-rigid":
        return beam | {"section": strip(), "shear": "none"}
    first, second = strip(), strip()
    second = {**second, "width": first["width"] * rng.uniform(0.7, 1.5)}
    middle = float(length * rng.uniform(0.3, 0.7))
    places = [(0.0, first), (length, second)]
    if kind == "stepped":
        places = [(0.0, first), (middle, first), (middle, second), (length, second)]
    return beam | {"stations": [{"x": x, "section": section} for x, section in places]}


def made(beam, how, **options):
    return Beam.model_validate(beam | options).build({} if "material" not in beam else STEEL, how)


class Rest:
    """Where a link of least energy rests: its largest distance from the chord, and how much shorter the chord is."""

    def __init__(self, link, across, along):
        self.link, self.across, self.along = link, across, along
        self.scale = np.linalg.inv(np.linalg.cholesky(np.real(link.stiffness()))).T
        z = np.zeros(link.count)
        for _ in range(40):
            gradient = self.gradient(z[None])[0]
            h = 1e-6 * np.sqrt(1e-12 + self.energy(z[None])[0].real ** 2) ** 0.5 + 1e-9
            moved = z + h * np.concatenate([np.eye(len(z)), -np.eye(len(z))])
            ahead, behind = np.split(self.gradient(moved), 2)
            H = (ahead - behind) / (2 * h)
            step = -np.linalg.solve((H + H.T) / 2, gradient)
            z = z + step
            if np.abs(step).max() < 1e-9 * np.abs(z).max():
                break
        else:
            raise AssertionError("no rest")
        eta = self.scale @ z
        self.eta, self.bow = eta, float(bow(link, eta))
        self.shortening = float(link.length - np.linalg.norm(link.pose(link.length, eta)[:3, 3]))

    def energy(self, z):
        """Of z (n, m), less the work of the forces: (n,)."""
        eta, link = z @ self.scale.T, self.link
        tip = link.pose(link.length, eta)[:, :3, 3]
        chord = np.sqrt((tip**2).sum(axis=1))
        found = link.strain_energy(eta) - self.along * (link.length - chord)
        for x, force in self.across:
            place = link.pose(x, eta)[:, :3, 3]
            found = found - force * (place[:, 1] * tip[:, 0] - place[:, 0] * tip[:, 1]) / chord
        return found

    def gradient(self, z):
        """By complex steps, (n, m)."""
        n, m = z.shape
        steps = (z[:, None] + 1j * STEP * np.eye(m)).reshape(n * m, m)
        return self.energy(steps).imag.reshape(n, m) / STEP


def loads(rng, link, size):
    """Forces across the span that bow it by about `size` of its length, and one along the chord."""
    places = np.sort(rng.uniform(0.15, 0.85, 3)) * link.length
    shares = rng.uniform(0.2, 1.0, 3) * np.array([1, 1, rng.choice([1, -0.3])])
    push = rng.uniform(-1.0, 0.6)  # of the force that buckles it
    y = slice(0, link.basis.counts["y"])
    K = np.real(link.stiffness())[y, y]
    sections = link.field.sections(link.field.fraction(np.append(places, link.length)))
    phi = sections.phi[:, 1, y] - np.outer(np.append(places, link.length) / link.length, sections.phi[-1, 1, y])
    chord = link.field.sections(np.linspace(0, 1, 41))
    slopes = chord.psi[:, 2, y] - sections.phi[-1, 1, y] / link.length
    G = link.length * np.einsum("ki,kj,k->ij", slopes, slopes, np.r_[0.5, np.ones(39), 0.5] / 40)
    buckling = 1 / np.linalg.eigvals(np.linalg.solve(K, G)).real.max()
    eta = np.linalg.solve(K - push * buckling * G, phi[:3].T @ shares)
    line = chord.phi[:, 1, y] - np.outer(np.linspace(0, 1, 41), sections.phi[-1, 1, y])
    factor = size * link.length / np.abs(line @ eta).max()
    return list(zip(places.tolist(), (factor * shares).tolist(), strict=True)), push * buckling


@pytest.mark.parametrize("seed", range(60))
def test_bow_and_shortening_are_those_of_the_exact_field(seed):
    rng = np.random.default_rng(seed)
    beam = description(rng, KINDS[seed % len(KINDS)])
    exact = made(beam, EndConditions(PINNED), modes=MODES, stiffening="exact")
    across, along = loads(rng, made(beam, EndConditions(PINNED), modes=MODES), rng.uniform(0.005, 0.03))
    true = Rest(exact, across, along)
    for chord in ((), ("y",)):
        found = Rest(made(beam, EndConditions(PINNED, chord, fourth_order=True), modes=MODES), across, along)
        along_it = found.link.displacement(np.array(PLACES) * found.link.length, found.eta)
        if np.linalg.norm(along_it, axis=-1).max() > small_deflection(found.link) * found.link.length:
            continue  # told by a warning
        assert found.bow == pytest.approx(true.bow, rel=0.005), chord
        shortening = abs(true.shortening) + 0.1 * true.bow**2 / exact.length  # where pull and bow cancel, of either
        assert abs(found.shortening - true.shortening) < 0.01 * shortening, chord


@pytest.mark.parametrize("seed", range(8))
def test_couples_inside_a_span_turn_it_as_in_the_exact_field(seed):
    """A rod between two pins that do not give way: its slopes at the couple are sines, not angles."""
    rng = np.random.default_rng(seed)
    length, x = 2.0, 2.0 * float(rng.uniform(0.3, 0.7))
    section = {"rhoA": 3.0, "EA": 6e7, "EIy": 1.2e4, "EIz": 1.2e4, "GJ": 1e4, "Jx": 1e-3}
    pin = {"type": "revolute", "axis": [0, 1, 0]}
    end = {
        "name": "end",
        "joint": pin,
        "between": [{"link": "rod"}, {"link": "world", "origin": {"xyz": [length, 0, 0]}}],
    }
    load = {("rod", x): [0, float(rng.uniform(3e3, 7e3)), 0, 0, 0, float(rng.uniform(-4e3, 4e3))]}

    def tension_and_sag(field):
        rod = {"name": "rod", "joint": pin | {"name": "pin"}, "beam": {"length": length, "section": section}}
        rod["beam"]["stiffening"] = field
        data = {"lissom": 1, "name": "rod", "gravity": [0, 0, 0], "links": [rod], "loops": [end]}
        rest = lissom.static_equilibrium(lissom.Robot.from_dict(data), hold=(), loads=load)
        return rest.loop_wrenches["end"][3], lissom.point_pose(rest.model, rest.q, "rod", x)[2, 3]

    found, expected = tension_and_sag("first"), tension_and_sag("exact")
    assert found == pytest.approx(expected, rel=5e-3)
