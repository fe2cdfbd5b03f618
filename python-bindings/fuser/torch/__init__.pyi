# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch.fx import GraphModule

__all__: list[str]

def backend(
    module: GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, str] | None = None,
    mode: str | None = None,
) -> Callable[..., Any]: ...
