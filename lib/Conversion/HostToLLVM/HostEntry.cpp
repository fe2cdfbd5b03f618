//===- HostEntry.cpp - The entry function of a host program ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostToLLVMInternal.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"

using namespace fuser;
using namespace fuser::host_to_llvm;

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

Value host_to_llvm::emitConstant(OpBuilder &builder, Location loc, Type type,
                                 int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getIntegerAttr(type, value));
}

Value host_to_llvm::emitOffset(OpBuilder &builder, Location loc, Value base,
                               int64_t bytes) {
  if (bytes == 0)
    return base;
  return LLVM::GEPOp::create(
      builder, loc, base.getType(), builder.getI8Type(), base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)},
      LLVM::GEPNoWrapFlags::inbounds);
}

void host_to_llvm::emitStore(OpBuilder &builder, Location loc, Value value,
                             Value base, int64_t bytes) {
  LLVM::StoreOp::create(builder, loc, value,
                        emitOffset(builder, loc, base, bytes));
}

/// A load from memory that does not change while the program runs.
static Value emitLoad(OpBuilder &builder, Location loc, Type type, Value base,
                      int64_t bytes) {
  return LLVM::LoadOp::create(builder, loc, type,
                              emitOffset(builder, loc, base, bytes),
                              /*alignment=*/0, /*isVolatile=*/false,
                              /*isNonTemporal=*/false, /*isInvariant=*/true);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// The descriptor of the tensor that the FuserTensorView at `view` describes.
static Value emitDescriptor(OpBuilder &builder, Location loc, MemRefType type,
                            Value view, const LLVMTypeConverter &converter) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  Value data = emitLoad(builder, loc, pointer, view, kViewData);
  Value sizes = emitLoad(builder, loc, pointer, view, kViewSizes);
  Value strides = emitLoad(builder, loc, pointer, view, kViewStrides);
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, data);
  descriptor.setAlignedPtr(builder, loc, data);
  descriptor.setConstantOffset(builder, loc, 0);
  // Static extents are constants; the runtime has checked them.
  auto emitExtent = [&](int64_t extent, Value array, int64_t dim) {
    return ShapedType::isDynamic(extent)
               ? emitLoad(builder, loc, i64, array, dim * kSlotBytes)
               : emitConstant(builder, loc, i64, extent);
  };
  SmallVector<int64_t> typeStrides = type.getStridesAndOffset().first;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    descriptor.setSize(builder, loc, d,
                       emitExtent(type.getDimSize(d), sizes, d));
    descriptor.setStride(builder, loc, d,
                         emitExtent(typeStrides[d], strides, d));
  }
  return descriptor;
}

/// The values of the program's arguments, in the program's types.
static SmallVector<Value> emitInputs(OpBuilder &builder,
                                     ArrayRef<BlockArgument> args, Value inputs,
                                     Value scalars,
                                     const LLVMTypeConverter &converter) {
  SmallVector<Value> values;
  int64_t numTensors = 0, numScalars = 0;
  for (BlockArgument arg : args) {
    Location loc = arg.getLoc();
    Value value;
    if (auto type = dyn_cast<MemRefType>(arg.getType())) {
      Value view = emitOffset(builder, loc, inputs, kViewBytes * numTensors++);
      value = emitDescriptor(builder, loc, type, view, converter);
    } else {
      // The value lies in the slot's first bytes, in its own type.
      value = emitLoad(builder, loc, converter.convertType(arg.getType()),
                       scalars, kSlotBytes * numScalars++);
    }
    if (value.getType() != arg.getType())
      value =
          UnrealizedConversionCastOp::create(builder, loc, arg.getType(), value)
              .getResult(0);
    values.push_back(value);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// The frame
//===----------------------------------------------------------------------===//

/// Memory in the entry's frame for `count` elements, null for none.
static Value emitAlloca(OpBuilder &builder, Location loc, Type element,
                        int64_t count) {
  if (count == 0)
    return nullptr;
  Value size = emitConstant(builder, loc, builder.getI64Type(), count);
  return LLVM::AllocaOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), element,
      size, kSlotBytes);
}

/// One piece of memory for each kind of call, shared by all calls of the kind.
/// Parameters have fixed slots, so their array of pointers is written once.
static void emitFrame(OpBuilder &builder, Location loc, Entry &entry) {
  const ProgramPlan &plan = *entry.plan;
  Type i64 = builder.getI64Type();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  if (!plan.launches.empty())
    entry.dims = emitAlloca(builder, loc, builder.getI8Type(), kDimsBytes);
  int64_t numParams = std::max<int64_t>(plan.maxParams, !plan.launches.empty());
  entry.slots = emitAlloca(builder, loc, i64, numParams);
  entry.params = emitAlloca(builder, loc, pointer, numParams);
  entry.tensors =
      emitAlloca(builder, loc, builder.getI8Type(), plan.maxTensorBytes);
  // A tensor of rank 0 has arrays too: they are never null.
  entry.sizes = emitAlloca(
      builder, loc, i64, std::max<int64_t>({plan.maxRank, plan.maxValues, 1}));
  entry.strides =
      emitAlloca(builder, loc, i64, std::max<int64_t>(plan.maxRank, 1));
  entry.pointer = emitAlloca(builder, loc, pointer, 1);
  entry.matmul = emitAlloca(builder, loc, builder.getI8Type(),
                            plan.hasMatmul ? kMatmulBytes : 0);
  entry.transfer = emitAlloca(builder, loc, builder.getI8Type(),
                              plan.hasTransfer ? kTransferBytes : 0);
  for (int64_t i = 0; i < numParams; ++i)
    emitStore(builder, loc,
              emitOffset(builder, loc, entry.slots, kSlotBytes * i),
              entry.params, kSlotBytes * i);
}

Entry host_to_llvm::createEntry(func::FuncOp program, const ProgramPlan &plan,
                                const LLVMTypeConverter &converter) {
  Location loc = program.getLoc();
  OpBuilder builder(program);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i32 = builder.getI32Type();
  auto type = LLVM::LLVMFunctionType::get(i32, SmallVector<Type>(4, pointer));

  Entry entry;
  entry.plan = &plan;
  entry.func = LLVM::LLVMFuncOp::create(builder, loc, getEntryName(), type);
  Block *prologue = entry.func.addEntryBlock(builder);
  entry.api = prologue->getArgument(0);
  entry.frame = prologue->getArgument(1);

  Block *body = &program.getBody().front();
  entry.func.getBody().getBlocks().splice(entry.func.getBody().end(),
                                          program.getBody().getBlocks());
  builder.setInsertionPointToStart(prologue);
  emitFrame(builder, loc, entry);
  SmallVector<Value> inputs =
      emitInputs(builder, body->getArguments(), prologue->getArgument(2),
                 prologue->getArgument(3), converter);
  IRRewriter rewriter(builder);
  rewriter.mergeBlocks(body, prologue, inputs);

  for (Block &block : entry.func.getBody()) {
    auto returnOp = dyn_cast<func::ReturnOp>(block.getTerminator());
    if (!returnOp)
      continue;
    builder.setInsertionPoint(returnOp);
    Value ok = emitConstant(builder, returnOp.getLoc(), i32, 0);
    LLVM::ReturnOp::create(builder, returnOp.getLoc(), ok);
    returnOp.erase();
  }

  entry.exit = builder.createBlock(&entry.func.getBody(),
                                   entry.func.getBody().end(), i32, loc);
  LLVM::ReturnOp::create(builder, loc, entry.exit->getArgument(0));
  program.erase();
  return entry;
}
