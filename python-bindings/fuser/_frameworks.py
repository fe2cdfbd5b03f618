# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fuser.Tensor becomes a tensor of the caller's framework, and on which stream a framework works.

The extension module asks once for each type of tensor. Where the type has DLPack's C functions (`__dlpack_c_exchange_api__`), these
are called instead of what is here. No framework is imported here that the caller has not imported already.
"""

import functools
import sys
from typing import Any, NamedTuple

from ._program import is_bool, is_float

#: How names of floats begin that NumPy has by ml_dtypes.
FOREIGN = ("bfloat", "float8_", "float4_")


class Framework(NamedTuple):
    """What the extension module asks of a framework. None: there is none."""

    wrap: Any = None  # Makes its tensor of a fuser.Tensor.
    stream: Any = None  # The handle of the current stream of a GPU, by its number.
    wrap_bits: Any = None  # The same as `wrap` for elements that its DLPack lacks.
    is_matrix: bool = False  # Whether they have two dimensions, and `*` is the product of matrices.
    has_buffers: bool = False  # Whether its tensors have Python's buffer protocol.
    is_writable: bool = False  # Whether all of its tensors can be written: DLPack's C functions may not say.
    is_recording: Any = None  # Whether gradients are recorded, for tensors with `requires_grad`.
    is_negated: Any = (
        None  # Whether a tensor's elements are those in memory with the other sign, of which DLPack knows nothing.
    )
    is_conjugated: Any = None  # The same of imaginary parts.


def to_ml_dtypes(tensor):
    """A fuser.Tensor of bfloat16 or 8-bit floats, which NumPy has through ml_dtypes only, and its DLPack does not know.

    Of 4-bit floats there are bytes, two in each: ml_dtypes has a byte for each.
    """
    import numpy

    bits = numpy.from_dlpack(tensor._bits())
    if tensor.dtype.endswith("_x2"):
        return bits
    try:
        import ml_dtypes
    except ImportError as error:
        raise ImportError(f"expected the package ml_dtypes for an output of type {tensor.dtype} in NumPy") from error
    return bits.view(getattr(ml_dtypes, tensor.dtype))


def to_numpy(tensor):
    """A fuser.Tensor in the memory of the CPU as an array."""
    import numpy

    return to_ml_dtypes(tensor) if tensor.dtype.startswith(FOREIGN) else numpy.from_dlpack(tensor)


def _torch_stream(device):
    return sys.modules["torch"].cuda.current_stream(device).cuda_stream


def _cupy_stream(device):
    cupy = sys.modules["cupy"]
    with cupy.cuda.Device(device):
        return cupy.cuda.get_current_stream().ptr


def is_of(kind, module, name):
    """Whether a type is this one of a module that may not have been imported, or is derived from it."""
    base = getattr(sys.modules.get(module), name, None)
    return base is not None and issubclass(kind, base)


@functools.cache
def _saturates():
    """Whether this PyTorch makes the largest float8_e4m3fn of what is larger, as from 2.14 on, and not NaN, as fuser and ml_dtypes."""
    torch = sys.modules["torch"]
    return not torch.tensor(1e9).to(torch.float8_e4m3fn).float().isnan().item()


def cast_as_torch(builder, x, element):
    """A value of a program in another element type as PyTorch has it: below 0 what becomes unsigned wraps, as does what the type does not hold."""
    own = x._program.type(x)[0]
    of_floats = is_float(own)
    if element == "ui8" and of_floats:
        x = builder.astype(x, "i64")
    if element == "f8E4M3FN" and own != element and not is_bool(own) and _saturates():
        # Of narrow integers these are no numbers.
        x = builder.clip(x if of_floats else builder.astype(x, "f32"), -448, 448)
    return builder.astype(x, element)


def _check(kind):
    """Raises a TypeError for a type whose elements are not all of a tensor, or that is none. Those with `__getattr__` may stand for another one."""
    if is_of(kind, "numpy.ma", "MaskedArray"):
        raise TypeError("expected an array without a mask, got a numpy.ma.MaskedArray: pass array.filled(value)")
    if is_of(kind, "torch.masked", "MaskedTensor"):
        raise TypeError(f"expected a tensor without a mask, got a {kind.__name__}: pass tensor.to_tensor(value)")
    if is_of(kind, "torch._subclasses.fake_tensor", "FakeTensor"):
        raise TypeError(f"expected a tensor of elements, got a {kind.__name__}, which has none")
    if not hasattr(kind, "__dlpack__") and not hasattr(kind, "__getattr__"):
        raise TypeError(f"expected a tensor with __dlpack__, got {kind.__name__}")


#: The error of a tensor of PyTorch's for which is_transformed.
TRANSFORMED = (
    "expected tensors of elements, got one of torch.vmap, torch.func.grad or another transform of PyTorch's, which do not see what fuser computes: call it"
    " outside of these, with all dimensions; gradients are those of torch.compile(function, backend='fuser')"
)


def is_transformed(array):
    """Whether it is a tensor that stands for others in a transform of PyTorch's."""
    torch = sys.modules.get("torch")
    return (
        isinstance(array, torch.Tensor) and torch._C._functorch.is_functorch_wrapped_tensor(array) if torch else False
    )


#: What to do about an array that DLPack does not pass on, by what is in the error.
_REMEDIES = {
    "byte order": "x.astype(x.dtype.newbyteorder('=')) has the bytes in this machine's order",
    "signed/unsigned integers": "elements have to be numbers: x.astype('float32')",
    "longdouble": "x.astype('float64')",
    "layout": "x.to_dense()",
    "require gradient": 'call it under torch.no_grad(), or pass x.detach(); gradients are those of torch.compile(function, backend="fuser")',
}


class Frameworks(dict):
    """From a tensor's type to its Framework."""

    def __missing__(self, kind):
        _check(kind)
        root = kind.__module__.split(".")[0]
        if is_of(kind, "numpy", "ndarray"):
            is_matrix = is_of(kind, "numpy", "matrix")
            entry = Framework(
                sys.modules["numpy"].from_dlpack, None, to_ml_dtypes, is_matrix=is_matrix, has_buffers=True
            )
        elif "torch" in sys.modules and issubclass(kind, sys.modules["torch"].Tensor):
            torch = sys.modules["torch"]
            entry = Framework(
                torch.from_dlpack,
                _torch_stream,
                is_writable=True,
                is_recording=torch.is_grad_enabled,
                is_negated=torch.Tensor.is_neg,
                is_conjugated=torch.Tensor.is_conj,
            )
        elif root == "cupy":
            entry = Framework(sys.modules["cupy"].from_dlpack, _cupy_stream)
        elif root in ("jax", "jaxlib"):
            entry = Framework(sys.modules["jax"].numpy.from_dlpack)
        else:
            entry = Framework()
        self[kind] = entry
        return entry

    def explain_refused(self, where, array, error):
        """The error of an array that is not passed on, with what to do. where: the program and the argument."""
        if isinstance(error, TypeError):
            return TypeError(f"{where}: {error}")
        if is_transformed(array):
            return TypeError(f"{where}: {TRANSFORMED}")
        if isinstance(error, RuntimeError):
            raise error  # Of something else than the array.
        text = str(error).rstrip(".")
        remedy = next((f": {remedy}" for part, remedy in _REMEDIES.items() if part in text), "")
        got = f"{getattr(array, 'dtype', type(array).__name__)}"
        got += f" on {array.device}" if hasattr(array, "is_meta") else ""
        return BufferError(f"{where}: expected an array that DLPack can pass on, got one of {got}: {text}{remedy}")


#: Code that Dynamo has been told to leave alone.
_kept_out = []


def keep_out_of_dynamo(code):
    """A call of it under torch.compile is a break of its graph: Dynamo looks neither into what is compiled already, nor at the frames of the call.

    What torch.compiler.disable does takes an import of Dynamo, and time in each call.
    """
    if "torch" not in sys.modules or any(each is code for each in _kept_out):
        return
    _kept_out.append(code)
    try:
        from torch._C._dynamo.eval_frame import _FrameAction, _FrameExecStrategy, set_code_exec_strategy
    except ImportError:
        return  # An earlier PyTorch.
    set_code_exec_strategy(code, _FrameExecStrategy(_FrameAction.SKIP, _FrameAction.SKIP))
