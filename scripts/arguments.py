# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A parser whose errors are one line on standard error, with exit code 2, as those of the tools are."""

import argparse


class Parser(argparse.ArgumentParser):
    def __init__(self, **options):
        super().__init__(allow_abbrev=False, **options)

    def error(self, message):
        unknown = message.removeprefix("unrecognized arguments: ")
        if unknown != message:
            message = f"expected arguments that it has, got '{unknown}'"
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")
