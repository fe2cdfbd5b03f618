# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the matrices of ops and of composites share: the forms, and how programs are run.

A cell is an op, an element type and a form. A program has `get_text()`, `get_inputs(folder)`, the options of fuser-run for its arguments, and `ops`, of which
it can be made: `make(element, setting, ops)` is one with those of them that there are.
"""

import argparse
import concurrent.futures
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Setting:
    """One program of a form: whether its types have open sizes, the sizes, and how inputs lie in memory."""

    name: str
    is_open: bool
    rows: int
    columns: int
    layout: str = ""


# Whole vectors where sizes are known, else fewer rows and a tail. Rows of packed floats have an even number of columns.
FORMS = {
    "static": [Setting("static", False, 6, 32)],
    "dynamic": [Setting("dynamic", True, 5, 34)],
    "empty": [
        Setting("empty-static", False, 0, 32),
        Setting("empty-rows", True, 0, 34),
        Setting("empty-columns", True, 5, 0),
    ],
    "strided": [Setting("strided", True, 5, 34, "strided")],
    "broadcast": [Setting("broadcast", True, 5, 34, "broadcast")],
}
LETTERS = {"static": "s", "dynamic": "d", "empty": "e", "strided": "t", "broadcast": "b"}


# Running


def run_once(program, folder, options):
    """What is wrong with a program; empty if nothing is."""
    text, path = program.get_text(), Path(folder, "f.mlir")
    path.write_text(text)
    flags = [f"--target={options.target}"]
    flags += [f"--arch={options.arch}"] if options.arch else []
    flags += ["--sim-check"] if options.sim_check else []
    source = [path]
    if options.mutate:
        op, other = options.mutate.split("=")
        mutated, emitted = path.with_suffix(".mutated"), path.with_suffix(".fx")
        mutated.write_text(text.replace(f"fusion.{op} ", f"fusion.{other} "))
        subprocess.run(["fuser-run", *flags, mutated, f"--emit={emitted}"], check=True, capture_output=True)
        source = [emitted, f"--source={path}"]
    flags += [f"--guard={options.guard}"] if options.guard else []
    flags += ["--quick"] if options.quick else []
    command = ["fuser-run", *flags, "--check", *program.get_inputs(folder), *source]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    except subprocess.TimeoutExpired:
        return "no end after 300 s"
    return (done.stdout + done.stderr).strip() if done.returncode else ""


def run_setting(make, element, setting, ops, options):
    """What is wrong with ops, by their names. Where a program is wrong, each op runs alone."""
    with tempfile.TemporaryDirectory() as folder:
        program = make(element, setting, ops)
        message = run_once(program, folder, options) if program.ops else ""
        if not message or len(program.ops) == 1:
            return dict.fromkeys(program.ops, message) if message else {}
        alone = {op: run_once(make(element, setting, [op]), folder, options) for op in program.ops}
    wrong = {op: found for op, found in alone.items() if found}
    return wrong or dict.fromkeys(program.ops, f"only with {' '.join(program.ops)}: {message}")


def run_group(make, group, has_form, options):
    """(op, element type, form, setting, message) for what is wrong. has_form: whether an op is run in a form."""
    element, ops = group
    wrong = []
    for form, settings in FORMS.items():
        chosen = [op for op in ops if has_form(op, element, form)]
        for setting in settings:
            messages = run_setting(make, element, setting, chosen, options)
            wrong += [(op, element, form, setting.name, message) for op, message in messages.items()]
    return wrong


def run_groups(make, groups, has_form, options):
    """The same of all groups, one after the other as they come."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(lambda group: run_group(make, group, has_form, options), groups):
            yield from found


def write(make, groups, folder):
    """Programs of one op each."""
    for element, ops in groups:
        for setting in (setting for settings in FORMS.values() for setting in settings):
            for op in ops:
                program = make(element, setting, [op])
                if program.ops:
                    name = f"{op}-{element.strip('>').replace('<', '-')}-{setting.name}".replace(" ", "-")
                    line = " ".join(f"'{argument}'" for argument in program.get_inputs(folder, f"{name}."))
                    Path(folder, f"{name}.mlir").write_text(f"// {line}\n{program.get_text()}")


# What is said


def print_table(cells, get_letters):
    """A line an op: element types by the forms that are right."""
    for op in dict.fromkeys(op for op, _ in cells):
        by_letters = {}
        for element in (element for o, element in cells if o == op):
            by_letters.setdefault(get_letters(cells[op, element], op) or "none", []).append(element)
        print(f"{op}: {'; '.join(f'{letters} {chr(32).join(names)}' for letters, names in by_letters.items())}")


def make_parser(text):
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--arch", default="")
    parser.add_argument("--guard", default="")
    parser.add_argument("--sim-check", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="*")
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--write")
    parser.add_argument("--mutate", default="")
    return parser
