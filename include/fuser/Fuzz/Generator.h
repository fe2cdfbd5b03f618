//===- Generator.h - Random programs --------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Valid programs of the fusion dialect with inputs to run them on. A seed gives
// the same program on every machine.
//
// A program grows op by op, of any tensor that it has. Beside each dimension,
// static or not, the generator keeps the size that it has at run time, so that
// sizes fit; beside each tensor a bound of its magnitudes, so that no number
// leaves the range of f32, which the reference does not mimic.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_FUZZ_GENERATOR_H
#define FUSER_FUZZ_GENERATOR_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <vector>

namespace fuser::fuzz {

/// What a program is about.
enum class Topic {
  Any,        ///< One of the others, by the seed.
  Everything, ///< All ops.
  Functions,  ///< What kernels might compute in more ways than one.
  Rows,       ///< Rows that are reduced more than once.
  Products,   ///< Matrix products.
  Elements,   ///< Ops that say how to make one, among others.
  Gathers,    ///< Reads where tensors say, and beyond an end, among others.
  Fibres,     ///< Scans, sorts and scatters, among others.
  Images,     ///< Many dimensions, reduced around others, and sizes of 1.
  Composites, ///< Ops of builders and others that are replaced first.
  Complex,    ///< Complex numbers of two tensors, among others.
};

struct GeneratorOptions {
  Topic topic = Topic::Any;
  /// Whether there are matrix products, whose sums a library may order as it
  /// likes.
  bool products = true;
  /// Whether results may be views of inputs, which nothing may come between.
  bool views = true;
  /// Whether inputs may lie otherwise than the program says, which asks for
  /// another variant of it.
  bool otherLayouts = true;
  /// Whether floats may be computed from open sizes. The exact arithmetic has
  /// no single result for them: a compiler that learns the size folds them.
  bool floatsOfSizes = true;
};

struct GeneratedProgram {
  OwningOpRef<ModuleOp> module;
  /// What fuser-run's --input and --scalar say.
  std::vector<std::string> inputs, scalars;
  /// Of all tensors.
  int64_t numElements = 0;
};

/// The program of a seed: one function.
GeneratedProgram generateProgram(uint64_t seed, const GeneratorOptions &options,
                                 MLIRContext *context);

} // namespace fuser::fuzz

#endif // FUSER_FUZZ_GENERATOR_H
