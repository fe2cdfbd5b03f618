# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of functions of models: they are in signatures, and others are errors that name the nearest."""

import inspect
import itertools
import re

import fuser
import fuser.numpy as fnp
import pytest
from conftest import ROOT
from fuser import FusionDefinition, _fuser
from fuser.builder import Composites

OPTIONS = {
    "batch_norm": "dim training eps momentum",
    "batch_norm_backward": "bias dim training",
    "block_quantize": "scales global_scale",
    "cross_entropy": "weight label_smoothing reduction ignore_index dim",
    "cross_entropy_backward": "weight label_smoothing reduction ignore_index dim",
    "group_norm_backward": "bias num_groups",
    "grouped_mm": "alpha bias beta dtype",
    "instance_norm_backward": "bias",
    "layer_norm_backward": "bias ndim",
    "block_scaled_grouped_mm": "dtype",
    "linear_cross_entropy": "bias weight label_smoothing reduction ignore_index",
    "rms_norm_backward": "ndim",
    "scaled_mm": "alpha bias beta dtype swizzled_block",
    "sdpa": "bias mask scale is_causal causal dropout",
    "sdpa_backward": "bias mask scale is_causal causal dropout",
}


def get_options(function):
    return [each.name for each in inspect.signature(function).parameters.values() if each.kind is each.KEYWORD_ONLY]


def test_options_are_in_signatures():
    for name, method in vars(Composites).items():
        if name.startswith("_"):
            continue
        assert not [each for each in inspect.signature(method).parameters.values() if each.kind is each.VAR_KEYWORD]
        assert get_options(method) == get_options(getattr(fnp, name)) == OPTIONS.get(name, "").split()
        assert str(inspect.signature(method)).replace("(self, ", "(") == str(inspect.signature(getattr(fnp, name)))


@pytest.mark.parametrize(
    "name, count, option, near",
    [
        ("cross_entropy", 2, "smoothing", "label_smoothing"),
        ("scaled_mm", 4, "out_dtype", "dtype"),
        ("grouped_mm", 3, "apha", "alpha"),
        ("sdpa", 3, "causal_", "causal"),
        ("sdpa_backward", 3, "has_mask", "mask"),
        ("batch_norm", 1, "train", "training"),
        ("layer_norm_backward", 3, "dims", "ndim"),
        ("block_quantize", 1, "global_scales", "global_scale"),
        ("sdpa", 3, "enable_gqa", None),
    ],
)
def test_other_options(name, count, option, near):
    b = fuser.Builder()
    operands = [b.input((4, 4)) for _ in range(count)]
    ending = f": got an unexpected keyword argument '{option}'" + (f"; did you mean '{near}'?" if near else "")
    fd = FusionDefinition()
    fd_operands = [fd.define_tensor(shape=[4, 4]) for _ in range(count)]
    for function, given in ((getattr(b, name), operands), (getattr(fd.ops, name), fd_operands)):
        if function.__qualname__.startswith("Ops."):
            continue  # nvFuser's own.
        with pytest.raises(TypeError) as caught:
            function(*given, **{option: 1})
        assert str(caught.value).startswith(f"{name}: expected (")
        assert str(caught.value).endswith(ending)


def test_none_is_as_if_it_were_not_given():
    b = fuser.Builder()
    x, target = b.input((3, 4)), b.input((3,), "int64")
    b.output(b.cross_entropy(x, target, weight=None, label_smoothing=None)[0])
    one = b.full((), 1.0)
    b.output(b.scaled_mm(x, x.T, one, one, dtype=None, bias=None))
    b.output(b.sdpa(x[None], x[None], x[None], mask=None)[0])
    assert len(b.compile().output_types) == 3


@pytest.mark.parametrize(
    "call, expected",
    [
        (lambda b, x, target: b.group_norm(x, 2, eps=None), "group_norm: expected a value of the program or a number"),
        (lambda b, x, target: b.batch_norm(x, eps=None), "batch_norm: expected a value of the program or a number"),
        (
            lambda b, x, target: b.batch_norm(x, running=(x[0], x[0]), momentum=None),
            "batch_norm: expected a value of the program or a number",
        ),
        (lambda b, x, target: b.batch_norm(x, training=None), "expected .* as 'training'"),
        (lambda b, x, target: b.cross_entropy(x, target, reduction=None), "expected .* as 'reduction'"),
        (lambda b, x, target: b.cross_entropy(x, target, ignore_index=None), "expected .* as 'ignore_index'"),
        (lambda b, x, target: b.sdpa(x[None], x[None], x[None], is_causal=None), "expected .* as 'is_causal'"),
    ],
)
def test_none_is_no_value_of_other_options(call, expected):
    b = fuser.Builder()
    with pytest.raises(TypeError, match=f"{expected}, got None"):
        call(b, b.input((3, 4)), b.input((3,), "int64"))


@pytest.mark.parametrize("smoothing", [-0.1, 1.5, 2, float("nan")])
def test_smoothings_of_labels(smoothing):
    b = fuser.Builder()
    x, target = b.input((3, 4)), b.input((3,), "int64")
    expected = f"cross_entropy: expected a number from 0 to 1 as label_smoothing, got {smoothing}"
    with pytest.raises(ValueError, match=f"^{expected}$"):
        b.cross_entropy(x, target, label_smoothing=smoothing)
    with pytest.raises(ValueError, match=expected):
        b.linear_cross_entropy(x, x, target, label_smoothing=smoothing)
    for each in (0, 1.0, b.scalar("float32")):
        b.cross_entropy(x, target, label_smoothing=each)


def test_what_is_missing():
    b = fuser.Builder()
    x = b.input((3, 4))
    with pytest.raises(
        TypeError, match=r"^sdpa: expected \(query, key, value, \*, .*: missing a required argument: 'value'"
    ):
        b.sdpa(x, x)
    with pytest.raises(TypeError, match="group_norm_backward: .* missing a required .*'num_groups'"):
        b.group_norm_backward(x, x, (x, x))
    with pytest.raises(TypeError, match="cross_entropy: .*too many positional arguments"):
        b.cross_entropy(x, x, x)


# Attributes of ops, in text and in a builder's program

#: Arrays and numbers, one of which each op of the table takes first.
KINDS = {
    "matrix": lambda b: b.input((4, 4)),
    "vector": lambda b: b.input((4,)),
    "indices": lambda b: b.input((4,), "int64"),
    "number": lambda b: 1,
}
VALUES = {"kind": "sum", "type": "f32", "indexing": "xy", "mode": "constant", "equation": "ij->ij", "method": "linear"}
LISTS = {"shape", "starts", "stops", "low", "high", "repeats", "shifts"}


def list_asked(name, kinds):
    """The attributes that an op of operands of these kinds asks for, one after the other."""
    given = {}
    while True:
        b = fuser.Builder()
        try:
            b._program.op(name, [KINDS[kind](b) for kind in kinds], given)
        except fuser.Error as error:
            asked = re.search(r"expected (.*) as '(\w+)', got none", str(error))
            if asked and asked[2] not in given:
                given[asked[2]] = [0] if "list" in asked[1] else VALUES.get(asked[2], 1)
                continue
        return set(given)


def test_required_attributes_are_listed():
    text = (
        (ROOT / "docs/spec/builder-ops.md")
        .read_text()
        .split("| ops | attributes without a default |")[1]
        .split("\n\n")[0]
    )
    rows = [re.sub(r"\(.*?\)", "", row).split(" | ") for row in text.splitlines()[2:] if " or " not in row]
    listed = {
        pair
        for ops, keys in rows
        for pair in itertools.product(*(re.findall(r"`(\w+)`", each) for each in (ops, keys)))
    }
    kinds = [(), ("vector",), *[("number",) * count for count in (1, 2, 3)], ("matrix",) * 4]
    kinds += [each for count in (1, 2, 3) for each in itertools.product(("matrix", "indices"), repeat=count)]
    names = _fuser._op_names().split()
    asked = {(name, key) for name in names for each in kinds for key in list_asked(name, each) - LISTS}
    assert asked == listed
