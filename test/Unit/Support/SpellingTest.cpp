//===- SpellingTest.cpp - Names that are spelled alike --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Support/Spelling.h"
#include "gtest/gtest.h"

using fuser::findNearName;

TEST(SpellingTest, TheNearestName) {
  EXPECT_EQ(findNearName("softmaks", {"softmin", "softmax", "max"}), "softmax");
  EXPECT_EQ(findNearName("max", {"maxi", "max"}), "max");
}

TEST(SpellingTest, TheFirstInAlphabeticalOrderOfSeveral) {
  EXPECT_EQ(findNearName("sit", {"sin", "sib", "six"}), "sib");
}

TEST(SpellingTest, AtMostAThirdOfTheLetters) {
  EXPECT_EQ(findNearName("abcd", {"abxd"}), "abxd");
  EXPECT_EQ(findNearName("abcde", {"abxyz", "abxye"}), "abxye");
  EXPECT_EQ(findNearName("abcd", {"abxy"}), "");
  EXPECT_EQ(findNearName("abcde", {"abxyz"}), "");
  EXPECT_EQ(findNearName("a", {"b"}), "");
  EXPECT_EQ(findNearName("", {"b"}), "");
}
