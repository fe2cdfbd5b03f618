# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random calls of a builder, most of them wrong: each gives values or an error that names the line, and the program that is left compiles."""

import random

import fuser
import pytest

ELEMENTS = ["f64", "f32", "f16", "bf16", "i1", "i32", "i64"]
LISTS = {"dims", "shape", "starts", "stops", "steps", "index", "values"}
#: The attributes of ops that have some.
ATTRIBUTES = {
    "broadcast": ["dims"],
    "broadcast_in_dim": ["shape", "dims"],
    "expand": ["shape"],
    "reshape": ["shape"],
    "squeeze": ["dims"],
    "permute": ["dims"],
    "slice": ["starts", "stops", "steps"],
    "select": ["dim", "index"],
    "cat": ["dim"],
    "size": ["dim"],
    "reduce": ["kind", "dims", "keep", "type"],
    "var": ["dims", "keep", "correction"],
    "var_mean": ["dims", "keep", "correction"],
    "full": ["shape", "type"],
    "iota": ["shape", "dim", "type"],
    "constant": ["values", "shape", "type"],
    "cast": ["type"],
    "clamp": ["has_min", "has_max"],
}
OTHERS = (
    "abs add addcmul and ceil div eq exp floor_div fmod frac isfinite isneginf lerp linear logical_and logical_not lt matmul max"
    " mul neg not or pow reciprocal relu remainder round segment_set set shl sigmoid sign signbit sub threshold triu true_divide"
    " trunc where xor no_op"
).split()


class Caller:
    """Makes one program of one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.program = fuser.Builder()._program
        self.values = []

    def number(self):
        choices = [None, -1, 0, 1, 2, 3, 4]
        if self.random.random() < 0.2:
            choices = [-2, 5, 2**40, 2**62, -(2**63), 2**63 - 1]
        return self.random.choice(choices)

    def attribute(self, name):
        if name in LISTS:
            return [self.number() for _ in range(self.random.randint(0, 4))]
        if name == "kind":
            return self.random.choice(["sum", "max", "min", "mean", "prod"])
        if name == "type":
            return self.random.choice([*ELEMENTS, "f8"])
        return self.number() or 0

    def operand(self):
        if self.values and self.random.random() < 0.8:
            return self.random.choice(self.values)
        return self.random.choice([0, 1, True, 2.5, float("nan"), -3, 2**40, 1e300])

    def add_input(self):
        sizes = [self.random.choice([None, None, 0, 1, 2, 3, 4]) for _ in range(self.random.randint(0, 4))]
        is_scalar = self.random.random() < 0.25
        self.values.append(self.program.input(self.random.choice(ELEMENTS), None if is_scalar else sizes))

    def add_op(self):
        """True if it was one."""
        name = self.random.choice([*OTHERS, *ATTRIBUTES])
        operands = [self.operand() for _ in range(self.random.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4]))]
        attributes = {each: self.attribute(each) for each in ATTRIBUTES.get(name, []) if self.random.random() < 0.9}
        if self.random.random() < 0.02:
            attributes["unknown"] = 1
        try:
            results = self.program.op(name, operands, attributes)
        except fuser.Error as error:
            text = str(error)
            assert f"{__file__}:" in text and ": error: " in text and ("expected" in text or "must be" in text)
            assert error.code == 1
            return False
        self.values.extend(results if isinstance(results, tuple) else [results])
        assert all(self.program.type(value)[0] in ELEMENTS for value in self.values)
        return True


def run(seed):
    """How many calls were right."""
    caller = Caller(seed)
    for _ in range(caller.random.randint(1, 4)):
        caller.add_input()
    right = sum(caller.add_op() for _ in range(60))
    for value in caller.random.sample(caller.values, min(3, len(caller.values))):
        caller.program.output(value)
    assert caller.program.finish() and "return" in caller.program.text()
    return right


def test_random_calls():
    right = sum(run(seed) for seed in range(100))
    assert 500 < right < 5000  # Of 6000.


@pytest.mark.parametrize("correction", [float("nan"), float("inf"), [0.5, 1.5], "1"])
def test_corrections_that_are_no_number(correction):
    b = fuser.Builder()
    with pytest.raises(fuser.Error, match="expected an integer as 'correction'"):
        b.var(b.input((3,)), correction=correction)
