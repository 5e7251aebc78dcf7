"""Arrays and Workspace as compiled structs.

A kernel receives one pointer instead of a hundred array headers: calls from Python stay cheap and kernels compile in a
fraction of the time. Field names are those of the named tuples, so the same source also runs on the tuples themselves.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.experimental import structref

from lissom.kernel.jit import kernel
from lissom.kernel.workspace import Workspace
from lissom.model.arrays import Arrays


class StructType(types.StructRef):
    """A struct whose field types are those of what it is packed from."""

    def preprocess_fields(self, fields: Any) -> Any:
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


@structref.register
class _ModelType(StructType):
    """Type of the compiled Arrays."""


@structref.register
class _WorkspaceType(StructType):
    """Type of the compiled Workspace."""


class ModelStruct(structref.StructRefProxy):
    """Arrays, as kernels take them."""


class WorkspaceStruct(structref.StructRefProxy):
    """Workspace, as kernels take it."""


for _proxy, _kind, _fields in (
    (ModelStruct, _ModelType, Arrays._fields),
    (WorkspaceStruct, _WorkspaceType, Workspace._fields),
):
    structref.define_boxing(_kind, _proxy)
    structref.define_constructor(_proxy, _kind, list(_fields))


@kernel
def pack_model(arrays):
    """ModelStruct that shares the memory of `arrays`."""
    return ModelStruct(*arrays)


@kernel
def pack_workspace(work):
    """WorkspaceStruct that shares the memory of `work`."""
    return WorkspaceStruct(*work)
