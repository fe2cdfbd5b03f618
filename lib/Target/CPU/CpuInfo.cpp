//===- CpuInfo.cpp - Processors that code is made for ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Target/CPU/CpuTarget.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace fuser;

/// Features that change which instructions kernels use. Only these are named in
/// programs; a processor without one of them must not run the code.
static constexpr llvm::StringLiteral knownFeatures[] = {
    "sse3",        "ssse3",      "sse4.1",       "sse4.2",
    "popcnt",      "avx",        "avx2",         "fma",
    "f16c",        "bmi",        "bmi2",         "lzcnt",
    "movbe",       "avx512f",    "avx512bw",     "avx512cd",
    "avx512dq",    "avx512vl",   "avx512ifma",   "avx512vbmi",
    "avx512vbmi2", "avx512vnni", "avx512bitalg", "avx512vpopcntdq",
    "avx512bf16",  "avx512fp16"};

static std::string plainName(llvm::StringRef feature) {
  std::string name;
  for (char c : feature)
    if (llvm::isAlnum(c))
      name.push_back(c);
  return name;
}

bool CpuInfo::has(llvm::StringRef feature) const {
  return llvm::is_contained(features, feature.str());
}

FailureOr<CpuInfo>
fuser::resolveCpu(llvm::StringRef arch,
                  llvm::function_ref<InFlightDiagnostic()> emitError) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    emitError() << "this LLVM cannot make x86-64 code: " << error;
    return failure();
  }
  CpuInfo info;
  info.name = arch.empty() ? llvm::sys::getHostCPUName().str() : arch.str();
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, "x86-64", ""));
  if (!subtarget->isCPUStringValid(info.name)) {
    emitError() << "expected an LLVM CPU name of x86-64 (x86-64-v3, znver4, "
                   "...), got '"
                << info.name << "'";
    return failure();
  }
  subtarget.reset(target->createMCSubtargetInfo(triple, info.name, ""));
  // A virtual machine may hide features of its processor's model.
  llvm::StringMap<bool> host;
  if (arch.empty())
    host = llvm::sys::getHostCPUFeatures();
  llvm::SmallVector<std::string> switches;
  for (llvm::StringRef feature : knownFeatures) {
    auto found = host.find(feature);
    bool has = arch.empty() ? found != host.end() && found->second
                            : subtarget->checkFeatures(("+" + feature).str());
    switches.push_back(((has ? "+" : "-") + feature).str());
    if (has)
      info.features.push_back(plainName(feature));
  }
  info.featureString = llvm::join(switches, ",");
  return info;
}
