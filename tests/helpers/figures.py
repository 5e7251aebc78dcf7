"""Claims about figures that several tests make."""


def assert_is_labelled(figure):
    """Every axis of every panel says what it shows and in which unit: `name [unit]`."""
    assert figure.axes
    for axes in figure.axes:
        shown = {"y": axes.get_ylabel()}
        if axes.get_label() != "<colorbar>":
            if axes.get_xlabel() or axes.xaxis.get_tick_params().get("labelbottom", True):
                shown["x"] = axes.get_xlabel()
            if hasattr(axes, "get_zlabel"):
                shown["z"] = axes.get_zlabel()
        if not axes.axison and axes.get_label() != "<colorbar>":
            continue  # a picture in space
        for axis, label in shown.items():
            name, bracket, unit = label.partition(" [")
            assert name and bracket and unit.endswith("]"), (axes.get_title(loc="left"), axis, label)
