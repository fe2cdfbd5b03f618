# ===- npys.py - .npy files that are not what is expected -----------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""npys.py FOLDER. Writes them."""

import struct
import sys
from pathlib import Path


def npy(descr, shape, data, order="False"):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    data = bytes(4 * 8 * 4)
    files = {
        "good": npy("<f4", "(4, 8)", data),
        "f64": npy("<f8", "(4, 8)", data * 2),
        "complex": npy("<c8", "(4, 8)", data * 2),
        "shape": npy("<f4", "(8, 4)", data),
        "fortran": npy("<f4", "(4, 8)", data, "True"),
        "short": npy("<f4", "(4, 8)", data[:-1]),
        "long": npy("<f4", "(4, 8)", data + b"\0"),
        "negative": npy("<f4", "(-4, 8)", data),
        "huge": npy("<f4", "(4611686018427387904, 8)", data),
        "header": npy("<f4", "(4, 8)", data)[:40],
        "magic": b"\x93NUMPX" + npy("<f4", "(4, 8)", data)[6:],
        "empty": b"",
        "length": b"\x93NUMPY\x01\x00\xff\xff",
    }
    for name, contents in files.items():
        (folder / f"{name}.npy").write_bytes(contents)


if __name__ == "__main__":
    main()
