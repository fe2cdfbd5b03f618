//===- Shards.h - Whole tensors and those of ranks -------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that says how its tensors are distributed over ranks takes and
// gives whole tensors: each rank gets its parts, and the results' parts are put
// together.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_RUN_SHARDS_H
#define FUSER_LIB_TOOLS_RUN_SHARDS_H

#include "../Tensors/HostTensor.h"
#include "RunOptions.h"
#include "fuser/Dialect/Fusion/Transforms/Partition.h"

namespace fuser::run {

class Shards {
public:
  /// Of the program's source; nothing if it does not distribute its tensors. An
  /// error if it is for another number of ranks than `options` say.
  static llvm::Expected<std::optional<Shards>> find(mlir::ModuleOp module,
                                                    const RunOptions &options);

  /// Makes the inputs: whole tensors or, where the text names a rank, each
  /// rank's part.
  llvm::Error prepare(const RunOptions &options);
  /// The whole ones; without storage: those that are given in parts.
  llvm::ArrayRef<HostTensor> getInputs() const { return inputs; }
  bool hasWholeInputs() const;
  /// Whether results are written whole, and not each rank's part.
  bool hasWholeOutputs() const { return writesWhole; }

  /// The part of input `number` that `rank` has.
  llvm::Expected<HostTensor> getInputPart(unsigned number, int rank) const;

  /// The whole tensors of what the ranks have of the results: for each rank,
  /// all of its results. An error where ranks that have the same part of a
  /// result differ in a bit.
  llvm::Expected<llvm::SmallVector<HostTensor>>
  assemble(llvm::ArrayRef<llvm::SmallVector<HostTensor>> results) const;

  /// What messages call an input, and its sizes: static, or negative and equal
  /// where the program needs equal ones.
  struct WholeInput {
    std::string name;
    llvm::SmallVector<int64_t, 0> shape;
  };

private:
  explicit Shards(fusion::PartitionedFunction partitioned);
  llvm::Error checkSizes() const;
  llvm::Error makeParts(unsigned number, llvm::StringRef text);
  llvm::Error fill(HostTensor &whole, unsigned number,
                   llvm::ArrayRef<llvm::SmallVector<HostTensor>> results) const;

  std::string program;
  llvm::SmallVector<WholeInput> described;
  GridShape grid;
  /// Of tensors only.
  llvm::SmallVector<fusion::Distribution> inputAxes, resultAxes;
  llvm::SmallVector<HostTensor> inputs;
  /// For each input that is given in parts, a tensor for each rank.
  llvm::SmallVector<llvm::SmallVector<HostTensor>> parts;
  bool writesWhole = false;
};

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_RUN_SHARDS_H
