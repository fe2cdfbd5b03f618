# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from typing import Any

from .._nvfuser_ops import DataType

def torch_dtype_to_nvfuser_dtype(dtype: Any) -> DataType: ...
def python_scalar_to_nvfuser_dtype(a: bool | float) -> DataType: ...
