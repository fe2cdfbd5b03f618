# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what four ranks computed (docs/tutorial/5-ranks.md) with NumPy on all of it."""

import sys
from pathlib import Path

import numpy as np

FOLDER = Path("build/tutorial")
USAGE = (
    "`python docs/tutorial/ranks.py make` makes the inputs, and the commands of docs/tutorial/5-ranks.md the results"
)


def load(name: str, rank: int) -> np.typing.NDArray[np.float32]:
    path = FOLDER / f"{name}{rank}.npy"
    if not path.exists():
        sys.exit(f"ranks.py: expected {path}, which is not there: {USAGE}")
    return np.asarray(np.load(path), np.float32)


def main() -> None:
    ranks = range(4)
    dy = np.concatenate([load("dy", rank) for rank in ranks])
    for rank in ranks:
        np.testing.assert_allclose(load("db", rank), dy.sum(0), rtol=1e-4, atol=1e-4)
    print(f"bias_grad: {dy.shape[0]} rows, right on {len(ranks)} ranks")
    x = np.concatenate([load("x", rank) for rank in ranks])
    for rank in ranks:
        h = x @ load("w", rank).T
        np.testing.assert_allclose(load("y", rank), h / (1 + np.exp(-h)), rtol=1e-4, atol=1e-4)
    print(f"parallel_linear: {x.shape[0]} rows, right on {len(ranks)} ranks")


def make() -> None:
    """Each rank's inputs; ranks may have different numbers of rows of a batch, not of what is gathered."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(0)
    for rank in range(4):
        np.save(FOLDER / f"dy{rank}.npy", generator.normal(size=(100 + rank, 256)).astype(np.float32))
        np.save(FOLDER / f"x{rank}.npy", generator.normal(size=(50, 128)).astype(np.float32))
        np.save(FOLDER / f"w{rank}.npy", generator.normal(size=(64, 128)).astype(np.float32))


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            main()
        case ["make"]:
            make()
        case others:
            sys.exit(f"ranks.py: expected no argument or 'make', got {' '.join(others)}: {USAGE}")
