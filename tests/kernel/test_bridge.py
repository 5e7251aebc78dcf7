"""Canaries: what lissom relies on in Numba and llvmlite beyond their public names, one test for each."""

import operator
import pickle
import re
import subprocess
import sys

import numba
import numpy as np
import pytest
from llvmlite import ir
from numba import _dynfunc
from numba.core import callconv, cgutils, event, types
from numba.core.codegen import AOTCPUCodegen
from numba.core.compiler import CompileResult, compile_result
from numba.core.funcdesc import FunctionDescriptor
from numba.core.lowering import Environment
from numba.core.pythonapi import PythonAPI
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.core.typing.templates import AttributeTemplate
from numba.cpython.numbers import complex_div_impl
from numba.extending import lower_getattr_generic
from numba.np import arrayobj
from places import ROOT

from lissom.kernel.compile import kernel, library
from lissom.kernel.compile.bridge.lanes import _short
from lissom.kernel.compile.bridge.tables import Places, TableType, numba_type
from lissom.kernel.compile.kinds import Array, Table, kind

INT = (types.int64,)
TABLE = Table("Canary", (("x", Array("float64", 1, "C", True)),), frozenset())


@numba.njit
def twice(x):
    return 2 * x


class Marked:
    """Says that it is `twice`."""

    @property
    def _numba_type_(self):
        return twice._numba_type_


marked = Marked()


def numba_type_attribute():
    @numba.njit
    def call(x):
        return marked(x)

    assert call(3) == 6
    array = np.zeros((2, 3))
    assert numba_type(kind(array)) == numba.typeof(array)
    assert numba_type(kind(array[:, 1:])) == numba.typeof(array[:, 1:])
    array.flags.writeable = False
    assert numba_type(kind(array)) == numba.typeof(array)
    for number in (True, 1, 1.0, 1j, np.float64(1), np.complex128(1), np.int64(1)):
        assert numba_type(kind(number)) == numba.typeof(number)


def generic_resolve():
    assert hasattr(AttributeTemplate, "generic_resolve") and numba_type(TABLE).fields == {"x": types.float64[::1]}


def lower_getattr():
    assert callable(lower_getattr_generic(TableType))


def arrays_from_parts():
    assert callable(arrayobj.make_array(types.float64[::1])) and callable(arrayobj.populate_array)


def rows_of_places():
    row = numba_type(Array("int64", 2, "C", True, (0, 3), True)).copy(ndim=1)
    assert row.ndim == 1 and row.layout == "C" and type(row) is Places
    assert all(map(callable, (arrayobj.getitem_arraynd_intp, arrayobj.getitem_array_tuple, arrayobj.fix_integer_index)))


def short_loops():
    module = ir.Module()
    made = _short(module)
    assert made.operands[0] is made and "llvm.loop.unroll.disable" in str(module)


def code_helpers():
    for name in ("pointer_add", "create_struct_proxy", "is_not_null", "get_null_value", "voidptr_t"):
        assert hasattr(cgutils, name), name


def python_api():
    for name in ("long_as_voidptr", "object_getattr_string", "err_occurred", "decref"):
        assert hasattr(PythonAPI, name), name


def function_type():
    model = cpu_target.target_context.data_model_manager[types.FunctionType(types.void(types.int64))]
    assert model._fields == ("c_addr", "py_addr", "jit_addr")


def compiled():
    twice.compile(INT)
    return twice.overloads[INT]


def wrapper_name():
    assert compiled().fndesc.llvm_cfunc_wrapper_name.startswith("cfunc.")


def pointer_to_function():
    address = compiled().library.get_pointer_to_function(compiled().fndesc.llvm_cfunc_wrapper_name)
    assert isinstance(address, int) and address > 0


def symbol_in_module():
    module = compiled().library._get_module_for_linking()
    assert compiled().fndesc.llvm_func_name in {function.name for function in module.functions}


def status():
    assert (callconv.RETCODE_OK.constant, callconv.RETCODE_NONE.constant) == (0, library.NONE)


def code_for_another_processor():
    codegen = AOTCPUCodegen("canary", cpu_name="x86-64-v2" if "x86-64-v3" in library.levels() else "generic")
    made = codegen.create_library("canary")
    made._final_module = compiled().library._get_module_for_linking().clone()
    made._optimize_final_module()
    assert codegen._tm.emit_object(made._final_module)
    assert isinstance(made._linking_libraries, list) and cpu_target.target_context._internal_codegen is not None


def resolved_calls():
    """The answer is kept beside what else the type of a function remembers of its calls."""
    add = cpu_target.typing_context.resolve_value_type(operator.add)
    found = add.get_call_type(cpu_target.typing_context, (types.float64, types.float64), {})
    assert isinstance(add, types.BaseFunction) and add.get_impl_key(found) is not None


def variables_of_statements():
    """What the quick way finds is what Numba finds, in its order; another process, as it changes Numba."""
    script = (
        "import inspect; from numba.core import ir; from numba.core.compiler import run_frontend\n"
        "from lissom.kernel.compile.bridge import haste\n"
        "code = run_frontend(inspect.getsource)\n"
        "found = lambda: [s.list_vars() for block in code.blocks.values() for s in block.body]\n"
        "slowly = found(); usual = ir.Inst._rec_list_vars; haste.make_haste()\n"
        "assert ir.Inst._rec_list_vars is not usual and found() == slowly and any(map(len, slowly))"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def declared_function():
    about = FunctionDescriptor(
        True, "canary", "f", "f", "", {}, types.int64, {}, ("x",), (), mangler=lambda *_, **__: "f", argtypes=INT
    )
    environment = Environment.from_fndesc(about)
    point = _dynfunc.make_function(sys.modules[__name__], "f", "", 0, environment, ())
    result = compile_result(fndesc=about, entry_point=point, signature=types.int64(*INT))
    assert about.llvm_func_name == "f" and isinstance(result, CompileResult)


def options():
    function = numba.njit(forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(lambda x: x)
    function.compile(INT)
    assert "alwaysinline" in function.inspect_llvm(INT)


def dispatcher_cache():
    asked, given = [], []

    class Cache:
        def load_overload(self, signature, context):
            asked.append(signature)

        def save_overload(self, signature, result):
            given.append(result)

    function = numba.njit(lambda x: x + 1)
    function._cache = Cache()
    assert function(1) == 2
    assert asked == [INT] and isinstance(given[0], CompileResult)


def result_as_bytes():
    context = cpu_target.target_context
    again = CompileResult._rebuild(context, *pickle.loads(dumps(compiled()._reduce())))
    assert again.signature == compiled().signature


def bytes_of_types():
    assert pickle.loads(dumps(numba_type(TABLE))) == numba_type(TABLE)


def processor():
    triple, cpu, features = compiled().library.codegen.magic_tuple()
    assert all(isinstance(text, str) for text in (triple, cpu, features))


def compile_events():
    heard = []

    class Listener(event.Listener):
        def on_start(self, what):
            heard.append(what.data["dispatcher"].py_func.__name__)

        def on_end(self, what):
            pass

    listener = Listener()
    event.register("numba:compile", listener)
    try:
        numba.njit(lambda x: x + 2)(1)
    finally:
        event.unregister("numba:compile", listener)
    assert heard == ["<lambda>"]


def vectors():
    builder = ir.IRBuilder(ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), ()), "f").append_basic_block())
    four = ir.Constant(ir.VectorType(ir.DoubleType(), 4), ir.Undefined)
    mask = ir.Constant(ir.VectorType(ir.IntType(32), 4), [0, 0, 0, 0])
    total = builder.fadd(four, builder.shuffle_vector(four, four, mask), flags=("contract",))
    assert "fadd contract <4 x double>" in str(total)


def memory_of_arrays():
    """The layout that machine/runtime.c gives it."""
    from numba.core.runtime import nrtdynmod

    assert str(nrtdynmod._meminfo_struct_type) == "{i64, i8*, i8*, i8*, i64}"  # references, two unused, data, size


def another_number():
    """A type of our own that Numba adds."""
    from numba.core.imputils import lower_builtin, lower_cast
    from numba.core.typing.templates import infer_global

    from lissom.kernel.packs.number import PACK

    assert all(map(callable, (infer_global, lower_builtin, lower_cast)))
    cpu_target.typing_context.refresh()  # as a compilation does, where Numba was loaded before the type
    resolved = cpu_target.typing_context.resolve_function_type(operator.add, (PACK, types.float64), {})
    assert resolved.return_type == PACK


def division():
    """Ours is taken where floats divide by zero too, theirs elsewhere."""
    assert callable(complex_div_impl)

    @numba.njit
    def theirs(a, b):
        return a / b

    with pytest.raises(ZeroDivisionError):
        theirs(1j, 0j)
    assert np.isnan(numba.njit(theirs.py_func, error_model="numpy")(1j, 0j))


CANARIES = {
    "_numba_type_": numba_type_attribute,
    "AttributeTemplate.generic_resolve": generic_resolve,
    "lower_getattr_generic": lower_getattr,
    "make_array": arrays_from_parts,
    "populate_array": arrays_from_parts,
    "getitem_arraynd_intp": rows_of_places,
    "getitem_array_tuple": rows_of_places,
    "fix_integer_index": rows_of_places,
    "cgutils": code_helpers,
    "PythonAPI.long_as_voidptr": python_api,
    "FunctionType": function_type,
    "fndesc.llvm_cfunc_wrapper_name": wrapper_name,
    "library.get_pointer_to_function": pointer_to_function,
    "fndesc.llvm_func_name": symbol_in_module,
    "library._get_module_for_linking": symbol_in_module,
    "AOTCPUCodegen": code_for_another_processor,
    "AOTCodeLibrary": code_for_another_processor,
    "BaseFunction.get_call_type": resolved_calls,
    "ir.Inst._rec_list_vars": variables_of_statements,
    "context._internal_codegen": code_for_another_processor,
    "FunctionDescriptor": declared_function,
    "compile_result": declared_function,
    "Environment.from_fndesc": declared_function,
    "_dynfunc.make_function": declared_function,
    "callconv.RETCODE_NONE": status,
    "nrtdynmod._meminfo_struct_type": memory_of_arrays,
    "forceinline": options,
    "no_cpython_wrapper": options,
    "no_cfunc_wrapper": options,
    "Dispatcher._cache": dispatcher_cache,
    "CompileResult._reduce": result_as_bytes,
    "CompileResult._rebuild": result_as_bytes,
    "serialize.dumps": bytes_of_types,
    "codegen.magic_tuple": processor,
    "event.register": compile_events,
    "complex_div_impl": division,
    "error_model.raise_on_fp_zero_division": division,
    "llvmlite.ir": vectors,
    "MDValue": short_loops,
    "infer_global": another_number,
    "lower_builtin": another_number,
    "lower_cast": another_number,
}


@pytest.mark.parametrize("name", CANARIES)
def test_numba_still_has(name):
    CANARIES[name]()


def test_every_name_on_the_page_has_its_canary():
    page = (ROOT / "docs" / "reference" / "numba.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
    assert sorted(name for row in rows for name in re.findall(r"`(.*?)`", row)) == sorted(CANARIES)


def test_kernels_are_marked_without_numba():
    code = "import sys, lissom.kernel.forward, lissom.simulation.radau; print('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


def test_a_marked_function_is_its_python_function_and_a_part_of_others():
    @kernel
    def thrice(x):
        """Three of it."""
        return 3 * x

    assert thrice.__name__ == "thrice" and thrice.__doc__ == "Three of it." and thrice.py_func(2) == 6
    assert repr(thrice).startswith("<Kernel ") and thrice(2) == 6
