# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where errors in a function that is traced are: one traceback, the line that is wrong, and the line of the function itself that led there."""

import os
import sys
import traceback
import types

import fuser
import fuser.numpy as fnp
import numpy as np
import pytest

X, ROWS = np.ones((3, 4), np.float32), np.ones((5, 4), np.float32)


def add(x, w):
    return x + w


def add_twice(x, w):
    return add(x, w) + w


def find_line(function, number):
    return function.__code__.co_firstlineno + number


def fail(function, *arguments, kind=fuser.Error, **options):
    """The error of a call, which is shown as one traceback."""
    with pytest.raises(kind) as caught:
        fuser.jit(function, **options)(*arguments)
    shown = "".join(traceback.format_exception(caught.value))
    assert shown.count("Traceback (most recent call last)") == 1
    return str(caught.value)


def through_helpers(x, w):
    y = x * 2
    return add_twice(y, w)


@pytest.mark.parametrize("dynamic", [True, False])
def test_errors_of_helpers(dynamic):
    """Sizes that do not fit while it is traced, and in a call of what was traced."""
    message = fail(through_helpers, X, ROWS, dynamic=dynamic)
    where, note = message.split("\n")
    assert where.startswith(f"{__file__}:{find_line(add, 1)}: error: 'add': expected shapes that broadcast, got size 3")
    assert note == f"{__file__}:{find_line(through_helpers, 2)}: note: called from here"


def list_frames(function, *arguments, kind=fuser.Error, **options):
    """The functions of this file and of others in the traceback of a call that fails, from the outermost one on, and whether they are of the package."""
    with pytest.raises(kind) as caught:
        fuser.jit(function, **options)(*arguments)
    package = os.path.dirname(fuser.__file__)
    frames = traceback.extract_tb(caught.value.__traceback__)[1:]
    return [(each.name, each.filename.startswith(package)) for each in frames]


def add_of_numpy(x, w):
    return np.add(x, w)


def call_wrong(x, w):
    return fnp.softmax(x, "axis")


def raise_own(x, w):
    raise ValueError("no such thing")


def add_too_much(x, w):
    return w.astype("int8") + 300


def name_nothing(x, w):
    return fnp.no_such_function(x)


def ask_for_an_element(x, w):
    return float(x.sum())


def sum_a_list(x, w):
    return fnp.sum([1, 2])


@pytest.mark.parametrize(
    ("function", "kind", "ending"),
    [
        (add_too_much, OverflowError, ["add_too_much"]),
        (name_nothing, AttributeError, ["name_nothing"]),
        (ask_for_an_element, TypeError, ["ask_for_an_element"]),
        (sum_a_list, TypeError, ["sum_a_list"]),
        (through_helpers, fuser.Error, ["through_helpers", "add_twice", "add"]),
        (add_of_numpy, fuser.Error, ["add_of_numpy"]),
        (call_wrong, TypeError, ["call_wrong"]),
        (raise_own, ValueError, ["raise_own"]),
    ],
)
def test_tracebacks_end_in_the_users_lines(function, kind, ending):
    frames = list_frames(function, X, ROWS, kind=kind, dynamic=False)
    assert [name for name, is_own in frames if not is_own] == ending
    assert [is_own for _, is_own in frames] == [True] * (len(frames) - len(ending)) + [False] * len(ending)
    assert len(frames) - len(ending) <= 2


def test_errors_of_the_package_show_its_lines(monkeypatch):
    """Those that say nothing of what was expected: they are none of the user's."""
    monkeypatch.setattr(fuser.builder, "read_integers", None)
    frames = list_frames(lambda x: x.permute_dims((1, 0)), X, kind=TypeError)
    assert frames[-1] == ("permute_dims", True)


@pytest.mark.parametrize(
    ("body", "is_shown"), [("{}['expected']", True), ("len(None)", True), ("raise ValueError('no such thing')", False)]
)
def test_errors_that_the_package_does_not_raise_show_its_lines(monkeypatch, body, is_shown):
    """Whatever their texts say."""
    names = {}
    source = compile(f"def read(*args): {body}", os.path.join(os.path.dirname(fuser.__file__), "builder.py"), "exec")
    exec(source, names)
    monkeypatch.setattr(fuser.builder, "read_integers", names["read"])
    frames = list_frames(lambda x: x.permute_dims((1, 0)), X, kind=(KeyError, TypeError, ValueError))
    assert frames[-1] == (("read", True) if is_shown else ("<lambda>", False))


def test_a_fault_while_a_line_is_looked_for_is_seen(monkeypatch):
    traced = fuser.jit(add)
    traced(X, X)
    monkeypatch.setattr(fuser._jit._replay._Known, "_note_number", lambda self, step: {}["fault"])
    with pytest.raises(KeyError, match="fault"):
        traced(X, ROWS)


def test_quotients_by_sizes_of_0_do_not_hide_the_line():
    def function(x, y):
        part = (y.shape[0] // x.shape[0]) + (y.shape[0] % x.shape[0])
        return (x + fnp.zeros((7, 4))) * part

    with pytest.raises(fuser.Error, match=f":{find_line(function, 2)}: error: 'add': expected shapes that broadcast"):
        fuser.jit(function)(X[:0], X)


def test_errors_of_helpers_in_later_calls():
    traced = fuser.jit(through_helpers)
    np.testing.assert_array_equal(traced(X, X), X * 4)
    for _ in range(2):
        with pytest.raises(fuser.Error, match=rf":{find_line(add, 1)}: error: 'add': .*\n.*: note: called from here$"):
            traced(X, ROWS)
    assert traced.num_programs == 1


@pytest.mark.parametrize("dynamic", [True, False])
def test_other_errors_of_helpers(dynamic):
    def reshape(x):
        return x.reshape(5, -1)

    def split(x):
        return fnp.split(x, 2)

    def function(x, helper):
        return helper(x)

    messages = {
        reshape: "'reshape': expected a shape of as many elements",
        split: "'split': expected a number of parts",
    }
    for helper, expected in messages.items():
        message = fail(function, X, helper, dynamic=dynamic)
        assert message.startswith(f"{__file__}:{find_line(helper, 1)}: error: {expected}")
        assert message.endswith(f"\n{__file__}:{find_line(function, 1)}: note: called from here")
    message = fail(lambda x: (lambda x: x[0, 0, 0])(x), X, dynamic=dynamic)
    assert "note:" not in message  # On the same line.


@pytest.mark.parametrize("dynamic", [True, False])
def test_errors_without_helpers(dynamic):
    message = fail(add, X, ROWS, dynamic=dynamic)
    assert message.startswith(f"{__file__}:{find_line(add, 1)}: error: 'add': expected") and "note:" not in message


def test_a_function_that_another_one_calls():
    """Also one of fuser.jit's is a helper of that which is traced."""
    inner = fuser.jit(add)

    def outer(x, w):
        return inner(x, w)

    message = fail(outer, X, ROWS)
    assert f":{find_line(add, 1)}: error: 'add'" in message and f":{find_line(outer, 1)}: note: called" in message


def test_methods_of_objects():
    class Model:
        def shift(self, x, w):
            return x + w

        def __call__(self, x, w):
            return self.shift(x, w)

    message = fail(Model(), X, ROWS)
    assert f":{find_line(Model.shift, 1)}: error: 'add'" in message
    assert f":{find_line(Model.__call__, 1)}: note: called from here" in message


def test_arguments_that_cannot_be_hashed():
    message = fail(lambda x, names: x, X, {1}, kind=TypeError)
    assert "got a set as 'names', which is none (unhashable type: 'set'): pass a tuple or a frozenset" in message


# By which name errors call a function


@pytest.mark.parametrize("dynamic", [True, False])
@pytest.mark.parametrize(
    "function, message",
    [
        (lambda x, w: x @ w, "'matmul': expected dimension 0 of the right operand to be 4"),
        (lambda x, w: np.matmul(x, w), "'matmul': expected dimension 0 of the right operand to be 4"),
        (lambda x, w: np.concatenate([x, w], 1), "'concatenate': expected the type"),
        (lambda x, w: fnp.concat([x, w], axis=1), "'concat': expected the type"),
        (lambda x, w: np.subtract(x, w), "'subtract': expected shapes that broadcast"),
        (lambda x, w: fnp.stack([x, w]), "'stack': expected tensors of one shape, got"),
        (lambda x, w: x.reshape(5, 5), "'reshape': expected as many elements in the result as in the input"),
        (lambda x, w: np.sum(x, axis=2), "'sum': expected a dimension of -2 to 1"),
        (lambda x, w: x.expand(3, 7), "'expand': expected size 1 or 7 in dimension 1"),
        (lambda x, w: fnp.isclose(x, w), "'isclose': expected shapes that broadcast"),
        (lambda x, w: fnp.group_norm(x, 3)[0], "'group_norm': expected"),
    ],
)
def test_errors_name_what_was_called(function, message, dynamic):
    got = fail(function, X, ROWS, dynamic=dynamic)
    assert got.startswith(f"{__file__}:{function.__code__.co_firstlineno}: error: {message}")


def test_files_are_asked_for_once(monkeypatch):
    """IPython says what a cell is called; a function has many ops."""
    asked = []

    def name(file):
        asked.append(file)
        return ("Cell", "In[7]") if file == __file__ else None

    shell = types.SimpleNamespace(compile=types.SimpleNamespace(format_code_name=name))
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))

    def function(x, w):
        for _ in range(20):
            x = add(x, x)
        return add(x, w)

    message = fail(function, X, ROWS, dynamic=False)
    assert message.startswith(f"Cell In[7]:{find_line(add, 1)}: error: 'add'")
    assert message.endswith(f"Cell In[7]:{find_line(function, 3)}: note: called from here")
    assert 1 <= asked.count(__file__) <= 3
