//===- KernelEmitters.h - What makes kernels of segments -------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each form of kernels: the schedulers that choose schedules, and the
// emitters that obey them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_CONVERSION_KERNELEMITTERS_H
#define FUSER_CONVERSION_KERNELEMITTERS_H

#include "fuser/Schedule/Scheduler.h"
#include "mlir/IR/DialectRegistry.h"

namespace fuser {

/// For every form of kernels, as they need none: `library`, `communication`.
schedule::Scheduler getLibraryScheduler();
schedule::Scheduler getCommunicationScheduler();
/// Attaches what makes calls of a library to `#fusion.library`.
void registerLibraryEmitter(mlir::DialectRegistry &registry);
/// Attaches what makes communications of host programs to
/// `#fusion.communication`.
void registerCommunicationEmitter(mlir::DialectRegistry &registry);

/// Of GPU kernels: those of `#fusion.tile`, `split_reduction`, `library`,
/// `communication`, `generic`.
schedule::Schedulers getGpuSchedulers();
/// Attaches the emitters of GPU kernels to their schedule attributes.
void registerGpuKernelEmitters(mlir::DialectRegistry &registry);

/// Of CPU kernels: `pointwise`, `row_reduction`, `library`, `communication`,
/// `generic`.
schedule::Schedulers getCpuSchedulers();
/// Attaches the emitter of CPU kernels to the schedule attribute `#fusion.cpu`.
void registerCpuKernelEmitters(mlir::DialectRegistry &registry);

} // namespace fuser

#endif // FUSER_CONVERSION_KERNELEMITTERS_H
