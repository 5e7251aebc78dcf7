"""Machine code of kernels as object files, for a shared library that is called without Numba.

A process that exports does nothing else. Numba gathers the intermediate code of a kernel and of its helpers, which is
optimised once, together; of other kernels that the library holds it sees the names alone, as a C compiler does.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import llvmlite.binding as llvm
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import codegen, types, typing
from numba.core.caching import NullCache
from numba.core.compiler import compile_result
from numba.core.funcdesc import FunctionDescriptor
from numba.core.lowering import Environment
from numba.core.registry import cpu_target

from lissom.kernel.machine.bridge.dispatch import make_dispatcher
from lissom.kernel.machine.bridge.haste import make_haste
from lissom.kernel.machine.bridge.tables import numba_type
from lissom.kernel.machine.library import holds, key, symbol
from lissom.kernel.machine.trace import Need

RUNTIME = ("numba_", "NRT_")  # how names of functions of Numba's runtime begin
ALLOCATION = "NRT_MemInfo_alloc_aligned"
SUPPLIED = {ALLOCATION, "NRT_MemInfo_data_fast", "NRT_MemInfo_call_dtor"}  # by runtime.c
ERRORS = {"numba_do_raise", "numba_gil_ensure", "numba_gil_release", "numba_runtime_build_excinfo_struct"}
ERRORS |= {"numba_unpickle", "NRT_Free"}  # reached when a kernel raises an error, which ours do not
PRUNED = {"NRT_incref", "NRT_decref"}  # declared, and called by nobody once code is optimised
RESULTS = {"none": types.none, "bool": types.boolean, "int64": types.int64, "float64": types.float64}


def find(need: Need) -> Any:
    """The kernel that is needed."""
    found = getattr(import_module(need.module), need.name)
    return getattr(found, "kernel", found)  # of one that is called by its address


class Gathered(codegen.AOTCodeLibrary):
    """Intermediate code of one function, and which others it needs; nothing is optimised or loaded yet."""

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"  # of several copies one is kept, and none that nobody calls
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        self._ensure_finalized()
        return self._final_module

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    def everything(self) -> list[Any]:
        """This library and all it needs, each once."""
        found, ahead = {id(self): self}, [self]
        while ahead:
            for library in ahead.pop()._linking_libraries:
                if id(library) not in found:
                    found[id(library)] = library
                    ahead.append(library)
        return list(found.values())


class Gathering(codegen.AOTCPUCodegen):
    """Where Numba leaves code: never in this process."""

    _library_class = Gathered

    def set_env(self, name: str, environment: Any) -> None:
        pass


class Declared:
    """In place of a kernel's cache: whom Numba asks finds a name without code, as for a function in another file."""

    def __init__(self) -> None:
        self.known: dict[tuple[Any, ...], tuple[str, str]] = {}  # by types of arguments: symbol, type of the result

    def load_overload(self, signature: Any, context: Any) -> Any:
        arguments = tuple(map(types.unliteral, signature))
        if arguments not in self.known:
            return None  # compiled into its caller
        name, returns = self.known[arguments]
        result = RESULTS[returns]
        about = FunctionDescriptor(
            native=True,
            modname=__name__,
            qualname=name,
            unique_name=name,
            doc="",
            typemap={},
            restype=result,
            calltypes={},
            args=tuple(f"arg{k}" for k in range(len(arguments))),
            kws=(),
            mangler=lambda *_, **__: name,
            argtypes=arguments,
        )
        library, environment = context.codegen().create_library(name), Environment.from_fndesc(about)
        return compile_result(
            typing_context=context.typing_context,
            target_context=context,
            entry_point=_dynfunc.make_function(about.lookup_module(), name, "", 0, environment, (library,)),
            fndesc=about,
            library=library,
            signature=typing.signature(result, *arguments),
            objectmode=False,
            environment=environment,
            reload_init=[],
        )

    def save_overload(self, signature: Any, compiled: Any) -> None:
        pass


class Exporter:
    """Compiles kernels for processors of some levels; `needs`: all that the library will hold, with their results."""

    def __init__(self, needs: dict[Need, str], levels: tuple[str, ...]) -> None:
        os.environ["LISSOM_CACHE_KERNELS"] = "off"  # nothing that this process compiles can be loaded
        make_haste()
        context = cpu_target.target_context
        context.refresh()
        self.codegens = {level: Gathering(level, cpu_name=processor(level)) for level in levels}
        context._internal_codegen = self.codegens[levels[0]]
        for need, returns in needs.items():
            dispatcher = find(need).dispatcher
            if not isinstance(dispatcher._cache, Declared):
                dispatcher._cache = Declared()
            of = tuple(map(numba_type, need.kinds))
            dispatcher._cache.known[of] = symbol(key(find(need), need.kinds)), returns
        self.results = {symbol(key(find(need), need.kinds)): returns for need, returns in needs.items()}

    def export(self, need: Need) -> tuple[dict[str, bytes], dict[str, Any]]:
        """Object file for each level, and what a table says of them."""
        kernel = find(need)
        of = tuple(map(numba_type, need.kinds))
        dispatcher = make_dispatcher(kernel, no_cpython_wrapper=True)
        dispatcher._cache = NullCache()
        dispatcher.compile(of)
        compiled = dispatcher.overloads[of]
        name = symbol(key(kernel, need.kinds))
        whole = self._whole(compiled, name)
        declared = [function.name for function in whole.functions if function.is_declaration]
        runtime = {name for name in declared if name.startswith(RUNTIME)}
        if unknown := runtime - SUPPLIED - ERRORS - PRUNED:
            raise LookupError(f"{kernel} calls {', '.join(sorted(unknown))}, which a library does not have")
        about = {
            "symbol": name,
            "returns": str(compiled.signature.return_type),
            "calls": {name: self.results[name] for name in declared if name in self.results},
            "runtime": sorted(runtime),
            "allocates": ALLOCATION in runtime,
        }
        wanted = {level: of_level for level, of_level in self.codegens.items() if holds(level, need.kinds)}
        return {level: _emitted(whole.clone(), name, of_level) for level, of_level in wanted.items()}, about

    def _whole(self, compiled: Any, name: str) -> Any:
        """One module of all that a kernel needs, of which only the kernel itself can be seen from outside."""
        seen = {compiled.fndesc.llvm_func_name: name, compiled.fndesc.llvm_cfunc_wrapper_name: f"{name}_pointer"}
        first, *others = compiled.library.everything()
        module = first._get_module_for_linking().clone()
        for function in module.functions:
            if function.name in seen:
                function.linkage = "external"
        for library in others:
            module.link_in(library._get_module_for_linking(), preserve=True)
        for value in (*module.functions, *module.global_variables):
            if not value.is_declaration:  # of each object its own, so that objects never mix
                value.linkage = "external" if value.name in seen else "internal"
                value.name = seen.get(value.name, value.name)
        return module


def processor(level: str) -> str:
    """LLVM's name of a level."""
    return level if level.startswith("x86-64") else "generic"


def _emitted(module: Any, name: str, of_level: Any) -> bytes:
    library = of_level.create_library(name)
    library._final_module = module
    library._optimize_final_module()
    return of_level._tm.emit_object(library._final_module)
