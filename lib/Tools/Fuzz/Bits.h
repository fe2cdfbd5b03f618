//===- Bits.h - Results, compared bit by bit ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_FUZZ_BITS_H
#define FUSER_LIB_TOOLS_FUZZ_BITS_H

#include "../Tensors/HostTensor.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace fuser::fuzz {

/// The first place where results have other sizes or other bits; empty: none.
std::string describeDifference(llvm::ArrayRef<run::HostTensor> expected,
                               llvm::ArrayRef<run::HostTensor> got);

} // namespace fuser::fuzz

#endif // FUSER_LIB_TOOLS_FUZZ_BITS_H
