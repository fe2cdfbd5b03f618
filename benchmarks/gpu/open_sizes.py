# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorts, sums, scans, softmax, norms of images and their backward with sizes known and open beside PyTorch's own, in us: open_sizes.py [--only WORD] [--type WORD] [--device cpu] [--small]

A program with open sizes is called with one shape, for which it is compiled at its first call. Each result is compared with PyTorch's.
"""

import argparse
import math

import fuser
import fuser.numpy as fnp
import torch
from with_torch import as_tuple, median_us

M = 2**20
GROUPS = 32
LONG = [(1, M), (1, 4 * M), (1, 16 * M), (64, 65536), (1000, 6000), (4096, 2048)]
VERY_LONG = [(1, M), (1, 16 * M), (8, M), (300, M), (1000, 300_000), (1000, M // 2)]
FEW_COLUMNS = [(16 * M // columns, columns) for columns in (1, 2, 3, 4, 8, 16, 64, 256, 4096)]
LONG_SCANS = [(1, M), (1, 2 * M), (1, 4 * M), (1, 16 * M), (1, 64 * M), (1, 256 * M), (64, M)]
IMAGES = [
    (256, 512, 7, 7),
    (256, 256, 14, 14),
    (128, 256, 28, 28),
    (128, 256, 56, 56),
    (32, 64, 112, 112),
    (32, 64, 111, 113),
]
IMAGES_OF_LAYERS = [(8192, 128, 8, 8), (2048, 64, 28, 28), (2048, 64, 27, 29), (64, 64, 112, 112)]
#: (function, dimension, type of elements, shapes)
CASES = [
    ("sort", -1, "float32", LONG),
    ("sort", -1, "bfloat16", LONG),
    ("sort", -1, "float64", [(1, 4 * M)]),
    ("sort", -1, "int32", [(1, 4 * M)]),
    ("sort", -1, "int64", [(16, M // 4)]),
    ("topk", -1, "float32", [(64, 50257)]),
    ("topk", -1, "bfloat16", [(64, 50257)]),
    ("sum", -2, "float32", [*FEW_COLUMNS, (64, 65536, 4), (1024, 1024, 4)]),
    ("sum", -2, "bfloat16", [(8 * M, 2), (2 * M, 8)]),
    ("cumsum", -2, "float32", [(65536, 1), (M // 4, 4), (64, 4096, 16)]),
    ("cumsum", -1, "float32", LONG_SCANS),
    ("cumsum", -1, "bfloat16", LONG_SCANS),
    ("cumsum", -1, "float64", LONG_SCANS),
    ("cumsum", -1, "int64", LONG_SCANS),
    ("sum", -1, "float32", VERY_LONG),
    ("softmax", -1, "float32", VERY_LONG),
    ("group_norm", -1, "float32", [(32, 64, 112, 112), (8, 256, 64, 64), (32, 64, 111, 113)]),
    ("group_norm", -1, "bfloat16", [(32, 64, 112, 112), (8, 256, 64, 64)]),
    ("image_sum", (0, 2, 3), "float32", IMAGES),
    ("image_sum", (0, 2, 3), "bfloat16", IMAGES),
    ("batch_norm", (0, 2, 3), "float32", IMAGES),
    ("batch_norm", (0, 2, 3), "bfloat16", IMAGES),
    ("batch_norm_backward", (0, 2, 3), "float32", IMAGES),
    ("batch_norm_backward", (0, 2, 3), "bfloat16", IMAGES),
    ("layer_norm", (1, 2, 3), "float32", IMAGES_OF_LAYERS),
    ("layer_norm", (1, 2, 3), "bfloat16", IMAGES_OF_LAYERS),
]


def group_norm(x):
    """As it is written with arrays, over groups of neighbouring channels, with a weight for each channel."""
    n, c, h, w = x.shape
    groups = x.reshape(n, GROUPS, -1)
    mean, variance = (f(groups, axis=-1, keepdims=True) for f in (fnp.mean, fnp.var))
    image = ((groups - mean) / fnp.sqrt(variance + 1e-5)).reshape(n, c, h, w)
    weight = fnp.arange(1, c + 1, dtype=x.dtype).reshape(1, -1, 1, 1)
    return image * weight


def batch_norm(x):
    """In training, as it is written with arrays, without running statistics."""
    mean, variance = (f(x, axis=(0, 2, 3), keepdims=True) for f in (fnp.mean, fnp.var))
    channels = fnp.arange(1, x.shape[1] + 1, dtype=x.dtype).reshape(1, -1, 1, 1)
    return (x - mean) / fnp.sqrt(variance + 1e-5) * channels + channels


def batch_norm_backward(x, gradient, mean, scale):
    """As it is written with arrays: the gradients of x, of the channels' weight, which is 1, and of their bias."""
    normal, gradient = (x - mean) * scale, gradient.astype(mean.dtype)
    of_bias, of_weight = (each.sum((0, 2, 3), keepdims=True) for each in (gradient, gradient * normal))
    count = x.shape[0] * x.shape[2] * x.shape[3]
    of_x = (gradient - (of_bias + normal * of_weight) / count) * scale
    return of_x.astype(x.dtype), of_weight.reshape(-1), of_bias.reshape(-1)


def layer_norm(x):
    """As it is written with arrays, without weights."""
    mean, variance = (f(x, axis=(1, 2, 3), keepdims=True) for f in (fnp.mean, fnp.var))
    return (x - mean) / fnp.sqrt(variance + 1e-5)


def torch_batch_norm_backward(x, gradient, mean, scale, _):
    backward = torch.ops.aten.native_batch_norm_backward
    mean, scale = mean.flatten(), scale.flatten()
    weight = torch.ones_like(mean)
    return backward(gradient, x, weight, None, None, mean, scale, True, 1e-5, [True, True, True])


def torch_batch_norm(x, _):
    channels = torch.arange(1, x.shape[1] + 1, device=x.device, dtype=x.dtype)
    return torch.nn.functional.batch_norm(x, None, None, channels, channels, training=True)


def torch_group_norm(x, _):
    c = x.shape[1]
    weight = torch.arange(1, c + 1, device=x.device, dtype=x.dtype)
    return torch.nn.functional.group_norm(x, GROUPS, weight)


PEERS = {
    "sort": lambda x, dim: torch.sort(x, dim=dim, stable=True),
    "topk": lambda x, dim: torch.topk(x, 8, dim),
    "sum": torch.sum,
    "cumsum": torch.cumsum,
    "softmax": torch.softmax,
    "group_norm": torch_group_norm,
    "image_sum": torch.sum,
    "batch_norm": torch_batch_norm,
    "batch_norm_backward": torch_batch_norm_backward,
    "layer_norm": lambda x, _: torch.nn.functional.layer_norm(x, x.shape[1:]),
}


TRACED = {
    "group_norm": group_norm,
    "batch_norm": batch_norm,
    "batch_norm_backward": batch_norm_backward,
    "image_sum": lambda x: x.sum((0, 2, 3)),
    "layer_norm": layer_norm,
}


def compile_case(name, dim, dtype, shape, device):
    if name in TRACED:
        return fuser.jit(TRACED[name], dynamic=None in shape)
    b = fuser.Builder(name)
    x = b.input(shape, dtype)
    results = b.topk(x, 8, dim) if name == "topk" else getattr(b, name)(x, dim)
    for result in as_tuple(results):
        b.output(result)
    return b.compile(device)


def check(name, results, expected, kind):
    """Elements of sums are apart by their order; positions of equal elements are PyTorch's where its sort is stable."""
    results, expected = as_tuple(results), as_tuple(expected)
    for got, wanted in list(zip(results, expected, strict=True))[: 1 if name == "topk" else None]:
        scale = max(1.0, wanted.abs().max().item()) if wanted.is_floating_point() else 1
        tolerance = 0 if name in ("sort", "topk") else 2e-2 if torch.bfloat16 in (kind, wanted.dtype) else 1e-3
        torch.testing.assert_close(got, wanted, rtol=0, atol=tolerance * scale, check_dtype=False)


def make_input(dtype, shape, device):
    kind = getattr(torch, dtype)
    if kind.is_floating_point:
        return torch.randn(shape, device=device).to(kind)
    return torch.randint(-(2**30), 2**30, shape, dtype=kind, device=device)


def make_inputs(name, dtype, shape, device):
    x = make_input(dtype, shape, device)
    if name != "batch_norm_backward":
        return (x,)
    mean, variance = x.float().mean((0, 2, 3), keepdim=True), x.float().var((0, 2, 3), keepdim=True)
    return x, make_input(dtype, shape, device), mean, (variance + 1e-5).rsqrt()


def run_case(name, dim, dtype, shape, options):
    inputs = make_inputs(name, dtype, shape, options.device)
    x, *others = inputs
    # PyTorch's scans of 16 bits round on the way.
    is_rounded = name == "cumsum" and x.dtype == torch.bfloat16
    expected = PEERS[name](x.float(), dim).to(x.dtype) if is_rounded else PEERS[name](x, *others, dim)
    times = {}
    times["eager"] = options.time(lambda: PEERS[name](*inputs, dim))
    for kind, sizes in (("known", shape), ("open", (None,) * len(shape))):
        exe = compile_case(name, dim, dtype, sizes, options.device)
        check(name, exe(*inputs), expected, x.dtype)
        times[kind] = options.time(lambda exe=exe: exe(*inputs))
    figures = "  ".join(f"{kind} {value:9.1f}" for kind, value in times.items())
    print(f"{name:19} {str(dim):2} {dtype:9} {str(shape):18} {figures}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="cases whose function has this in its name")
    parser.add_argument("--type", default="", help="cases whose elements have this in the name of their type")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--small", action="store_true", help="a few thousand elements each, to see that they run")
    options = parser.parse_args()
    options.time = median_us
    if options.device == "cuda":
        from triton.testing import do_bench

        options.time = lambda call: do_bench(call) * 1e3
    for name, dim, dtype, shapes in CASES:
        for shape in shapes if options.only in name and options.type in dtype else ():
            if options.small:
                most = max(GROUPS, int(4096 ** (1 / len(shape)))) if math.prod(shape) > 4096 else max(shape)
                shape = tuple(min(size, most) for size in shape)
            run_case(name, dim, dtype, shape, options)


if __name__ == "__main__":
    main()
