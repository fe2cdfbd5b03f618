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
    rows = struct.pack("<32f", *range(32))
    columns = struct.pack("<32f", *(row * 8 + column for column in range(8) for row in range(4)))
    # 0, 1, 2, ... by rows, lying by columns.
    columns = struct.pack("<32f", *(8 * row + column for column in range(8) for row in range(4)))
    files = {
        "good": npy("<f4", "(4, 8)", data),
        "rows": npy("<f4", "(4, 8)", rows),
        "columns": npy("<f4", "(4, 8)", columns, "True"),
        "a=b,c": npy("<f4", "(4, 8)", rows),
        "big-endian": npy(">f4", "(4, 8)", data),
        "bytes": npy("|u1", "(4, 8)", data[:32]),
        "order": npy("<f4", "(4, 8)", data, "Perhaps"),
        "letters": npy("<f4", "(4, eight)", data),
        "no-shape": npy("<f4", "4", data[:16]),
        "version": b"\x93NUMPY\x09\x00" + npy("<f4", "(4, 8)", data)[8:],
        "f64": npy("<f8", "(4, 8)", data * 2),
        "complex": npy("<m8", "(4, 8)", data * 2),
        "shape": npy("<f4", "(8, 4)", data),
        "fortran": npy("<f4", "(4, 8)", columns, "True"),
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
