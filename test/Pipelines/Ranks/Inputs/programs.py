# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole programs on several ranks agree with NumPy: fusions beside communications, rings, groups, products that overlap with communications.

usage: programs.py FOLDER [TARGET [MOST_RANKS]]

On a CPU each also runs with streams and ranks that sleep for random times.
"""

import sys
from pathlib import Path

import numpy as np
from ranks import run_ranks

PREFIX = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
"""


def program(text, ranks):
    """`text` with the list of all ranks for LIST, and their number for RANKS."""
    return text.replace("LIST", str(list(range(ranks)))).replace("RANKS", str(ranks)).replace("PREFIX", PREFIX)


# A fusion, and what all ranks have of it.
FUSION = """
func.func private @gelu(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %e = fusion.tanh %x : tensor<?x8xf32>
  %y = fusion.mul %e, %x : tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
func.func @main(%x: memref<?x8xf32>) -> memref<?x8xf32> attributes {host.program} {PREFIX
  %all = host.group
  %size = host.size %all
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %m = arith.muli %n, %size : index
  %t = host.call @gelu(%x : memref<?x8xf32>) -> memref<?x8xf32>
  %o = host.output 0 (%m) : memref<?x8xf32>
  %0 = host.all_gather %t, %o dim 0 in %all : memref<?x8xf32>, memref<?x8xf32>
  host.wait %0
  return %o : memref<?x8xf32>
}
"""

# Columns side by side, which do not lie as communications take them.
COLUMNS = """
func.func @main(%x: memref<?x?xf32>) -> (memref<?x?xf32>, memref<?x?xf32>) attributes {host.program} {PREFIX
  %all = host.group
  %size = host.size %all
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %k = memref.dim %x, %c1 : memref<?x?xf32>
  %m = arith.muli %k, %size : index
  %o = host.output 0 (%n, %m) : memref<?x?xf32>
  %0 = host.all_gather %x, %o dim 1 in %all : memref<?x?xf32>, memref<?x?xf32>
  host.wait %0
  %p = host.output 1 (%n, %k) : memref<?x?xf32>
  %1 = host.reduce_scatter <sum> %o, %p dim 1 in %all : memref<?x?xf32>, memref<?x?xf32>
  return %o, %p : memref<?x?xf32>, memref<?x?xf32>
}
"""

# Each rank sends to the next one, as often as there are ranks, and adds up what comes.
RING = """
func.func @main(%x: memref<?x8xf32>) -> memref<?x8xf32> attributes {host.program} {PREFIX
  %all = host.group
  %size = host.size %all
  %rank = host.rank %all
  %up = arith.addi %rank, %c1 : index
  %next = arith.remui %up, %size : index
  %round = arith.addi %rank, %size : index
  %down = arith.subi %round, %c1 : index
  %last = arith.remui %down, %size : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %sum = host.output 0 (%n) : memref<?x8xf32>
  %a = host.alloc (%n) : memref<?x8xf32>
  %b = host.alloc (%n) : memref<?x8xf32>
  host.copy %x, %a : memref<?x8xf32>, memref<?x8xf32>
  host.copy %x, %sum : memref<?x8xf32>, memref<?x8xf32>
  scf.for %i = %c1 to %size step %c1 iter_args(%from = %a, %to = %b) -> (memref<?x8xf32>, memref<?x8xf32>) {
    %0 = host.coalesce {
      %1 = host.send %from to %next in %all : memref<?x8xf32>
      %2 = host.recv %to from %last in %all : memref<?x8xf32>
    }
    host.wait %0
    host.add %sum, %to, %sum : memref<?x8xf32>, memref<?x8xf32>, memref<?x8xf32>
    scf.yield %to, %from : memref<?x8xf32>, memref<?x8xf32>
  }
  return %sum : memref<?x8xf32>
}
"""

# Pairs of ranks, in a branch of what a rank is.
PAIRS = """
func.func @main(%x: memref<?x8xf32>) -> memref<?x8xf32> attributes {host.program} {PREFIX
  %c2 = arith.constant 2 : index
  %pair = host.group [[0, 1], [3, 2]]
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %o = host.output 0 (%n) : memref<?x8xf32>
  host.copy %x, %o : memref<?x8xf32>, memref<?x8xf32>
  %size = host.size %pair
  %isIn = arith.cmpi eq, %size, %c2 : index
  scf.if %isIn {
    %0 = host.broadcast %x, %o root %c0 in %pair : memref<?x8xf32>, memref<?x8xf32>
    %1 = host.permute %o, %x from [0] to [1] in %pair : memref<?x8xf32>, memref<?x8xf32>
  }
  return %o : memref<?x8xf32>
}
"""

# all_gather, then a product; in order, and chunk by chunk on streams.
GATHER_PRODUCT = """
func.func @main(%x: memref<?x16xf32>, %w: memref<12x16xf32>) -> memref<?x12xf32> attributes {host.program} {PREFIX
  %all = host.group [LIST]
  %ranks = arith.constant RANKS : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %m = arith.muli %n, %ranks : index
  %g = host.alloc (%m) STREAM : memref<?x16xf32>
  %0 = host.all_gather %x, %g dim 0 in %all : memref<?x16xf32>, memref<?x16xf32>
  host.wait %0
  %o = host.output 0 (%m) STREAM : memref<?x12xf32>
  host.linear %g, %w, %o : memref<?x16xf32>, memref<12x16xf32>, memref<?x12xf32>
  return %o : memref<?x12xf32>
}
"""

PRODUCT_SCATTER = """
func.func @main(%x: memref<?x16xf32>, %w: memref<12x16xf32>) -> memref<?x12xf32> attributes {host.program} {PREFIX
  %all = host.group [LIST]
  %ranks = arith.constant RANKS : index
  %m = memref.dim %x, %c0 : memref<?x16xf32>
  %n = arith.divui %m, %ranks : index
  %t = host.alloc (%m) STREAM : memref<?x12xf32>
  host.linear %x, %w, %t : memref<?x16xf32>, memref<12x16xf32>, memref<?x12xf32>
  %o = host.output 0 (%n) : memref<?x12xf32>
  %0 = host.reduce_scatter <sum> %t, %o dim 0 in %all : memref<?x12xf32>, memref<?x12xf32>
  host.wait %0
  return %o : memref<?x12xf32>
}
"""

PRODUCT_REDUCE = """
func.func @main(%x: memref<?x16xf32>, %w: memref<12x16xf32>) -> memref<?x12xf32> attributes {host.program} {PREFIX
  %all = host.group
  %m = memref.dim %x, %c0 : memref<?x16xf32>
  %t = host.alloc (%m) STREAM : memref<?x12xf32>
  host.linear %x, %w, %t : memref<?x16xf32>, memref<12x16xf32>, memref<?x12xf32>
  %o = host.output 0 (%m) STREAM : memref<?x12xf32>
  %0 = host.all_reduce <sum> %t, %o in %all : memref<?x12xf32>, memref<?x12xf32>
  host.wait %0
  return %o : memref<?x12xf32>
}
"""


# Two groups of the same ranks, on two streams; and a rank that no list holds, whose buffer stays.
GROUPS = """
func.func @main(%x: memref<?x8xf32>, %y: memref<?x?xf32>) -> (memref<?x8xf32>, memref<?x8xf32>, memref<?x?xf32>) attributes {host.program} {PREFIX
  %c2 = arith.constant 2 : index
  %all = host.group
  %same = host.group [LIST]
  %pair = host.group [[0, 1]]
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %a = host.output 0 (%n) : memref<?x8xf32>
  %b = host.output 1 (%n) : memref<?x8xf32>
  %rows = memref.dim %y, %c0 : memref<?x?xf32>
  %columns = memref.dim %y, %c1 : memref<?x?xf32>
  %wide = arith.muli %columns, %c2 : index
  %c = host.output 2 (%rows, %wide) : memref<?x?xf32>
  %seven = arith.constant 7.0 : f32
  host.fill %seven, %c : f32, memref<?x?xf32>
  %caller = host.get_stream
  %s1 = host.stream %c1
  %s2 = host.stream %c2
  host.set_stream %s1
  host.sync %caller
  %0 = host.all_reduce <sum> %x, %a in %all : memref<?x8xf32>, memref<?x8xf32>
  host.set_stream %s2
  host.sync %caller
  %1 = host.all_reduce <max> %x, %b in %same : memref<?x8xf32>, memref<?x8xf32>
  host.set_stream %caller
  host.wait %0
  host.wait %1
  %2 = host.all_gather %y, %c dim 1 in %pair : memref<?x?xf32>, memref<?x?xf32>
  return %a, %b, %c : memref<?x8xf32>, memref<?x8xf32>, memref<?x?xf32>
}
"""


def make(ranks, *shape):
    generator = np.random.default_rng(ranks)
    return [generator.integers(-3, 4, shape).astype(np.float32) for _ in range(ranks)]


def cases(ranks):
    """Name, text, what each rank gets, and what it should give."""
    x = make(ranks, 5, 8)
    gathered = np.concatenate([np.tanh(part) * part for part in x])
    yield "fusion", FUSION, [[part] for part in x], [[gathered]] * ranks
    y = make(ranks, 6, 3)
    side = np.concatenate(y, axis=1)
    yield "columns", COLUMNS, [[part] for part in y], [[side, ranks * part] for part in y]
    yield "ring", RING, [[part] for part in x], [[sum(x)]] * ranks
    if ranks >= 2:
        pair = np.concatenate(y[:2], axis=1)
        out = [[sum(x), np.max(x, axis=0), pair if i < 2 else np.full_like(pair, 7)] for i in range(ranks)]
        yield "groups", GROUPS, [[a, b] for a, b in zip(x, y)], out
    if ranks >= 4:
        roots = {0: 0, 1: 0, 3: 3, 2: 3}
        yield "pairs", PAIRS, [[part] for part in x], [[x[roots.get(i, i)]] for i in range(ranks)]
    rows, w = make(ranks, 7, 16), make(ranks, 12, 16)
    wide = make(ranks, 7 * ranks, 16)
    product = [a @ b.T for a, b in zip(wide, w)]
    for name, mark in (("", ""), ("_chunks", f"stream <0 chunks {ranks}>")):
        inputs = [[a, b] for a, b in zip(rows, w)]
        expected = [[np.concatenate(rows) @ b.T] for b in w]
        yield "gather_product" + name, GATHER_PRODUCT.replace("STREAM", mark), inputs, expected
        inputs = [[a, b] for a, b in zip(wide, w)]
        parts = np.split(sum(product), ranks)
        yield "product_scatter" + name, PRODUCT_SCATTER.replace("STREAM", mark), inputs, [[part] for part in parts]
        yield "product_reduce" + name, PRODUCT_REDUCE.replace("STREAM", mark), inputs, [[sum(product)]] * ranks


def main():
    folder, target = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "cpu"
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for ranks in [n for n in (1, 2, 4, 5, 8) if n <= most]:
        for name, text, inputs, expected in cases(ranks):
            source = folder / f"{name}_{ranks}.mlir"
            source.write_text(program(text, ranks))
            for flags in [[]] + [["--delays", f"{seed},300"] for seed in (1, 2) if target == "cpu"]:
                got = run_ranks(source, inputs, len(expected[0]), target, flags)
                for rank in range(ranks):
                    for result, value in zip(got[rank], expected[rank]):
                        message = f"{name} {flags} on rank {rank} of {ranks}"
                        np.testing.assert_allclose(result, value, rtol=1e-5, err_msg=message)
                count += 1
    print(f"{count} runs agree with NumPy")


if __name__ == "__main__":
    main()
