# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers in every frontend, against NumPy and PyTorch."""

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

DTYPES = pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=lambda dtype: dtype.__name__)
TARGETS = pytest.mark.parametrize("target", ["cpu", "sim"])


def numbers(shape, dtype=np.complex64, seed=0):
    random = np.random.default_rng(seed)
    return (random.uniform(-2, 2, shape) + 1j * random.uniform(-2, 2, shape)).astype(dtype)


def assert_near(got, expected, units=16):
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_allclose(
        got, expected, rtol=units * np.finfo(got.dtype).eps, atol=units * np.finfo(got.dtype).eps
    )


# The builder


@TARGETS
@DTYPES
def test_builder(dtype, target):
    b = fuser.Builder()
    x, y = (b.input((None, 4), dtype, name=name) for name in "xy")
    assert x.dtype == np.dtype(dtype).name
    for value in (
        x * y + 2,
        x.real,
        x.imag,
        x.conj(),
        b.abs(x),
        b.angle(x),
        b.exp(x),
        x / (1 + 2j),
        b.sum(x, 0),
        x == y,
        x.T,
    ):
        b.output(value)
    p, q = numbers((3, 4), dtype, 1), numbers((3, 4), dtype, 2)
    results = b.compile(target)(p, q)
    expected = (
        p * q + 2,
        p.real,
        p.imag,
        p.conj(),
        abs(p),
        np.angle(p),
        np.exp(p),
        p / dtype(1 + 2j),
        p.sum(0),
        p == q,
        p.T,
    )
    for got, right in zip(results, expected, strict=True):
        if right.dtype == bool:
            assert np.array_equal(got, right)
        else:
            assert_near(got, right)


def test_promotion():
    b = fuser.Builder()
    f, d = b.input((2,), "float32"), b.input((2,), "float64")
    c, z, i = b.input((2,), "complex64"), b.input((2,), "complex128"), b.input((2,), "int64")
    for value, expected in [
        (f + c, "complex64"),
        (d + c, "complex128"),
        (c + z, "complex128"),
        (i * c, "complex64"),
        (f + 1j, "complex64"),
        (d * 1j, "complex128"),
        (c * 2, "complex64"),
        (c / 0.5, "complex64"),
        (b.complex(f, f), "complex64"),
        (b.complex(d, 1), "complex128"),
        (b.polar(f, f), "complex64"),
        (b.view_as_real(z), "float64"),
        (b.var(c, 0), "float32"),
        (c.astype("complex128"), "complex128"),
    ]:
        assert value.dtype == expected


def test_errors():
    b = fuser.Builder()
    c, f = b.input((2,), "complex64"), b.input((2,), "float32")
    with pytest.raises(fuser.Error, match="take their real part by real"):
        c.astype("float32")
    with pytest.raises(fuser.Error, match="expected eq or ne for complex numbers, which have no order"):
        c < f  # noqa: B015
    for refused in (
        lambda: b.maximum(c, c),
        lambda: b.argsort(c),
        lambda: c.max(),
        lambda: b.erf(c),
        lambda: b.floor(c),
    ):
        with pytest.raises((fuser.Error, ValueError)):
            refused()
    with pytest.raises(fuser.Error, match="expected real numbers, got 'complex<f32>'"):
        b.complex(c, f)
    with pytest.raises(fuser.Error, match="expected the type of a scalar, which has no unsigned and no complex ones"):
        b.scalar("complex64")
    with pytest.raises(fuser.Error, match="expected a last dimension of size 2"):
        b.view_as_complex(b.input((None, 3), "float32"))
    b = fuser.Builder()
    b.output(b.input((2,), "complex64") * 2)
    program = b.compile()
    with pytest.raises(fuser.Error, match="expected element type complex<f32>, got f32"):
        program(np.zeros(2, np.float32))


# Memory


@TARGETS
def test_strides_and_outputs(target):
    b = fuser.Builder()
    b.output(b.input((None, None), "complex64", name="x") * 2)
    program = b.compile(target)
    x = numbers((6, 8))
    for given in (x, x.T, x[::2], x[:, ::3], np.broadcast_to(x[:1], (5, 8)), x[1:, 1:], x[:0], np.asfortranarray(x)):
        assert_near(program(given), given * 2)
    out = np.empty((6, 8), np.complex64)
    program(x, out=[out])
    assert_near(out, x * 2)


# fuser.jit


def test_jit_of_numpy():
    @fuser.jit
    def rotate(z, angle):
        w = z * np.exp(1j * angle)
        return w, np.abs(w), np.real(w) + np.imag(w), np.conj(w).mean(axis=0), w.real, fnp.sqrt(w)

    z, angle = numbers((5, 3)), np.linspace(-2, 2, 3, dtype=np.float32)
    w = (z * np.exp(1j * angle.astype(np.complex64))).astype(np.complex64)
    expected = (w, abs(w), w.real + w.imag, w.conj().mean(axis=0), w.real, np.sqrt(w))
    for got, right in zip(rotate(z, angle), expected, strict=True):
        assert_near(got, right, 32)


@DTYPES
def test_sums_and_products(dtype):
    @fuser.jit
    def sums(z):
        return z.sum(), z.mean(-1), z.prod(0), z.cumsum(1), z.cumprod(1), z @ z.T, z.var(0), z.std()

    z = numbers((4, 5), dtype)
    wide = z.astype(np.complex128)
    expected = (
        wide.sum(),
        wide.mean(-1),
        wide.prod(0),
        wide.cumsum(1),
        wide.cumprod(1),
        wide @ wide.T,
        wide.var(0),
        wide.std(),
    )
    for got, right in zip(sums(z), expected, strict=True):
        np.testing.assert_allclose(got, right, rtol=1e-5 if dtype == np.complex64 else 1e-13)


# PyTorch


def test_torch_tensors():
    torch = pytest.importorskip("torch")

    @fuser.jit
    def function(x, y):
        return torch.complex(x.real, y.imag) * x, torch.view_as_real(x), torch.abs(x), torch.polar(x.real, y.real)

    x, y = torch.randn(3, 4, dtype=torch.complex64), torch.randn(3, 4, dtype=torch.complex64)
    expected = (torch.complex(x.real, y.imag) * x, torch.view_as_real(x), x.abs(), torch.polar(x.real, y.real))
    for got, right in zip(function(x, y), expected, strict=True):
        torch.testing.assert_close(got, right)
    with pytest.raises((ValueError, fuser.Error, BufferError), match="conj"):
        function(x.conj(), y)


def test_nvfuser():
    pytest.importorskip("torch")
    from fuser.nvfuser_direct import DataType, FusionDefinition

    with FusionDefinition() as fd:
        z = fd.define_tensor(shape=[-1], dtype=DataType.ComplexFloat)
        c = fd.define_scalar(1 + 2j)
        re, im = fd.ops.real(z), fd.ops.imag(z)
        fd.add_output(fd.ops.mul(fd.ops.rsqrt(z), c))
        fd.add_output(fd.ops.complex(im, re))
        fd.add_output(fd.ops.abs(z))
        fd.add_output(fd.ops.isreal(z))
    z = numbers((7,))
    z[3] = 2
    scaled, swapped, size, isreal = fd.execute([z])
    assert_near(np.asarray(scaled).astype(np.complex64), ((1 + 2j) / np.sqrt(z)).astype(np.complex64))
    assert_near(swapped, (z.imag + 1j * z.real).astype(np.complex64))
    assert_near(size, abs(z))
    assert np.array_equal(isreal, np.isreal(z))


def rotary(torch, x, angles):
    """Rotary embedding as Llama's authors wrote it."""
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * angles).flatten(-2)


@pytest.mark.parametrize("dynamic", [False, True])
def test_compile(dynamic, said, programs):
    torch = pytest.importorskip("torch")

    def function(x, angles, z):
        return (
            rotary(torch, x, angles),
            (z.conj() * z).real.sum(-1),
            torch.exp(z) / 2 + 1j,
            z.abs(),
            z.reciprocal() @ z.mT,
        )

    compiled = torch.compile(function, backend="fuser", dynamic=dynamic)
    for rows in (3, 5):
        x = torch.randn(2, rows, 8)
        angles = torch.polar(torch.ones(rows, 4), torch.randn(rows, 4))
        z = torch.randn(rows, 6, dtype=torch.complex64)
        for got, right in zip(compiled(x, angles, z), function(x, angles, z), strict=True):
            torch.testing.assert_close(got, right, rtol=2e-5, atol=2e-5)
    assert programs


# Special values

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan]
FUNCTIONS = "sqrt rsqrt exp log sin cos tan sinh cosh tanh abs angle reciprocal neg".split()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(name):
    """Where PyTorch has a finite result, or one whose parts are infinite or 0, so has fuser, but for what docs/rationale/complex.md says."""
    torch = pytest.importorskip("torch")
    z = torch.tensor([complex(x, y) for x in SPECIAL for y in SPECIAL], dtype=torch.complex64)
    expected = getattr(torch, name)(z).numpy()
    got = np.asarray(fuser.jit(lambda z: getattr(torch, name)(z))(z))
    is_finite = np.isfinite(expected)
    np.testing.assert_allclose(got[is_finite], expected[is_finite], rtol=1e-5, atol=1e-6)


def test_inverse_tangents_near_their_ends():
    """Of a real part near -1 the logarithm is as exact as near 1; far away they are quarters of a turn."""
    z = np.array([x + 1j * y for x in (-1.01, -1, -0.99, 0.99, 1.01) for y in (-0.02, 0.001, 0.02)], np.complex64)
    wide = z.astype(np.complex128)
    assert_near(fuser.jit(np.arctanh)(z), np.arctanh(wide).astype(np.complex64))
    assert_near(fuser.jit(np.arctan)(1j * z), np.arctan(1j * wide).astype(np.complex64))
    far = np.array([complex(x, y) for x in (-np.inf, -0.0, 0.0, 3, np.inf) for y in (-np.inf, np.inf)], np.complex64)
    assert_near(fuser.jit(np.arctanh)(far), np.arctanh(far))
