//===- SegmentFibres.h - A segment that computes fibres --------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A segment of one op of FibreOpInterface, and nothing else. Fibres are
// numbered in row-major order of the other dimensions of the result.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_SEGMENTFIBRES_H
#define FUSER_CONVERSION_SEGMENTFIBRES_H

#include "fuser/Conversion/SegmentKernel.h"

namespace fuser {

/// The op; null if it is another segment.
fusion::FibreOpInterface getFibreOp(fusion::SegmentOp segment);

/// The dimensions of the result that number its fibres.
SmallVector<int64_t> getFibreNumberDims(fusion::FibreOpInterface op);

/// Computes and stores fibre `number`. With `narrow`, numbers are known to fit
/// into 31 bits.
/// `emit`: what the op does, if not FibreOpInterface::emitFibre.
void emitFibre(SegmentKernel &kernel, fusion::FibreOpInterface op, Value number,
               bool narrow,
               function_ref<void(fusion::FibreContext &)> emit = nullptr);

} // namespace fuser

#endif // FUSER_CONVERSION_SEGMENTFIBRES_H
