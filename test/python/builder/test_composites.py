# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of half types that are rounded once, against PyTorch."""

import fuser
import numpy as np
import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_layer_of_half_types_is_rounded_once(dtype):
    """With its bias: the result is next to the exact sum."""
    x, weight, bias = (torch.tensor(RNG.standard_normal(shape)).to(dtype) for shape in [(64, 16), (48, 16), (48,)])
    builder = fuser.Builder()
    inputs = [builder.input(each.shape, each.dtype) for each in (x, weight, bias)]
    builder.output(builder.linear(*inputs))
    got = builder.compile()(x, weight, bias)
    exact = x.double() @ weight.double().T + bias.double()
    assert got.dtype == dtype
    away = (got.double() - exact).abs()
    # 0.5 units in the last place, but for what float32 leaves out at a tie.
    assert (away <= 0.5 * _get_spacing(exact, dtype) + 1e-5).all()
    twice = (x.double() @ weight.double().T).to(dtype).double() + bias.double()
    assert not torch.equal(got, twice.to(dtype))
    torch.testing.assert_close(got, F.linear(x, weight, bias), rtol=torch.finfo(dtype).eps, atol=1e-5)


def _get_spacing(exact, dtype):
    return torch.finfo(dtype).eps * 2 ** exact.abs().log2().floor()


@pytest.mark.parametrize("name, attributes", [("linear", {}), ("matmul", {"type": "f32"})])
def test_types_of_products(name, attributes):
    """f16 or, if that is asked for, f32; and nothing else."""
    builder = fuser.Builder()
    x = builder.input((4, 4), "float16")
    product = builder._program.op(name, (x, x), attributes)
    assert product.dtype == ("float32" if attributes else "float16")
    with pytest.raises(fuser.Error, match=f"'{name}': expected the operands' element type as 'type', or f32 of"):
        builder._program.op(name, (x, x), {"type": "f64"})
