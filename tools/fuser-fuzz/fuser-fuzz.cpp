//===- fuser-fuzz.cpp - Runs random programs ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Tools/Mains.h"

int main(int argc, char **argv) { return fuser::fuzzMain(argc, argv); }
