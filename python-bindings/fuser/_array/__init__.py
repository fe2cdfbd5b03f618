# Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a builder and its values have beside plain ops: functions of the array API standard and of models, and indexing."""
