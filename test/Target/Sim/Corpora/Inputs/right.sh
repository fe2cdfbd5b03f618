#!/bin/sh
# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# right.sh FILE ARGS...: the simulator finds nothing, in two orders of blocks and threads.

set -e
for seed in 8 0; do
  fuser-run "$@" --target=sim --sim-check --sim-seed=$seed
done
