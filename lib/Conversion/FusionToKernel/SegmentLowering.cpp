//===- SegmentLowering.cpp - What a segment becomes -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/SegmentLowering.h"
#include "fuser/Conversion/KernelSignature.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fuser;

static func::FuncOp createHostFunction(fusion::SegmentOp segment,
                                       StringRef name) {
  OpBuilder b =
      OpBuilder::atBlockEnd(segment->getParentOfType<ModuleOp>().getBody());
  SmallVector<Type> types;
  for (const KernelArgument &argument : getKernelArguments(segment))
    types.push_back(argument.type);
  auto host = func::FuncOp::create(b, segment.getLoc(), (name + "_host").str(),
                                   b.getFunctionType(types, {}));
  host.setPrivate();
  b.setInsertionPointToEnd(host.addEntryBlock());
  func::ReturnOp::create(b, segment.getLoc());
  return host;
}

SegmentLowering::SegmentLowering(fusion::SegmentOp segment,
                                 const ShapeSymbols &symbols, StringRef name,
                                 OpBuilder &modules)
    : segment(segment), symbols(symbols), name(name), modules(modules),
      host(createHostFunction(segment, name)),
      builder(host.getBody().front().getTerminator()),
      innerSizes(builder, segment, &host.getBody().front(),
                 host.getArguments()) {}

Value SegmentLowering::getBuffer(Value tensor) {
  if (auto result = dyn_cast<OpResult>(tensor);
      result && result.getOwner() == segment)
    return host.getArgument(segment.getInputs().size() +
                            result.getResultNumber());
  return host.getArgument(std::distance(
      segment.getInputs().begin(), llvm::find(segment.getInputs(), tensor)));
}

OpFoldResult SegmentLowering::getDim(Value tensor, int64_t dim) {
  int64_t known = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(known))
    return builder.getIndexAttr(known);
  Value &size = dims[{tensor, dim}];
  if (!size) {
    // Visible in all of the function.
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&host.getBody().front());
    size = memref::DimOp::create(builder, getLoc(), getBuffer(tensor), dim);
  }
  return size;
}

SmallVector<OpFoldResult> SegmentLowering::getSizes(Value tensor) {
  SmallVector<OpFoldResult> sizes;
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  for (int64_t d = 0; d < rank; ++d)
    sizes.push_back(getDim(tensor, d));
  return sizes;
}

void fuser::setArgumentAttrs(FunctionOpInterface kernel,
                             ArrayRef<KernelArgument> arguments) {
  Builder b(kernel.getContext());
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (!isa<MemRefType>(argument.type))
      continue;
    kernel.setArgAttr(i, kAlignmentAttrName,
                      b.getI64IntegerAttr(argument.alignment));
    if (argument.noAlias)
      kernel.setArgAttr(i, kNoAliasAttrName, b.getUnitAttr());
  }
}

SymbolRefAttr fuser::getKernelSymbol(FunctionOpInterface kernel) {
  Operation *module = kernel->getParentOp();
  return SymbolRefAttr::get(SymbolTable::getSymbolName(module),
                            FlatSymbolRefAttr::get(kernel));
}

void SegmentLowering::launch(FunctionOpInterface kernel, LaunchSize size,
                             ValueRange workspaces) {
  Location loc = getLoc();
  auto args = llvm::to_vector_of<Value>(host.getArguments());
  llvm::append_range(args, workspaces);
  auto writes = llvm::filter_to_vector(
      llvm::seq<int64_t>(segment.getInputs().size(), args.size()),
      [&](int64_t i) { return isa<MemRefType>(args[i].getType()); });
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value blocks = getValueOrCreateConstantIndexOp(builder, loc, size.blocks);
  Value sharedBytes;
  if (size.sharedBytes > 0)
    sharedBytes =
        arith::ConstantIndexOp::create(builder, loc, size.sharedBytes);
  auto launch = host::LaunchOp::create(
      builder, loc, getKernelSymbol(kernel), {blocks, one, one},
      {int32_t(size.threads), 1, 1}, args, sharedBytes);
  launch.setWrites(writes);
  if (size.clusterBlocks > 1)
    launch.setCluster(ArrayRef<int32_t>{int32_t(size.clusterBlocks), 1, 1});
  launch.setProgrammatic(size.programmatic);
  if (!llvm::is_contained(kernels, kernel))
    kernels.push_back(kernel);
}
