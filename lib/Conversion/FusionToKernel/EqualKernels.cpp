//===- EqualKernels.cpp - Kernels that are there already ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EqualKernels.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"

using namespace fuser;

namespace {
/// While it lives, the kernel's name is the same for all kernels.
class Unnamed {
public:
  explicit Unnamed(FunctionOpInterface kernel)
      : kernel(kernel), name(SymbolTable::getSymbolName(kernel)) {
    SymbolTable::setSymbolName(kernel, "kernel");
  }
  ~Unnamed() { SymbolTable::setSymbolName(kernel, name); }

private:
  FunctionOpInterface kernel;
  StringAttr name;
};
} // namespace

/// Of what the kernel's ops are, not of how they are connected.
static size_t getHash(FunctionOpInterface kernel) {
  llvm::hash_code hash(0);
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

FunctionOpInterface EqualKernels::lookUp(FunctionOpInterface kernel) {
  Unnamed unnamed(kernel);
  SmallVector<FunctionOpInterface, 1> &candidates = kernels[getHash(kernel)];
  for (FunctionOpInterface candidate : candidates) {
    Unnamed other(candidate);
    if (OperationEquivalence::isEquivalentTo(
            kernel, candidate, OperationEquivalence::IgnoreLocations))
      return candidate;
  }
  candidates.push_back(kernel);
  return kernel;
}
