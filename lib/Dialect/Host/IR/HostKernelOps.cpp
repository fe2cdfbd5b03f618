//===- HostKernelOps.cpp - Kernels and their launches ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
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

// (pointer 0, size 0 dim 1)
static ParseResult parseKernelParams(OpAsmParser &parser, ArrayAttr &attr) {
  SmallVector<Attribute> params;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        ParamAttr param;
        if (ParamAttr::parseBody(parser, param))
          return failure();
        params.push_back(param);
        return success();
      }))
    return failure();
  attr = parser.getBuilder().getArrayAttr(params);
  return success();
}

static void printKernelParams(OpAsmPrinter &printer, Operation *,
                              ArrayAttr attr) {
  printer << '(';
  llvm::interleaveComma(
      attr.getAsRange<ParamAttr>(), printer,
      [&](ParamAttr param) { param.printBody(printer.getStream()); });
  printer << ')';
}

/// [[0, 1], [2, 3]]
static OptionalParseResult parseRankLists(OpAsmParser &parser,
                                          ArrayAttr &lists) {
  SmallVector<Attribute> parsed;
  auto parseList = [&]() -> ParseResult {
    SmallVector<int64_t> ranks;
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(ranks.emplace_back());
        }))
      return failure();
    parsed.push_back(parser.getBuilder().getDenseI64ArrayAttr(ranks));
    return success();
  };
  if (failed(parser.parseOptionalLSquare()))
    return std::nullopt;
  if (failed(parser.parseOptionalRSquare()))
    if (parser.parseCommaSeparatedList(parseList) || parser.parseRSquare())
      return ParseResult(failure());
  lists = parser.getBuilder().getArrayAttr(parsed);
  return ParseResult(success());
}

static void printRankLists(OpAsmPrinter &printer, Operation *,
                           ArrayAttr lists) {
  printer << "[";
  llvm::interleaveComma(lists.getAsRange<DenseI64ArrayAttr>(), printer,
                        [&](DenseI64ArrayAttr list) {
                          printer << "[" << list.asArrayRef() << "]";
                        });
  printer << "]";
}

#define GET_OP_CLASSES
#include "fuser/Dialect/Host/IR/HostOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Lowered kernels
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<ParamAttr>> host::getKernelParams(Operation *kernel) {
  Attribute attr = kernel->getAttr(kParamsAttrName);
  auto list = dyn_cast_if_present<ArrayAttr>(attr);
  if (!list || !llvm::all_of(list, llvm::IsaPred<ParamAttr>)) {
    InFlightDiagnostic diag = kernel->emitOpError()
                              << "expected a list of #host.param in '"
                              << kParamsAttrName
                              << "', the parameters of a lowered kernel, got ";
    if (attr)
      return diag << attr;
    return diag << "none";
  }
  return llvm::to_vector(list.getAsRange<ParamAttr>());
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

LogicalResult KernelOp::verify() {
  // kernel_c1
  if (getThreads() && (*getThreads() < 1 || *getThreads() > 1024))
    return emitOpError("expected 1 to 1024 threads, got ")
           << static_cast<int32_t>(*getThreads());
  if (getScratch() && static_cast<int64_t>(*getScratch()) < 0)
    return emitOpError("expected no fewer than 0 bytes of scratch, got ")
           << static_cast<int64_t>(*getScratch());
  // kernel_c2
  if (getImage() && getImage()->empty())
    return emitOpError("expected an image of some bytes, or no image");
  // kernel_c3
  for (ParamAttr param : getParamAttrs())
    if (param.getKind() == ParamKind::TensorMap && !getImage())
      return emitOpError("expected an image of a kernel that takes a tensor "
                         "map, which only a GPU reads, got native code");
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

void LaunchOp::build(OpBuilder &builder, OperationState &state,
                     SymbolRefAttr kernel, ValueRange grid,
                     ArrayRef<int32_t> block, ValueRange args,
                     Value sharedBytes) {
  build(builder, state, kernel, grid[0], grid[1], grid[2],
        builder.getDenseI32ArrayAttr(block), /*cluster=*/nullptr, sharedBytes,
        args, /*writes=*/nullptr, /*cooperative=*/nullptr,
        /*programmatic=*/nullptr);
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
  // launch_c7
  if (getCooperative() && getProgrammatic())
    return emitOpError("expected a cooperative launch or a programmatic one, "
                       "got both");
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

/// launch_c6: the launch's argument that `param` is made from.
static LogicalResult verifyParam(LaunchOp op, KernelOp kernel,
                                 ParamAttr param) {
  auto emit = [&] {
    std::string text;
    llvm::raw_string_ostream stream(text);
    param.printBody(stream);
    InFlightDiagnostic diag = op.emitOpError("expected ");
    diag.attachNote(kernel.getLoc())
        << "the kernel's parameter '" << text << "' asks for it here";
    return diag;
  };
  unsigned argument = param.getArgument();
  if (argument >= op.getArgs().size())
    return emit() << "an argument " << argument << ", got "
                  << op.getArgs().size() << " arguments";
  Type type = op.getArgs()[argument].getType();
  auto memref = dyn_cast<MemRefType>(type);
  if ((param.getKind() == ParamKind::Scalar) == static_cast<bool>(memref))
    return emit() << "argument " << argument << " to be a "
                  << (memref ? "scalar" : "memref") << ", got " << type;
  if (param.getDim() && *param.getDim() >= memref.getRank())
    return emit() << "argument " << argument << " to have a dimension "
                  << *param.getDim() << ", got " << type;
  if (param.getKind() == ParamKind::TensorMap)
    return param.verifyTensor(emit, memref);
  return success();
}

/// launch_c6
static LogicalResult verifyLaunchOf(LaunchOp op, KernelOp kernel) {
  for (ParamAttr param : kernel.getParamAttrs())
    if (failed(verifyParam(op, kernel, param)))
      return failure();
  int64_t threads = 1;
  for (int32_t size : op.getBlock())
    threads *= size;
  if (!kernel.getThreads() || threads <= *kernel.getThreads())
    return success();
  InFlightDiagnostic diag = op.emitOpError("expected a block of at most ")
                            << *kernel.getThreads() << " threads, got "
                            << threads;
  diag.attachNote(kernel.getLoc()) << "the kernel is made for no more";
  return diag;
}

/// launch_c9
static LogicalResult verifyBlock(LaunchOp op, FunctionOpInterface kernel) {
  auto block = kernel->getAttrOfType<DenseI32ArrayAttr>("known_block_size");
  if (!block || block.asArrayRef() == op.getBlock())
    return success();
  InFlightDiagnostic diag = op.emitOpError("expected a block of (")
                            << block.asArrayRef() << ") threads, got ("
                            << op.getBlock() << ")";
  diag.attachNote(kernel.getLoc()) << "the kernel relies on its size";
  return diag;
}

// launch_c4
LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  SymbolRefAttr kernel = getKernel();
  if (Operation *op = symbolTable.lookupNearestSymbolFrom(*this, kernel)) {
    if (auto kernel = dyn_cast<KernelOp>(op))
      return verifyLaunchOf(*this, kernel);
    auto func = dyn_cast<FunctionOpInterface>(op);
    if (!func)
      return success();
    if (failed(verifyBlock(*this, func)))
      return failure();
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
