//===- EqualKernels.h - Kernels that are there already ---------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOKERNEL_EQUALKERNELS_H
#define FUSER_LIB_CONVERSION_FUSIONTOKERNEL_EQUALKERNELS_H

#include "fuser/Support/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace fuser {

/// The kernels of a program: of those that are equal but for their names, the
/// first. Layers of a network repeat, and what LLVM takes for a kernel is most
/// of the time of a compilation.
class EqualKernels {
public:
  /// The kernel that `kernel`, alone in its module, is equal to: one that was
  /// given before, or itself.
  FunctionOpInterface lookUp(FunctionOpInterface kernel);

private:
  llvm::DenseMap<size_t, SmallVector<FunctionOpInterface, 1>> kernels;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOKERNEL_EQUALKERNELS_H
