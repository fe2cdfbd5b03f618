# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals belong to the process: compiling leaves them alone, before, meanwhile and afterwards."""

import subprocess
import sys
import textwrap

# Run in a process of its own, in which nothing else has asked for signals.
HEAD = """
import os, signal, sys, threading
import fuser

TEXT = '''func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = fusion.exp %x : tensor<?xf32>
  return %r : tensor<?xf32>
}
'''


def dispositions():
    '''What is caught and what is ignored. (The C library keeps the signals between 31 and SIGRTMIN for itself.)'''
    kept = sum(1 << (number - 1) for number in range(32, signal.SIGRTMIN))
    lines = [line.split() for line in open("/proc/self/status") if line.startswith(("SigCgt", "SigIgn"))]
    return [int(mask, 16) & ~kept for _, mask in lines]


"""


def run(body):
    done = subprocess.run([sys.executable, "-c", HEAD + textwrap.dedent(body)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_dispositions_stay_while_threads_compile():
    lines = run("""
        before, seen, done = dispositions(), [], threading.Event()

        def sample():
            while not done.is_set():
                seen.append(dispositions())

        def compile_all():
            for options in ({}, {"target": "cuda", "arch": "sm_90"}):
                for _ in range(3):
                    fuser.compile_to_bytes(TEXT, **options)
            fuser.compile(TEXT)

        sampler = threading.Thread(target=sample)
        sampler.start()
        compilers = [threading.Thread(target=compile_all) for _ in range(2)]
        for thread in compilers:
            thread.start()
        for thread in compilers:
            thread.join()
        done.set()
        sampler.join()
        print(len(seen) > 10, all(masks == before for masks in seen), dispositions() == before)
    """)
    assert lines == ["True True True"]


def test_handlers_of_the_program_are_called():
    lines = run("""
        fuser.compile(TEXT)
        # A process of the background is started without a handler.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in (signal.SIGTERM, signal.SIGUSR1):
            signal.signal(number, lambda number, frame: print(signal.Signals(number).name))
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        for _ in range(2):
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                print("SIGINT")
            for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP):
                signal.raise_signal(number)
            fuser.compile(TEXT)
    """)
    assert lines == ["SIGINT", "SIGTERM", "SIGUSR1"] * 2
