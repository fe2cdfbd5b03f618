# ===- gather_checks.py - Takes and pads against NumPy --------------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""What numpy_check.py checks of ops that read where tensors say, and beyond an end; `check_map` and `numbers` are its own."""

import numpy as np

PAD_MODES = {"constant": "constant", "replicate": "edge", "reflect": "reflect", "circular": "wrap"}
# Of a dimension of 4: some are no elements, and some are none in fewer bits.
INDICES = [3, 0, -1, 4, 2, 2, 1, -4, 1 << 31, (1 << 32) + 1, -(1 << 63)]


def get_indices(element, shape):
    numbers = [n for n in INDICES if element == "i64" or -(1 << 31) <= n < 1 << 31]
    return np.resize(np.array(numbers, np.int64 if element == "i64" else np.int32), shape)


def take(function, x, indices, dim):
    """Without a meaning of negative indices: what is no element is NaN, the least integer, or false."""
    inside = (indices >= 0) & (indices < x.shape[dim])
    taken = function(x, np.where(inside, indices, 0), dim)
    nothing = {"f": np.nan, "b": False}.get(x.dtype.kind)
    if nothing is None:
        nothing = np.iinfo(x.dtype).min
    if function is np.take:
        inside = inside.reshape((1,) * dim + inside.shape + (1,) * (x.ndim - dim - 1))
    return np.where(inside, taken, np.array(nothing, x.dtype))


def check_takes(element, check_map, numbers):
    x = numbers(element, (2, 4, 3))
    for index in ("i32", "i64"):
        at = get_indices(index, (2, 6))
        check_map(
            f"fusion.take %a, %b dim 1 : tensor<?x4x3x{element}>, tensor<2x?x{index}> to tensor<?x2x?x3x{element}>",
            f"tensor<?x2x?x3x{element}>",
            [(element, "?43", x), (index, "2?", at)],
            take(np.take, x, at, 1),
        )
        at = get_indices(index, (2, 11, 3))
        check_map(
            f"fusion.take_along_axis %a, %b dim 1 : tensor<?x?x3x{element}>, tensor<2x?x?x{index}> to tensor<2x?x?x{element}>",
            f"tensor<2x?x?x{element}>",
            [(element, "??3", x), (index, "2??", at)],
            take(np.take_along_axis, x, at, 1),
        )
    at = np.array(2, np.int32)
    check_map(
        f"fusion.take %a, %b dim 2 : tensor<2x4x3x{element}>, tensor<i32> to tensor<2x4x{element}>",
        f"tensor<2x4x{element}>",
        [(element, "243", x), ("i32", "", at)],
        take(np.take, x, at, 2),
    )
    # Of no elements there is none.
    x, at = numbers(element, (0, 3)), get_indices("i64", (5,))
    check_map(
        f"fusion.take %a, %b dim 0 : tensor<?x3x{element}>, tensor<5xi64> to tensor<5x3x{element}>",
        f"tensor<5x3x{element}>",
        [(element, "?3", x), ("i64", "5", at)],
        np.full((5, 3), take(np.take, numbers(element, (1, 3)), np.array([7]), 0)[0, 0]),
    )


def check_pads(element, check_map, numbers):
    x = numbers(element, (5, 4))
    for mode, name in PAD_MODES.items():
        check_map(
            f"fusion.pad <{mode}> %a low [%s0, 3] high [2, %s1] : tensor<?x4x{element}> to tensor<?x?x{element}>",
            f"tensor<?x?x{element}>",
            [(element, "?4", x)],
            np.pad(x, ((4, 2), (3, 1)), name),
            [4, 1],
        )
        check_map(
            f"fusion.pad <{mode}> %a low [0, 0] high [3, 0] : tensor<5x4x{element}> to tensor<8x4x{element}>",
            f"tensor<8x4x{element}>",
            [(element, "54", x)],
            np.pad(x, ((0, 3), (0, 0)), name),
        )


def check_pad_values(check_map, numbers, func, run, compare):
    x = numbers("f16", (2, 3))
    source = func(
        [("x", "tensor<2x?xf16>"), ("v", "f16")],
        ["%r = fusion.pad <constant> %x low [1, 7] high [0, 2] value %v : tensor<2x?xf16> to tensor<3x?xf16>"],
        [("r", "tensor<3x?xf16>")],
    )
    (got,) = run(source, [("f16", x)], 1, ["-1.5"])
    compare(got, np.pad(x, ((1, 0), (7, 2)), constant_values=-1.5), "pad with a value")
    # A mode that repeats elements, far beyond an end.
    check_map(
        "fusion.pad <replicate> %a low [9, 0] high [0, 9] : tensor<2x?xf16> to tensor<11x?xf16>",
        "tensor<11x?xf16>",
        [("f16", "2?", x)],
        np.pad(x, ((9, 0), (0, 9)), "edge"),
    )
    check_map(
        "fusion.pad <constant> %a low [1, 0] high [1, 0] : tensor<?x3xf16> to tensor<?x3xf16>",
        "tensor<?x3xf16>",
        [("f16", "?3", numbers("f16", (0, 3)))],
        np.zeros((2, 3)),
    )


def check_sizes(func, fail_run):
    """Sizes that differ are an error, and no read of what is not there."""
    source = func(
        [("x", "tensor<?x?xf32>"), ("i", "tensor<?x1xi64>")],
        ["%r = fusion.take_along_axis %x, %i dim 1 : tensor<?x?xf32>, tensor<?x1xi64> to tensor<?x1xf32>"],
        [("r", "tensor<?x1xf32>")],
    )
    for rows in (2, 4):
        inputs = [("f32", np.zeros((3, 5))), ("i64", np.zeros((rows, 1)))]
        fail_run(source, inputs, "expected sizes that agree at run time")
