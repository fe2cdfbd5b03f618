# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether there is a GPU and its driver: has_gpu(), or the exit code of this script. All tests and scripts ask this one."""

import ctypes
import sys


def has_gpu():
    """True where libcuda opens and has a device."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


if __name__ == "__main__":
    sys.exit(0 if has_gpu() else 1)
