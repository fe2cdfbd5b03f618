//===- InitAllPasses.h - Registration of all passes -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_INITALLPASSES_H
#define FUSER_INITALLPASSES_H

#include "fuser/Pipelines/Targets.h"

namespace fuser {

/// Registers the passes and pipelines of this project and those of MLIR that
/// its pipelines use, for `targets`, which live as long as the program.
void registerAllPasses(Targets targets = getAllTargets());

} // namespace fuser

#endif // FUSER_INITALLPASSES_H
