//===- fuser-test-fuzz.cpp - fuser-fuzz, with faulty targets --------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFusion.h"
#include "fuser/Tools/Mains.h"

int main(int argc, char **argv) {
  return fuser::fuzzMain(argc, argv, fuser::test::getFaultyTargets(),
                         fuser::test::buildFaultyDecisions);
}
