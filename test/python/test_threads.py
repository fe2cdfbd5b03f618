# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that wait do so without the interpreter's lock, and processes that are forked off go on."""

import concurrent.futures
import functools
import os
import signal
import subprocess
import sys
import threading
import time

import fuser
import numpy as np
import pytest

EXP = """
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""


def chain(count):
    """A program that takes its time: `count` times tanh of each element."""
    names = ["%x"] + [f"%e{i}" for i in range(count)]
    ops = "".join(f"  {b} = fusion.tanh {a} : tensor<?xf32>\n" for a, b in zip(names, names[1:]))
    return f"func.func @slow(%x: tensor<?xf32>) -> tensor<?xf32> {{\n{ops}  return {names[-1]} : tensor<?xf32>\n}}\n"


class Background:
    """Repeats `work` in a thread as long as the block lasts."""

    def __init__(self, work):
        self.work, self.stop, self.turns = work, False, 0
        self.thread = threading.Thread(target=self.loop)

    def loop(self):
        while not self.stop:
            self.work()
            self.turns += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop = True
        self.thread.join()


def wait_until(holds, thread):
    """A thread that ended will not make it hold."""
    while not holds():
        assert thread.is_alive()
        time.sleep(0.001)


@pytest.fixture
def long_call():
    """A function that starts a long call in a thread, which it returns once the call computes, and the context of that call."""
    context = fuser.Context("cpu")
    exe, x = fuser.compile(chain(60), context=context), np.ones(6_000_000, np.float32)
    y = np.full_like(x, np.nan)

    def start():
        thread = threading.Thread(target=exe, args=(x,), kwargs={"out": y})
        thread.start()
        wait_until(lambda: not np.isnan(y[0]), thread)
        return thread

    return start, context


@pytest.mark.parametrize("action", ["drop", "drop result", "synchronize", "call", "count"])
def test_nothing_waits_with_the_interpreters_lock(long_call, action):
    start, context = long_call
    other, x = fuser.compile(EXP, context=context), np.ones(8, np.float32)
    result = other(x)
    with Background(lambda: time.sleep(0.001)) as beat:
        call = start()
        before = beat.turns
        if action == "drop":
            del other
        elif action == "drop result":
            del result
        elif action == "synchronize":
            context.synchronize()
        elif action == "call":
            other(x)
        else:
            assert other.num_variants == 1
        call.join()
        # With the lock held, not one until the call has ended.
        assert beat.turns - before > 20


FIRST_COMPILATIONS = """
import threading
import fuser

barrier, contexts = threading.Barrier(8), []

def work():
    barrier.wait()
    contexts.append(fuser._default_context("cpu", 0))

threads = [threading.Thread(target=work) for _ in range(8)]
for each in threads:
    each.start()
for each in threads:
    each.join()
print(len(contexts), len({id(each) for each in contexts}))
"""


def test_threads_that_compile_first_share_a_context():
    """In a new process, in which there is none yet."""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", FIRST_COMPILATIONS], capture_output=True, text=True, check=True)
        assert done.stdout == "8 1\n"


def in_child(work):
    """What `work` returns or raises in a process that is forked off, as text. A hang ends with an alarm."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        try:
            text = str(work())
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    status = os.waitpid(pid, 0)[1]
    assert status == 0, f"the child ended with status {status}"
    return text


def test_a_child_calls_compiles_and_forks():
    exe, x = fuser.compile(EXP), np.arange(100_000, dtype=np.float32) / 1e5
    exe(x)

    def work():
        np.testing.assert_array_equal(exe(x), fuser.compile(EXP)(x))
        return in_child(lambda: exe(x)[0])

    assert in_child(work) == "1.0"


def test_children_of_a_process_in_which_calls_run():
    exe, x = fuser.compile(EXP), np.ones(3_000_000, np.float32)
    expected = exe(x[:50_000])
    with Background(lambda: exe(x)) as calls:
        wait_until(lambda: calls.turns, calls.thread)
        for _ in range(10):
            assert in_child(lambda: np.array_equal(exe(x[:50_000]), expected)) == "True"
            # New code for the program, and a new program.
            assert in_child(lambda: np.array_equal(exe(x[:50_000:2]), expected[::2])) == "True"
            assert in_child(lambda: fuser.compile(EXP)(x[:8])[0] == expected[0]) == "True"


def test_a_child_drops_what_a_call_of_its_parent_uses():
    context = fuser.Context("cpu")
    held = {"exe": fuser.compile(EXP, context=context), "x": np.ones(3_000_000, np.float32)}
    held["y"] = held["exe"](held["x"][:50])

    def work():
        for name in ("y", "exe"):
            del held[name]
        return "dropped"

    call = held["exe"]
    with Background(lambda: call(held["x"])) as calls:
        wait_until(lambda: calls.turns, calls.thread)
        for _ in range(5):
            assert in_child(work) == "dropped"


@pytest.mark.parametrize("action", ["compile", "explain"])
def test_calls_go_on_while_another_thread_compiles(action):
    exe, x = fuser.compile(EXP), np.ones(8, np.float32)
    exe(x)
    if action == "compile":
        work = functools.partial(fuser.compile, chain(400), cache=False)
    else:
        work = fuser.compile(chain(400), cache=False).explain
    compiling = threading.Thread(target=work)
    compiling.start()
    wait_until(fuser._fuser._compilations, compiling)
    calls = 0
    # A call that waited for it would be the last one.
    while fuser._fuser._compilations():
        exe(x)
        calls += 1
    compiling.join()
    assert calls > 20


def test_calls_go_on_while_another_call_compiles():
    """For inputs of a class that no call before had; the program tells of itself, too."""
    exe, x, y = fuser.compile(chain(400), cache=False), np.ones(8, np.float32), np.ones(16, np.float32)[::2]
    expected, results = exe(x), []
    compiling = threading.Thread(target=lambda: results.append(exe(y)))
    compiling.start()
    wait_until(fuser._fuser._compilations, compiling)
    asking = threading.Thread(target=lambda: results.append(exe.ir("program")))
    asking.start()
    calls = 0
    # A call that waited for it would be the last one.
    while fuser._fuser._compilations():
        exe(x)
        calls += 1
    for each in (compiling, asking):
        each.join()
    assert calls > 20 and exe.num_variants == 2
    text, result = sorted(results, key=lambda each: isinstance(each, np.ndarray))
    assert "fusion.tanh" in text
    np.testing.assert_array_equal(result, expected)


def test_calls_of_a_new_class_at_the_same_time_compile_once():
    exe, x = fuser.compile(chain(100), cache=False), np.ones(16, np.float32)[::2]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(exe, [x] * 8))
    assert exe.num_variants == 2
    assert all(np.array_equal(each, results[0]) for each in results)


def test_threads_end_a_program_once():
    """The first calls of a FusionDefinition compile it."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for _ in range(100):
                builder = fuser.Builder()
                builder.output(builder.exp(builder.input((8,), "f32")))
                futures = [pool.submit(builder._program.finish) for _ in range(4)]
                assert len({each.result() for each in futures}) == 1
    finally:
        sys.setswitchinterval(interval)


FORK_AT_FIRST_COMPILATION = """
import os, threading, time
import fuser

making, make = threading.Event(), fuser.Context

def make_slowly(*args):
    making.set()
    time.sleep(0.2)
    return make(*args)

fuser.Context = make_slowly
thread = threading.Thread(target=fuser._default_context, args=("cpu", 0))
thread.start()
making.wait()
pid = os.fork()
if pid == 0:
    signal = __import__("signal")
    signal.alarm(60)
    fuser._default_context("cpu", 0)
    os._exit(0)
thread.join()
print(os.waitpid(pid, 0)[1])
"""


def test_a_child_of_a_process_that_makes_its_first_context():
    done = subprocess.run([sys.executable, "-c", FORK_AT_FIRST_COMPILATION], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"


def test_a_child_of_a_process_that_compiles():
    """Half a compilation is in its memory: it says so, and calls what is compiled."""
    exe, x = fuser.compile(EXP), np.ones(8, np.float32)
    expected = exe(x)
    with Background(lambda: fuser.compile_to_bytes(chain(400))) as compiling:
        texts = []
        # A compilation may end before the process forks: then the next one is tried.
        while texts.count("True") == len(texts) < 50:
            wait_until(fuser._fuser._compilations, compiling.thread)
            texts.append(in_child(lambda: fuser.compile(EXP)(x)[0] == expected[0]))
            assert in_child(lambda: np.array_equal(exe(x), expected)) == "True"
        assert texts[-1].startswith("Error: expected a process that was not forked off while another thread compiled")


def test_a_child_of_a_process_whose_call_compiles():
    """It waits for no call of its parent."""
    exe, x, y = fuser.compile(chain(400), cache=False), np.ones(8, np.float32), np.ones(16, np.float32)[::2]
    expected = exe(x)
    compiling = threading.Thread(target=exe, args=(y,))
    compiling.start()
    wait_until(fuser._fuser._compilations, compiling)
    assert in_child(lambda: np.array_equal(exe(x), expected)) == "True"
    assert in_child(lambda: exe(y)).startswith(
        "Error: expected a process that was not forked off while another thread compiled"
    )
    compiling.join()
    assert in_child(lambda: np.array_equal(exe(y), expected)) == "True"
