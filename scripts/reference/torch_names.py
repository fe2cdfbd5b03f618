# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/reference/torch-names.md to standard output: what fuser.numpy and fuser.Builder call what PyTorch has, from the table by which fuser.jit traces PyTorch's functions.

usage: PYTHONPATH=build/python python scripts/reference/torch_names.py
"""

import inspect

import fuser
import fuser._jit._torch_models  # noqa: F401 (it adds to the table)
from fuser._jit._torch_functions import INSTEAD, TABLE

#: Written by users as something else than a function; operators, and words that Python has.
OTHERS = {
    "getitem": "`x[key]`",
    "detach": "`x`",
    "contiguous": "`x`",
    "positive": "`x`",
    "resolve_conj": "`x`",
    "resolve_neg": "`x`",
    "t": "`x.T`",
    "sign": "`sign`, which of NaN is NaN",
    "dropout": "`x`, as there is none but in evaluation; `dropout` has a seed",
}
#: Parts of arrays, of which the table calls no function of the builder's.
OTHERS |= dict.fromkeys(("narrow", "select"), "slices: `x[:n]`")
OTHERS |= dict.fromkeys(("is_floating_point", "is_complex"), "`x.dtype`")
OTHERS |= {
    "split": "`split`, which takes the number of parts, or where they begin, in place of their lengths",
    "rms_norm": "`rms_norm`, whose eps is 1e-6 if there is none, not `finfo(dtype).eps`, and which takes a number of dimensions in place of their sizes",
}
OTHERS |= {"binary_cross_entropy": "`log`, `maximum`, `mean`"}
OTHERS |= dict.fromkeys(("kthvalue", "median"), "`sort`, `take_along_axis`")
OTHERS |= dict.fromkeys(("flatten", "unflatten"), "`reshape`")
OTHERS |= {"mode": "`sort`, `cummax`, `argmax`, `take_along_axis`"}
OTHERS |= {"diag_embed": "`where`, `eye`, `moveaxis`", "nll_loss": "`where`, `take_along_axis`, `mean`"}
OTHERS |= {"gather": "`take_along_axis`", "index_select": "`take`", "type_as": "`x.astype(y.dtype)`"}
OTHERS |= dict.fromkeys(
    ("scatter", "scatter_add", "scatter_reduce"),
    "`scatter`; of open sizes there are as many indices as elements, and as x has in other dimensions",
)
#: What the table has for operators and for the builder's own names, and no user of PyTorch writes.
HIDDEN = set("and or xor lshift rshift floordiv max_other permute_dims".split())
HIDDEN |= {"_threshold", "log_sigmoid", "linalg_cross", "linalg_matrix_norm", "linalg_norm", "linalg_vector_norm"}


def find_names(function):
    """The builder's functions that one of the table calls, in order: names in its closure, its code or its constants."""
    code = function.__code__
    closure = [each for each in inspect.getclosurevars(function).nonlocals.values() if isinstance(each, str)]
    constants = [each for each in code.co_consts[1:] if isinstance(each, str)]
    for names in (closure, code.co_names, constants):
        found = [name for name in names if not name.startswith("_") and callable(getattr(fuser.Builder, name, None))]
        if found:
            return list(dict.fromkeys(found))
    return []


def describe(name):
    """What to write in place of PyTorch's function."""
    if name in OTHERS:
        return OTHERS[name]
    names = find_names(TABLE[name])
    if not names:
        raise SystemExit(f"torch_names.py: expected a function of the builder's for {name}, or a line in OTHERS")
    return ", ".join(f"`{each}`" for each in names)


def write_page():
    yield "<!-- Written by scripts/docs from the table by which fuser.jit traces PyTorch's functions. -->\n"
    yield "# PyTorch's names\n"
    yield (
        "`fuser.jit` takes these functions of `torch`, `torch.nn.functional` and of tensors as they are, with PyTorch's arguments. In `fuser.numpy` and"
        " `fuser.Builder` they have the names of the array API standard, with `axis` and `keepdims` for `dim` and `keepdim`; both have the same functions.\n"
    )
    names = [name for name in sorted(TABLE) if name not in HIDDEN]
    own = [name for name in names if name not in OTHERS and name in find_names(TABLE[name])]
    yield f"Of the same name: {', '.join(f'`{name}`' for name in own)}.\n"
    yield "| PyTorch | fuser.numpy, fuser.Builder |\n| --- | --- |"
    yield from (f"| `{name}` | {describe(name)} |" for name in names if name not in own)
    yield "\nNot there:\n\n| PyTorch | write |\n| --- | --- |"
    yield from (f"| `{name}` | {INSTEAD[name]} |" for name in sorted(INSTEAD) if name not in TABLE)


if __name__ == "__main__":
    print("\n".join(write_page()).rstrip())
