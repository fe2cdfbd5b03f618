# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calling programs with PyTorch tensors, where PyTorch is installed."""

import fuser
import pytest

torch = pytest.importorskip("torch")

TARGETS = ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)]


def randn(*shape, target, dtype=torch.bfloat16):
    return torch.randn(*shape, dtype=torch.float32).to(device=target, dtype=dtype)


@pytest.mark.parametrize("target", TARGETS)
def test_rmsnorm_add(example, target):
    exe = fuser.compile(example("rmsnorm_add"), target)
    for n in (1, 7, 33):
        x, r, w = (randn(*shape, target=target) for shape in [(n, 4096), (n, 4096), (4096,)])
        y, s = exe(x, r, w)
        assert y.device == x.device and y.dtype == torch.bfloat16
        torch.testing.assert_close(s, x + r, rtol=0, atol=0)
        h = s.double()
        expected = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-5) * w.double()
        torch.testing.assert_close(y.double(), expected, rtol=2**-8, atol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
def test_softmax_with_out(example, target):
    x = randn(5, 8192, target=target)
    out = torch.empty_like(x)
    assert fuser.compile(example("softmax"), target)(x, out=out) is out
    torch.testing.assert_close(out.double(), torch.softmax(x.double(), -1), rtol=2**-8, atol=1e-8)


@pytest.mark.parametrize("target", TARGETS)
def test_non_contiguous_input(example, target):
    x = randn(8192, 4, target=target).t()
    y = fuser.compile(example("softmax"), target)(x)
    torch.testing.assert_close(y.double(), torch.softmax(x.double(), -1), rtol=2**-8, atol=1e-8)


@pytest.mark.parametrize("target", TARGETS)
def test_in_place(example, target):
    x, r = (randn(4, 4096, target=target) for _ in range(2))
    expected = x + r
    assert fuser.compile(example("in_place"), target)(x, r) is x
    torch.testing.assert_close(x, expected, rtol=0, atol=0)


@pytest.mark.parametrize("target", TARGETS)
def test_view(example, target):
    x = randn(4, 4096, target=target)
    y = fuser.compile(example("view"), target)(x)
    assert y.data_ptr() == x.data_ptr()
    torch.testing.assert_close(y, x.view(4, 32, 128).permute(1, 0, 2), rtol=0, atol=0)


@pytest.mark.cuda
def test_work_is_on_the_current_stream(example):
    exe = fuser.compile(example("softmax"), "cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = randn(2048, 8192, target="cuda")
        for _ in range(20):
            x = exe(x)
        expected = x.clone()
    stream.synchronize()
    torch.testing.assert_close(x, expected, rtol=0, atol=0)


@pytest.mark.cuda
def test_wrong_device(example):
    with pytest.raises(
        fuser.Error, match="input 0 '%x': expected a tensor on cuda:[0-9]+ because the program runs there"
    ) as caught:
        fuser.compile(example("softmax"), "cuda")(randn(4, 8192, target="cpu"))
    assert caught.value.code == 1


@pytest.mark.parametrize("target", TARGETS)
def test_the_negative_bit(target):
    """DLPack hands memory over, of which the elements are the other sign."""
    b = fuser.Builder("double")
    b.output(b.input((None,), "float32", name="x") * 2)
    exe = b.compile(target)
    z = torch.complex(torch.randn(2, 6), torch.randn(2, 6)).to(target).conj()
    for negated in (z[0].imag, z.imag[1, ::2], z.imag[:, 3], z.imag.detach()[0], z[0, 4:5].imag):
        assert negated.is_neg()
        with pytest.raises(ValueError, match=r"program 'double': input 0 'x': .*negative bit.*tensor.resolve_neg\(\)"):
            exe(negated)
        torch.testing.assert_close(exe(negated.resolve_neg()), negated * 2)
    with pytest.raises(ValueError, match=r"output 0 .*negative bit"):
        exe(torch.randn(6, device=target), out=z[0].imag)
    lazy = torch._neg_view(torch.randn(6, device=target))
    with pytest.raises(ValueError, match="expected arrays without the negative bit, got a tensor with it as 'b1'"):
        fuser.jit(lambda a, b: a * b[1])(lazy.resolve_neg(), [lazy.resolve_neg(), lazy])
    # Also where a program is known.
    function, plain = fuser.jit(lambda x: x * 2), lazy.resolve_neg()
    for _ in range(2):
        torch.testing.assert_close(function(plain), plain * 2)
        for negated in (lazy, z[0].imag):
            with pytest.raises(ValueError, match="expected arrays without the negative bit"):
                function(negated)
    # What is recorded goes another way, on which each tensor is asked.
    leaf = lazy.detach().requires_grad_()
    with torch.no_grad(), pytest.raises(ValueError, match="negative bit"):
        fuser.compile(
            "func.func @view(%x: tensor<?xf32>) -> (tensor<?xf32> {fusion.alias = #fusion.alias<evaluate, 0>}) {\n  return %x : tensor<?xf32>\n}",
            target,
        )(leaf)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape", [(3, 0, 4, 5), (0, 2, 3, 4), (2, 3, 4, 0), (2, 0, 0, 3), (0, 1, 7, 1)])
def test_strides_of_nothing(target, shape):
    """Sizes of 0 count as 1, as PyTorch has it, known or not."""
    for sizes in (shape, (None,) * 4):
        b = fuser.Builder("twice")
        x = b.input(sizes, "float32", name="x")
        b.output(x * 2)
        b.output(x * 2 + 1, stride_order=(0, 2, 1, 3))
        plain, ordered = b.compile(target)(torch.ones(shape, device=target))
        assert plain.stride() == torch.empty(shape).stride()
        moved = torch.empty(shape[0], shape[2], shape[1], shape[3]).transpose(1, 2)
        assert ordered.stride() == moved.stride() and ordered.shape == plain.shape == shape


def test_tensors_that_stand_for_others():
    """A program of the dialect sees by their types which have no elements; of those of transforms PyTorch says so itself."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.masked import masked_tensor

    x = torch.ones(4)
    with fuser.FusionDefinition() as fd:
        fd.add_output(fd.ops.exp(fd.define_tensor(shape=[-1])))
    fd.execute([x])
    jitted = fuser.jit(lambda x: x + 1)
    calls = [fd.executable, lambda x: fd.execute([x])[0], jitted]
    fake, masked = FakeTensorMode().from_tensor(x), masked_tensor(x, x > 0)
    for call in calls:
        with pytest.raises(TypeError, match="expected (a tensor|tensors) of elements, got a FakeTensor"):
            call(fake)
        with pytest.raises(TypeError, match=r"without a mask, got a MaskedTensor: pass tensor.to_tensor\(value\)"):
            call(masked)
        call(x)
    with pytest.raises(TypeError, match="output 0 'result0': expected a tensor of elements, got a FakeTensor"):
        fd.executable(x, out=fake)
    for call in calls:
        for transform in (lambda f: torch.vmap(f)(torch.ones(3, 4)), lambda f: torch.func.jvp(f, (x,), (x,))):
            with pytest.raises(
                TypeError, match="got one of torch.vmap, torch.func.grad or .* call it outside of these"
            ):
                transform(call)
    nested = torch.nested.nested_tensor([x, x[:2]])
    for call in calls[1:]:
        with pytest.raises(TypeError, match="got a nested one: pass tensor.to_padded_tensor"):
            call(nested)
