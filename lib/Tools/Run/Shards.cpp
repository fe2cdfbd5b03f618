//===- Shards.cpp - Whole tensors and those of ranks ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shards.h"
#include "../CommandLine.h"
#include "Ranks.h"
#include "fuser/Analysis/ArgumentNames.h"
#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Pipelines/Compile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <cstring>
#include <map>

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

/// What the program says of the sizes of its whole tensors.
static SmallVector<Shards::WholeInput> describeInputs(mlir::ModuleOp module,
                                                      llvm::StringRef name) {
  mlir::OwningOpRef<mlir::ModuleOp> whole(module.clone());
  auto func = whole->lookupSymbol<mlir::func::FuncOp>(name);
  fusion::dropShardings(func);
  ShapeSymbols symbols(func);
  SmallVector<Shards::WholeInput> inputs;
  for (mlir::BlockArgument argument : func.getArguments())
    if (llvm::isa<mlir::RankedTensorType>(argument.getType()))
      inputs.push_back({describeArgument(func, argument.getArgNumber()),
                        llvm::to_vector<0>(symbols.getShape(argument))});
  return inputs;
}

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
  if (options.ranks == ranks) {
    Shards shards(std::move(*partitioned));
    shards.program = func.getSymName();
    shards.described = describeInputs(module, func.getSymName());
    return shards;
  }
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
                           const GridShape &grid, int rank) {
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

/// Each rank's own tensor: all have the same shape.
llvm::Error Shards::makeParts(unsigned number, llvm::StringRef text) {
  SmallVector<HostTensor> &own = parts.emplace_back();
  for (int64_t rank = 0; rank < grid.countRanks(); ++rank) {
    std::string named = text.str();
    replaceRank(named, rank);
    auto part = makeTensor(named);
    if (!part)
      return part.takeError();
    own.push_back(std::move(*part));
    if (own.back().sizes != own.front().sizes)
      return llvm::createStringError(
          "input " + Twine(number) +
          ": expected parts of one shape, got another one for rank " +
          Twine(rank) + " than for rank 0");
  }
  return llvm::Error::success();
}

llvm::Error Shards::prepare(const RunOptions &options) {
  auto namesRank = [](llvm::StringRef text) { return text.contains("{rank}"); };
  writesWhole = llvm::none_of(options.outputs, namesRank);
  if (!writesWhole && !llvm::all_of(options.outputs, namesRank))
    return usageError("--output: expected {rank} in the names of all files, "
                      "which parts are written to, or of none");
  if (llvm::any_of(options.scalars, namesRank))
    return usageError("--scalar: expected one value for all ranks of a program "
                      "on whole tensors, got {rank}");
  for (auto [number, text] : llvm::enumerate(options.inputs)) {
    HostTensor &input = inputs.emplace_back();
    if (namesRank(text)) {
      if (llvm::Error error = makeParts(number, text))
        return error;
      continue;
    }
    parts.emplace_back();
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
  return checkSizes();
}

/// The sizes of whole inputs, as the program states them and as they have to
/// agree: what ranks say of their parts would be harder to read.
llvm::Error Shards::checkSizes() const {
  std::map<int64_t, std::pair<std::string, int64_t>> known;
  for (auto [input, parts, axes, wanted] :
       llvm::zip(inputs, parts, inputAxes, described)) {
    const HostTensor &given = input.storage ? input : parts.front();
    // Another rank is what the program says.
    if (given.sizes.size() != wanted.shape.size())
      continue;
    for (auto [dim, size] : llvm::enumerate(given.sizes)) {
      int64_t whole = input.storage ? size : size * grid.count(axes[dim]);
      std::string what = "dimension " + std::to_string(dim);
      std::string why;
      int64_t expected = wanted.shape[dim];
      if (expected < 0) {
        auto [first, isNew] =
            known.try_emplace(expected, wanted.name + " " + what, whole);
        expected = first->second.second;
        why = " because " + first->second.first + " is " +
              std::to_string(expected);
      }
      if (whole != expected)
        return llvm::createStringError(
            "program '" + program + "': " + wanted.name + ": expected " + what +
            " of the whole tensor to be " + Twine(expected) + why + ", got " +
            Twine(whole));
    }
  }
  return llvm::Error::success();
}

bool Shards::hasWholeInputs() const {
  return llvm::all_of(
      inputs, [](const HostTensor &input) { return input.storage != nullptr; });
}

llvm::Expected<HostTensor> Shards::getInputPart(unsigned number,
                                                int rank) const {
  const HostTensor &whole = inputs[number];
  if (!whole.storage)
    return parts[number][rank];
  // A wrong number of inputs, or of dimensions, is what the program says.
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

/// The row-major position of the first element that differs in a bit.
static std::optional<uint64_t> findDifference(const HostTensor &a,
                                              const HostTensor &b) {
  unsigned bytes = fuser_rt::elementBytes(a.element);
  for (uint64_t i = 0, e = a.getNumElements(); i < e; ++i)
    if (std::memcmp(a.getElement(i), b.getElement(i), bytes) != 0)
      return i;
  return std::nullopt;
}

/// Puts the ranks' parts of result `number` together. Those that have the same
/// part have the same bits.
llvm::Error Shards::fill(HostTensor &whole, unsigned number,
                         ArrayRef<SmallVector<HostTensor>> results) const {
  std::map<std::vector<int64_t>, size_t> firsts;
  for (auto [rank, own] : llvm::enumerate(results)) {
    const HostTensor &part = own[number];
    if (part.sizes != results.front()[number].sizes)
      return llvm::createStringError(
          "output " + Twine(number) +
          ": expected parts of one shape, got another one from rank " +
          Twine(rank) + " than from rank 0");
    std::vector<int64_t> place;
    for (const fusion::Axes &along : resultAxes[number])
      place.push_back(grid.getPart(rank, along));
    auto [first, isNew] = firsts.try_emplace(place, rank);
    if (isNew) {
      copyElements(part, viewPart(whole, resultAxes[number], grid, rank));
      continue;
    }
    if (auto at = findDifference(results[first->second][number], part))
      return llvm::createStringError(
          "output " + Twine(number) + ": expected the same part from ranks " +
          Twine(first->second) + " and " + Twine(rank) +
          ", got different elements, the first at " + Twine(*at));
  }
  return llvm::Error::success();
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
    if (llvm::Error error = fill(*whole, number, results))
      return std::move(error);
    wholes.push_back(std::move(*whole));
  }
  return std::move(wholes);
}
