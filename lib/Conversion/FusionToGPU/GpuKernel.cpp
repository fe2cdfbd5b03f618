//===- GpuKernel.cpp - What all GPU emitters need -===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuKernel.h"
#include "fuser/Conversion/KernelSignature.h"
#include "fuser/Conversion/Kernels/KernelStage.h"
#include "fuser/Conversion/SegmentAnalysis.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Support/GpuTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace fuser;
using arith::CmpIPredicate;
using fusion::SegmentOp;

gpu::GPUFuncOp fuser::createGpuKernel(OpBuilder &b, SegmentLowering &lowering,
                                      const GpuKernelOptions &options) {
  SegmentOp segment = lowering.getSegment();
  std::string name = (lowering.getName() + options.suffix).str();
  segment->getParentOfType<ModuleOp>()->setAttr(
      gpu::GPUDialect::getContainerModuleAttrName(), b.getUnitAttr());
  auto module = gpu::GPUModuleOp::create(lowering.getModuleBuilder(),
                                         segment.getLoc(), name);
  b.setInsertionPointToEnd(module.getBody());
  SmallVector<KernelArgument> arguments = getKernelArguments(segment);
  for (Type workspace : options.workspaces)
    arguments.push_back({Value(), workspace, kAllocationAlignment,
                         kAllocationAlignment, /*noAlias=*/true});
  SmallVector<Type> types;
  for (const KernelArgument &argument : arguments)
    types.push_back(argument.type);
  auto kernel = gpu::GPUFuncOp::create(b, segment.getLoc(), name,
                                       b.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  if (options.minBlocks > 0)
    kernel->setAttr(kMinBlocksAttrName, b.getI64IntegerAttr(options.minBlocks));
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({int32_t(options.threads), 1, 1}));
  setArgumentAttrs(cast<FunctionOpInterface>(kernel.getOperation()), arguments);
  Block &entry = kernel.getBody().front();
  b.setInsertionPointToEnd(&entry);
  auto end = gpu::ReturnOp::create(b, segment.getLoc());
  b.setInsertionPoint(end);
  return kernel;
}

LogicalResult fuser::verifySharedBytes(SegmentOp segment, gpu::GPUFuncOp kernel,
                                       int64_t bytes) {
  auto name = segment->getParentOp()->getAttrOfType<StringAttr>(
      fusion::FusionDialect::getTargetAttrName());
  const GpuTarget *target = name ? findGpuTarget(name.getValue()) : nullptr;
  if (!target)
    target = findGpuTarget(kDefaultGpuArch);
  // What a kernel names has this bound, unless it asks the launch for more.
  int64_t most =
      bytes == 0 ? kMaxStaticSharedBytes : target->sharedBytesPerBlock;
  for (BlockArgument memory : kernel.getWorkgroupAttributions())
    bytes += getSharedBytes(cast<MemRefType>(memory.getType()));
  if (bytes <= most)
    return success();
  return segment.emitOpError()
         << "expected a schedule whose stages take at most " << most
         << " bytes of shared memory, with what else is shared, got " << bytes;
}

OpFoldResult fuser::emitMostElements(SegmentLowering &lowering) {
  OpBuilder &b = lowering.getHostBuilder();
  Location loc = lowering.getLoc();
  OpFoldResult most = b.getIndexAttr(0);
  for (OpResult result : lowering.getSegment()->getResults())
    most =
        emitMax(b, loc, most, emitProduct(b, loc, lowering.getSizes(result)));
  return most;
}

OpFoldResult fuser::emitProduct(OpBuilder &b, Location loc,
                                ArrayRef<OpFoldResult> factors) {
  int64_t constant = 1;
  Value product;
  for (OpFoldResult factor : factors) {
    if (std::optional<int64_t> known = getConstantIntValue(factor)) {
      constant *= *known;
      continue;
    }
    auto value = cast<Value>(factor);
    product =
        product ? Value(arith::MulIOp::create(b, loc, product, value)) : value;
  }
  if (!product)
    return b.getIndexAttr(constant);
  if (constant == 1)
    return product;
  return Value(arith::MulIOp::create(
      b, loc, product, arith::ConstantIndexOp::create(b, loc, constant)));
}

OpFoldResult fuser::emitMax(OpBuilder &b, Location loc, OpFoldResult lhs,
                            OpFoldResult rhs) {
  std::optional<int64_t> left = getConstantIntValue(lhs);
  std::optional<int64_t> right = getConstantIntValue(rhs);
  if (left && right)
    return b.getIndexAttr(std::max(*left, *right));
  if (left == 0 || right == 0) // Sizes are not negative.
    return left == 0 ? rhs : lhs;
  return Value(arith::MaxUIOp::create(b, loc, emitIndex(b, loc, lhs),
                                      emitIndex(b, loc, rhs)));
}

OpFoldResult fuser::emitCeilDiv(OpBuilder &b, Location loc, OpFoldResult value,
                                int64_t divisor) {
  if (divisor == 1)
    return value;
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return b.getIndexAttr(
        llvm::divideCeil(uint64_t(*known), uint64_t(divisor)));
  Value sum = arith::AddIOp::create(
      b, loc, cast<Value>(value),
      arith::ConstantIndexOp::create(b, loc, divisor - 1));
  return Value(arith::DivUIOp::create(
      b, loc, sum, arith::ConstantIndexOp::create(b, loc, divisor)));
}

bool fuser::isNarrow(OpFoldResult bound) {
  std::optional<int64_t> known = getConstantIntValue(bound);
  return known && *known < (int64_t(1) << 31) - (1 << 20);
}

Value fuser::emitCompare(OpBuilder &b, Location loc,
                         arith::CmpIPredicate predicate, Value lhs,
                         OpFoldResult rhs) {
  return arith::CmpIOp::create(b, loc, predicate, lhs, emitIndex(b, loc, rhs));
}

Value fuser::emitAnd(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(b, loc, lhs, rhs);
}

Value fuser::addSharedMemory(gpu::GPUFuncOp kernel, Location loc, Type element,
                             int64_t size) {
  auto space = gpu::AddressSpaceAttr::get(
      kernel.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  return kernel.addWorkgroupAttribution(
      MemRefType::get({size}, element, MemRefLayoutAttrInterface(), space),
      loc);
}

void fuser::keepReadsInOrder(Value memref) {
  auto buffer = dyn_cast<BlockArgument>(memref);
  if (buffer)
    cast<FunctionOpInterface>(buffer.getOwner()->getParentOp())
        .setArgAttr(buffer.getArgNumber(), kOrderedReadsAttrName,
                    UnitAttr::get(buffer.getContext()));
}

Value fuser::emitThread(OpBuilder &b, Location loc) {
  return gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
}

Value fuser::emitBlock(OpBuilder &b, Location loc) {
  return gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
}

Value fuser::emitBlockStart(OpBuilder &b, Location loc, int64_t perBlock) {
  Value block = emitBlock(b, loc);
  if (perBlock == 1)
    return block;
  return arith::MulIOp::create(
      b, loc, block, arith::ConstantIndexOp::create(b, loc, perBlock));
}

/// A value of fewer bits in a word of `type`; others as they are.
static Value emitWord(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  Type whole = b.getIntegerType(value.getType().getIntOrFloatBitWidth());
  return arith::ExtUIOp::create(b, loc, type,
                                emitBitcast(b, loc, whole, value));
}

static Value emitFromWord(OpBuilder &b, Location loc, Value word, Type type) {
  if (word.getType() == type)
    return word;
  Type whole = b.getIntegerType(type.getIntOrFloatBitWidth());
  return emitBitcast(b, loc, type,
                     arith::TruncIOp::create(b, loc, whole, word));
}

/// Shuffles move 32 bits.
Value fuser::emitShuffle(OpBuilder &b, Location loc, Value value, Value lane,
                         gpu::ShuffleMode mode) {
  Value width = arith::ConstantIntOp::create(b, loc, kWarpSize, 32);
  auto exchange = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(b, loc, word, lane, width, mode)
        .getShuffleResult();
  };
  Type type = value.getType(), word = b.getI32Type();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 32)
    return exchange(value);
  if (bits < 32)
    return emitFromWord(b, loc, exchange(emitWord(b, loc, value, word)), type);
  Type whole = b.getI64Type();
  Value raw = emitBitcast(b, loc, whole, value);
  Value shift = arith::ConstantIntOp::create(b, loc, 32, 64);
  Value low = arith::TruncIOp::create(b, loc, word, raw);
  Value high = arith::TruncIOp::create(
      b, loc, word, arith::ShRUIOp::create(b, loc, raw, shift));
  low = arith::ExtUIOp::create(b, loc, whole, exchange(low));
  high = arith::ExtUIOp::create(b, loc, whole, exchange(high));
  raw = arith::OrIOp::create(b, loc, arith::ShLIOp::create(b, loc, high, shift),
                             low);
  return emitBitcast(b, loc, type, raw);
}

void fuser::emitBarrierBeforeReuse(OpBuilder &b, SegmentOp segment,
                                   ArrayRef<unsigned> results, bool ofCluster) {
  if (llvm::none_of(results, [&](unsigned result) {
        return bool(getReusedInput(segment->getResult(result)));
      }))
    return;
  if (!ofCluster) {
    gpu::BarrierOp::create(b, segment.getLoc());
    return;
  }
  kernel::ClusterArriveOp::create(b, segment.getLoc(), /*relaxed=*/false);
  kernel::ClusterWaitOp::create(b, segment.getLoc());
}

void fuser::emitIf(OpBuilder &b, Location loc, Value condition,
                   function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

ElementThreads::ElementThreads(SegmentKernel &kernel, int64_t threads,
                               int64_t parts)
    : parts(parts) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.segment.getLoc();
  Value inBlock = emitThread(b, loc);
  first = emitBlockStart(b, loc, threads / parts);
  if (parts == threads) {
    part = inBlock;
    element = first;
    return;
  }
  if (parts > 1) {
    Value width = arith::ConstantIndexOp::create(b, loc, parts);
    part = arith::RemUIOp::create(b, loc, inBlock, width);
    inBlock = arith::DivUIOp::create(b, loc, inBlock, width);
  }
  element = arith::AddIOp::create(b, loc, first, inBlock);
}

/// All elements are computed before the first is stored: it may be stored over
/// an input.
static void emitElements(SegmentKernel &kernel, ArrayRef<unsigned> group,
                         ArrayRef<OpFoldResult> sizes, OpFoldResult count,
                         const ElementThreads &threads) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.segment.getLoc();
  ElementEmitter::Scope scope(kernel.getElements());
  Value position = threads.element, stores;
  if (threads.element != threads.first) {
    stores = emitCompare(b, loc, CmpIPredicate::ult, position, count);
    if (threads.part)
      position = arith::MinUIOp::create(
          b, loc, position,
          arith::SubIOp::create(b, loc, emitIndex(b, loc, count),
                                arith::ConstantIndexOp::create(b, loc, 1)));
  }
  if (threads.part)
    stores = emitAnd(b, loc, stores,
                     emitCompare(b, loc, CmpIPredicate::eq, threads.part,
                                 b.getIndexAttr(0)));
  SmallVector<Value> index =
      emitCoordinates(b, loc, position, sizes, isNarrow(count));
  SmallVector<Value> elements;
  for (unsigned result : group)
    elements.push_back(kernel.emitResult(loc, result, index, 1));
  // One part may store over what another still reads.
  if (threads.part)
    emitBarrierBeforeReuse(b, kernel.segment, group);
  emitIf(b, loc, stores, [&] {
    for (auto [result, value] : llvm::zip(group, elements))
      kernel.storeResult(loc, result, value, index);
  });
}

void fuser::emitElements(SegmentKernel &kernel, const ShapeSymbols &symbols,
                         const ElementThreads &threads) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.segment.getLoc();
  for (ArrayRef<unsigned> group : groupResults(kernel.segment, symbols)) {
    SmallVector<OpFoldResult> sizes =
        kernel.getSizes().getDims(kernel.segment.getYielded(group.front()));
    OpFoldResult count = emitProduct(b, loc, sizes);
    // A block has some of the elements or none: its threads come to the same
    // barriers. A thread alone has no barrier to come to.
    Value first = threads.part ? threads.first : threads.element;
    emitIf(b, loc, emitCompare(b, loc, CmpIPredicate::ult, first, count),
           [&] { ::emitElements(kernel, group, sizes, count, threads); });
  }
}
