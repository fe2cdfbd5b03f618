//===- GpuTargetTest.cpp - Which code runs on which GPU -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Support/GpuTarget.h"
#include "llvm/ADT/StringSet.h"
#include <gtest/gtest.h>

using namespace fuser;

static std::string targetFor(StringRef device) {
  const GpuTarget *target = findGpuTargetForDevice(device);
  return target ? target->arch.str() : "none";
}

TEST(GpuTarget, DevicesThatAreListedRunTheirOwnCode) {
  for (const GpuTarget &target : getGpuTargets()) {
    std::string device = "sm_" + std::to_string(target.computeCapability);
    EXPECT_EQ(targetFor(device), device);
  }
}

TEST(GpuTarget, OtherDevicesRunTheNextOlderCode) {
  EXPECT_EQ(targetFor("sm_88"), "sm_87");
  EXPECT_EQ(targetFor("sm_91"), "sm_90");
  EXPECT_EQ(targetFor("sm_101"), "sm_100");
  EXPECT_EQ(targetFor("sm_119"), "sm_110");
  EXPECT_EQ(targetFor("sm_130"), "sm_121");
}

TEST(GpuTarget, DevicesThatAreTooOldHaveNone) {
  EXPECT_EQ(targetFor("sm_75"), "none");
  EXPECT_EQ(targetFor("sm_12"), "none");
  EXPECT_EQ(targetFor("cpu"), "none");
  EXPECT_EQ(targetFor("sm_"), "none");
  EXPECT_EQ(targetFor("sm_90a"), "none");
  EXPECT_EQ(targetFor(""), "none");
}

TEST(GpuTarget, NamesAreFoundAndDiffer) {
  llvm::StringSet<> seen;
  unsigned last = 0;
  for (const GpuTarget &target : getGpuTargets()) {
    EXPECT_TRUE(seen.insert(target.arch).second) << target.arch.str();
    EXPECT_EQ(findGpuTarget(target.arch), &target);
    EXPECT_GE(target.computeCapability, last);
    last = target.computeCapability;
    std::string plain = "sm_" + std::to_string(target.computeCapability);
    EXPECT_EQ(target.arch,
              plain + (target.isArchitectureSpecific() ? "a" : ""));
  }
  EXPECT_EQ(findGpuTarget("sm_12"), nullptr);
}

TEST(GpuTarget, ParametersFollowThePTXVersion) {
  for (const GpuTarget &target : getGpuTargets())
    EXPECT_EQ(target.getMaxParamBytes(),
              target.computeCapability < 100 ? 4096 : 32764)
        << target.arch.str();
}
