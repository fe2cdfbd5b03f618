# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/reference/python.md to standard output: signatures from the package's stubs, and its documentation strings.

usage: PYTHONPATH=build/python python scripts/reference/python_api.py
"""

import ast
import importlib
import inspect
from pathlib import Path

import fuser

# Not those of the build, which are older where scripts/docs has just written them.
PACKAGE = Path(__file__).resolve().parents[2] / "python-bindings" / "fuser"
#: Title, module, and the classes and functions that are shown, None: all that are public.
SECTIONS = [
    (
        "Compile and load",
        "fuser",
        ["compile", "compile_to_bytes", "load", "CompileOptions", "jit", "Jitted", "show_progress"],
    ),
    ("What is compiled", "fuser", ["Executable", "Report", "Graph", "Context", "Tensor", "Error"]),
    ("Functions of arrays: fuser.numpy", "fuser.numpy", None),
    ("Programs op by op", "fuser", ["Builder", "Composites", "Formulas", "ArrayFunctions", "Value"]),
    ("nvFuser's names", "fuser", ["FusionDefinition", "DataType", "Ops", "TensorView"]),
    (
        "nvFuser's profiler: fuser.nvfuser_direct",
        "fuser.nvfuser_direct",
        ["PythonProfiler", "FusionProfile", "KernelProfile", "get_fusion_profile", "reset_profiler"],
    ),
    ("torch.compile: fuser.torch", "fuser.torch", None),
]
#: Where the stub of a name of `fuser` is.
# The extension module comes last: its Builder is what the package's calls.
MODULES = ["", "_inspect", "_jit", "_nvfuser_ops", "builder", "fusion_definition", "nvfuser_direct._profiler", "_fuser"]


def read_stub(name):
    """The definitions of a stub by name: a list, of overloads several."""
    path = PACKAGE.joinpath(*name.split(".")[1:])
    path = path / "__init__.pyi" if path.is_dir() else path.with_suffix(".pyi")
    definitions = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            definitions.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Assign) and getattr(node.value, "id", None) in definitions:
            definitions.setdefault(node.targets[0].id, []).append(node)
    return definitions


def find(name):
    """The object and the stub's definitions of a name that the package shows."""
    for module in MODULES:
        full = f"fuser.{module}".rstrip(".")
        definitions = read_stub(full)
        if name in definitions:
            return getattr(importlib.import_module(full), name), definitions[name]
    raise SystemExit(f"python_api.py: expected a stub of {name}, found none")


def get_doc(value, where):
    """The documentation of a value, without the signature that the extension module's functions begin with."""
    doc = inspect.cleandoc(value.__doc__ or "") if value is not None else ""
    first, _, rest = doc.partition("\n\n")
    if first.startswith(where.rsplit(".", 1)[-1] + "(") and rest:
        doc = rest
    if not doc:
        raise SystemExit(f"python_api.py: expected a documentation string of {where}, found none")
    return doc


def write_signature(node, name, is_method):
    """`name(arguments) -> result` in one line."""
    args = ast.parse(ast.unparse(node)).body[0].args
    first = args.posonlyargs or args.args
    if is_method and first and first[0].arg in ("self", "cls"):
        del first[0]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__new__" else ""
    text = ast.unparse(args).removeprefix("/, ").replace("Unpack[CompileOptions]", "CompileOptions")
    return f"{name}({text}){returns}"


def is_property(node):
    return any(isinstance(each, ast.Name) and each.id == "property" for each in node.decorator_list)


def write_entry(signature, doc):
    """A list's item."""
    lines = doc.splitlines()
    yield f"- `{signature}`: {lines[0]}" if len(lines) == 1 else f"- `{signature}`"
    if len(lines) > 1:
        yield ""
        yield from (f"  {line}".rstrip() for line in lines)
        yield ""


def write_class(name, value, node):
    yield f"### {name}\n"
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
    for each in methods:
        if each.name in ("__init__", "__new__") and name not in ("Graph", "Report", "Jitted", "Value"):
            yield f"`{write_signature(each, name, True)}`\n"
    yield get_doc(value, name) + "\n"
    seen = set()
    for each in methods:
        if each.name.startswith("_") or each.name in seen:
            continue
        seen.add(each.name)
        doc = get_doc(inspect.getattr_static(value, each.name), f"{name}.{each.name}")
        result = f": {ast.unparse(each.returns)}" if each.returns else ""
        signature = each.name + result if is_property(each) else write_signature(each, each.name, True)
        yield from write_entry(signature, doc)
    yield ""


def write_options(name, value):
    """A dictionary of keywords, each with its documentation behind it in the source."""
    yield f"### {name}\n\n{get_doc(value, name)}\n"
    source = ast.parse(inspect.getsource(value)).body[0].body
    for field, doc in zip(source, source[1:]):
        if isinstance(field, ast.AnnAssign) and isinstance(doc, ast.Expr):
            yield f"- `{ast.unparse(field)}`: {doc.value.value}"
    yield ""


def write_name(name, module):
    value, nodes = find(name)
    if name == "CompileOptions":
        yield from write_options(name, value)
    elif isinstance(nodes[0], ast.ClassDef):
        yield from write_class(name, value, nodes[0])
    else:
        yield f"### {name}\n"
        yield from (f"`{write_signature(node, f'{module}.{name}', False)}`\n" for node in nodes)
        yield get_doc(value, name) + "\n"


def write_numpy():
    module = importlib.import_module("fuser.numpy")
    yield get_doc(module, "fuser.numpy") + "\n"
    for name, nodes in sorted(read_stub("fuser.numpy").items()):
        if isinstance(nodes[0], ast.Assign):
            yield f"- `{name}`: NumPy's name of `{nodes[0].value.id}`"
            continue
        yield from write_entry(write_signature(nodes[0], name, False), get_doc(getattr(module, name), name))
    yield ""


def write_torch():
    """Without an import, which needs PyTorch."""
    tree = ast.parse((PACKAGE / "torch" / "__init__.py").read_text())
    yield inspect.cleandoc(ast.get_docstring(tree)) + "\n"


def write_page():
    yield "<!-- Written by scripts/docs from the package's documentation strings. -->\n\n# Python API\n"
    yield get_doc(fuser, "fuser") + "\n"
    for title, module, names in SECTIONS:
        yield f"## {title}\n"
        if names is None:
            yield from {"fuser.numpy": write_numpy, "fuser.torch": write_torch}[module]()
            continue
        for name in names:
            yield from write_name(name, module)


if __name__ == "__main__":
    print("\n".join(write_page()).rstrip())
