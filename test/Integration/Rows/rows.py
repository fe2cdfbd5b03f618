# ===- rows.py - Row reductions of many lengths and row counts ------------===#
#
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Row reductions of many lengths and row counts through fuser-run --check.

    rows.py --target cpu|cuda [--programs softmax] [--types f32,bf16,f16] [--lengths 1,7] [--rows 0,1] [--arch A]

Every program runs at every length times row count: aligned, with inputs that start one element off alignment, and
with gaps between the rows. All must agree to the bit, and so must a row computed alone and among others. Prints one
line per failure; the exit status is 1 if there is one.
"""

import argparse
import concurrent.futures
import itertools
import pathlib
import subprocess
import sys
import tempfile

SOFTMAX = """
func.func @f(%x: tensor<?xNxT>) -> tensor<?xNxT> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?xNxT>
  %h = fusion.cast %x : tensor<?xNxT> to tensor<?xNxf32>
  %m = fusion.reduce <max> %h dims [1] keep : tensor<?xNxf32> to tensor<?x1xf32>
  %mb = fusion.expand %m : tensor<?x1xf32> to tensor<?xNxf32>
  %d = fusion.sub %h, %mb : tensor<?xNxf32>
  %e = fusion.exp %d : tensor<?xNxf32>
  %s = fusion.reduce <sum> %e dims [1] keep : tensor<?xNxf32> to tensor<?x1xf32>
  %sb = fusion.expand %s : tensor<?x1xf32> to tensor<?xNxf32>
  %q = fusion.div %e, %sb : tensor<?xNxf32>
  %y = fusion.cast %q : tensor<?xNxf32> to tensor<?xNxT>
  return %y : tensor<?xNxT>
}
"""

RMSNORM = """
func.func @f(%x: tensor<?xNxT>, %w: tensor<NxT>) -> (tensor<?xNxT>, tensor<?x1xf32>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?xNxT>
  %eps = arith.constant 1.0e-6 : f32
  %h = fusion.cast %x : tensor<?xNxT> to tensor<?xNxf32>
  %sq = fusion.mul %h, %h : tensor<?xNxf32>
  %ms = fusion.reduce <mean> %sq dims [1] keep : tensor<?xNxf32> to tensor<?x1xf32>
  %fe = fusion.full %eps sizes(%rows) : tensor<?x1xf32>
  %a = fusion.add %ms, %fe : tensor<?x1xf32>
  %rstd = fusion.rsqrt %a : tensor<?x1xf32>
  %rb = fusion.expand %rstd : tensor<?x1xf32> to tensor<?xNxf32>
  %n = fusion.mul %h, %rb : tensor<?xNxf32>
  %wh = fusion.cast %w : tensor<NxT> to tensor<Nxf32>
  %w1 = fusion.broadcast %wh dims [0] : tensor<Nxf32> to tensor<1xNxf32>
  %wb = fusion.expand %w1 sizes(%rows) : tensor<1xNxf32> to tensor<?xNxf32>
  %o = fusion.mul %n, %wb : tensor<?xNxf32>
  %y = fusion.cast %o : tensor<?xNxf32> to tensor<?xNxT>
  return %y, %rstd : tensor<?xNxT>, tensor<?x1xf32>
}
"""

LAYERNORM = """
func.func @f(%x: tensor<?xNxT>) -> (tensor<?xNxT>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?xNxT>
  %eps = arith.constant 1.0e-5 : f32
  %h = fusion.cast %x : tensor<?xNxT> to tensor<?xNxf32>
  %m = fusion.reduce <mean> %h dims [1] : tensor<?xNxf32> to tensor<?xf32>
  %m1 = fusion.broadcast %m dims [1] : tensor<?xf32> to tensor<?x1xf32>
  %mb = fusion.expand %m1 : tensor<?x1xf32> to tensor<?xNxf32>
  %d = fusion.sub %h, %mb : tensor<?xNxf32>
  %sq = fusion.mul %d, %d : tensor<?xNxf32>
  %v = fusion.reduce <mean> %sq dims [1] keep : tensor<?xNxf32> to tensor<?x1xf32>
  %fe = fusion.full %eps sizes(%rows) : tensor<?x1xf32>
  %a = fusion.add %v, %fe : tensor<?x1xf32>
  %r = fusion.rsqrt %a : tensor<?x1xf32>
  %rb = fusion.expand %r : tensor<?x1xf32> to tensor<?xNxf32>
  %o = fusion.mul %d, %rb : tensor<?xNxf32>
  %y = fusion.cast %o : tensor<?xNxf32> to tensor<?xNxT>
  return %y, %m : tensor<?xNxT>, tensor<?xf32>
}
"""

# max, then a sum that uses it, then a mean that uses both; one full-size and three per-row outputs.
MAX_SUM_MEAN = """
func.func @f(%x: tensor<?xNxT>) -> (tensor<?xNxf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) {
  %h = fusion.cast %x : tensor<?xNxT> to tensor<?xNxf32>
  %m = fusion.reduce <max> %h dims [1] keep : tensor<?xNxf32> to tensor<?x1xf32>
  %mb = fusion.expand %m : tensor<?x1xf32> to tensor<?xNxf32>
  %d = fusion.sub %mb, %h : tensor<?xNxf32>
  %s = fusion.reduce <sum> %d dims [1] keep : tensor<?xNxf32> to tensor<?x1xf32>
  %sb = fusion.expand %s : tensor<?x1xf32> to tensor<?xNxf32>
  %t = fusion.max %sb, %d : tensor<?xNxf32>
  %u = fusion.tanh %d : tensor<?xNxf32>
  %p = fusion.mul %t, %u : tensor<?xNxf32>
  %a = fusion.reduce <mean> %p dims [1] keep : tensor<?xNxf32> to tensor<?x1xf32>
  return %u, %m, %s, %a : tensor<?xNxf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>
}
"""

# name: (text, inputs as (shape, number of outputs))
PROGRAMS = {
    "softmax": (SOFTMAX, ["{rows}x{n}x{t}=normal:1"], 1),
    "rmsnorm": (RMSNORM, ["{rows}x{n}x{t}=normal:2", "{n}x{t}=random:3"], 2),
    "layernorm": (LAYERNORM, ["{rows}x{n}x{t}=normal:4"], 2),
    "max_sum_mean": (MAX_SUM_MEAN, ["{rows}x{n}x{t}=normal:5"], 4),
}


def run(program, inputs, outputs, options, check=True):
    """The bytes of the outputs, or None and the message."""
    command = ["fuser-run", str(program), "--target", options.target]
    command += ["--sim-check"] if options.sim_check else []
    command += [f"--arch={options.arch}"] if options.arch else []
    command += [f"--input={i}" for i in inputs] + [f"--output={o}" for o in outputs]
    if check:
        command.append("--check")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None, (done.stdout + done.stderr).strip()
    return [pathlib.Path(o).read_bytes() for o in outputs], ""


def data(npy):
    """The elements' bytes of a .npy file."""
    return npy[10 + int.from_bytes(npy[8:10], "little") :]


def check_case(folder, case, options):
    name, element, length, rows = case
    text, specs, num_outputs = PROGRAMS[name]
    program = folder / f"{name}_{element}_{length}.mlir"
    program.write_text(text.replace("N", str(length)).replace("T", element))
    inputs = [s.format(rows=rows, n=length, t=element) for s in specs]
    outputs = [folder / f"out{i}.npy" for i in range(num_outputs)]
    aligned, message = run(program, inputs, outputs, options)
    if aligned is None:
        return message
    if rows == 0:
        return ""
    moved = {
        "one element off alignment": [i + ",offset=1" for i in inputs],
        "with gaps between the rows": [f"{inputs[0]},strides={length + 3}x1", *inputs[1:]],
    }
    for what, tensors in moved.items():
        got, message = run(program, tensors, outputs, options, check=False)
        if got is None:
            return f"{what}: {message}"
        if got != aligned:
            return f"{what}: other bits than aligned"
    if rows > 1:
        # The first row alone: the same seed gives the same first row.
        alone = [s.format(rows=1, n=length, t=element) for s in specs]
        single, message = run(program, alone, outputs, options, check=False)
        if single is None:
            return "one row alone: " + message
        for alone, among in zip(single, aligned, strict=True):
            if data(among)[: len(data(alone))] != data(alone):
                return "one row alone: other bits than among others"
    return ""


def check_alone(case, options):
    with tempfile.TemporaryDirectory() as folder:
        return check_case(pathlib.Path(folder), case, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", required=True)
    parser.add_argument("--sim-check", action="store_true")
    parser.add_argument("--types", default="bf16,f32")
    parser.add_argument("--lengths", default="1,7,768,4096,8194,40000")
    parser.add_argument("--rows", default="0,1,7,2048")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--arch", default="")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    cases = list(
        itertools.product(
            options.programs.split(","),
            options.types.split(","),
            map(int, options.lengths.split(",")),
            map(int, options.rows.split(",")),
        )
    )
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, message in zip(cases, pool.map(lambda case: check_alone(case, options), cases), strict=True):
            if message:
                failures += 1
                name, element, length, rows = case
                print(f"{name} {element} {rows}x{length} on {options.target}: {message}")
    print(f"{len(cases) - failures} of {len(cases)} cases right")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
