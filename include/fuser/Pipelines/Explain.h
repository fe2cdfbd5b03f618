//===- Explain.h - Why schedules are what they are -------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PIPELINES_EXPLAIN_H
#define FUSER_PIPELINES_EXPLAIN_H

#include "fuser/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace fuser {

/// A remark for each segment of a module in which `fusion-schedule` has run:
/// its schedule, which limit bound it, and what could be changed in the
/// program. It asks the analyses that the schedule was chosen by.
void explainSchedules(mlir::ModuleOp module, Targets targets);

} // namespace fuser

#endif // FUSER_PIPELINES_EXPLAIN_H
