# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether there is a GPU and its driver: has_gpu(), or the exit code of this script; how many: count_gpus(). All tests and scripts ask this one."""

import ctypes
import sys


def count_gpus():
    """The devices that libcuda has; 0 where it does not open."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    return count.value if driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 else 0


def has_gpu():
    """True where libcuda opens and has a device."""
    return count_gpus() > 0


if __name__ == "__main__":
    sys.exit(0 if has_gpu() else 1)
