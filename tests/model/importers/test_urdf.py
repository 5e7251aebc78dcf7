"""URDF files: the same dynamics as Pinocchio reads from them, links that bend by an overlay, and broken files."""

import time
import warnings

import numpy as np
import pytest
from places import DATA
from typer.testing import CliRunner

import lissom
from lissom.cli import app
from lissom.model.importers.urdf import robot_from_urdf

FOLDER = DATA / "urdf"
ARMS = ("elbow", "gantry", "wrist")


@pytest.mark.bench
@pytest.mark.parametrize("name", ARMS)
def test_inverse_dynamics_is_that_of_pinocchio_reading_the_same_file(name):
    pin = pytest.importorskip("pinocchio")
    path = str(FOLDER / f"{name}.urdf")
    model, other = lissom.load(path).compile(), pin.buildModelFromUrdf(path)
    data, rng = other.createData(), np.random.default_rng(1)
    assert model.coordinates == tuple(other.names[1:])
    for _ in range(5):
        q, v, a = rng.uniform(-1, 1, (3, model.nv))
        theirs = np.concatenate(
            [[np.cos(x), np.sin(x)] if joint.nq == 2 else [x] for x, joint in zip(q, other.joints[1:], strict=True)]
        )
        expected = pin.rnea(other, data, theirs, v, a)
        np.testing.assert_allclose(lissom.inverse_dynamics(model, q, v, a), expected, rtol=1e-9, atol=1e-9)
        mass = pin.crba(other, data, theirs)
        np.testing.assert_allclose(np.triu(lissom.mass_matrix(model, q)), np.triu(mass), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ARMS)
def test_a_urdf_becomes_a_robot_file_that_reads_back(name):
    robot = lissom.load(FOLDER / f"{name}.urdf")
    assert lissom.Robot.from_yaml(robot.to_yaml()) == robot


def test_fixed_links_join_the_body_that_carries_them():
    robot = lissom.load(FOLDER / "wrist.urdf")
    assert [link.name for link in robot.links] == ["turret", "boom", "hand", "finger"]
    assert robot.link("hand").body.mass == pytest.approx(2.0)


@pytest.mark.bench
def test_the_last_frame_fixed_to_a_body_is_its_tool_point():
    pin = pytest.importorskip("pinocchio")
    path = str(FOLDER / "wrist.urdf")
    other = pin.buildModelFromUrdf(path)
    data, q = other.createData(), np.array([0.3, -0.4, 0.7, 0.02])
    pin.framesForwardKinematics(other, data, q)
    tool = data.oMf[other.getFrameId("tool0")].translation
    np.testing.assert_allclose(lissom.tip_pose(lissom.load(path).compile(), q, "hand")[:3, 3], tool, atol=1e-12)


def test_a_floating_base_keeps_the_mass_of_the_first_link(tmp_path):
    (tmp_path / "arm.urdf").write_text((FOLDER / "elbow.urdf").read_text())
    (tmp_path / "space.yaml").write_text("lissom: 1\nurdf: arm.urdf\nfloating: true\ngravity: [0, 0, 0]\n")
    robot = lissom.load(tmp_path / "space.yaml")
    assert (robot.links[0].name, robot.links[0].joint.type, robot.links[0].body.mass) == ("base", "free", 12.0)


def _bent(tmp_path, extra=""):
    (tmp_path / "arm.urdf").write_text((FOLDER / "wrist.urdf").read_text())
    (tmp_path / "arm.yaml").write_text(
        "lissom: 1\nurdf: arm.urdf\nname: bending\n"
        "materials: {aluminium: {E: 7.0e10, nu: 0.33, rho: 2700}}\n"
        "flexible:\n"
        "  boom: {material: aluminium, section: {shape: tube, outer: 0.04, thickness: 0.002},\n"
        "    shear: none, modes: {y: 2, z: 2}}\n"
        f"joints:\n  raise: {{transmission: {{stiffness: 5.0e4, rotor_inertia: 0.01, gear: 50}}}}\n{extra}"
    )
    return lissom.load(tmp_path / "arm.yaml")


def test_a_link_declared_flexible_becomes_a_beam_between_its_joints(tmp_path):
    robot = _bent(tmp_path)
    boom = robot.link("boom")
    assert boom.flexible
    assert boom.beam.length == pytest.approx(0.5)
    model = robot.compile()
    rigid = lissom.load(FOLDER / "wrist.urdf").compile()
    joints = {"turn": 0.3, "raise": -0.4, "roll": 0.7, "pinch": 0.02}
    q = model.neutral()
    for name, value in joints.items():
        q[model.coordinates.index(name)] = value
    straight = lissom.tip_pose(rigid, np.array([joints[name] for name in rigid.coordinates]), "finger")
    np.testing.assert_allclose(lissom.tip_pose(model, q, "finger"), straight, atol=1e-12)
    assert "raise.rotor" in model.coordinates


def test_the_rest_of_a_links_mass_is_lumped_by_choice(tmp_path):
    """Undeformed, the arm has the mass matrix of the URDF; what changed is told."""
    with pytest.warns(UserWarning, match=r"became a beam of 0\.32\d* kg; the URDF gives it 4 kg: .* left out"):
        dropped = _bent(tmp_path)
    text = (tmp_path / "arm.yaml").read_text().replace("boom: {", "boom: {rest: lumped, ")
    (tmp_path / "arm.yaml").write_text(text.replace("thickness: 0.002", "thickness: 0.0019"))
    with pytest.warns(UserWarning, match="kg are added to it as a lumped mass"):
        robot = lissom.load(tmp_path / "arm.yaml")
    model, twin = robot.compile(), lissom.load(FOLDER / "wrist.urdf").compile()
    assert dropped.compile().flexible["boom"].mass < 0.4
    assert model.flexible["boom"].mass == pytest.approx(4.0)
    q, joints = model.neutral(), [model.coordinates.index(name) for name in twin.coordinates]
    q[joints] = [0.2, 0.5, -0.3, 0.01]
    M, N = lissom.mass_matrix(model, q)[np.ix_(joints, joints)], lissom.mass_matrix(twin, q[joints])
    np.testing.assert_allclose(M, N, rtol=1e-9, atol=1e-9)


def test_inertia_that_no_lump_can_take_away_is_told(tmp_path):
    """A link with the mass of the tube and more, but spread less than the tube alone."""
    urdf = """<robot name="stub"><link name="base"/>
      <link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="{mass}"/>
        <inertia ixx="1e-3" iyy="{across}" izz="{across}" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <link name="tool"><inertial><mass value="1"/>
        <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="pin" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
      <joint name="flange" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="1 0 0"/></joint></robot>"""
    (tmp_path / "arm.yaml").write_text(
        "lissom: 1\nurdf: stub.urdf\nmaterials: {al: {E: 7.0e10, nu: 0.33, rho: 2700}}\n"
        "flexible: {arm: {material: al, section: {shape: tube, outer: 0.05, thickness: 0.002}, rest: lumped}}\n"
    )
    tube = 2700 * np.pi / 4 * (0.05**2 - 0.046**2)  # kg, and 1 m long
    for across, told in ((0.2 * tube / 12, True), (3 * tube / 12, False)):
        (tmp_path / "stub.urdf").write_text(urdf.format(mass=1.5 * tube, across=across))
        with pytest.warns(UserWarning, match="as a lumped mass") as seen:
            robot = lissom.load(tmp_path / "arm.yaml")
        assert ("more now, as the beam alone is spread wider" in str(seen[0].message)) == told
        assert robot.compile().flexible["arm"].mass == pytest.approx(1.5 * tube)
    (tmp_path / "stub.urdf").write_text(urdf.format(mass=1.5 * tube, across=0.2 * tube / 12))
    with pytest.warns(UserWarning, match=r"up to 0\.0\d+ kg m2 \(\d+\.\d% of the URDF's largest\)"):
        lissom.load(tmp_path / "arm.yaml")


def test_a_beam_heavier_than_its_link_has_no_rest(tmp_path):
    with pytest.warns(UserWarning, match="boom"):
        _bent(tmp_path)
    text = (tmp_path / "arm.yaml").read_text().replace("boom: {", "boom: {rest: lumped, ")
    (tmp_path / "arm.yaml").write_text(text.replace("rho: 2700", "rho: 90000"))
    with pytest.raises(lissom.LissomError, match=r"flexible\.boom\.rest = 'lumped': the beam alone has 10"):
        lissom.load(tmp_path / "arm.yaml")


def test_an_almost_rigid_beam_has_the_dynamics_of_the_rigid_body(tmp_path):
    """The beam replaces the link's inertial, so the rigid twin takes the mass of the tube."""
    robot = _bent(tmp_path)
    text = (FOLDER / "wrist.urdf").read_text()
    beam = robot.compile().flexible["boom"]
    section, length = beam.section, beam.length
    mass = section.rhoA * length
    across = section.Jy * length + mass * length**2 / 12
    tube = (
        f'<origin xyz="0 0 {length / 2}"/><mass value="{mass}"/><inertia ixx="{across}" ixy="0" ixz="0" '
        f'iyy="{across}" iyz="0" izz="{section.Jx * length}"/>'
    )
    begin, end = text.index('<origin xyz="0 0 0.25"/>'), text.index('</inertial></link>\n  <link name="hand">')
    twin = robot_from_urdf(text[:begin] + tube + text[end:], "twin.urdf").compile()
    model = robot.compile()
    q, v = model.neutral(), np.zeros(model.nv)
    joints = [model.coordinates.index(name) for name in twin.coordinates]
    q[joints], v[joints] = [0.2, 0.5, -0.3, 0.01], [0.5, -0.4, 0.8, 0.02]
    M, N = lissom.mass_matrix(model, q), lissom.mass_matrix(twin, q[joints])
    np.testing.assert_allclose(M[np.ix_(joints, joints)], N, rtol=1e-9, atol=1e-12)


HEAD = '<robot name="r"><link name="a"/>'
LINK = '<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
JOINT = '<joint name="j" type="{type}"><parent link="a"/><child link="b"/>{inside}</joint>'
BACK = '<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>'
TURN = JOINT.format(type="revolute", inside='<axis xyz="0 0 1"/>')
SECOND = LINK.replace('"b"', '"c"') + JOINT.replace('"a"', '"b"').replace('link="b"/>{', 'link="c"/>{').replace(
    '"j"', '"k"'
)
TWO = TURN + SECOND.format(type="revolute", inside='<mimic joint="j" multiplier="two"/>')
BROKEN = {
    "a negative mass": (HEAD + LINK.replace('"1"', '"-1"', 1) + TURN, "mass of link 'b' = -1"),
    "an inertial without mass": (HEAD + LINK.replace('<mass value="1"/>', "") + TURN, "has no mass"),
    "a word for a number": (HEAD + LINK.replace('"1"', '"one"', 1) + TURN, "must be 1 finite number"),
    "an infinite mass": (HEAD + LINK.replace('"1"', '"inf"', 1) + TURN, "must be 1 finite number"),
    "an unknown joint type": (HEAD + LINK + JOINT.format(type="hinge", inside=""), "'hinge' is unknown"),
    "no joint type": (HEAD + LINK + JOINT.replace(' type="{type}"', "").format(inside=""), "is unknown"),
    "an axis of no length": (HEAD + LINK + JOINT.format(type="revolute", inside='<axis xyz="0 0 0"/>'), "no length"),
    "a word for a ratio": (HEAD + LINK + TWO, "multiplier of the mimic of joint 'k' = 'two': must be 1 finite number"),
    "a missing parent": (HEAD + LINK + TURN.replace('<parent link="a"/>', ""), "has no parent"),
    "an unknown link": (HEAD + LINK + TURN.replace('link="a"', 'link="base"'), "'base' is not a link"),
    "a closed loop": (HEAD + LINK + TURN + TURN.replace('"j"', '"k"'), "child of two joints"),
    "a ring of joints": (HEAD + LINK + TURN + BACK, "loop"),
    "two bases": (HEAD + LINK, "lack a joint"),
    "no link": ('<robot name="r">', "there is no <link> in it; give the links"),
    "the same link twice": (HEAD + LINK + LINK + TURN, "given twice"),
    "a link without a name": (HEAD + "<link/>", "has no name"),
    "nothing that moves": (HEAD + LINK + JOINT.format(type="fixed", inside=""), "nothing in it moves"),
    "xacro": ('<robot name="r" xmlns:xacro="http://x"><xacro:macro name="m"/>', "xacro"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_urdf_gets_one_clear_error(case):
    text, message = BROKEN[case]
    with pytest.raises(lissom.LissomError) as caught:
        robot_from_urdf(text + "</robot>", "arm.urdf")
    assert message in str(caught.value)
    assert str(caught.value).startswith("arm.urdf: ")


def test_broken_xml_is_told_with_its_line():
    with pytest.raises(lissom.LissomError, match=r"arm\.urdf: not valid XML on line 2"):
        robot_from_urdf("<robot>\n<link name='a'></robot>", "arm.urdf")


def test_entities_are_refused_before_they_expand():
    laughs = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 12))
    text = f'<!DOCTYPE robot [<!ENTITY l0 "ha">{laughs}]><robot name="&l11;"/>'
    with pytest.raises(lissom.LissomError, match="declares XML entities"):
        robot_from_urdf(text, "arm.urdf")


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ("flexible: {bum: {}}", "flexible.bum: the URDF has no link of that name (did you mean 'boom'?)"),
        ("flexible: {finger: {}}", "flexible.finger.end: missing, and finger has 0 children"),
        ("flexible: {boom: {end: [0, 0, 0]}}", "the beam has no length"),
        ("flexible: {boom: {end: [0, 1]}}", "flexible.boom.end = [0, 1]: must be a point"),
        ("flexible: {boom: {modes: {y: 2}}}", "flexible.boom.section: missing"),
        ("joints: {lift: {}}", "joints.lift: the URDF has no joint of that name"),
        ("urfd: arm.urdf", "unknown field"),
    ],
)
def test_a_wrong_overlay_is_told_by_its_field(tmp_path, extra, message):
    (tmp_path / "arm.urdf").write_text((FOLDER / "wrist.urdf").read_text())
    (tmp_path / "arm.yaml").write_text(f"lissom: 1\nurdf: arm.urdf\n{extra}\n")
    with pytest.raises(lissom.LissomError) as caught:
        lissom.load(tmp_path / "arm.yaml")
    assert message in str(caught.value)
    assert "arm" in str(caught.value)


def test_a_missing_urdf_is_named(tmp_path):
    (tmp_path / "arm.yaml").write_text("lissom: 1\nurdf: other.urdf\n")
    with pytest.raises(lissom.LissomError, match=r"other\.urdf: no such file"):
        lissom.load(tmp_path / "arm.yaml")


def inertial(mass="1", tensor='ixx="1" iyy="1" izz="1"'):
    return f'<inertial><mass value="{mass}"/><inertia {tensor}/></inertial>'


INERTIAL = inertial()


def arm(first=INERTIAL, second=INERTIAL, head="", more="", joint=""):
    """Two links on two revolute joints, text for their insides."""
    return f"""{head}<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="base"/>{more}
      <link name="a">{first}</link><link name="b">{second}</link>
      <joint name="j1" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
      <joint name="j2" type="revolute"><origin xyz="0.5 0 0"/><parent link="a"/><child link="b"/>
        <axis xyz="0 1 0"/>{joint}</joint></robot>"""


def told(text, source="arm.urdf"):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        robot = robot_from_urdf(text, source)
    return robot, [str(each.message) for each in found]


def test_what_other_programs_read_is_read_without_a_word():
    mesh = '<visual><geometry><mesh filename="x.stl" scale="0.001"/></geometry></visual>'
    texts = [
        arm(head='\n\ufeff <?xml version="1.0"?>\n'),
        arm(head='<!-- made by hand --><?xml version="1.0" encoding="utf-8"?>'),
        arm(more="<!-- <xacro:macro name='leg'/> ${pi} -->"),
        arm(inertial() + mesh),
        arm(inertial(tensor='ixx="1" iyy="1" izz="1" ixy="-5e-20"')),
    ]
    for text in texts:
        robot, words = told(text)
        assert len(robot.links) == 2
        assert words == []


def test_paths_may_be_long(tmp_path):
    folder = tmp_path / ("x" * 80) / ("y" * 80)
    folder.mkdir(parents=True)
    (folder / "box.stl").write_text("solid box\nendsolid box\n")
    mesh = '<visual><geometry><mesh filename="box.stl"/></geometry></visual>'
    (folder / "arm.urdf").write_text(arm(inertial() + mesh))
    robot = lissom.load(folder / "arm.urdf")
    assert robot.links[0].visual[0].file == str(folder / "box.stl")
    (folder / "top.yaml").write_text(f"lissom: 1\nurdf: {folder / 'arm.urdf'}\n")
    assert lissom.load(folder / "top.yaml").links == robot.links


def test_an_inertia_that_no_body_has_is_told_and_taken_as_it_is():
    robot, words = told(arm(inertial(tensor='ixx="1" iyy="2" izz="4"')))
    assert words == [
        "arm.urdf: link 'a': its inertia violates the triangle inequality (1 + 2 < 4, principal moments); no body has "
        "such an inertia, check the numbers"
    ]
    assert np.diag(robot.link("a").body.inertia).tolist() == [1, 2, 4]
    assert lissom.Robot.from_yaml(robot.to_yaml()) == robot
    negative, words = told(arm(inertial(tensor='ixx="1" iyy="1" izz="-0.5"')))
    assert "link 'a': its inertia has a negative principal moment (-0.5 kg m2), read as 0" in words[0]
    assert np.diag(negative.link("a").body.inertia) == pytest.approx([1, 1, 0])
    rounded, words = told(arm(inertial(tensor='ixx="1" iyy="1" izz="-5e-20"')))
    assert words == []
    assert rounded.link("a").body.inertia[2][2] == pytest.approx(0, abs=1e-15)


def test_links_that_move_without_inertial_are_told():
    robot, words = told(arm(first=""))  # it carries another: its motion has inertia all the same
    assert len(words) == 1
    assert "link 'a' moves but has no <inertial>: read without mass" in words[0]
    assert robot.link("a").body.mass == 0
    robot, words = told(arm(second=""))  # it carries nothing
    assert len(words) == 2
    assert "'b' moves without mass or inertia: read with 1e-06 kg and 1e-08 kg m2" in words[1]
    assert robot.link("b").body.mass == pytest.approx(1e-6)
    robot, words = told(arm(second=inertial("2", 'ixx="0" iyy="0" izz="0"')))
    assert len(words) == 1
    assert "read with 2 kg and 0.02 kg m2" in words[0]


def test_a_joint_that_mimics_another_moves_as_in_pinocchio():
    pin = pytest.importorskip("pinocchio")
    body = inertial("2", 'ixx="0.3" ixy="0" ixz="0.1" iyy="0.4" iyz="0" izz="0.5"')
    text = arm(body, body, joint='<mimic joint="j1" multiplier="2" offset="0.3"/>')
    model = robot_from_urdf(text, "arm.urdf").compile()
    limit = '<limit lower="-3" upper="3" effort="9" velocity="9"/>'  # which Pinocchio asks for
    tree = pin.buildModelFromXML(arm(body, body).replace("<axis", f"{limit}<axis"))
    data, S = tree.createData(), np.array([1.0, 2.0])
    q, v, tau = np.array([0.4, 1.1]), 0.5 * S, np.array([3.0, -1.0])
    M, h = pin.crba(tree, data, q), pin.nonLinearEffects(tree, data, q, v)
    M = np.triu(M) + np.triu(M, 1).T
    true = S * (S @ (tau - h)) / (S @ M @ S)
    np.testing.assert_allclose(lissom.forward_dynamics(model, q, v, tau), true, rtol=1e-12)


def test_a_joint_that_mimics_what_is_not_there_is_told():
    robot, (word,) = told(arm(joint='<mimic joint="j7"/>'))
    assert "joint 'j2' mimics 'j7', which the file does not have: read as a joint of its own" in word
    assert robot.loops == ()


def test_a_joint_that_mimics_is_fixed_by_an_overlay(tmp_path):
    (tmp_path / "arm.urdf").write_text(arm(joint='<mimic joint="j1" multiplier="2"/>'))
    for written in ("fixed", "{type: fixed}"):
        (tmp_path / "top.yaml").write_text(f"lissom: 1\nurdf: arm.urdf\njoints: {{j2: {written}}}\n")
        robot = lissom.load(tmp_path / "top.yaml")
        assert [link.name for link in robot.links] == ["a"]
        assert robot.link("a").body.mass == 2


def test_limits_are_a_range_that_pushes_nothing_and_is_told_when_left():
    robot = robot_from_urdf(arm(joint='<limit lower="-0.5" upper="0.5" effort="9" velocity="1"/>'), "arm.urdf")
    limits = robot.link("b").joint.limits
    assert (limits.lower, limits.upper, limits.stiffness) == (-0.5, 0.5, None)
    free = robot_from_urdf(arm(), "arm.urdf")
    runs = [lissom.simulate(each, 0.5, start={"j2": 0.6}) for each in (robot, free)]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
    (word,) = runs[0].warnings
    assert "outside its limits of -0.5 to 0.5: nothing stops it there" in word.text
    assert runs[1].warnings == []


def test_thousands_of_links_take_seconds():
    count = 3000
    links = "".join(f'<link name="l{k}">{inertial()}</link>' for k in range(count))
    joints = "".join(
        f'<joint name="j{k}" type="revolute"><origin xyz="0.1 0 0"/><parent link="l{k - 1}"/><child link="l{k}"/>'
        '<axis xyz="0 0 1"/></joint>'
        for k in range(1, count)
    )
    begun = time.process_time()
    robot = robot_from_urdf(f'<robot name="chain">{links}{joints}</robot>', "chain.urdf")
    assert len(robot.links) == count - 1
    assert time.process_time() - begun < 6


def test_strict_checks_take_warnings_for_errors(tmp_path):
    (tmp_path / "arm.urdf").write_text(arm(inertial(tensor='ixx="1" iyy="2" izz="4"')))
    assert CliRunner().invoke(app, ["check", str(tmp_path / "arm.urdf"), "--strict"]).exit_code == 1
    (tmp_path / "arm.urdf").write_text(arm())
    assert CliRunner().invoke(app, ["check", str(tmp_path / "arm.urdf"), "--strict"]).exit_code == 0
