# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op of builders, with every element type that it takes, in every form, through fuser-run --check.

composite_matrix.py [--target cpu|sim|cuda] [--only PATTERN] [--shard I/N] [--jobs N] [--list] [--write FOLDER] [--mutate OP=OTHER]
                    [--arch ARCH] [--guard SIDE] [--sim-check]

Options are those of op_matrix.py; PATTERN is of NAME-TYPE, such as 'softmax-*', of which the entries of composite_programs.py run that have such an op. An op
is wrong if one of its entries is. The exit status is 1 if a cell is wrong.
"""

import fnmatch
import sys

from composite_programs import DTYPES, ENTRIES, Program, get_names, make_sample
from matrix import FORMS, LETTERS, make_parser, print_table, run_groups, write

#: Entries of a program; those of complex numbers and of narrow floats take longer.
MOST = 12


def has_form(entry, element, form):
    """Whether some op of the entry is run in a setting of the form."""
    settings = FORMS[form]
    return any(make_sample(entry, element, each.is_open, each.rows, each.columns).names for each in settings)


def ask(entry, element, form):
    """(ops that are run, what others say): of the first setting that all ops of the entry take, else of all."""
    if form == "empty" and not has_form(entry, element, "static") and not has_form(entry, element, "dynamic"):
        form = "dynamic"  # What takes no elements of a type is not asked whether it takes none.
    names, message = set(), None
    for each in FORMS[form]:
        sample = make_sample(entry, element, each.is_open, each.rows, each.columns)
        names, message = names | sample.names, message or sample.message
        if len(sample.names) == len(get_names(entry)):
            break
    return names, message


def plan(entries, elements):
    """The forms of (op, element type), and what says why others are not there: {(op, element type): {form: message}}."""
    cells, reasons = {}, {}
    for element in elements:
        for entry in entries:
            for form in FORMS:
                taken, message = ask(entry, element, form)
                for name in get_names(entry):
                    forms, missing = cells.setdefault((name, element), {}), reasons.setdefault((name, element), {})
                    if name in taken:
                        forms[form] = True
                        missing.pop(form, None)
                    elif form not in forms:
                        missing[form] = message
    return {cell: [form for form in FORMS if form in forms] for cell, forms in cells.items()}, reasons


def get_letters(forms):
    """x for all forms."""
    return "x" if len(forms) == len(FORMS) else "".join(LETTERS[form] for form in forms)


def make_groups(pattern):
    """(element type, entries): a few that are compiled together."""
    groups = []
    for element in DTYPES:
        chosen = [
            entry
            for entry in ENTRIES
            if any(fnmatch.fnmatch(f"{name}-{element}", pattern) for name in get_names(entry))
        ]
        groups += [(element, chosen[first : first + MOST]) for first in range(0, len(chosen), MOST)]
    return groups


def main():
    options = make_parser(__doc__.splitlines()[0]).parse_args()
    shard, shards = map(int, options.shard.split("/"))
    groups = make_groups(options.only)[shard::shards]
    if options.write:
        write(Program, groups, options.write)
        return 0
    right, wrong = {}, set()
    for element, entries in groups:
        found, _ = plan(entries, [element])
        for cell, forms in found.items():
            right[cell] = [form for form in FORMS if form in {*forms, *right.get(cell, ())}]
    total = sum(map(len, right.values()))
    if not options.list:
        for entry, element, form, setting, message in run_groups(Program, groups, has_form, options):
            print(f"{entry} of {element}, {setting}, on {options.target}: {message}", flush=True)
            wrong |= {(name, element, form) for name in get_names(entry)}
    right = {cell: [form for form in forms if (*cell, form) not in wrong] for cell, forms in right.items()}
    print_table({cell: forms for cell, forms in sorted(right.items()) if forms}, lambda forms, name: get_letters(forms))
    count = sum(map(len, right.values()))
    print(f"{total} cells" if options.list else f"{count} of {total} cells right on {options.target}")
    return 0 if total and count == total else 1


if __name__ == "__main__":
    sys.exit(main())
