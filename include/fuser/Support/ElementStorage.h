//===- ElementStorage.h - How elements lie in memory ------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_ELEMENTSTORAGE_H
#define FUSER_SUPPORT_ELEMENTSTORAGE_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/Types.h"

namespace fuser {

/// The type in which elements of `elementType` lie in memory: i8 for i1 and
/// 8-bit floats, signless bits for unsigned integers, else the type itself.
Type getStorageType(Type elementType);

/// Bytes of an element in memory.
int64_t getStorageBytes(Type elementType);

} // namespace fuser

#endif // FUSER_SUPPORT_ELEMENTSTORAGE_H
