"""States whose elastic part is larger or smaller."""


def scaled(model, q, v, s, speeds=True):
    """The state with its elastic coordinates, and its elastic speeds unless told otherwise, times s."""
    q, v = q.astype(type(s)), v.astype(type(s))
    for body in model.bodies:
        q[body.modes_q] = s * q[body.modes_q]
        if speeds:
            v[body.modes_v] = s * v[body.modes_v]
    return q, v
