# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of the tables have their property in functions that fuser.jit traces, too; and the tables have all ops of the registry."""

import re

import fuser
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_base import check_ops, examples, split
from test_property_arrangements import FAMILIES as ARRANGEMENTS
from test_property_elements import FAMILIES as ELEMENTS
from test_property_indices import FAMILIES as INDICES
from test_property_models import FAMILIES as MODELS
from test_property_reductions import FAMILIES as REDUCTIONS
from test_property_scales import FAMILIES as SCALES
from test_property_shapes import FAMILIES as SHAPES

#: Of indices negative ones count from the end there, and scales are in test_scale_layouts.py.
TRACED = ELEMENTS | REDUCTIONS | SHAPES | ARRANGEMENTS | MODELS
#: What has no function there, or another result: NumPy's sort gives elements alone.
OTHERS = {
    "sign",
    "repeat",
    "shru",
    "div",
    "broadcast_in_dim",
    "sort",
    "kthvalue",
    "flatten",
    "unflatten",
    "reshape_as",
    "median_low",
    "mode",
    "nll_loss",
    "diag_embed",
    "broadcast by flags",
}
TABLES = split({name: [op for op in ops if op.name not in OTHERS] for name, ops in TRACED.items()}, 10)


@pytest.mark.parametrize("table", TABLES)
@examples(2)
@given(st.data())
def test_traced(table, data):
    check_ops(data.draw, TABLES[table], int(table.split("-")[0] in MODELS), ("traced",))


def test_all_ops_are_there():
    families = [*TRACED.values(), *INDICES.values(), *SCALES.values()]
    names = {name for ops in families for op in ops for name in op.name.split()[0].split(",")}
    with pytest.raises(fuser.Error) as info:
        fuser.Builder()._program.op("?", ())
    assert set(re.search("the names are (.*)", str(info.value)).group(1).split(", ")) == names
