# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/nvfuser-tests.md has every scenario of nvFuser's own Python tests once, with tests that are here or why there is none."""

import re
from pathlib import Path

import pytest
from conftest import ROOT
from fuser._nvfuser_ops import Ops

PAGE = (ROOT / "docs/nvfuser-tests.md").read_text()
FOLDER = Path(__file__).parent
#: Of each file of nvFuser's how many scenarios it has, and of each scenario the tests here and what differs.
SECTIONS = {
    name: (
        int(count),
        [[each.strip() for each in row.split("|")[1:4]] for row in re.findall(r"^\| test_.*$", text, re.M)],
    )
    for name, count, text in re.findall(r"^## (\S+): (\d+)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
}
ROWS = [row for _, rows in SECTIONS.values() for row in rows]


def read_tests(file):
    return re.findall(r"^def (test_\w+)", file.read_text(), re.M)


@pytest.mark.parametrize("name", SECTIONS)
def test_every_scenario_is_listed_once(name):
    count, rows = SECTIONS[name]
    names = [scenario for scenario, _, _ in rows]
    assert len(names) == len(set(names)) == count


def test_the_page_says_how_many_there_are():
    total, have, have_not = map(
        int, re.search(r"All (\d+) .*: (\d+) have one.*and (\d+) ha(?:ve|s) none", PAGE, re.S).groups()
    )
    without = sum(here == "none" for _, here, _ in ROWS)
    assert (total, have, have_not) == (len(ROWS), len(ROWS) - without, without)
    assert len(SECTIONS) == 18 and total == sum(count for count, _ in SECTIONS.values())


def test_the_tests_are_here():
    for scenario, here, _ in ROWS:
        for each in here.split(", ") if here != "none" else ():
            file, _, name = each.partition("::")
            assert name in read_tests(FOLDER / file), f"{scenario}: expected a function of {file}, got {name}"


def test_what_has_no_test_says_why():
    """An op that is not there is not there."""
    for scenario, here, why in ROWS:
        assert here != "none" or why, scenario
        for name in re.findall(r"\bno `fd\.ops\.(\w+)`", why):
            assert not hasattr(Ops, name), f"{scenario}: expected an op that is not there, got {name}"


def test_tests_of_a_scenarios_name_are_listed():
    """So that none is listed as missing, or elsewhere, while it is here."""
    listed = {}
    for scenario, here, _ in ROWS:
        listed.setdefault(scenario, set()).update(here.split(", "))
    found = 0
    for file in FOLDER.glob("test_*.py"):
        for name in set(read_tests(file)) & listed.keys():
            found += 1
            assert f"{file.name}::{name}" in listed[name], (
                f"expected {file.name}::{name} beside {name}, got {listed[name]}"
            )
    assert found > 180
