# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op of the fusion dialect, with every element type that its record admits, in every form, through fuser-run --check.

op_matrix.py [--target cpu|sim|cuda] [--only PATTERN] [--shard I/N] [--jobs N] [--list] [--write FOLDER] [--page PAGE] [--mutate OP=OTHER]
             [--arch ARCH] [--guard SIDE] [--sim-check]

A cell is an op, an element type and a form; PATTERN is of OP-TYPE, such as 'reduce-*'. Prints what is wrong, and of each op the forms that are right, x for
all of them. The exit status is 1 if a cell is wrong, or has neither lines in op_programs.py nor a reason there. --list prints the cells without running
them, --write writes a program for each instead, with the command line in the first comment. --page is the page of the records. --mutate compiles OTHER where
a program has OP, and compares with the reference of OP, which must be found. The last three are those of fuser-run.
"""

import fnmatch
import sys

from matrix import FORMS, LETTERS, make_parser, print_table, run_groups, write
from op_programs import COMPLEX, EXEMPT, PACKED, PROGRAMS, elementwise_ops
from op_records import PAGE, read_records

# Numbers of indices, and of columns of products.
INDICES = 7
# Of results: the reference takes long for many complex functions at once.
MOST_LINES, MOST_COMPLEX_LINES = 24, 8


class Program:
    """Some ops in one function, which share its arguments; `ops` are those that have lines."""

    def __init__(self, element, setting, ops):
        self.element, self.setting = element, setting
        self.rows, self.columns, self.is_open = setting.rows, setting.columns, setting.is_open
        self.arguments, self.body, self.results, self.ops = {}, [], [], []
        for op in ops:
            before = len(self.results)
            PROGRAMS[op](self, op)
            self.ops += [op] if len(self.results) > before else []

    def get_sizes(self, shape):
        """(size, whether it is open): of letters, or of numbers, which are open, and texts, which are not."""
        letters = {"R": self.rows, "C": self.columns, "I": INDICES}
        sizes = [letters.get(size, size) for size in shape]
        return [(int(size), self.is_open and not isinstance(size, str)) for size in sizes]

    def type(self, shape, element=None):
        sizes = "".join("?x" if is_open else f"{size}x" for size, is_open in self.get_sizes(shape))
        return f"tensor<{sizes}{element or self.element}>"

    def tensor(self, name, shape="RC", element=None, below=None):
        """An argument: its name in the text, and its type."""
        element, kind = element or self.element, self.type(shape, element)
        if name not in self.arguments:
            number = sum(not spec.isdigit() for _, spec in self.arguments.values())
            fill = f"random:{number + 1},below={below}" if below else elementwise_ops.fill(element, number + 1)
            sizes = [size for size, _ in self.get_sizes(shape)]
            shown = "x".join(map(str, [*sizes, element]))
            self.arguments[name] = (kind, f"{shown}={fill}{self.get_strides(sizes, element, number)}")
        return f"%{name}", kind

    def get_strides(self, sizes, element, number):
        """The first input, the third and so on are transposed, or have equal rows; the others have gaps, or equal columns."""
        if not self.setting.layout:
            return ""
        # Of packed floats they count bytes.
        columns = sizes[-1] // (2 if element.startswith("f4") else 1)
        odd = number % 2
        if self.setting.layout == "broadcast":
            return ",strides=0" if len(sizes) == 1 else ",strides=1x0" if odd else ",strides=0x1"
        if len(sizes) == 1:
            return ",strides=2,offset=1"
        return f",strides={2 * columns + 1}x2,offset=1" if odd else f",strides=1x{sizes[0]}"

    def index(self, number):
        """A number where the text takes one or a value; with open sizes a value, an argument."""
        if not self.is_open:
            return str(number)
        self.arguments[f"s{number}"] = ("index", str(number))
        return f"%s{number}"

    def sizes(self, shape):
        return f" sizes({', '.join(self.index(size) for size, _ in self.get_sizes(shape))})" if self.is_open else ""

    def let(self, text):
        name = f"%v{len(self.body)}"
        self.body.append(f"{name} = {text}")
        return name

    def add(self, text, kind):
        name = self.let(text)
        # As numbers: results of packed floats have an even last dimension.
        if self.element == PACKED and kind.endswith(f"x{PACKED}>"):
            name, kind = self.let(f"fusion.cast {name} : {kind} to f32"), kind.replace(PACKED, "f32")
        self.results.append((name, kind))

    def get_text(self):
        mark = ' {fusion.layout = "any"}' if self.setting.layout else ""
        head = ", ".join(f"%{n}: {kind}{mark if kind != 'index' else ''}" for n, (kind, _) in self.arguments.items())
        types = ", ".join(kind for _, kind in self.results)
        values = ", ".join(name for name, _ in self.results)
        lines = "\n".join(f"  {line}" for line in self.body)
        return f"func.func @f({head}) -> ({types}) {{\n{lines}\n  return {values} : {types}\n}}\n"

    def get_inputs(self, folder, prefix=""):
        return [f"--{'scalar' if kind == 'index' else 'input'}={spec}" for kind, spec in self.arguments.values()]


# What there is to run


def find_exemption(op, element, form):
    """The key of EXEMPT that a cell falls under, or None."""
    keys = [(op, e, f) for e in (element, "*") for f in (form, "*")]
    return next((key for key in keys if key in EXEMPT), None)


def get_forms(record):
    """Ops without tensors to read have no layouts."""
    return [form for form, settings in FORMS.items() if record.operand or not settings[0].layout]


def has_lines(op, element, form):
    return op in PROGRAMS and any(Program(element, setting, [op]).ops for setting in FORMS[form])


def plan(records):
    """The forms of (op, element type) that are run, those of (op, element type, key of EXEMPT) that are not, and what is wrong with the tables."""
    cells, exempt, missing, faults = {}, {}, {}, []
    for op, record in records.items():
        for element in record.elements:
            cells[op, element] = [form for form in get_forms(record) if has_lines(op, element, form)]
            for form in get_forms(record):
                key, found = find_exemption(op, element, form), form in cells[op, element]
                if key:
                    exempt.setdefault((op, element, key), []).append(form)
                if key and found:
                    faults.append(f"fusion.{op} of {element}: expected no lines for the form {form}, which is exempt")
                elif not key and not found:
                    missing.setdefault((op, form), []).append(element)
    for (op, form), elements in missing.items():
        where = f"fusion.{op} of {', '.join(elements)}"
        faults.append(f"{where}: expected lines in op_programs.py, or a reason in EXEMPT, for the form {form}")
    used = {key for _, _, key in exempt}
    faults += [
        f"expected an op and an element type of the records, got {key} in EXEMPT" for key in EXEMPT if key not in used
    ]
    return cells, exempt, faults if records else ["expected ops in the page of the records, found none"]


def get_letters(forms, record):
    """x for all forms that there are."""
    return "x" if set(forms) == set(get_forms(record)) else "".join(LETTERS[form] for form in forms)


def make_groups(names):
    """(element type, ops) for names of (op, element type): as many as are quickly compiled together."""
    groups = []
    for element in dict.fromkeys(element for _, element in names):
        most, lines = MOST_COMPLEX_LINES if element in COMPLEX else MOST_LINES, MOST_LINES
        for op in (op for op, e in names if e == element):
            count = max(len(Program(element, settings[0], [op]).results) for settings in FORMS.values())
            if lines + count > most:
                groups.append((element, []))
                lines = 0
            groups[-1][1].append(op)
            lines += count
    return groups


def main():
    parser = make_parser(__doc__.splitlines()[0])
    parser.add_argument("--page", default=PAGE)
    options = parser.parse_args()
    records = read_records(options.page)
    cells, _, faults = plan(records)
    for fault in faults:
        print(f"op_matrix: {fault}", file=sys.stderr)
    if faults:
        return 1
    names = [name for name in cells if cells[name] and fnmatch.fnmatch("-".join(name), options.only)]
    shard, shards = map(int, options.shard.split("/"))
    groups = make_groups(names)[shard::shards]
    chosen = {(op, element): cells[op, element] for element, ops in groups for op in ops}
    if options.write:
        write(Program, groups, options.write)
        return 0
    total = sum(map(len, chosen.values()))
    wrong = []
    if not options.list:
        found = run_groups(Program, groups, lambda op, element, form: form in cells[op, element], options)
        for op, element, form, setting, message in found:
            print(f"fusion.{op} of {element}, {setting}, on {options.target}: {message}", flush=True)
            wrong.append((op, element, form))
    right = {name: [form for form in forms if (*name, form) not in wrong] for name, forms in chosen.items()}
    print_table(dict(sorted(right.items())), lambda forms, op: get_letters(forms, records[op]))
    count = sum(map(len, right.values()))
    print(f"{total} cells" if options.list else f"{count} of {total} cells right on {options.target}")
    return 0 if total and count == total else 1


if __name__ == "__main__":
    sys.exit(main())
