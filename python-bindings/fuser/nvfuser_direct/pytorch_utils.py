# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types of PyTorch and of Python as DataTypes."""

from .._nvfuser_ops import DataType
from ..fusion_definition import get_data_type


def torch_dtype_to_nvfuser_dtype(dtype):
    """The DataType of a torch.dtype."""
    return get_data_type(dtype)


def python_scalar_to_nvfuser_dtype(a):
    """The DataType of a number."""
    if isinstance(a, bool):
        return DataType.Bool
    if isinstance(a, int):
        return DataType.Int
    if isinstance(a, float):
        return DataType.Double
    raise NotImplementedError(f"expected a bool, an int or a float, got {type(a).__name__}")
