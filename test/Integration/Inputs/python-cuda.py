# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python package on a GPU with PyTorch, in one plain script: python-cuda.py EXAMPLES

test/python has the tests; this one runs where there is no pytest.
"""

import sys
from pathlib import Path

import fuser
import torch

EXAMPLES = Path(sys.argv[1])


def load(name):
    return fuser.compile((EXAMPLES / f"{name}.mlir").read_text(), "cuda")


def randn(*shape):
    return torch.randn(*shape, device="cuda").to(torch.bfloat16)


def check_softmax():
    exe, x = load("softmax"), randn(5, 8192)
    out = torch.empty_like(x)
    assert exe(x, out=out) is out
    torch.testing.assert_close(out.double(), torch.softmax(x.double(), -1), rtol=2**-8, atol=1e-8)
    y = exe(randn(8192, 4).t())
    assert y.device == x.device and y.shape == (4, 8192) and exe.num_variants == 2


def check_aliases():
    x, r = randn(4, 4096), randn(4, 4096)
    expected = x + r
    assert load("in_place")(x, r) is x
    torch.testing.assert_close(x, expected, rtol=0, atol=0)
    y = load("view")(x)
    assert y.data_ptr() == x.data_ptr()
    torch.testing.assert_close(y, x.view(4, 32, 128).permute(1, 0, 2), rtol=0, atol=0)


def check_streams():
    exe, stream = load("softmax"), torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = randn(2048, 8192)
        expected = torch.softmax(x.double(), -1)
        y = exe(x)
        del x
        torch.testing.assert_close(y.double(), expected, rtol=2**-8, atol=1e-8)


def check_errors():
    for wrong in (torch.zeros(4, 8192, dtype=torch.bfloat16), torch.zeros(4, 8192, device="cuda")):
        try:
            load("softmax")(wrong)
        except fuser.Error as error:
            assert error.code == 1 and "expected" in str(error), error
        else:
            raise AssertionError("expected an error")


for check in (check_softmax, check_aliases, check_streams, check_errors):
    check()
    print(check.__name__, "ok")
