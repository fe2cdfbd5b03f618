# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of elements have the property of property_base.py: of one, two and three operands, casts, and complex numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_base import (
    ANY,
    BOOL,
    BROADCAST,
    COMPLEX,
    E8M0,
    FLOATS,
    INTEGERS,
    NARROW,
    REAL,
    SIGNED,
    UNSIGNED,
    Op,
    Typed,
    broadcast_like,
    check_ops,
    examples,
    like,
    split,
)
from test_builder import BINARY, COMPARE
from test_formulas import ONE as FORMULAS
from test_formulas import exp, huber, logistic
from test_op_samples import DOMAINS, FUNCTIONS, numpy_function
from test_op_samples import ONE as NAMES
from test_scales import round_to_powers

#: What functions of one element are called in a builder, if not as in the registry.
METHODS = {"neg": "negative", "not": "bitwise_invert", "set": "copy"}
#: Those that a builder has no function of: `sign` there is `signum`.
HIDDEN = {"sign"}
#: What nvFuser calls them.
THEIRS = {"bitwise_not": "not"}
_OF_ALL = "abs ceil floor trunc round isfinite isinf isnan logical_not neg relu segment_set set sign real frac signbit isposinf isneginf".split()
_OF_BITS = ["not", "logical_not", "set", "segment_set", "isfinite", "isnan"]


def call(name, *others, **options):
    """The function of a builder, of the value, numbers and options."""
    if name in HIDDEN:
        return lambda b, x: b._program.op(name, (x,))
    return lambda b, x: getattr(b, METHODS.get(name, name))(x, *others, **options)


def _make_unary(theirs):
    """A row of a function that nvFuser has, too, with the reference and the domain of its test."""
    name = THEIRS.get(theirs, theirs)
    vectorized = FUNCTIONS.get(theirs)  # Of some elements.
    function = (lambda x: vectorized(x) if x.size else x) if vectorized else numpy_function(theirs)
    if name == "signbit":  # Of NaN it is not set.
        function = lambda x: np.signbit(x) & (x == x)  # noqa: E731, PLR0124
    types = {"not": INTEGERS + BOOL, "reciprocal": FLOATS}.get(name, FLOATS + NARROW)
    if name in _OF_ALL:
        types = {"frac": FLOATS + NARROW + SIGNED, "signbit": FLOATS + NARROW + SIGNED}.get(name, REAL)
    types = types + (BOOL if name in _OF_BITS else [])
    is_exact = name in _OF_ALL
    return Op(
        name,
        call(name),
        function,
        types,
        units=0 if is_exact else 8,
        domain=DOMAINS.get(theirs, (-4, 4)),
        is_total=is_exact,
    )


def in_floats(function):
    """NumPy has functions of narrow integers in narrow floats."""
    return lambda *arrays: function(*(each.astype(np.float64) for each in arrays))


UNARY = [_make_unary(name) for name in NAMES if name != "isreal"]
ACTIVATIONS = [
    *(
        Op(name, call(name, *others, **options), function, units=16)
        for name, (others, options, function) in FORMULAS.items()
        if "axis" not in options
    ),
    Op("nan_to_num", call("nan_to_num", 7.0, -5.0), lambda x: np.where(np.isnan(x), 7, np.where(x == np.inf, -5, x)), domain=(-4, 4)),
    Op("threshold", call("threshold", 0.25, 9.0), lambda x: np.where(x <= 0.25, 9, x), FLOATS + NARROW, units=0, is_total=True),
    Op("logit", call("logit"), lambda x: np.log(x / (1 - x)), domain=(0.05, 0.95)),
    Op("gelu", call("gelu"), lambda x: x * (1 + FUNCTIONS["erf"](x / 2**0.5)) / 2 if x.size else x, units=16),
    Op("gelu tanh", call("gelu", "tanh"), lambda x: x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))), units=16),
    Op("clamp", call("clip", -1, 2), lambda x: np.clip(x, -1, 2), FLOATS + NARROW + SIGNED, units=0, is_total=True),
    Op("clamp min", call("clip", min=2), lambda x: np.maximum(x, 2), REAL, units=0, is_total=True),
    Op("bit_ceil", call("bit_ceil"), lambda x: (2 ** np.ceil(np.log2(np.maximum(x, 1).astype(np.float64)))).astype(x.dtype), INTEGERS, units=0, domain=(-4, 60)),
    Op("cbrt", call("cbrt"), in_floats(np.cbrt), FLOATS + SIGNED, domain=(-100, 100), is_total=True),
    Op("around", lambda b, x, decimals: b.around(x, decimals), np.around, FLOATS + SIGNED, lambda draw, x: {"decimals": draw(st.integers(-2, 2))}, units=2, domain=(-100, 100)),
    Op("square", call("square"), np.square, REAL, units=0),
    Op("signum", lambda b, x: b.sign(x), np.sign, REAL, units=0, is_total=True),
]  # fmt: skip


def other(draw, x, **numbers):
    return {"y": broadcast_like(draw, x, **numbers)}


def divisor(draw, x):
    """No integer is divided by 0."""
    return other(draw, x, domain=(1, 4) if x.dtype.kind in "iu" else (-4, 4))


def positive(draw, x):
    return other(draw, x, domain=(0, 4))


def pair(name, function, types=REAL, options=other, **others):
    build = lambda b, x, y: getattr(b, name.split()[-1])(x, y)  # noqa: E731
    return Op(name, build, function, types, options, **others)


_THEIRS = {"subtract": "sub", "multiply": "mul", "maximum": "max", "minimum": "min", "divide": "true_divide"} | {
    **{"equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"},
    **{"floor_divide": "floor_div", "bitwise_left_shift": "shl", "bitwise_right_shift": "shr"},
}
TWO = [
    *(
        pair(f"{_THEIRS.get(name, name)} {name}", getattr(np, name), REAL + (BOOL if name in COMPARE else []), units=0, is_total=True)
        for name in [*BINARY, *COMPARE]
        if name not in ("divide", "fmod", "remainder", "fmax", "fmin")
    ),
    pair("true_divide divide", in_floats(np.true_divide), FLOATS + NARROW + SIGNED, units=1),
    *(pair(name, getattr(np, name), options=divisor, units=0) for name in ("fmod", "remainder", "fmax", "fmin")),
    pair("floor_div floor_divide", np.floor_divide, options=divisor, units=0),
    *(pair(f"{name} bitwise_{name}", getattr(np, f"bitwise_{name}"), INTEGERS + BOOL) for name in ("and", "or", "xor")),
    pair("shl bitwise_left_shift", np.left_shift, INTEGERS, positive),
    pair("shr bitwise_right_shift", np.right_shift, INTEGERS, positive),
    pair("pow", np.power, FLOATS + INTEGERS, positive, domain=(-4, 4)),
    pair("atan2", in_floats(np.arctan2), FLOATS + NARROW + SIGNED, is_total=True),
    pair("gcd", np.gcd, INTEGERS),
    pair("ceil_div", lambda x, y: np.floor_divide(x, y) + (np.remainder(x, y) != 0), INTEGERS, divisor, units=0),
    pair("heaviside", np.heaviside, FLOATS, units=0, is_total=True),
    Op("isclose", lambda b, x, y: b.isclose(x, y, atol=0.25, equal_nan=True), lambda x, y: np.isclose(x, y, atol=0.25, equal_nan=True), REAL, other, domain=(-100, 100), is_total=True),
    pair("hypot", np.hypot, FLOATS, is_total=True),
    pair("logaddexp", np.logaddexp, FLOATS, is_total=True),
    pair("copysign", np.copysign, FLOATS, units=0),
    pair("xlogy", lambda x, y: np.where((x == 0) & ~np.isnan(y), 0, x * np.log(y)), FLOATS, positive),
    Op("shru", lambda b, x, y: b._program.op("shru", (x, y)), lambda x, y: (x.view(f"u{x.itemsize}") >> y.view(f"u{x.itemsize}")).view(x.dtype), SIGNED, positive),
    Op("nextafter", lambda b, x, y: b.nextafter(x, y.astype(x.dtype)), np.nextafter, FLOATS[1:2], other, units=0),
    Op("div", lambda b, x, y: b._program.op("div", (x, y)), lambda x, y: np.trunc(x / y) if x.dtype.kind in "iu" else x / y, FLOATS + NARROW, divisor, units=1),
    Op("mse_loss", lambda b, x, y: b.mse_loss(x, y, "none"), lambda x, y: (x - y) ** 2, FLOATS, other),
    Op("l1_loss", lambda b, x, y: b.l1_loss(x, y, "none"), lambda x, y: np.abs(x - y), FLOATS, other),
    Op("huber_loss", lambda b, x, y: b.huber_loss(x, y, "none", 0.7), lambda x, y: huber(x, y, 0.7), FLOATS, other),
    Op("smooth_l1_loss", lambda b, x, y: b.smooth_l1_loss(x, y, "none", 0.7), lambda x, y: huber(x, y, 0.7) / 0.7, FLOATS, other),
    Op("kl_div", lambda b, x, y: b.kl_div(x, y, "none", True), lambda x, y: exp(y) * (y - x), FLOATS, other, units=16),
    Op(
        "binary_cross_entropy_with_logits",
        lambda b, x, y: b.binary_cross_entropy_with_logits(x, y, None, "none"),
        lambda x, y: -(y * np.log(logistic(x)) + (1 - y) * np.log(1 - logistic(x))),
        FLOATS,
        lambda draw, x: other(draw, x, domain=(0, 1)),
        units=16,
    ),
    Op("prelu", lambda b, x, y: b.prelu(x, y), lambda x, y: np.where(x > 0, x, x * y.reshape(-1, *[1] * (x.ndim - 2))), FLOATS,
       lambda draw, x: {"y": like(draw, x, x.shape[1:2])}, lambda x: x.ndim > 1),
]  # fmt: skip


def two_more(draw, x):
    return {"y": broadcast_like(draw, x), "z": like(draw, x)}


def condition(draw, x):
    return {"y": like(draw, x), "z": like(draw, x, dtype=np.dtype(draw(st.sampled_from(["bool", "int32", "float32"]))))}


def lstm(c, i, f, g, o):
    cell = logistic(f) * c + logistic(i) * np.tanh(g)
    return cell, logistic(o) * np.tanh(cell)


THREE = [
    Op("where", lambda b, x, y, z: b.where(z, x, y), lambda x, y, z: np.where(z != 0, x, y), ANY, condition, units=0, is_total=True),
    Op("lerp", lambda b, x, y, z: b.lerp(x, y, z), lambda x, y, z: np.where(np.abs(z) < 0.5, x + z * (y - x), y - (y - x) * (1 - z)), FLOATS, two_more, units=16),
    Op("addcmul", lambda b, x, y, z: b.addcmul(x, y, z, 2.0), lambda x, y, z: x + 2 * y * z, FLOATS[:2], two_more, units=16),
    Op("addcdiv", lambda b, x, y, z: b.addcdiv(x, y, z, 0.5), lambda x, y, z: x + 0.5 * y / z, FLOATS, two_more, units=16),
    Op("dropout_backward", lambda b, x, y, z: b.dropout_backward(x, b.greater(z, 0), 1.25), lambda x, y, z: x * (z > 0) * 1.25, FLOATS, two_more, units=16),
    Op("lstm", lambda b, x, y, z: b.lstm(x, y, z, z, y), lambda x, y, z: lstm(x, y, z, z, y), FLOATS, two_more, units=32, is_sum=True),
    Op("clamp of tensors", lambda b, x, y, z: b.clip(x, y, z), lambda x, y, z: np.minimum(np.maximum(x, y), z), REAL, two_more, units=0, is_total=True),
]  # fmt: skip


def cast_to(draw, x):
    """No float that is negative or no number becomes an unsigned integer, and no complex number a real one."""
    if x.dtype.kind == "c":
        return {"dtype": draw(st.sampled_from(COMPLEX))}
    is_free = x.dtype.kind in "biu" or (x.astype(np.float64) >= 0).all()
    return {"dtype": draw(st.sampled_from([each for each in ANY if is_free or each not in UNSIGNED]))}


def cast(x, dtype):
    """Powers of two by way of floats, as ml_dtypes has it not by itself."""
    x = x.astype(np.float64) if E8M0 in (x.dtype, dtype) else x
    return Typed(round_to_powers(x) if dtype == E8M0 else x.astype(dtype), dtype)


def view_as(draw, x):
    kinds = [each for each in REAL if each.itemsize == x.dtype.itemsize]
    return {"dtype": draw(st.sampled_from(kinds))}


CASTS = [
    Op("cast", lambda b, x, dtype: b.astype(x, dtype), cast, ANY, cast_to, units=0),
    Op("bitcast", lambda b, x, dtype: x.view(dtype), lambda x, dtype: Typed(x.view(dtype), dtype), INTEGERS, view_as, units=0),
]  # fmt: skip


def unary_complex(name, function=None, **others):
    return Op(name, call(name), function or getattr(np, name), COMPLEX, units=16, **others)


def parts(draw, x):
    return {"y": like(draw, x)}


OF_COMPLEX = [
    *(unary_complex(name) for name in ("exp", "sin", "cos", "tanh", "sqrt", "abs", "real", "imag", "conj", "angle")),
    unary_complex("neg", np.negative),
    unary_complex("log", lambda x: np.log(np.where(x == 0, 1, x)))._replace(build=lambda b, x: b.log(b.where(x == 0, 1.0, x))),
    *(pair(f"{theirs} {name}", getattr(np, name), COMPLEX, units=16) for name, theirs in list(_THEIRS.items())[:2]),
    pair("add", np.add, COMPLEX, units=16),
    pair("true_divide divide", lambda x, y: x / y, COMPLEX, lambda draw, x: other(draw, x, domain=(1, 4)), units=16),
    pair("eq equal", np.equal, COMPLEX),
    pair("ne not_equal", np.not_equal, COMPLEX),
    pair("complex", lambda x, y: x + 1j * y, FLOATS[:2], parts, units=0),
    pair("polar", lambda x, y: x * np.exp(1j * y), FLOATS[:2], parts, units=8, domain=(0, 4)),
    Op("view_as_real", call("view_as_real"), lambda x: np.stack([x.real, x.imag], -1), COMPLEX, takes=lambda x: x.ndim < 4, units=0),
    Op("view_as_complex", lambda b, x, y: b.view_as_complex(y), lambda x, y: y[..., 0] + 1j * y[..., 1], FLOATS[:2], lambda draw, x: {"y": like(draw, x, (*x.shape[:3], 2))}, units=0),
]  # fmt: skip

FAMILIES = {
    "unary": UNARY,
    "activations": ACTIVATIONS,
    "two": TWO,
    "three": THREE,
    "casts": CASTS,
    "complex": OF_COMPLEX,
}


TABLES = split(FAMILIES)


@pytest.mark.parametrize("table", TABLES)
@examples(5)
@given(st.data())
def test_elements(table, data):
    check_ops(data.draw, TABLES[table], opened=BROADCAST)
