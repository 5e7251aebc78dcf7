"""Machine code of a kernel as an object file, for a shared library that is called without Numba."""

from __future__ import annotations

import hashlib
import re
from importlib import import_module
from typing import Any

import llvmlite.binding as llvm

from lissom.kernel.machine.bridge.dispatch import make_dispatcher
from lissom.kernel.machine.bridge.tables import numba_type
from lissom.kernel.machine.library import RESULTS, key
from lissom.kernel.machine.trace import Need

RUNTIME = ("numba_", "NRT_")  # functions of Numba's runtime, reached when a kernel raises an error, which ours do not


def find(need: Need) -> Any:
    """The kernel that is needed."""
    found = getattr(import_module(need.module), need.name)
    return getattr(found, "kernel", found)  # of one that is called by its address


def compile_inner(need: Need) -> None:
    """Compile what other kernels call, and keep it for them."""
    find(need).dispatcher.compile(tuple(map(numba_type, need.kinds)))


def export(need: Need, level: str) -> tuple[bytes, dict[str, Any]] | None:
    """Object file for processors of a level, and what a table says of it; None if it returns what C does not know."""
    kernel = find(need)
    types = tuple(map(numba_type, need.kinds))
    dispatcher = make_dispatcher(kernel, no_cpython_wrapper=True)
    dispatcher.compile(types)
    compiled = dispatcher.overloads[types]
    returns = str(compiled.signature.return_type)
    if returns not in RESULTS:
        return None
    name = key(kernel, need.kinds)
    symbol = f"lissom_{need.name}_{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    symbols = {compiled.fndesc.llvm_func_name: symbol, compiled.fndesc.llvm_cfunc_wrapper_name: f"{symbol}_pointer"}
    text = re.sub(r'"target-(cpu|features)"="[^"]*"', "", str(compiled.library._get_module_for_linking()))
    module = llvm.parse_assembly(text)
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration:  # of each object its own, so that objects never mix
            value.linkage = "external" if value.name in symbols else "internal"
            value.name = symbols.get(value.name, value.name)
    runtime = [f.name for f in module.functions if f.is_declaration and f.name.startswith(RUNTIME)]
    entry = {"function": symbol, "pointer": f"{symbol}_pointer", "returns": returns, "runtime": runtime}
    return _machine(level).emit_object(module), entry


def _machine(level: str) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(cpu=level, opt=3, reloc="pic", codemodel="small")
