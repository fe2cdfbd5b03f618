//===- Launches.cpp - What a program launches -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/Launches.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace fuser;

namespace {
/// Sizes of a host program's buffers when it is run with inputs of known sizes.
class Sizes {
public:
  explicit Sizes(ArrayRef<SmallVector<int64_t>> inputs) : inputs(inputs) {}

  /// The bytes from a buffer's first element to its last as if it were dense.
  std::optional<uint64_t> getBytes(Value buffer);

private:
  std::optional<int64_t> getSize(Value buffer, int64_t dim);
  std::optional<int64_t> getInputSize(BlockArgument argument, int64_t dim);
  std::optional<int64_t> evaluate(Value value);
  std::optional<int64_t> fold(Operation *op, unsigned result);

  ArrayRef<SmallVector<int64_t>> inputs;
  DenseMap<Value, std::optional<int64_t>> known;
};
} // namespace

std::optional<int64_t> Sizes::getInputSize(BlockArgument argument,
                                           int64_t dim) {
  if (!isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return std::nullopt; // Of a loop.
  auto before =
      argument.getOwner()->getArguments().take_front(argument.getArgNumber());
  size_t index = llvm::count_if(before, [](BlockArgument other) {
    return isa<MemRefType>(other.getType());
  });
  if (index >= inputs.size() || dim >= int64_t(inputs[index].size()))
    return std::nullopt;
  return inputs[index][dim];
}

std::optional<int64_t> Sizes::getSize(Value buffer, int64_t dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    return getInputSize(argument, dim);
  auto evaluateOne = [&](auto op) {
    return evaluate(op.getSizes()[type.getDynamicDimIndex(dim)]);
  };
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(
             buffer.getDefiningOp())
      .Case<host::AllocOp, host::WorkspaceOp, host::OutputOp>(evaluateOne)
      .Case([&](memref::CastOp op) { return getSize(op.getSource(), dim); })
      .Case([&](host::AliasOp op) { return getSize(op.getBuffer(), dim); })
      .Default([](Operation *) { return std::nullopt; });
}

/// What the op's own folding makes of constants.
std::optional<int64_t> Sizes::fold(Operation *op, unsigned result) {
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> value = evaluate(operand);
    if (!value)
      return std::nullopt;
    operands.push_back(IntegerAttr::get(operand.getType(), *value));
  }
  SmallVector<OpFoldResult> results;
  if (op->getNumRegions() != 0 || failed(op->fold(operands, results)) ||
      results.size() <= result)
    return std::nullopt;
  if (auto value = dyn_cast<Value>(results[result]))
    return evaluate(value);
  auto number = dyn_cast<IntegerAttr>(cast<Attribute>(results[result]));
  return number ? std::optional(number.getInt()) : std::nullopt;
}

std::optional<int64_t> Sizes::evaluate(Value value) {
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant.getInt();
  Operation *op = value.getDefiningOp();
  if (!op || !value.getType().isIntOrIndex())
    return std::nullopt;
  if (auto it = known.find(value); it != known.end())
    return it->second;
  std::optional<int64_t> result;
  auto dim = dyn_cast<memref::DimOp>(op);
  if (!dim)
    result = fold(op, cast<OpResult>(value).getResultNumber());
  else if (std::optional<int64_t> index = dim.getConstantIndex())
    result = getSize(dim.getSource(), *index);
  known[value] = result;
  return result;
}

std::optional<uint64_t> Sizes::getBytes(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  uint64_t bytes =
      llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    std::optional<int64_t> size = getSize(buffer, dim);
    if (!size)
      return std::nullopt;
    bytes *= *size;
  }
  return bytes;
}

/// Host functions launch what their segments' schedules have become.
void LaunchNotes::noteSchedules(Operation *module) {
  module->walk([&](fusion::SegmentOp segment) {
    FlatSymbolRefAttr function = segment.getHostFunctionAttr();
    Operation *host =
        function ? SymbolTable::lookupNearestSymbolFrom(segment, function)
                 : nullptr;
    if (!host || !segment.getScheduleAttr())
      return;
    std::string schedule;
    llvm::raw_string_ostream(schedule) << segment.getScheduleAttr();
    host->walk([&](host::LaunchOp launch) {
      schedules[launch.getKernel().getLeafReference()] = schedule;
    });
  });
}

/// Whether the kernel has more to do with argument `index` than to ask for its
/// sizes. What is not known is.
static bool isAccessed(Operation *kernel, unsigned index) {
  auto function = dyn_cast_if_present<FunctionOpInterface>(kernel);
  if (!function || function.isExternal() || index >= function.getNumArguments())
    return true;
  return llvm::any_of(
      function.getArgument(index).getUsers(), [](Operation *user) {
        return !isa<memref::DimOp, memref::ExtractStridedMetadataOp>(user);
      });
}

/// The buffers that a launch reads or writes, each once.
static SmallVector<Value> findBuffers(host::LaunchOp launch) {
  Operation *kernel =
      SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernel());
  llvm::SmallSetVector<Value, 8> buffers;
  for (auto [index, argument] : llvm::enumerate(launch.getArgs()))
    if (isa<MemRefType>(argument.getType()) && isAccessed(kernel, index))
      buffers.insert(argument);
  return llvm::to_vector(buffers);
}

void LaunchNotes::noteBytes(Operation *module) {
  kernels.clear();
  Sizes sizes(inputs);
  DenseMap<StringRef, uint64_t> numLaunches;
  module->walk([&](host::LaunchOp launch) {
    StringRef name =
        schedules.try_emplace(launch.getKernel().getLeafReference())
            .first->getKey();
    auto [it, isNew] = kernels.try_emplace(name);
    LaunchedKernel &kernel = it->second;
    if (isNew)
      kernel = {schedules[name], 0};
    uint64_t count = ++numLaunches[name];
    std::optional<uint64_t> bytes = 0;
    for (Value buffer : findBuffers(launch)) {
      std::optional<uint64_t> more = sizes.getBytes(buffer);
      bytes = bytes && more ? std::optional(*bytes + *more) : std::nullopt;
    }
    kernel.bytes =
        bytes && kernel.bytes
            ? std::optional((*kernel.bytes * (count - 1) + *bytes) / count)
            : std::nullopt;
  });
}

void LaunchNotes::note(StringRef pass, Operation *module) {
  if (pass == "fusion-to-kernel")
    noteSchedules(module);
  else if (pass == "host-deallocate")
    noteBytes(module);
}
