# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What type checkers read says of the package what is so."""

import ast
import copy
import importlib
import inspect
import pickle
import re
import sys
from pathlib import Path

import fuser
import pytest
from conftest import ROOT
from fuser.builder import Composites

PACKAGE = Path(fuser.__file__).parent
MODULES = [
    "",
    "_fuser",
    "_inspect",
    "_jit",
    "_nvfuser_ops",
    "_program",
    "builder",
    "fusion_definition",
    "numpy",
    "nvfuser_direct._profiler",
    "torch",
]


def read(module):
    """Functions and classes of a stub, by name: a class as its methods."""
    folder = PACKAGE / module if (PACKAGE / module).is_dir() else PACKAGE
    name = "__init__" if folder == PACKAGE / module else module
    stub = ast.parse(folder.joinpath(*name.split(".")).with_suffix(".pyi").read_text())
    definitions = {}
    for node in stub.body:
        if isinstance(node, ast.FunctionDef):
            definitions[node.name] = node
        elif isinstance(node, ast.ClassDef):
            definitions[node.name] = [each for each in node.body if isinstance(each, ast.FunctionDef)]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in definitions:
            definitions[node.targets[0].id] = definitions[node.value.id]  # Another name of it.
    return definitions


def get_signature(node, module):
    """That of a stub's function, without types."""
    function = copy.deepcopy(node)
    function.returns, function.decorator_list, function.body = None, [], [ast.Pass()]
    for each in ast.walk(function.args):
        if isinstance(each, ast.arg):
            each.annotation = None
    scope = {**vars(module)}
    exec(compile(ast.fix_missing_locations(ast.Module([function], [])), "<stub>", "exec"), scope)
    return inspect.signature(scope[node.name])


def describe(parameter, own):
    """The name, how it is given, and the default, which is that of `own` where the stub does not say it."""
    default = own.default if parameter.default is ... and own.default is not own.empty else parameter.default
    return parameter.name, parameter.kind.name, repr(default)


def is_overloaded(node):
    return any(isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list)


def check_function(function, node, module):
    # Functions in C say nothing of their parameters.
    if is_overloaded(node) or not inspect.isfunction(function):
        return
    own = [*inspect.signature(function).parameters.values()]
    stub = [*get_signature(node, module).parameters.values()]
    assert [each.name for each in stub] == [each.name for each in own], node.name
    pairs = zip(stub, own, strict=True)
    assert [describe(*pair) for pair in pairs] == [describe(each, each) for each in own], node.name


def print_parameters(node):
    """Without types, and without self and cls."""
    arguments = node.args
    arguments.args = [each for each in (*arguments.posonlyargs, *arguments.args) if each.arg not in ("self", "cls")]
    arguments.posonlyargs = []
    for each in ast.walk(arguments):
        if isinstance(each, ast.arg):
            each.annotation = None
    return ast.unparse(arguments)


def test_docstrings_of_the_extension_have_the_signatures_of_the_stub():
    """Where they begin with one: what is written in C says nothing else of its parameters."""
    count = 0
    for name, node in read("_fuser").items():
        if name == "_DLPack":  # The stub's own.
            continue
        real = getattr(fuser._fuser, name)
        methods = {each.name: each for each in node} if isinstance(node, list) else {}
        documented = [(name, real, methods.get("__new__", node))]
        documented += [(each, getattr(real, each), methods[each]) for each in methods if not each.startswith("__")]
        for called, object_, stub in documented:
            signature = re.match(rf"{called}\([^)]*\)", object_.__doc__ or "")
            if not signature:
                continue
            shown = ast.parse(f"def {signature[0]}: ...").body[0]
            assert print_parameters(shown) == print_parameters(stub), called
            count += 1
    assert count > 10


@pytest.mark.parametrize("name", MODULES)
def test_stubs_are_right(name):
    if name == "torch":
        pytest.importorskip("torch")
    module = importlib.import_module(f"fuser.{name}".rstrip("."))
    assert read(name)
    for defined, node in read(name).items():
        if defined in ("_DLPack", "_Decorator"):  # Protocols, which are the stub's own.
            continue
        real = getattr(module, defined)
        if not isinstance(node, list):
            check_function(inspect.unwrap(real), node, module)
            continue
        for method in node:
            check_function(inspect.unwrap(getattr(real, method.name)), method, module)


@pytest.mark.parametrize(
    "module, name",
    [
        ("builder", "Builder"),
        ("builder", "Composites"),
        ("builder", "Value"),
        ("_nvfuser_ops", "Ops"),
        ("_nvfuser_ops", "TensorView"),
        ("fusion_definition", "FusionDefinition"),
        ("_fuser", "Executable"),
        ("_fuser", "Builder"),
        ("_program", "Operand"),
        ("_jit", "Jitted"),
        ("_jit", "Array"),
        ("nvfuser_direct._profiler", "PythonProfiler"),
        ("nvfuser_direct._profiler", "FusionProfile"),
        ("nvfuser_direct._profiler", "KernelProfile"),
    ],
)
def test_stubs_are_complete(module, name):
    defined = getattr(importlib.import_module(f"fuser.{module}"), name)
    # These are wrapped there; they have the base's stub.
    inherited = vars(Composites) if issubclass(defined, Composites) and defined is not Composites else ()
    real = {each: value for each, value in vars(defined).items() if each not in inherited}
    listed = {each.name for each in read(module)[name]}
    operators = {
        each for each in real if each.startswith("__") and each[2:-2] in {"add", "radd", "rpow", "matmul", "eq", "lt"}
    }
    public = {each for each in real if not each.startswith("_")} | operators
    assert public and public - listed - {"is_recording"} == set()


def test_stub_of_numpy_is_complete():
    import fuser.numpy

    functions = {name for name in fuser.numpy.__all__ if inspect.isfunction(getattr(fuser.numpy, name))}
    assert functions and functions - read("numpy").keys() == set()


def test_all_names_are_there():
    for name in fuser.__all__:
        assert hasattr(fuser, name)
    assert (PACKAGE / "py.typed").exists()


def test_import_is_light():
    """The package imports no framework, and of Python's modules and its own none that few programs need."""
    import subprocess

    heavy = ("numpy", "torch", "ml_dtypes", "dataclasses", "difflib", "json", "subprocess")
    heavy += ("fuser.fusion_definition", "fuser.builder", "fuser._jit")
    code = f"import sys, fuser; print([name for name in {heavy} if name in sys.modules], sys.getdlopenflags())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"[] {sys.getdlopenflags()}\n"


def test_names_that_are_imported_late():
    assert fuser.FusionDefinition is importlib.import_module("fuser.fusion_definition").FusionDefinition
    assert fuser.DataType is importlib.import_module("fuser._nvfuser_ops").DataType
    assert fuser.jit is importlib.import_module("fuser._jit").jit and pickle.loads(pickle.dumps(fuser.jit)) is fuser.jit
    assert fuser.builder.Builder is fuser.Builder and fuser.builder.Value is fuser.Value
    assert {"Builder", "DataType", "FusionDefinition", "Value", "builder", "jit", "numpy"} <= set(dir(fuser))
    with pytest.raises(AttributeError, match="module 'fuser' has no attribute 'FusionDefinitions'"):
        fuser.FusionDefinitions  # noqa: B018


def test_all_has_a_docstring():
    from fuser._nvfuser_ops import Ops, TensorView
    from fuser.nvfuser_direct import FusionProfile, KernelProfile, PythonProfiler

    profiler = (FusionProfile, KernelProfile, PythonProfiler)
    for documented in (fuser.Builder, fuser.Value, fuser.FusionDefinition, Ops, TensorView, *profiler):
        missing = [name for name, value in vars(documented).items() if name[0] != "_" and not value.__doc__]
        assert missing == [], documented.__name__


def test_the_reference_has_the_classes_that_users_call():
    """Builder is the package's, not the extension module's of the same name."""
    page = (ROOT / "docs/reference/python.md").read_text()
    section = page.split("\n### Builder\n")[1].split("\n### ")[0]
    shown = re.findall(r"^- `(\w+)\(", section, re.M)
    assert "`Builder(name: str='fusion') -> None`" in section
    assert {name for name in vars(fuser.Builder) if not name.startswith("_")} == set(shown)
    assert not hasattr(fuser._fuser.Builder, "compile") and "compile" in shown
