# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers that a function draws while it is traced, of NumPy, Python and PyTorch: they would be a part of the program, the same in every call.

What is drawn leaves no trace in the program, but in the state of what it is drawn from: that of modules, and of generators that the function can name.
"""

import functools
import importlib
import sys
import threading
import time

from .._frameworks import is_of

#: Functions that draw nothing.
_READS = {"get_state", "getstate"}
#: For how long it is seen whether another thread draws, in seconds.
_MIN_WAIT, _MAX_WAIT = 0.1, 1.0
#: Of the functions that are traced now, in all threads.
_watches = []
_lock = threading.Lock()


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
    """The state by (what a generator is called, its number): those of modules, and these."""
    states = {(name, None): read() for name, read in _find_modules()}
    for number, each in enumerate(generators):
        name = f"a {type(each).__module__.partition('.')[0]} {type(each).__name__}"
        states[name, number] = _find_reader(each)(each)
    return states


def note(name):
    """Notes that this thread may draw from a module's generator."""
    for each in tuple(_watches):
        each.noted.add((name, threading.get_ident()))


def _wrap(name, function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        note(name)
        return function(*args, **kwargs)

    return call


@functools.cache
def _find_functions(name):
    """Triples of the name of a module's function that draws from its own generator, the function, and what notes its calls."""
    functions = [(key, each) for key, each in vars(sys.modules[name]).items() if key not in _READS]
    return [(key, each, _wrap(name, each)) for key, each in functions if _find_reader(getattr(each, "__self__", None))]


class _Watch:
    """In its block calls of the functions of NumPy's and Python's modules are noted with their threads, where there are other ones: states are of all threads."""

    def __enter__(self):
        #: Pairs of the name of a module and a thread.
        self.noted = set()
        self._thread, self._begin = threading.get_ident(), time.monotonic()
        self._is_alone = len(sys._current_frames()) == 1
        if not self._is_alone:
            with _lock:
                _watches.append(self)
                self._replace()
        return self

    def __exit__(self, *error):
        if not self._is_alone:
            with _lock:
                _watches.remove(self)
                if not _watches:
                    self._replace()

    @staticmethod
    def _replace():
        """Lets the modules have the functions that note calls, or their own."""
        for name, _ in _find_modules():
            # Calls of PyTorch's are seen by the mode that tracing is in.
            for key, own, noting in _find_functions(name) if name != "torch" else ():
                old, new = (own, noting) if _watches else (noting, own)
                if vars(sys.modules[name]).get(key) is old:
                    setattr(sys.modules[name], key, new)

    def find_own(self, states, read):
        """What was drawn from by this thread, among those with these states, which have changed; None if it is none of them. read: of all states as they are now."""
        if self._is_alone:
            return next(iter(states), None)
        threads = {key: {thread for name, thread in self.noted if name == key[0]} for key in states}
        own = next((key for key, each in threads.items() if self._thread in each and key[0] != "torch"), None)
        if own is not None:
            return own
        # Of PyTorch's functions this thread's are noted, all of them; of modules those that are called by their names.
        unknown = [key for key, each in threads.items() if bool(each) == (key[0] == "torch")]
        # Another thread draws from it without this one.
        end = time.monotonic() + min(max(time.monotonic() - self._begin, _MIN_WAIT), _MAX_WAIT)
        while unknown and time.monotonic() < end:
            time.sleep(_MIN_WAIT / 10)
            now = read()
            unknown = [key for key in unknown if now.get(key) == states[key]]
        return next(iter(unknown), None)


def draw_nothing(trace, generators):
    """What `trace()` gives; a TypeError if it draws from a generator. generators: those that the function can name.

    Other threads may draw meanwhile. Where it cannot be seen whose it was, and other threads do not draw from it again, it was the function.
    """
    read = functools.partial(_read_states, generators)
    with _Watch() as watch:
        before = read()
        result = trace()
        after = read()  # A module may have been imported meanwhile.
    changed = {key: after[key] for key, state in before.items() if after[key] != state}
    own = watch.find_own(changed, read) if changed else None
    if own is None:
        return result
    raise TypeError(
        f"expected random numbers of fuser.numpy, which each call has anew, got some of {own[0]}, drawn while the function was traced: they would stay as they"
        " are; write fuser.numpy.uniform(shape, seed, offset) or fuser.numpy.normal, or pass them as an argument"
    )
