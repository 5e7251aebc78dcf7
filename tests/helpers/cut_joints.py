"""A joint of a tree moved to a loop: the same robot, described in another way."""

import numpy as np

import lissom
from lissom.lie import quaternion


def cut(data, k):
    """The robot of `data` with link k floating by itself, and its joint closing a loop."""
    links = [dict(link) for link in data["links"]]
    link = links[k]
    joint = {name: value for name, value in link["joint"].items() if name != "name"}
    on = {"link": link.get("parent", "world")} | {name: link[name] for name in ("at", "origin") if name in link}
    own = {"link": link["name"]} | ({"at": 0.0} if "beam" in link else {})
    loops = [{"name": "closed", "joint": joint, "between": [on, own]}]
    links[k] = {name: value for name, value in link.items() if name not in ("at", "origin")}
    links[k] |= {"parent": "world", "joint": {"type": "free", "name": link["joint"]["name"]}}
    return lissom.Robot.from_dict({**data, "links": links, "loops": loops})


def carried_over(tree, q, v, other, link):
    """The state of `tree` as that of `other`, where `link` floats."""
    q1, v1 = other.neutral(), np.zeros(other.nv)
    for body, there in ((tree.link(name), other.link(name)) for name in tree.links):
        if body.link != link:
            q1[there.joint_q], v1[there.joint_v] = q[body.joint_q], v[body.joint_v]
        q1[there.modes_q], v1[there.modes_v] = q[body.modes_q], v[body.modes_v]
    x = 0.0 if link in tree.flexible else None
    T = lissom.point_pose(tree, q, link, x)
    body = other.link(link)
    q1[body.joint_q] = np.concatenate([quaternion.from_matrix(T[:3, :3]), T[:3, 3]])
    v1[body.joint_v] = lissom.point_velocity(tree, q, v, link, x, frame="local")
    return q1, v1
