# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers that a function draws while it is traced, of NumPy, Python and PyTorch: they would be a part of the program, the same in every call.

What is drawn leaves no trace in the program, but in the state of what it is drawn from: that of modules, and of generators that the function can name.
"""

import importlib
import sys
import threading

from .._frameworks import is_of

_MAX_ATTEMPTS = 3  # Other threads may draw meanwhile.


def _find_modules():
    """Of each module that was imported what it is called, and a function for the state of its own generator."""
    if "numpy" in sys.modules:
        # NumPy imports it when it is first named, which may be in the function.
        module = importlib.import_module("numpy.random")
        yield "numpy.random", lambda: _freeze(module.get_state(legacy=False))
    if "random" in sys.modules:
        yield "random", sys.modules["random"].getstate
    if "torch" in sys.modules:
        generator = sys.modules["torch"].default_generator
        yield "torch", lambda: _freeze(generator.get_state())


def _freeze(state):
    """A state as what can be compared: arrays as their bytes."""
    if isinstance(state, dict):
        return tuple((name, _freeze(each)) for name, each in state.items())
    if hasattr(state, "numpy"):
        return state.numpy().tobytes()
    return state.tobytes() if hasattr(state, "tobytes") else state


#: Types of generators, each with how its state is read.
_READERS = {
    ("numpy.random", "Generator"): lambda value: _freeze(value.bit_generator.state),
    ("numpy.random", "RandomState"): lambda value: _freeze(value.get_state(legacy=False)),
    ("random", "Random"): lambda value: value.getstate(),
    ("torch", "Generator"): lambda value: _freeze(value.get_state()),
}


def _find_reader(value):
    return next((read for names, read in _READERS.items() if is_of(type(value), *names)), None)


def is_generator(value):
    """Whether random numbers are drawn from it, and its state says how many."""
    return _find_reader(value) is not None and not is_of(type(value), "random", "SystemRandom")


def _read_states(generators):
    """Pairs of what a generator is called and its state: those of modules, and these."""
    return [(name, read()) for name, read in _find_modules()] + [
        (f"a {type(each).__module__.partition('.')[0]} {type(each).__name__}", _find_reader(each)(each))
        for each in generators
    ]


def draw_nothing(trace, generators):
    """What `trace()` gives; a TypeError if it draws from a generator. generators: those that the function can name."""
    for _ in range(_MAX_ATTEMPTS):
        before = _read_states(generators)
        result = trace()
        # A module may have been imported meanwhile.
        after = dict.fromkeys(_read_states(generators))
        changed = next((name for name, state in before if (name, state) not in after), None)
        if changed is None:
            return result
        if threading.active_count() == 1:
            break
    raise TypeError(
        f"expected random numbers of fuser.numpy, which each call has anew, got some of {changed}, drawn while the function was traced: they would stay as they"
        " are; write fuser.numpy.uniform(shape, seed, offset) or fuser.numpy.normal, or pass them as an argument"
    )
