"""URDFs that are not written as the format asks are read as other programs do, with a warning each, or refused."""

import numpy as np
import pytest

import lissom
from lissom.model.importers.urdf import robot_from_urdf
from lissom.model.importers.urdf_document import document

BODY = """<inertial><mass value="2"/><origin xyz="0.1 0 0.2"/>
<inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0.01"/></inertial>"""
ARM = f"""<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="base"/>
<link name="a">{BODY}</link><link name="b">{BODY}</link>
<joint name="j1" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
<joint name="j2" type="continuous"><origin xyz="0.5 0 -1" rpy="0 0.3 0"/><parent link="a"/><child link="b"/>
<axis xyz="0 1 0"/></joint></robot>"""

WRITTEN = {  # what the file has, for what it should have, and a word of the warning
    "commas": ('"0.5 0 -1"', '"0.5,0, -1"', "joint 'j2': xyz = '0.5,0, -1' of <origin> is read as '0.5 0 -1'"),
    "more numbers": ('"0 0.3 0"', '"0 0.3 0 0"', "is read as '0 0.3 0'"),
    "a default of the environment": ('"0 0.3 0"', '"$(optenv ARM_RPY 0 0.3 0)"', "is read as '0 0.3 0'"),
    "types in capitals": ('"revolute"', '" Revolute"', "joint 'j1': its type ' Revolute' is read as 'revolute'"),
    "tags in capitals": ('<axis xyz="0 0 1"/>', '<Axis xyz="0 0 1"/>', "<Axis> is read as <axis>"),
    "links in capitals": ('<link name="base"/>', '<Link name="base"/>', "<Link> is read as <link>"),
    "a macro": ("</robot>", '<xacro:leg a="1"/><xacro:leg/></robot>', "<xacro:leg> (2 times) is left out"),
    "a macro inside a link": (BODY, f"{BODY}<xacro:leg/>", "lissom reads no macros; expand them first"),
    "text behind it": ("</robot>", "</robot>\x00 <", "what follows </robot> is not valid XML"),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_what_is_written_otherwise_is_the_same_robot_with_a_warning(case):
    right, wrong, words = WRITTEN[case]
    assert right in ARM
    with pytest.warns(UserWarning, match=r"arm\.urdf: ") as found:
        robot = robot_from_urdf(ARM.replace(right, wrong), "arm.urdf")
    assert any(words in str(each.message) for each in found)
    assert robot == robot_from_urdf(ARM, "arm.urdf")


def test_attributes_are_read_in_any_case():
    assert robot_from_urdf(ARM.replace("xyz", "XYZ"), "arm.urdf") == robot_from_urdf(ARM, "arm.urdf")


REFUSED = {
    "decimal commas": ('"0.5 0 -1"', '"0,5 0 -1"', "must be 3 finite numbers"),
    "four with commas": ('"0.5 0 -1"', '"0,5,0,-1"', "must be 3 finite numbers"),
    "an expression": ('value="2"', 'value="${m}"', "must be 1 finite number; it holds xacro expressions, expand them"),
    "nothing but macros": (ARM[ARM.index("<link") :], "<xacro:leg/></robot>", "holds xacro macros (<xacro:leg>)"),
    "broken inside": ("</joint></robot>", "</robot>", "not valid XML on line 7"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_tell_its_meaning_is_refused(case):
    right, wrong, words = REFUSED[case]
    with pytest.raises(lissom.LissomError) as caught:
        robot_from_urdf(ARM.replace(right, wrong), "arm.urdf")
    assert words in str(caught.value)


def test_a_urdf_of_the_format_is_taken_as_it_is():
    assert document(ARM)[1] == []


@pytest.mark.parametrize("word", ["spherical", "ball", "Spherical"])
@pytest.mark.bench
def test_ball_joints_are_those_of_pinocchio(word):
    pin = pytest.importorskip("pinocchio")
    text = ARM.replace('"continuous"', f'"{word}"').replace('"revolute"', f'"{word}"')
    with pytest.warns(UserWarning, match=r"joint 'j1': type '\w+', which URDF does not have, is a ball"):
        model = robot_from_urdf(text, "arm.urdf").compile()
    other, parent, place = pin.buildModelFromXML(ARM.replace("revolute", "continuous")), 0, []
    for index in (1, 2):
        place.append((other.jointPlacements[index], other.inertias[index]))
    balls = pin.Model()
    for frame, inertia in place:
        parent = balls.addJoint(parent, pin.JointModelSpherical(), frame, f"j{parent}")
        balls.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    rng = np.random.default_rng(3)
    for _ in range(5):
        turns = [u / np.linalg.norm(u) for u in rng.normal(size=(2, 4))]
        v, tau = rng.normal(size=(2, 6))
        theirs = pin.aba(balls, balls.createData(), np.concatenate([[*u[1:], u[0]] for u in turns]), v, tau)
        np.testing.assert_allclose(lissom.forward_dynamics(model, np.concatenate(turns), v, tau), theirs, rtol=1e-9)
