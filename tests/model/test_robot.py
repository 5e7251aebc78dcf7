"""The robot's description in Python: defaults, the tree, values by path, derived bodies."""

import math
import pickle
import re

import numpy as np
import pytest
from rich_robots import rich_robot

from lissom.errors import LissomError, RobotError
from lissom.model import (
    Beam,
    Body,
    Box,
    BoxBody,
    Circle,
    CylinderBody,
    Joint,
    Limits,
    Link,
    Mass,
    Material,
    Modes,
    Origin,
    Rectangle,
    Robot,
    SphereBody,
    Stiffness,
    Transmission,
    Tube,
    load,
)
from lissom.model.io.robot_paths import unit_of

STEEL = Material(E=2.1e11, rho=7800)
BEAM = Beam(length=1.0, material="steel", section=Tube(outer=0.04, thickness=0.002), shear="none")
HINGE = Joint(type="revolute", axis=(0, 0, 1))


def robot(*links: Link, **fields: object) -> Robot:
    return Robot(**{"name": "test", "materials": {"steel": STEEL}, "links": links} | fields)  # type: ignore[arg-type]


def test_defaults_are_those_of_the_format() -> None:
    made = robot(Link(name="a", joint=HINGE, beam=BEAM), Link(name="b", joint="fixed", body=Body(mass=1)))  # type: ignore[arg-type]
    assert made.gravity == (0, 0, -9.81)
    assert [link.parent for link in made.links] == ["world", "a"]
    first, second = made.links
    assert first.joint.name == "a"
    assert first.at is None
    assert first.origin == Origin(xyz=(0, 0, 0), rpy=(0, 0, 0))
    assert first.beam == Beam(
        length=1.0,
        material="steel",
        section=Tube(outer=0.04, thickness=0.002),
        shear="none",
        modes="auto",
        ends="auto",
        damping=0.0,
        stiffening="first",
        masses=(),
    )
    assert first.joint.damping == 0
    assert second.joint.type == "fixed"
    assert second.body.com == (0, 0, 0)  # type: ignore[union-attr]
    assert np.array_equal(second.body.inertia, np.zeros((3, 3)))  # type: ignore[union-attr]


def test_python_and_yaml_give_equal_robots() -> None:
    made = robot(Link(name="a", joint=Joint(name="h", type="revolute", axis=(0, 0, 2)), beam=BEAM))
    text = """
        lissom: 1
        name: test
        materials: {steel: {E: 2.1e11, rho: 7800}}
        links:
          - name: a
            joint: {name: h, type: revolute, axis: [0, 0, 1]}
            beam: {length: 1, material: steel, section: {shape: tube, outer: 0.04, thickness: 0.002}, shear: none}
    """
    assert Robot.from_yaml(text) == made


def test_modes_that_are_not_named_are_none() -> None:
    assert Modes(y=3).as_dict() == {"y": 3, "z": 0, "torsion": 0, "axial": 0}


@pytest.mark.parametrize(
    ("fields", "nq", "nv", "axes"),
    [
        ({"type": "fixed"}, 0, 0, ()),
        ({"type": "revolute", "axis": (0, 0, 3)}, 1, 1, ((0, 0, 1),)),
        ({"type": "prismatic", "axis": (-2, 0, 0)}, 1, 1, ((-1, 0, 0),)),
        ({"type": "cylindrical", "axis": (0, 1, 0)}, 2, 2, ((0, 1, 0),)),
        ({"type": "universal", "axes": ((0, 2, 0), (0, 0, 1))}, 2, 2, ((0, 1, 0), (0, 0, 1))),
        ({"type": "planar"}, 3, 3, ((1, 0, 0), (0, 1, 0))),
        ({"type": "spherical"}, 4, 3, ()),
        ({"type": "free"}, 7, 6, ()),
    ],
)
def test_joints_have_unit_axes_and_named_coordinates(fields: dict, nq: int, nv: int, axes: tuple) -> None:
    joint = Joint(name="j", **fields)
    assert (joint.nq, joint.nv, joint.axes) == (nq, nv, axes)
    assert len(set(joint.position_names)) == nq
    assert len(set(joint.velocity_names)) == nv
    assert joint.each(2.0) == (2.0,) * nv


def test_axes_stay_unit_under_repeated_normalisation() -> None:
    joint = Joint(type="revolute", axis=(0.3, -0.7, 0.2))
    again = Joint(type="revolute", axis=joint.axes[0])
    assert again.axes == joint.axes
    assert math.isclose(math.hypot(*joint.axes[0]), 1, rel_tol=1e-15)


def test_a_stop_sets_in_over_a_hundred_thousandth_of_the_range_unless_told() -> None:
    assert Limits(lower=-1, upper=1, stiffness=10).width == pytest.approx(2e-5)
    assert Limits(lower=(-1, 0), upper=(1, 0.5), stiffness=10).width == pytest.approx((2e-5, 5e-6))
    assert Limits(lower=-1, upper=1, stiffness=10, width=0.1).width == 0.1


def test_an_elastic_gear_has_a_rotor_and_a_rigid_one_has_not() -> None:
    def joint(**gear: float) -> Joint:
        return Joint(type="revolute", axis=(0, 0, 1), transmission=Transmission(rotor_inertia=1, **gear))

    assert joint(stiffness=1e4).elastic
    assert not joint(gear=100).elastic


def test_bodies_come_with_parents_first_whatever_the_order_of_the_file() -> None:
    def link(name: str, parent: str) -> Link:
        return Link(name=name, parent=parent, joint=HINGE, body=Body(mass=1, inertia=(1, 1, 1)))  # type: ignore[arg-type]

    made = robot(link("c", "b"), link("b", "a"), link("d", "b"), link("a", "world"))
    assert [body.name for body in made.bodies] == ["a", "b", "d", "c"] or (
        [body.name for body in made.bodies] == ["a", "b", "c", "d"]
    )
    assert [body.name for body in made.links] == ["c", "b", "d", "a"]


def test_a_long_chain_in_reverse_order_is_no_problem() -> None:
    links = [
        Link(
            name=f"l{i}",
            parent=f"l{i - 1}" if i else "world",
            joint=HINGE,
            body=Body(mass=1, inertia=(1, 1, 1)),
        )  # type: ignore[arg-type]
        for i in reversed(range(100))
    ]
    assert [body.name for body in robot(*links).bodies] == [f"l{i}" for i in range(100)]


def test_solid_bodies_have_the_inertia_of_textbooks() -> None:
    box = BoxBody(size=(0.4, 0.2, 0.1), density=1000)
    assert box.mass == pytest.approx(8)
    assert np.diag(box.inertia) == pytest.approx([8 / 12 * 0.05, 8 / 12 * 0.17, 8 / 12 * 0.2])
    rod = CylinderBody(diameter=0.1, length=0.5, density=1000, along="z")
    assert rod.mass == pytest.approx(1000 * math.pi * 0.05**2 * 0.5)
    assert rod.inertia[2][2] == pytest.approx(rod.mass * 0.05**2 / 2)
    assert rod.inertia[0][0] == rod.inertia[1][1] == pytest.approx(rod.mass * (3 * 0.05**2 + 0.5**2) / 12)
    ball = SphereBody(diameter=0.2, density=1000)
    assert ball.inertia[0][0] == pytest.approx(0.4 * ball.mass * 0.1**2)


def test_inertia_may_be_written_in_three_ways() -> None:
    diagonal = Body(mass=1, inertia=(1, 2, 2.5)).inertia  # type: ignore[arg-type]
    assert diagonal == ((1, 0, 0), (0, 2, 0), (0, 0, 2.5))
    assert Body(mass=1, inertia={"xx": 1, "yy": 2, "zz": 2.5}).inertia == diagonal  # type: ignore[arg-type]
    assert Body(mass=1, inertia=diagonal).inertia == diagonal
    assert Body(mass=1, inertia={"xx": 1, "yy": 2, "zz": 2.5, "xy": 0.1}).inertia[1][0] == 0.1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "section",
    [
        Rectangle(width=0.01, height=0.03),
        Box(width=0.05, height=0.03, thickness=0.002),
        Circle(diameter=0.02),
        Tube(outer=0.04, inner=0.036),
        Stiffness(area=2e-4, EIy=2000, EIz=3000, GJ=1500),
        Stiffness(rhoA=1.6, EA=4e7, EIy=2000, EIz=3000, GJ=1500, Jx=1e-3, Jy=1e-4, Jz=2e-4),
    ],
    ids=lambda section: section.form,
)
def test_every_section_becomes_a_beam(section: object) -> None:
    link = Beam(length=1, material="steel", section=section).build({"steel": STEEL})  # type: ignore[arg-type]
    assert {label.rstrip("0123456789") for label in link.labels} == {"y", "z", "torsion", "axial"}
    assert np.all(link.natural_modes().frequencies > 1)


@pytest.mark.parametrize("ends", ["auto", "legendre", "hermite", "clamped-free", "pinned-free"])
def test_every_basis_becomes_a_beam(ends: str) -> None:
    link = BEAM.model_copy(update={"ends": ends}).build({"steel": STEEL})
    assert link.basis.counts == {"y": 4, "z": 4, "torsion": 4, "axial": 2}


def test_loaded_ends_take_masses_in_kilograms() -> None:
    ends = {"family": "clamped-mass", "tip_mass": 2.0, "tip_inertia": 0.1}
    beam = Beam(
        length=1,
        material="steel",
        section=Tube(outer=0.04, thickness=0.002),
        ends=ends,  # type: ignore[arg-type]
        masses=(Mass(mass=2.0, inertia=(0, 0.1, 0.1)),),  # type: ignore[arg-type]
    )
    loaded = beam.build({"steel": STEEL}).natural_modes().frequencies[0]
    auto = beam.model_copy(update={"ends": "auto", "modes": Modes(y=8, z=8)}).build({"steel": STEEL})
    # Rotary inertia of the section is in the model, not in the family: a small difference remains.
    assert loaded == pytest.approx(auto.natural_modes().frequencies[0], rel=1e-5)


def test_ends_with_a_mass_take_what_the_beam_carries_at_its_tip() -> None:
    """As a word they were the ends of a beam that carries nothing."""
    section, carried = Tube(outer=0.04, thickness=0.002), (Mass(mass=1.5), Mass(mass=0.5), Mass(mass=9, at=0.3))
    given = {"length": 1, "material": "steel", "section": section, "masses": carried}
    word, block, full = (
        Beam(**given, ends=ends).build({"steel": STEEL})  # type: ignore[arg-type]
        for ends in ("clamped-mass", {"family": "clamped-mass"}, {"family": "clamped-mass", "tip_mass": 2.0})
    )
    for beam in (word, block):
        np.testing.assert_array_equal(beam.stiffness(), full.stiffness())
    free = Beam(**given, ends="clamped-free").build({"steel": STEEL})  # type: ignore[arg-type]
    assert word.stiffness()[0, 0] != pytest.approx(free.stiffness()[0, 0], rel=0.01)
    for ends in ("clamped-mass", {"family": "clamped-mass"}):
        with pytest.raises(RobotError, match="ends = 'clamped-mass': carries nothing at its tip: give"):
            Beam.from_dict(given | {"masses": carried[2:], "ends": ends})


def test_masses_sit_at_the_tip_unless_told() -> None:
    beam = BEAM.model_copy(update={"masses": (Mass(mass=1), Mass(mass=2, at=0.4))}).build({"steel": STEEL})
    assert [(lump.x, lump.mass) for lump in beam.masses] == [(1.0, 1.0), (0.4, 2.0)]


# Values by path


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("links.forearm.beam.masses.0.mass", "kg"),
        ("links.forearm.beam.length", "m"),
        ("links.forearm.joint.damping", "N m s/rad"),
        ("materials.steel.E", "Pa"),
        ("materials.steel.nu", ""),
        ("gravity.2", "m/s2"),
    ],
)
def test_numbers_have_the_units_of_robot_files(path: str, unit: str) -> None:
    assert unit_of(load("ella"), path) == unit


def test_values_are_read_and_replaced_by_path() -> None:
    ella = load("ella")
    assert ella.value("links.upper.beam.length") == 0.95
    assert ella.value("materials.steel.E") == 2.1e11
    assert ella.value("links.hub.body.inertia.0.0") == 0.02
    longer = ella.with_value("links.upper.beam.length", 1.2)
    assert longer.value("links.upper.beam.length") == 1.2
    assert ella.value("links.upper.beam.length") == 0.95
    assert longer.with_value("links.upper.beam.length", 0.95) == ella
    assert ella.with_value("links.upper.beam.masses.0.mass", 5).value("links.upper.beam.masses.0.mass") == 5
    assert ella.with_value("links.upper.beam.ends", "clamped-free").value("links.upper.beam.ends") == "clamped-free"


def test_a_real_value_is_checked_like_a_file() -> None:
    ella = load("ella")
    with pytest.raises(RobotError, match=r"links.upper.beam.length = -1: must be positive"):
        ella.with_value("links.upper.beam.length", -1)
    with pytest.raises(RobotError, match=r"links.upper.beam.length = nan: must be a finite number"):
        ella.with_value("links.upper.beam.length", math.nan)
    with pytest.raises(RobotError, match=r"links.upper.beam.material = 'wood'"):
        ella.with_value("links.upper.beam.material", "wood")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("links.uper.beam.length", "did you mean 'upper'?"),
        ("links.upper.beam.lenght", "did you mean 'length'?"),
        ("materials.stel.E", "did you mean 'steel'?"),
        ("links.upper.body.mass", "there is nothing below"),
        ("links.upper.beam.length.x", "there is nothing below"),
        ("link.upper", "did you mean 'links'?"),
        ("", "is not a path"),
        ("links..beam", "is not a path"),
    ],
)
def test_an_unknown_path_is_named_with_what_is_near(path: str, said: str) -> None:
    with pytest.raises(RobotError, match=re.escape(said)):
        load("ella").with_value(path, 1.0)


def test_an_off_diagonal_inertia_changes_with_its_mirror_image() -> None:
    arm = load("rigid-7-axis").with_value("links.link1.body.inertia.1.2", 0.002)
    assert arm.value("links.link1.body.inertia.2.1") == 0.002


def test_only_numbers_become_complex_and_an_axis_keeps_its_length() -> None:
    ella = load("ella")
    with pytest.raises(RobotError, match="only a number can be complex"):
        ella.with_value("links.upper.name", 1j)
    axis = np.array(ella.with_value("links.upper.joint.axis.0", 1e-3j).link("upper").joint.axes[0])
    assert abs(axis @ axis - 1) < 1e-15
    assert abs(axis[0].imag - 1e-3) < 1e-8
    lost = next(c for c in range(3) if abs(ella.value(f"links.upper.joint.axis.{c}")) < 0.5)
    with pytest.raises(RobotError, match="no length"):
        ella.with_value(f"links.upper.joint.axis.{lost}", 1j)


def test_complex_values_stay_beside_checked_ones() -> None:
    step = load("ella").with_value("materials.steel.E", 2.1e11 + 1e-9j)
    assert step.has_complex_values()
    both = step.with_value("links.upper.beam.length", 1)
    assert both.value("materials.steel.E") == 2.1e11 + 1e-9j
    assert both.value("links.upper.beam.length") == 1.0
    assert not load("ella").has_complex_values()
    with pytest.raises(RobotError, match="must be positive"):
        step.with_value("links.upper.beam.length", 0)


@pytest.mark.parametrize(
    ("name", "link", "path"),
    [
        ("dual-screw-arm", "link2", "materials.aluminium.E"),
        ("dual-screw-arm", "link2", "materials.aluminium.rho"),
        ("dual-screw-arm", "link2", "links.link2.beam.length"),
        ("dual-screw-arm", "link2", "links.link2.beam.section.outer"),
        ("dual-screw-arm", "link2", "links.link2.beam.masses.0.mass"),
        ("dual-screw-arm", "link2", "links.link2.beam.damping.stiffness"),
        ("ella", "upper", "links.upper.beam.section.EIz"),
        ("ella", "upper", "materials.steel.rho"),
        ("satellite-two-arm", "left-upper", "links.left-upper.beam.section.thickness"),
        ("l-mechanism", "arm", "links.arm.beam.section.width"),
    ],
)
def test_complex_steps_through_a_beam_equal_finite_differences(name: str, link: str, path: str) -> None:
    base = load(name)

    def arrays(robot: Robot) -> list[np.ndarray]:
        beam = robot.link(link).beam.build(robot.materials)  # type: ignore[union-attr]
        inv = beam.invariants()
        return [beam.stiffness(), beam.damping_matrix(), inv.G0, inv.S0, inv.N]

    value = base.value(path)
    step = 1e-4 * value
    nominal, stepped = arrays(base), arrays(base.with_value(path, value + 1e-30j * value))
    below, above = (arrays(base.with_value(path, value + k * step)) for k in (-1, 1))
    for array, complex_array, low, high in zip(nominal, stepped, below, above):
        exact = complex_array.imag / (1e-30 * value)
        assert np.allclose((high - low) / (2 * step), exact, rtol=1e-6, atol=1e-6 * np.abs(array).max() / value)


def test_a_solid_body_follows_its_sizes_in_complex_numbers() -> None:
    made = robot(Link(name="a", joint=HINGE, body=SphereBody(diameter=0.2, density=1000)))
    ball = made.with_value("links.a.body.diameter", 0.2 + 1e-30j).link("a").body
    assert ball.mass.imag / 1e-30 == pytest.approx(1000 * math.pi / 2 * 0.2**2)  # type: ignore[union-attr]


def test_compile_is_a_function_and_a_method() -> None:
    import lissom
    from lissom import model

    assert model.compile is lissom.compile
    assert lissom.compile(load("ella")).nv == load("ella").compile().nv == 23


# Immutability, errors in Python


def test_a_robot_cannot_be_changed_in_place() -> None:
    ella = load("ella")
    with pytest.raises(RobotError, match="cannot be changed"):
        ella.name = "other"
    with pytest.raises(RobotError, match="with_value"):
        ella.links[1].beam.length = 3  # type: ignore[union-attr]


def test_parts_made_in_python_raise_the_same_plain_errors() -> None:
    with pytest.raises(RobotError, match=r"^beam.length = -1: must be positive; give the length of the beam in metres"):
        Beam(length=-1, material="steel", section=Circle(diameter=0.1))
    with pytest.raises(RobotError, match=r"links.a.parent = 'b': is not a link"):
        robot(Link(name="a", parent="b", joint=HINGE, beam=BEAM))
    with pytest.raises(RobotError, match="test has no link 'forarm'"):
        robot(Link(name="a", joint=HINGE, beam=BEAM)).link("forarm")


def test_a_robot_survives_pickling() -> None:
    ella = load("ella")
    assert pickle.loads(pickle.dumps(ella)) == ella


def test_a_massless_hub_may_carry_a_beam_and_a_geared_point_may_turn() -> None:
    robot(Link(name="hub", joint=HINGE, body=Body(mass=0)), Link(name="a", joint=HINGE, beam=BEAM))
    geared = Joint(type="revolute", axis=(0, 0, 1), transmission=Transmission(rotor_inertia=0.1))
    robot(Link(name="a", joint=geared, body=Body(mass=1)))


def test_what_is_welded_to_a_joint_counts_for_its_inertia() -> None:
    offset = Link(name="b", origin=Origin(xyz=(0.1, 0, 0)), joint="fixed", body=Body(mass=1))  # type: ignore[arg-type]
    robot(Link(name="a", joint=HINGE, body=Body(mass=1)), offset)
    along = Link(name="b", origin=Origin(xyz=(0, 0, 0.1)), joint="fixed", body=Body(mass=1))  # type: ignore[arg-type]
    with pytest.raises(RobotError, match="turns a mass without inertia"):
        robot(Link(name="a", joint=HINGE, body=Body(mass=1)), along)
    with pytest.raises(RobotError, match="moves no mass"):
        robot(Link(name="a", joint=Joint(type="prismatic", axis=(1, 0, 0)), body=Body(mass=0, inertia=(1, 1, 1))))  # type: ignore[arg-type]


def test_prestress_that_makes_a_straight_link_unstable_is_refused_by_name():
    robot = rich_robot("soft and coupled")
    with pytest.raises(LissomError, match=r"links.channel.beam: is unstable while it is straight.*lower its prestress"):
        robot.with_value("links.channel.beam.prestress.curvature", [1.0, -0.03]).compile()
