#!/bin/sh
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fault.sh FILE NAME ARGS...: a kernel of FILE with the fault NAME, as the marks in the file say, for which the simulator says what lines NAME: of the file say.

set -e
file=$1 name=$2
shift 2
log=$(sed -E -e "s,//@$name ,," -e "s,.*// .*@$name( .*)?\$,," "$file" | not fuser-run - --target=sim --sim-check "$@" 2>&1) ||
  { printf '%s\n' "$log" "$name: expected a fault that is found"; exit 1; }
printf '%s\n' "$log" | FileCheck "$file" --check-prefix="$name"
