"""Ideal sensors against differences of motions, beam formulas and the wrenches of joints."""

import numpy as np
import pytest
from random_robots import random_description, random_state
from soft_arms import one_body

import lissom
from lissom.dynamics import sense
from lissom.dynamics.sensing import Sensing
from lissom.errors import LissomError
from lissom.lie import so3
from lissom.model import Accelerometer, Encoder, ForceTorque, Gyro, Position, StrainGauge, Tachometer
from lissom.results.registry.section_forces import _advance

KINDS = ("revolute", "free", "spherical", "universal", "prismatic", "cylindrical")


def moving(seed, stiffening):
    """A random tree with its state and accelerations."""
    rng = np.random.default_rng(seed)
    robot = lissom.Robot.from_dict(random_description(rng, KINDS, flexible=0.6, stiffening=stiffening))
    q, v = random_state(robot, rng)
    return robot.compile(), q, v, rng.normal(size=len(v))


def place(model, link):
    """Where a sensor sits: in the middle of a beam, off the axis and turned."""
    beam = model.robot.link(link).beam
    return {"link": link, "at": None if beam is None else 0.6 * beam.length} | {
        "origin": {"xyz": [0.03, -0.02, 0.05], "rpy": [0.3, -0.5, 0.7]}
    }


@pytest.mark.parametrize("stiffening", ["none", "first", "exact"])
@pytest.mark.parametrize("seed", [1, 2])
def test_accelerometers_are_second_differences_of_places_less_gravity(seed, stiffening):
    model, q, v, a = moving(seed, stiffening)
    sensors = [Accelerometer(name=f"a-{link}", **place(model, link)) for link in model.links]
    sensors += [Position(name=f"p-{link}", **place(model, link)) for link in model.links]
    sensing, still = Sensing(model, sensors), np.zeros(model.nv)
    count, h = 3 * len(model.links), 2e-4

    def places(time):
        return sensing(_advance(model, q[None], v[None], a[None], np.array([[time]]))[0], still, still)[count:]

    second = (places(h) - 2 * places(0.0) + places(-h)) / h**2
    read = sensing(q, v, a)[:count].reshape(-1, 3)
    for k, link in enumerate(model.links):
        own = place(model, link)
        R = lissom.point_pose(model, q, link, own["at"])[:3, :3] @ so3.from_rpy(own["origin"]["rpy"])
        wanted = R.T @ (second[3 * k : 3 * k + 3] - model.robot.gravity)
        assert np.abs(read[k] - wanted).max() < 2e-5 * (1 + np.abs(wanted).max())


@pytest.mark.parametrize("stiffening", ["none", "first", "exact"])
def test_gyros_and_positions_are_those_of_the_point(stiffening):
    model, q, v, _ = moving(5, stiffening)
    for link in model.links:
        own = place(model, link)
        found = sense(model, q, v, sensors=[Gyro(name="g", **own), Position(name="p", **own)])
        offset, turn = own["origin"]["xyz"], so3.from_rpy(own["origin"]["rpy"])
        rate = lissom.point_velocity(model, q, v, link, own["at"], frame="local")[:3]
        assert np.abs(found["g"] - turn.T @ rate).max() < 1e-12
        assert np.abs(found["p"] - lissom.point_pose(model, q, link, own["at"], offset)[:3, 3]).max() < 1e-12


def test_a_body_that_falls_and_spins_feels_nothing_at_its_centre():
    model = one_body("free", gravity=(0, 0, -9.81))
    q, v = model.neutral(), np.array([1.0, -2.0, 3.0, 0.4, 0.5, 0.6])
    a = lissom.forward_dynamics(model, q, v, np.zeros(6))
    found = sense(model, q, v, a, [Accelerometer(link="body"), Gyro(link="body")])
    assert np.abs(found["accelerometer-body"]).max() < 1e-14
    assert np.array_equal(found["gyro-body"], v[:3])


def test_at_rest_an_accelerometer_reads_the_ground_that_holds_it():
    model = one_body("spherical", gravity=(0, 0, -9.81))
    sensor = Accelerometer(link="body", origin={"rpy": [0, np.pi / 2, 0]})
    found = sense(model, model.neutral(), sensors=sensor)["accelerometer-body"]
    assert np.abs(found - [-9.81, 0, 0]).max() < 1e-14


def test_the_tip_of_a_rigid_link_is_where_its_position_is_read():
    model = one_body("prismatic", tip=[0.4, 0, 0.1])
    q = np.array([0.3])
    found = sense(
        model, q, sensors=[Position(link="body"), Position(name="more", link="body", origin={"xyz": [1, 0, 0]})]
    )
    assert np.abs(found["position-body"] - lissom.tip_pose(model, q)[:3, 3]).max() < 1e-15
    assert np.abs(found["more"] - lissom.point_pose(model, q, "body", offset=(1, 0, 0))[:3, 3]).max() < 1e-15


@pytest.mark.parametrize("stiffening", ["none", "first", "exact"])
@pytest.mark.parametrize(("face", "axis", "sign"), [("y", 1, 1), ("-y", 1, -1), ("z", 2, 1), ("-z", 2, -1)])
def test_gauges_read_the_bending_of_a_cantilever(stiffening, face, axis, sign):
    width, height, length, E, force, x = 0.02, 0.03, 0.8, 7e10, 0.5, 0.3
    robot = cantilever(length, {"shape": "rectangle", "width": width, "height": height}, E, stiffening)
    push = np.zeros(6)
    push[3 + axis] = force
    at = lissom.static_equilibrium(robot, loads={"beam": push})
    size = width if axis == 1 else height
    second = width * height * size**2 / 12
    curvature = force * (length - x) / (E * second)
    gauges = [StrainGauge(link="beam", at=x, face=face, name="strain")]
    gauges.append(StrainGauge(link="beam", at=x, face=face, name="curvature", reading="curvature"))
    found = sense(robot, at.q, sensors=gauges)
    assert found["strain"] == pytest.approx(-sign * curvature * size / 2, rel=1e-6)
    assert found["curvature"] == pytest.approx(sign * curvature, rel=1e-6)


def test_gauges_on_a_tapered_beam_read_the_local_section():
    length, E, force, x = 0.8, 7e10, 0.5, 0.3
    sections = [{"shape": "rectangle", "width": w, "height": 0.03} for w in (0.03, 0.02)]
    stations = [{"x": 0.0, "section": sections[0]}, {"x": length, "section": sections[1]}]
    robot = cantilever(length, None, E, "first", stations=stations, modes={"y": 4})
    at = lissom.static_equilibrium(robot, loads={"beam": [0, 0, 0, 0, force, 0]})
    width = 0.03 - 0.01 * x / length
    wanted = -force * (length - x) * (width / 2) / (E * 0.03 * width**3 / 12)
    assert sense(robot, at.q, sensors=StrainGauge(link="beam", at=x))["strain-gauge-beam"] == pytest.approx(
        wanted, rel=1e-6
    )


def test_a_fibre_off_the_planes_of_bending_feels_both_and_the_pull():
    width, height, length, E, x = 0.02, 0.03, 0.8, 7e10, 0.25
    robot = cantilever(length, {"shape": "rectangle", "width": width, "height": height}, E, "none")
    fx, fy, fz = 40.0, 0.3, -0.2
    at = lissom.static_equilibrium(robot, loads={"beam": [0, 0, 0, fx, fy, fz]})
    Iz, Iy = height * width**3 / 12, width * height**3 / 12
    y, z = 0.004, -0.009
    wanted = fx / (E * width * height) - y * fy * (length - x) / (E * Iz) - z * fz * (length - x) / (E * Iy)
    gauge = StrainGauge(link="beam", at=x, fibre=[y, z])
    assert sense(robot, at.q, sensors=gauge)["strain-gauge-beam"] == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("stiffening", ["first", "exact"])
def test_strains_are_those_of_the_strain_energy(stiffening):
    """The energy is half the sum of section stiffness times strains squared, to third order with the first field."""
    robot = cantilever(0.8, {"shape": "rectangle", "width": 0.02, "height": 0.03}, 7e10, stiffening)
    beam, rng = robot.compile().flexible["beam"], np.random.default_rng(3)
    from lissom.beam.fibre_strain import SectionStrain

    nodes, weights = np.polynomial.legendre.leggauss(24)
    x, weights = 0.4 + 0.4 * nodes, 0.4 * weights
    stiffness, _ = beam._section_stiffness(x / 0.8)
    eta = rng.normal(size=beam.count) * 3e-3

    def energy(size):
        strains = np.array([SectionStrain(beam, each)(size * eta) for each in x])
        return 0.5 * np.einsum("ka,kab,kb,k->", strains, stiffness, strains, weights)

    def odd(function):  # the terms of third order, which tell strains of second order from linear ones
        return (function(1.0) - function(-1.0)) / 2

    assert energy(1.0) == pytest.approx(beam.strain_energy(eta), rel=2e-4 if stiffening == "first" else 1e-6)
    assert odd(energy) == pytest.approx(odd(lambda size: beam.strain_energy(size * eta)), rel=1e-3)


def test_encoders_and_tachometers_on_both_sides_of_elastic_gears_and_on_quaternions():
    rng = np.random.default_rng(4)
    data = random_description(rng, ("revolute", "spherical", "universal"), flexible=0.0, transmissions=0.0)
    gear = {"rotor_inertia": 0.01, "gear": 50, "stiffness": 100.0}
    data["links"][0]["joint"] = {"name": "joint0", "type": "revolute", "axis": [0, 0, 1], "transmission": gear}
    model = lissom.Robot.from_dict(data).compile()
    q, v = random_state(model.robot, rng)
    sensors = [Encoder(joint=f"joint{k}", name=f"e{k}") for k in range(3)]
    sensors += [Tachometer(joint=f"joint{k}", name=f"t{k}") for k in range(3)]
    sensors += [Encoder(joint="joint0", side="motor", name="em"), Tachometer(joint="joint0", side="motor", name="tm")]
    found = sense(model, q, v, sensors=sensors)
    body = model.bodies
    assert found["e0"] == q[body[0].joint_q][0]
    assert found["em"] == q[body[0].rotor_q]
    assert found["t0"] == v[body[0].joint_v][0]
    assert found["tm"] == v[body[0].rotor_v]
    for k in (1, 2):
        assert np.array_equal(found[f"e{k}"], q[body[k].joint_q])
        assert np.array_equal(found[f"t{k}"], v[body[k].joint_v])
    assert Sensing(model, [Encoder(joint="joint1")]).labels == tuple(
        f"encoder-joint1.{c}" for c in ("qw", "qx", "qy", "qz")
    )


@pytest.mark.parametrize("stiffening", ["none", "first", "exact"])
def test_force_torque_sensors_are_the_wrenches_of_joints(stiffening):
    model, q, v, a = moving(7, stiffening)
    found = sense(model, q, v, a, [ForceTorque(joint=joint) for joint in model.joints])
    wanted = lissom.joint_wrenches(model, q, v, a)
    for row, joint in zip(wanted, model.joints, strict=True):
        assert np.abs(found[f"force-torque-{joint}"] - row).max() < 1e-9 * (1 + np.abs(row).max())


def test_force_torque_sensors_in_joints_of_loops_and_of_their_trees():
    model = lissom.load("five-bar").compile()
    q, still = lissom.close_loops(model), np.zeros(model.nv)
    closed = lissom.closed_loops(model, q, still)
    loop, joint = model.robot.loops[0].name, model.joints[0]
    sensors = [ForceTorque(joint=loop, name="l"), ForceTorque(joint=joint, name="j")]
    found = sense(model, q, still, closed.a, sensors, closed.multipliers)
    assert np.abs(found["l"] - closed.wrenches[0]).max() < 1e-9
    assert np.abs(found["l"]).max() > 0.1
    wanted = lissom.joint_wrenches(model, q, still, closed.a, multipliers=closed.multipliers)[0]
    assert np.abs(found["j"] - wanted).max() < 1e-9
    assert np.abs(wanted).max() > 0.1
    with pytest.raises(LissomError, match=r"has loops.*multipliers"):
        sense(model, q, sensors=sensors)


def test_readings_can_be_derived_by_the_complex_step():
    model, q, v, a = moving(11, "first")
    beams = list(model.flexible)
    sensors = [Accelerometer(link=model.links[-1]), ForceTorque(joint=model.joints[0]), Gyro(link=model.links[2])]
    sensors += [StrainGauge(link=beams[0], at=0.05, fibre=[0.01, 0.004])]
    sensing, step = Sensing(model, sensors), 1e-20
    direction = np.random.default_rng(0).normal(size=model.nv)
    exact = np.imag(sensing(q, v + 1j * step * direction, a)) / step
    h = 1e-6
    near = (sensing(q, v + h * direction, a) - sensing(q, v - h * direction, a)) / (2 * h)
    assert np.abs(exact - near).max() < 1e-6 * (1 + np.abs(exact).max())


def cantilever(length, section, E, stiffening, **changes):
    beam = {"length": length, "material": "m", "modes": {"y": 3, "z": 3, "torsion": 1, "axial": 1}, "shear": "none"}
    beam |= {"stiffening": stiffening, **({"section": section} if section else {})} | changes
    links = [{"name": "beam", "joint": "fixed", "beam": beam}]
    materials = {"m": {"E": E, "nu": 0.3, "rho": 2700.0}}
    data = {"lissom": 1, "name": "cantilever", "gravity": [0, 0, 0], "materials": materials, "links": links}
    return lissom.Robot.from_dict(data)


def turned_bar():
    """A flat bar turned by 30 degrees about x and shifted."""
    section = {"shape": "rectangle", "width": 0.02, "height": 0.06, "turn": np.pi / 6, "offset": [0.01, 0.02]}
    return cantilever(1.0, section, 7e10, "none")


def test_a_fibre_is_given_along_the_axes_of_the_link_however_its_section_is_turned():
    turn, load, x = np.pi / 6, -20.0, 0.3
    robot = turned_bar()
    at = lissom.static_equilibrium(robot, loads={"beam": [0, 0, 0, 0, 0, load]})
    edge = np.array([0.01, 0.02]) + 0.03 * np.array([-np.sin(turn), np.cos(turn)])  # the middle of its upper edge
    across = load * np.cos(turn)  # the part of the load that bends it about its own strong axis
    wanted = -0.03 * across * (1.0 - x) / (7e10 * 0.02 * 0.06**3 / 12)
    gauge = StrainGauge(link="beam", at=x, fibre=edge.tolist())
    assert sense(robot, at.q, sensors=gauge)["strain-gauge-beam"] == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("fibre", [[0.0, 0.0], [0.03, 0.02], [0.01, -0.02]])
def test_a_fibre_beside_the_material_is_refused_with_what_the_section_reaches_over(fibre):
    gauge = StrainGauge(link="beam", at=0.3, fibre=fibre)
    with pytest.raises(LissomError, match=r"fibre.*lies beside the material of the section at x = 0.3 m"):
        Sensing(turned_bar().compile(), [gauge])
