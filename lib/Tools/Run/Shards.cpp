//===- Shards.cpp - Whole tensors and those of ranks ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shards.h"
#include "../CommandLine.h"
#include "fuser/Pipelines/Compile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <cstring>

using namespace fuser;
using namespace fuser::run;
using fusion::Distribution;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::Twine;

Shards::Shards(fusion::PartitionedFunction partitioned)
    : grid(std::move(partitioned.grid)),
      inputAxes(std::move(partitioned.arguments)),
      resultAxes(std::move(partitioned.results)) {}

llvm::Expected<std::optional<Shards>> Shards::find(mlir::ModuleOp module,
                                                   const RunOptions &options) {
  FailureOr<mlir::Operation *> entry = findEntry(module, options.entry);
  if (failed(entry))
    return llvm::createStringError("there is nothing to run");
  auto func = llvm::cast<mlir::func::FuncOp>(*entry);
  if (!fusion::hasShardings(func))
    return std::nullopt;
  mlir::OwningOpRef<mlir::ModuleOp> copy(module.clone());
  auto partitioned = fusion::partitionFunction(
      copy->lookupSymbol<mlir::func::FuncOp>(func.getSymName()));
  if (failed(partitioned))
    return llvm::createStringError("'" + options.file + "' was not compiled");
  // Scalars are the same everywhere.
  auto keepTensors = [](SmallVector<Distribution> &axes,
                        mlir::TypeRange types) {
    SmallVector<Distribution> kept;
    for (auto [of, type] : llvm::zip_equal(axes, types))
      if (llvm::isa<mlir::RankedTensorType>(type))
        kept.push_back(of);
    axes = std::move(kept);
  };
  keepTensors(partitioned->arguments, func.getArgumentTypes());
  keepTensors(partitioned->results, func.getResultTypes());
  int64_t ranks = partitioned->grid.countRanks();
  if (options.ranks == ranks)
    return Shards(std::move(*partitioned));
  return usageError("program '" + func.getSymName() + "': expected --ranks " +
                    Twine(ranks) + ", as its grid has, got " +
                    (options.ranks ? Twine(options.ranks) : Twine("none")));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The part of a whole tensor that `rank` has, in the whole one's memory. Sizes
/// are multiples of the numbers of parts.
static HostTensor viewPart(const HostTensor &whole, const Distribution &axes,
                           const fusion::GridShape &grid, int rank) {
  HostTensor part = whole;
  for (auto [dim, along] : llvm::enumerate(axes)) {
    part.sizes[dim] /= grid.count(along);
    part.offset +=
        grid.getPart(rank, along) * part.sizes[dim] * part.strides[dim];
  }
  return part;
}

/// Both have the same sizes.
static void copyElements(const HostTensor &from, const HostTensor &to) {
  unsigned bytes = fuser_rt::elementBytes(from.element);
  from.forEachElement([&](HostTensor::Run run) {
    for (uint64_t i = 0; i < run.count; ++i)
      std::memcpy(to.getElement(run.position + i),
                  run.data + static_cast<int64_t>(i) * run.step, bytes);
  });
}

/// Dense strides, in the order of those of `like`.
static SmallVector<int64_t> getDenseStrides(const HostTensor &like) {
  SmallVector<std::pair<int64_t, size_t>> order;
  for (auto [dim, stride] : llvm::enumerate(like.strides))
    order.push_back({stride, like.strides.size() - dim});
  llvm::sort(order);
  SmallVector<int64_t> strides(order.size());
  int64_t next = 1;
  for (auto [stride, fromLast] : order) {
    size_t dim = like.strides.size() - fromLast;
    strides[dim] = next;
    next *= std::max<int64_t>(1, like.sizes[dim]);
  }
  return strides;
}

llvm::Error Shards::prepare(const RunOptions &options) {
  auto namesRank = [](llvm::StringRef text) { return text.contains("{rank}"); };
  writesWhole = llvm::none_of(options.outputs, namesRank);
  if (!writesWhole && !llvm::all_of(options.outputs, namesRank))
    return usageError("--output: expected {rank} in the names of all files, "
                      "which parts are written to, or of none");
  for (auto [number, text] : llvm::enumerate(options.inputs)) {
    HostTensor &input = inputs.emplace_back();
    if (namesRank(text))
      continue;
    auto whole = makeTensor(text);
    if (!whole)
      return whole.takeError();
    input = std::move(*whole);
    if (number >= inputAxes.size())
      continue; // There are too many, which is said later.
    for (auto [dim, along] : llvm::enumerate(inputAxes[number]))
      if (dim < input.sizes.size() && input.sizes[dim] % grid.count(along) != 0)
        return llvm::createStringError(
            "input " + Twine(number) +
            ": expected a size that can be cut into " +
            Twine(grid.count(along)) + " equal parts in dimension " +
            Twine(dim) + ", got " + Twine(input.sizes[dim]));
  }
  return llvm::Error::success();
}

bool Shards::hasWholeInputs() const {
  return llvm::all_of(
      inputs, [](const HostTensor &input) { return input.storage != nullptr; });
}

llvm::Expected<std::optional<HostTensor>> Shards::getInputPart(unsigned number,
                                                               int rank) const {
  const HostTensor &whole = inputs[number];
  // A wrong number of inputs, or of dimensions, is what the program says.
  if (!whole.storage)
    return std::nullopt;
  if (number >= inputAxes.size() ||
      whole.sizes.size() != inputAxes[number].size())
    return whole;
  HostTensor view = viewPart(whole, inputAxes[number], grid, rank);
  auto part = allocate(view.element, view.sizes, getDenseStrides(view));
  if (!part)
    return part.takeError();
  copyElements(view, *part);
  return std::move(*part);
}

llvm::Expected<SmallVector<HostTensor>>
Shards::assemble(ArrayRef<SmallVector<HostTensor>> results) const {
  SmallVector<HostTensor> wholes;
  for (auto [number, axes] : llvm::enumerate(resultAxes)) {
    const HostTensor &first = results.front()[number];
    SmallVector<int64_t> sizes = first.sizes;
    for (auto [size, along] : llvm::zip_equal(sizes, axes))
      size *= grid.count(along);
    auto whole = allocate(first.element, sizes);
    if (!whole)
      return whole.takeError();
    for (auto [rank, parts] : llvm::enumerate(results)) {
      if (parts[number].sizes != first.sizes)
        return llvm::createStringError(
            "output " + Twine(number) +
            ": expected parts of one shape, got another one from rank " +
            Twine(rank) + " than from rank 0");
      copyElements(parts[number], viewPart(*whole, axes, grid, rank));
    }
    wholes.push_back(std::move(*whole));
  }
  return std::move(wholes);
}
