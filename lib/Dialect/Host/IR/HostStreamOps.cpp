//===- HostStreamOps.cpp - Launches, copies, streams and checks -----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace fuser;
using namespace fuser::host;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

// (x, y, z)
static ParseResult parseExtents(OpAsmParser &parser, DenseI32ArrayAttr &attr) {
  SmallVector<int32_t> extents;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        return parser.parseInteger(extents.emplace_back());
      }))
    return failure();
  attr = parser.getBuilder().getDenseI32ArrayAttr(extents);
  return success();
}

static void printExtents(OpAsmPrinter &printer, Operation *,
                         DenseI32ArrayAttr attr) {
  printer << '(';
  llvm::interleaveComma(attr.asArrayRef(), printer);
  printer << ')';
}

#define GET_OP_CLASSES
#include "fuser/Dialect/Host/IR/HostOps.cpp.inc"

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

void LaunchOp::build(OpBuilder &builder, OperationState &state,
                     SymbolRefAttr kernel, ValueRange grid,
                     ArrayRef<int32_t> block, ValueRange args,
                     Value sharedBytes) {
  build(builder, state, kernel, grid[0], grid[1], grid[2],
        builder.getDenseI32ArrayAttr(block), /*cluster=*/nullptr, sharedBytes,
        args, /*writes=*/nullptr);
}

bool LaunchOp::mayWrite(unsigned arg) {
  return isa<MemRefType>(getArgs()[arg].getType()) &&
         (!getWrites() || llvm::is_contained(*getWrites(), int64_t(arg)));
}

// launch_c1
static LogicalResult verifyExtents(LaunchOp op, StringRef what,
                                   ArrayRef<int32_t> extents) {
  bool fits = extents.size() == 3 &&
              llvm::all_of(extents, [](int32_t size) { return size >= 1; });
  if (fits)
    return success();
  return op.emitOpError("expected ")
         << what << " to have three sizes, each at least 1, got (" << extents
         << ")";
}

// launch_c2
static LogicalResult verifyArgTypes(LaunchOp op) {
  for (auto [i, arg] : llvm::enumerate(op.getArgs())) {
    Type type = arg.getType();
    if (auto memref = dyn_cast<MemRefType>(type)) {
      if (memref.isStrided())
        continue;
      return op.emitOpError("expected argument ")
             << i << " to have a strided layout, got " << type;
    }
    if (!type.isIndex() &&
        !(type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64))
      return op.emitOpError("expected argument ")
             << i
             << " to be a memref, index, or an integer or float of at most 64 "
                "bits, got "
             << type;
  }
  return success();
}

LogicalResult LaunchOp::verify() {
  if (failed(verifyExtents(*this, "block", getBlock())))
    return failure();
  if (getCluster() && failed(verifyExtents(*this, "cluster", *getCluster())))
    return failure();
  if (failed(verifyArgTypes(*this)))
    return failure();
  // launch_c3
  int64_t last = -1;
  for (int64_t arg : getWrites().value_or(ArrayRef<int64_t>())) {
    if (arg <= last || arg >= static_cast<int64_t>(getArgs().size()) ||
        !isa<MemRefType>(getArgs()[arg].getType()))
      return emitOpError("expected writes to hold positions of memref "
                         "arguments, ascending, got ")
             << arg;
    last = arg;
  }
  return success();
}

/// True if whatever the kernel knows of its argument from `param` is said by
/// `arg`. The offset is part of the pointer that the kernel is given.
static bool fitsKernel(MemRefType param, MemRefType arg) {
  if (param == arg)
    return true;
  SmallVector<int64_t> known, strides;
  int64_t ignored;
  if (param.getRank() != arg.getRank() ||
      param.getElementType() != arg.getElementType() ||
      failed(param.getStridesAndOffset(known, ignored)) ||
      failed(arg.getStridesAndOffset(strides, ignored)))
    return false;
  auto isSaid = [](int64_t expected, int64_t got) {
    return ShapedType::isDynamic(expected) || expected == got;
  };
  for (int64_t dim = 0; dim < arg.getRank(); ++dim) {
    int64_t size = arg.getDimSize(dim);
    // Nothing depends on the stride between the elements of a dimension of one.
    if (!isSaid(param.getDimSize(dim), size) ||
        (size != 1 && !isSaid(known[dim], strides[dim])))
      return false;
  }
  return true;
}

LogicalResult host::verifyKernelArguments(
    FunctionOpInterface kernel, TypeRange args,
    llvm::function_ref<InFlightDiagnostic()> emitError) {
  if (!isa<FunctionType>(kernel.getFunctionType()))
    return success();
  ArrayRef<Type> types = kernel.getArgumentTypes();
  // A cpu kernel takes the range of its work items too, and perhaps scratch
  // memory.
  size_t numHidden = types.size() - args.size();
  if (types.size() > args.size() && (numHidden == 2 || numHidden == 3) &&
      types[args.size()].isIndex() && types[args.size() + 1].isIndex())
    types = types.take_front(args.size());
  auto emit = [&] {
    InFlightDiagnostic diag = emitError() << "expected ";
    diag.attachNote(kernel.getLoc()) << "the kernel is here";
    return diag;
  };
  if (types.size() != args.size())
    return emit() << types.size() << " arguments, as the kernel has, got "
                  << args.size();
  for (auto [i, type, arg] : llvm::enumerate(types, args)) {
    auto param = dyn_cast<MemRefType>(type);
    auto buffer = dyn_cast<MemRefType>(arg);
    if (!(param && buffer ? fitsKernel(param, buffer) : type == arg))
      return emit() << "argument " << i << " to fit the kernel's, " << type
                    << ", got " << arg;
  }
  return success();
}

// launch_c4
LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  SymbolRefAttr kernel = getKernel();
  if (Operation *op = symbolTable.lookupNearestSymbolFrom(*this, kernel)) {
    auto func = dyn_cast<FunctionOpInterface>(op);
    if (!func)
      return success();
    return verifyKernelArguments(func, getArgs().getTypes(),
                                 [&] { return emitOpError(); });
  }
  if (kernel.getNestedReferences().empty())
    return emitOpError("expected a kernel, got the unknown symbol ") << kernel;
  Operation *root =
      symbolTable.lookupNearestSymbolFrom(*this, kernel.getRootReference());
  if (!root)
    return success();
  InFlightDiagnostic diag =
      emitOpError("expected a kernel, got the unknown symbol ") << kernel;
  diag.attachNote(root->getLoc()) << "looked for in this module";
  return diag;
}

//===----------------------------------------------------------------------===//
// CopyOp
//===----------------------------------------------------------------------===//

/// True if the memref has static sizes and strides and leaves memory between
/// its elements.
static bool hasHoles(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  if (!type.hasStaticShape() || llvm::any_of(strides, ShapedType::isDynamic))
    return false;
  SmallVector<std::pair<int64_t, int64_t>> dims; // stride, size
  for (auto [stride, size] : llvm::zip(strides, type.getShape()))
    if (size != 1)
      dims.emplace_back(stride, size);
  llvm::sort(dims);
  int64_t expected = 1;
  for (auto [stride, size] : dims) {
    if (stride != expected)
      return type.getNumElements() != 0;
    expected *= size;
  }
  return false;
}

LogicalResult CopyOp::verify() {
  MemRefType src = getSrc().getType(), dst = getDst().getType();
  auto compatible = [](ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
    return llvm::all_of_zip(a, b, [](int64_t x, int64_t y) {
      return x == y || ShapedType::isDynamic(x) || ShapedType::isDynamic(y);
    });
  };
  // copy_c1
  if (src.getRank() != dst.getRank() ||
      src.getElementType() != dst.getElementType() ||
      !compatible(src.getShape(), dst.getShape()))
    return emitOpError("expected buffers of the same rank, element type and "
                       "sizes, got ")
           << src << " and " << dst;
  // copy_c2
  if (!compatible(src.getStridesAndOffset().first,
                  dst.getStridesAndOffset().first))
    return emitOpError("expected buffers of the same strides, since bytes are "
                       "copied, got ")
           << src << " and " << dst;
  for (MemRefType type : {src, dst})
    if (hasHoles(type))
      return emitOpError("expected dense buffers, since bytes are copied, got ")
             << type;
  return success();
}

//===----------------------------------------------------------------------===//
// CheckOp
//===----------------------------------------------------------------------===//

// check_c1
LogicalResult CheckOp::verify() {
  StringRef rest = getMessage();
  for (;;) {
    rest = rest.drop_until([](char c) { return c == '{'; });
    if (rest.empty())
      return success();
    rest = rest.drop_front();
    StringRef digits = rest.take_while(llvm::isDigit);
    unsigned number;
    if (digits.getAsInteger(10, number) ||
        !rest.drop_front(digits.size()).starts_with("}"))
      continue;
    if (number >= getValues().size())
      return emitOpError("expected a value for {")
             << number << "} of the message, got " << getValues().size()
             << " values";
  }
}

// check(true) ->
LogicalResult CheckOp::canonicalize(CheckOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return rewriter.notifyMatchFailure(op,
                                       "the condition is not known to hold");
  rewriter.eraseOp(op);
  return success();
}
