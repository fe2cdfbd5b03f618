//===- ScheduleVerifiers.h - What schedules are checked for ----*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_IR_SCHEDULEVERIFIERS_H
#define FUSER_LIB_DIALECT_FUSION_IR_SCHEDULEVERIFIERS_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Support/TileLayout.h"

namespace fuser::fusion {

using EmitError = function_ref<InFlightDiagnostic()>;

LogicalResult verifyThreads(EmitError emitError, int64_t threads);

LogicalResult verifyMinBlocks(EmitError emitError, int64_t threads,
                              int64_t minBlocks);

/// The assembly of a tile's axes and layouts.
ParseResult parseAxes(AsmParser &parser, SmallVector<DenseI64ArrayAttr> &axes);
void printAxes(AsmPrinter &printer, ArrayRef<DenseI64ArrayAttr> axes);
ParseResult parseLayout(AsmParser &parser, SmallVector<LayoutRun> &runs);
void printLayout(AsmPrinter &printer, ArrayRef<LayoutRun> runs);

/// The first reduction of a segment, or null.
Operation *findReduction(Operation *segment);

/// Whether the segment of a schedule has a reduction, or none.
LogicalResult verifyReduction(Operation *segment, llvm::StringRef kind);
LogicalResult verifyNoReduction(Operation *segment);

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_IR_SCHEDULEVERIFIERS_H
