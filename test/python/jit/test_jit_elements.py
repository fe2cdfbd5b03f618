# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers that the element type of the arrays beside them does not hold, and names of element types: as NumPy, or as PyTorch for its tensors."""

import operator
import re

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
ARITHMETIC = "add sub mul floordiv mod and_ or_ xor".split()
DTYPES = "uint8 int8 uint16 int16 uint32 int32 uint64 int64".split()
#: All of them are beyond one of these types.
NUMBERS = [-(2**63) - 1, -(2**63), -(2**31) - 1, -(2**15) - 1, -200, -1, 0, 200, 300, 2**16, 2**32, 2**63, 2**64 - 1]


def make(dtype):
    limits = np.iinfo(dtype)
    return np.array([limits.min, 1, 3, 100, limits.max], dtype)


def run(function, *arrays):
    """What it gives, or the error that it is."""
    try:
        return function(*arrays)
    except (OverflowError, RuntimeError, fuser.Error) as error:
        return type(error)


@pytest.mark.parametrize("dtype", DTYPES)
def test_comparisons_of_numpys_arrays_are_of_the_numbers(dtype):
    x = make(dtype)
    for name in COMPARISONS:
        compare = getattr(operator, name)

        def function(x, compare=compare):
            return tuple(compare(x, n) for n in NUMBERS) + tuple(compare(n, x) for n in NUMBERS)

        for got, expected in zip(fuser.jit(function)(x), function(x), strict=True):
            np.testing.assert_array_equal(got, expected)
    got = fuser.jit(lambda x: (np.less(300, x), fnp.greater_equal(x, -200), x[0] < 300))(x)
    for each, expected in zip(got, (np.less(300, x), x >= -200, x[0] < 300), strict=True):
        np.testing.assert_array_equal(each, expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_refuses_other_numbers(dtype):
    x = make(dtype)
    # 64 bits with a sign are what a program's integers have, but those of arrays of uint64.
    numbers = [n for n in (-(2**31) - 1, -200, -1, 7, 200, 300, 2**32, 2**63 + 5) if n < 2**63 or dtype == "uint64"]
    names = ("add", "sub", "mul", "and_", "xor")
    for number in numbers:

        def function(x, number=number):
            return tuple(getattr(operator, name)(x, number) for name in names)

        got, expected = run(fuser.jit(function), x), run(function, x)
        assert (got is OverflowError) == (expected is OverflowError)
        for each, wanted in () if got is OverflowError else zip(got, expected, strict=True):
            assert each.dtype == wanted.dtype
            np.testing.assert_array_equal(each, wanted)
    expected = "expected an integer that uint8 holds, from 0 to 255, got 300: x.astype('int64') has more room"
    x = make("uint8")
    for name, function in {
        "add": lambda x: x + 300,
        "sub": lambda x: 300 - x,
        "max": lambda x: np.maximum(x, 300),
        "pow": lambda x: x**300,
        "full": lambda x: np.full_like(x, 300),
        "clamp": lambda x: np.clip(x, 300, None),
    }.items():
        assert run(function, x) is OverflowError
        with pytest.raises(OverflowError, match=re.escape(f"{name}: {expected}")):
            fuser.jit(function)(x)


def test_integers_that_no_type_holds_have_no_remedy():
    """Once of int64, too, the remedy was int64."""
    for dtype, number, advice in (
        ("int64", 2**64, "no integers have more than 64 bits"),
        ("uint8", -(2**63) - 1, "no integers have more than 64 bits"),
        ("int64", 2**63, "x.astype('uint64') has more room"),
        ("uint64", -1, "x.astype('int64') has more room"),
    ):
        least, greatest = np.iinfo(dtype).min, np.iinfo(dtype).max
        expected = f"add: expected an integer that {dtype} holds, from {least} to {greatest}, got {number}: {advice}"
        with pytest.raises(OverflowError, match=re.escape(expected) + "$"):
            fuser.jit(lambda x, number=number: x + number)(make(dtype))


def test_bounds_of_clip_may_be_beyond():
    def function(x):
        return np.clip(x, -1, None), np.clip(x, None, 300), x.clip(-1, 300), x.clip(2, 1000)

    for dtype in ("uint8", "int8"):
        x = make(dtype)
        for got, expected in zip(fuser.jit(function)(x), function(x), strict=True):
            assert got.dtype == dtype
            np.testing.assert_array_equal(got, expected)


def test_what_holds_a_number_of_another_type():
    """Of NumPy's types, of floats, and of sizes."""
    x = np.arange(300).astype(np.uint8)
    functions = (
        lambda x: x != np.int64(-1),
        lambda x: x / 300,
        lambda x: x < 300.5,
        lambda x: x < x.shape[0],
        lambda x: x.shape[0] != x,
    )
    for function in functions:
        np.testing.assert_allclose(fuser.jit(function)(x), function(x), rtol=1e-6)
    compare = fuser.jit(lambda x, n: (x < n, n != x))
    for number in (np.int64(300), np.int64(-1), np.int64(7)):
        np.testing.assert_array_equal(compare(x, number), (x < number, number != x))
    assert compare.num_programs == 1


#: Of two operands, that NumPy computes in the type of both.
MIXED = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.mod,
    operator.floordiv,
    operator.and_,
    operator.lt,
    operator.eq,
]
MIXED += [
    np.maximum,
    np.fmod,
    np.gcd,
    lambda x, n: n - x,
    lambda x, n: np.clip(x, 0, n),
    lambda x, n: np.where(x > 2, x, n),
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_of_numpys_have_their_own_type(dtype):
    """As arguments, beside these, and as arrays without dimensions."""
    x = make(dtype)
    for number in (np.int16(300), np.int8(-3), np.uint8(200), np.int64(2**40), np.uint32(2**31 + 5)):
        if np.promote_types(dtype, number.dtype).kind == "f":
            continue

        def all_of(x, n):
            return tuple(function(x, n) for function in MIXED)

        with np.errstate(all="ignore"):
            expected = all_of(x, number)
        jitted = fuser.jit(all_of)
        for got in (jitted(x, number), jitted(x, np.array(number)), fuser.jit(lambda x, n=number: all_of(x, n))(x)):
            for each, wanted in zip(got, expected, strict=True):
                assert each.dtype == wanted.dtype
                np.testing.assert_array_equal(each, wanted)


def test_numbers_with_a_sign_beside_uint64():
    """What are floats in NumPy stay integers; no number is another one."""
    x, function = np.array([1, 2**64 - 1], np.uint64), fuser.jit(lambda x, n: np.maximum(x, n))
    np.testing.assert_array_equal(function(x, np.int64(7)), np.array([7, 2**64 - 1], np.uint64))
    with pytest.raises(fuser.Error, match="'maximum': expected an integer that ui64 holds, from 0 to .*, got -7"):
        function(x, np.int64(-7))


SIGNED_BESIDE_UNSIGNED = {
    "*": operator.mul,
    "//": operator.floordiv,
    "/": operator.truediv,
    "maximum": np.maximum,
    "where": lambda x, y: np.where(x > 1, x, y),
    "clip": lambda x, y: np.clip(x, y, None),
    **{name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")},
}


@pytest.mark.parametrize("dtype", [np.int8, np.int64])
@pytest.mark.parametrize("function", SIGNED_BESIDE_UNSIGNED.values(), ids=SIGNED_BESIDE_UNSIGNED)
def test_arrays_with_a_sign_beside_uint64(function, dtype):
    """Floats, as there is no type of integers for both; comparisons are of the numbers, also where floats of both are the same."""
    x = np.array([-3, 1, 3, np.iinfo(dtype).max], dtype)
    for number in (np.uint64(3), np.uint64(np.iinfo(dtype).max - 1), np.uint64(2**63 + 1)):
        others = np.array([number, 3, 0, number])
        calls = [
            (fuser.jit(lambda x, n=number: function(x, n)), (x,)),
            *((fuser.jit(function), (x, y)) for y in (number, others)),
        ]
        for (jitted, given), other in zip(calls, (number, number, others), strict=True):
            with np.errstate(all="ignore"):
                wanted, got = function(x, other), jitted(*given)
            assert got.dtype == wanted.dtype
            np.testing.assert_array_equal(got, wanted)
        np.testing.assert_array_equal(fuser.jit(function)(others, x), function(others, x))


def test_bits_of_integers_with_and_without_a_sign():
    x = np.array([1, 2], np.int8)
    for function in (operator.and_, operator.lshift):
        with pytest.raises(TypeError, match="expected integers with a sign, or without, got both and uint64"):
            fuser.jit(function)(x, np.uint64(3))


def test_results_without_dimensions_have_their_own_type():
    x = np.array([1, 200], np.uint8)
    for function in (lambda x: x + x.sum(), lambda x: x * np.argmax(x), lambda x: x - x.max()):
        np.testing.assert_array_equal(fuser.jit(function)(x), function(x))


def assign_first(x, n):
    h = x * 1
    h[0] = n
    return h


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int32", "uint64"])
def test_sizes_have_the_type_of_the_array(dtype):
    """As Python's integers: what it does not hold is an error of the call."""
    functions = [operator.add, np.maximum, lambda x, n: np.clip(x, n, None), np.full_like, assign_first]
    for number, function in enumerate(functions):
        for less in (3, 300)[: 2 if number < 2 else 1]:

            def of_size(x, function=function, less=less):
                return function(x, x.shape[0] - less)

            jitted = fuser.jit(of_size)
            for size in (100, 400):
                x = np.ones(size, dtype)
                expected = run(of_size, x)
                if expected is OverflowError:
                    least, most = np.iinfo(dtype).min, min(np.iinfo(dtype).max, 2**63 - 1)
                    message = (
                        rf"'.*': expected an integer that u?i[0-9]+ holds, from {least} to {most}, got {size - less}"
                    )
                    with pytest.raises(fuser.Error, match=message):
                        jitted(x)
                    continue
                got = jitted(x)
                assert got.dtype == expected.dtype
                np.testing.assert_array_equal(got, expected)


def test_sizes_with_numbers_of_numpys_are_of_these():
    x = np.ones(300, np.uint8)
    for number in (np.int64(1), np.int32(70000)):
        np.testing.assert_array_equal(fuser.jit(lambda x, n: x + x.shape[0] * n)(x, number), x + 300 * number)


def test_numbers_beside_tensors_are_pytorchs():
    torch = pytest.importorskip("torch")
    x, n = torch.tensor([1, 200], dtype=torch.uint8), torch.tensor(300, dtype=torch.int16)
    for function in (lambda x, n: x + n, torch.maximum, lambda x, n: x - x.sum()):
        torch.testing.assert_close(fuser.jit(function)(x, n), function(x, n))
    same = fuser.jit(lambda x, n: x + n)
    np.testing.assert_array_equal(same(x.numpy(), n.numpy()), [301, 500])
    torch.testing.assert_close(same(x, n), x + n)
    total = fuser.jit(lambda x: (x.sum(), x.cumsum(0)))
    assert [each.dtype for each in total(x.numpy())] == [np.uint64] * 2
    assert [each.dtype for each in total(x)] == [torch.int64] * 2


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_pytorch_takes_the_lowest_bits(dtype):
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(make(dtype)[1:])
    # The least integer over -1 is beyond all, and neither says what shifts by more than all bits are.
    names = [*COMPARISONS, *ARITHMETIC]
    for number in (-(2**31) - 1, -200, -1, 200, 300, 2**16 + 3, 2**32 + 1, 2**63 + 5):

        def function(x, number=number):
            return tuple(getattr(operator, name)(x, number) for name in names)

        for name, got, expected in zip(names, fuser.jit(function)(x), function(x), strict=True):
            assert got.dtype == expected.dtype
            torch.testing.assert_close(got, expected, msg=f"{name} {number}")


def test_an_array_and_a_tensor_are_other_programs():
    torch = pytest.importorskip("torch")
    function = fuser.jit(lambda x: x < 300)
    x = make("uint8")
    for _ in range(2):
        np.testing.assert_array_equal(function(x), x < 300)
        torch.testing.assert_close(function(torch.from_numpy(x)), torch.from_numpy(x) < 300)
    with pytest.raises(fuser.Error, match="'clamp': expected a number that 'ui8' holds, got 300"):
        fuser.jit(lambda x: torch.clamp(x, max=300))(torch.from_numpy(x))


# Names of element types


@pytest.mark.parametrize("name", "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 b1 c8 ? b h l int8 float16 <i8 =f4".split())
def test_names_are_numpys(name):
    x = np.array([[0, 1, 3], [2, 1, 0]], np.float32)
    functions = (lambda x: x.astype(name), lambda x: np.full_like(x, 1, name), lambda x: x[0] + np.ones((), name))
    for function in functions:
        got, expected = fuser.jit(function)(x), function(x)
        if function is not functions[2]:
            assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)


def test_names_of_8_are_bytes_wherever_there_is_a_type():
    x = np.array([[100, 100, 100], [2, 1, 0]], np.int8)

    def function(x):
        sums = x.sum(0, "i8"), x.sum(dtype="i8"), np.prod(x, 1, "i8"), np.cumsum(x, 1, dtype="i8")
        return *sums, x.view("i1"), x.view(dtype="i1")

    for got, expected in zip(fuser.jit(function)(x), function(x), strict=True):
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)
    got = fuser.jit(lambda x: (x, fnp.zeros((3,), "i8"), fnp.constant([1, 2], (2,), "i1"), fnp.arange(3, dtype="i8")))(
        x
    )
    assert [each.dtype for each in got] == ["i1", "i8", "i1", "i8"]
    # The type of an array stays what it is where a function asks for it.
    got = fuser.jit(lambda x: (fnp.zeros_like(x), fnp.einsum("ij->i", x), x.astype(x.dtype)))(x)
    assert [each.dtype for each in got] == [np.int8] * 3


def test_a_name_that_has_two_meanings():
    with pytest.raises(TypeError, match="got 'f16', which has 16 bytes in NumPy and 16 bits in a program's text"):
        fuser.jit(lambda x: x.astype("f16"))(np.ones(3))
    # A builder's names are those of the text.
    assert fuser.Builder().input((3,), "i8").dtype == np.int8


def test_a_type_is_equal_to_numpys_names():
    x = fuser.Builder().input((3,), "float32")
    assert x.dtype == "f4" and x.dtype == "float32" and x.dtype != "f8" and x.dtype != "f32" and x.dtype != "nothing"
    assert fuser.jit(lambda x: x if x.dtype == "i8" else -x)(np.ones(3, np.int64)).sum() == 3


def test_a_type_as_a_key_is_its_text():
    def scale(x):
        assert (
            x.dtype in (np.dtype("float32"), np.float64) and x.dtype in {"float32"} and np.dtype(x.dtype) == np.float32
        )
        return x * {"float32": 2, "float64": 3}[x.dtype]

    np.testing.assert_array_equal(fuser.jit(scale)(np.ones(3, np.float32)), [2, 2, 2])


def test_squares_of_booleans_are_integers():
    x = np.array([True, False])
    for function in (np.square, fnp.square, lambda x: x**2):
        got = fuser.jit(function)(x)
        assert got.dtype == np.int64
        np.testing.assert_array_equal(got, [1, 0])
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(x)
    for function in (torch.square, lambda x: x.square()):
        torch.testing.assert_close(fuser.jit(function)(x), function(x))


@pytest.mark.parametrize(
    "name, reduce", [("max", lambda x: x.max(axis=0)), ("min", fnp.min), ("max", lambda x: np.max(x, -2))]
)
def test_no_elements_of_a_known_size(name, reduce):
    message = f"test_jit_elements.py:.* {name}: expected an element at least along dimension"
    with pytest.raises(ValueError, match=message):
        fuser.jit(lambda x: reduce(x), dynamic=False)(np.zeros((0, 3), np.float32))
    with pytest.raises(ValueError, match=message):
        fuser.jit(lambda x: reduce(x[:0]))(np.ones((4, 3), np.float32))
    for function in (lambda x: x.argmax(axis=0), np.argmin):
        with pytest.raises(fuser.Error, match="expected elements along dimension 0"):
            fuser.jit(lambda x, function=function: function(x), dynamic=False)(np.zeros((0, 3), np.float32))


def test_no_elements_of_an_open_size():
    x = np.zeros((0, 3), np.float32)
    assert (fuser.jit(lambda x: x.max(axis=0))(x) == -np.inf).all() and fuser.jit(np.min)(x) == np.inf
    assert (fuser.jit(lambda x: x.argmax(axis=0))(x) == -1).all()
    # Along another dimension there are no results.
    assert fuser.jit(lambda x: x.max(axis=1), dynamic=False)(x).shape == (0,)


def test_no_elements_of_torch():
    torch = pytest.importorskip("torch")
    for function in (lambda x: x.max(0).values, lambda x: torch.amin(x, 0), lambda x: torch.aminmax(x, dim=0)[0]):
        with pytest.raises(ValueError, match="expected an element at least along dimension 0"):
            fuser.jit(function, dynamic=False)(torch.zeros(0, 3))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_remainders_by_zero(dtype):
    x, y = np.array([5, 0, 7, 100], dtype), np.array([0, 0, 3, 0], dtype)
    functions = [
        lambda x, y: x % y,
        np.fmod,
        lambda x, y: np.divmod(x, y)[1],
        lambda x, y: x // y,
        lambda x, y: x % 0,
        lambda x, y: 7 % y,
    ]
    for function in functions:
        with np.errstate(divide="ignore"):
            expected = function(x, y)
        result = fuser.jit(function)(x, y)
        np.testing.assert_array_equal(result, expected)
        assert result.dtype == expected.dtype


def test_remainders_of_floats_and_sizes():
    x = np.array([5, -1, 7], np.float32)
    assert np.isnan(fuser.jit(lambda x: x % 0)(x)).all()
    assert fuser.jit(lambda x: fnp.zeros((x.shape[0] % 2,)))(x).shape == (1,)


def test_remainders_of_f64_are_exact():
    """Quotients of any size and next to whole numbers, subnormal numbers, zeros and infinities."""
    rng = np.random.default_rng(0)

    def make_any(count):
        return rng.integers(0, 2**64, count, dtype=np.uint64).view(np.float64)

    n = 2001
    tiny = rng.integers(1, 2**40, n, dtype=np.uint64).view(np.float64)
    y = rng.standard_normal(n)
    product = y * np.round(rng.standard_normal(n) * 2.0 ** rng.integers(0, 56, n))
    limits = np.finfo(np.float64)
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, limits.max, -limits.max, limits.tiny, -5e-324, 2.0**53]
    pairs = [
        (make_any(n), make_any(n)),
        (product, y),
        (np.nextafter(product, np.inf), y),
        (np.nextafter(product, -np.inf), y),
        (y * 2.0 ** rng.integers(-5, 110, n), rng.standard_normal(n)),
        (make_any(n), tiny),
        (tiny, tiny[::-1].copy()),
        tuple(each.ravel() for each in np.meshgrid(special, special)),
    ]
    program = fuser.jit(lambda x, y: (np.fmod(x, y), x // y, np.fmod(x, 0.3)))
    for x, y in pairs:
        with np.errstate(all="ignore"):
            expected = np.fmod(x, y), np.floor_divide(x, y), np.fmod(x, 0.3)
        for result, right in zip(program(x, y), expected, strict=True):
            np.testing.assert_array_equal(result, right)
            numbers = ~np.isnan(right)
            np.testing.assert_array_equal(np.signbit(result)[numbers], np.signbit(right)[numbers])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("columns", [1, 2, 70, 300])
def test_rows_of_products_have_their_own_bits(dtype, columns):
    """Whichever rows are beside them, and however the matrices lie."""
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((133, 301)).astype(dtype), rng.standard_normal((301, columns)).astype(dtype)
    program = fuser.jit(lambda x, w: x @ w)
    expected = program(x, w)
    np.testing.assert_allclose(expected, x.astype(np.float64) @ w, rtol=1e-3, atol=1e-4)
    for rows in (slice(0, 1), slice(5, 8), slice(7, 17), slice(90, 133)):
        np.testing.assert_array_equal(program(x[rows].copy(), w), expected[rows])
    np.testing.assert_array_equal(program(np.asfortranarray(x), w), expected)
    np.testing.assert_array_equal(program(x, np.asfortranarray(w)), expected)
    np.testing.assert_array_equal(fuser.jit(lambda x, w: x @ w.T)(x, w.T.copy()), expected)
    np.testing.assert_array_equal(fuser.jit(lambda x, w: x[7] @ w)(x, w), expected[7])
