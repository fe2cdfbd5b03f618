# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

__all__: list[str]

def backend(
    module: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, str] | None = None,
    mode: str | None = None,
) -> Callable[..., Any]: ...
