//===- SpecializeCalls.cpp - A function for each way of calling it --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/FusionToHost.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Dialect/Host/Transforms/ProgramRules.h"
#include "fuser/Support/CheckOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringMap.h"
#include <numeric>

namespace fuser {
#define GEN_PASS_DEF_HOSTSPECIALIZECALLSPASS
#include "fuser/Conversion/FusionToHost.h.inc"
} // namespace fuser

using namespace fuser;
using namespace fuser::host;
using fusion::FusionDialect;

//===----------------------------------------------------------------------===//
// What is known of a buffer
//===----------------------------------------------------------------------===//

/// The alignment of the first element in bytes, or 0 if only that of the
/// element is known.
static int64_t getAlignment(Value buffer) {
  // What begins where a buffer begins.
  while (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  Operation *maker = buffer.getDefiningOp();
  if (isa_and_nonnull<AllocOp, WorkspaceOp>(maker))
    return 16;
  auto getStated = [](Attribute attr) -> int64_t {
    auto tensor = dyn_cast_or_null<TensorAttr>(attr);
    return tensor ? tensor.getAlignment() : 0;
  };
  if (auto output = dyn_cast_or_null<OutputOp>(maker))
    if (auto program = output->getParentOfType<func::FuncOp>())
      return getStated(
          program.getResultAttr(output.getIndex(), kTensorAttrName));
  if (auto arg = dyn_cast<BlockArgument>(buffer))
    if (auto program = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp()))
      return getStated(program.getArgAttr(arg.getArgNumber(), kTensorAttrName));
  return 0;
}

static bool isRowMajor(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> order(type.getRank());
  std::iota(order.begin(), order.end(), 0);
  return isContiguous(type, order) == true;
}

/// Whether the memory of two buffers is known to be apart: buffers of their
/// own, or an output and an argument, which the runtime compares.
static bool areApart(Value a, Value b) {
  Value x = getRootBuffer(a), y = getRootBuffer(b);
  if (x == y)
    return false;
  auto isMade = [](Value root) {
    return isa_and_nonnull<AllocOp, OutputOp, WorkspaceOp, CallOp>(
        root.getDefiningOp());
  };
  auto isArgument = [](Value root) {
    auto arg = dyn_cast<BlockArgument>(root);
    return arg && isa<func::FuncOp>(arg.getOwner()->getParentOp());
  };
  return (isMade(x) && (isMade(y) || isArgument(y))) ||
         (isMade(y) && isArgument(x));
}

//===----------------------------------------------------------------------===//
// Buffers that must be apart
//===----------------------------------------------------------------------===//

namespace {
/// The bytes from the first element of a buffer to behind its last.
struct Span {
  Value begin, end, isEmpty;
};
} // namespace

static Span emitSpan(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value last = metadata.getOffset();
  Value isEmpty = arith::ConstantIntOp::create(b, loc, 0, 1);
  for (int64_t d = 0; d < type.getRank(); ++d) {
    Value size = metadata.getSizes()[d];
    Value reach =
        arith::MulIOp::create(b, loc, arith::SubIOp::create(b, loc, size, one),
                              metadata.getStrides()[d]);
    last = arith::AddIOp::create(b, loc, last, reach);
    Value hasNone =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, size, zero);
    isEmpty = arith::OrIOp::create(b, loc, isEmpty, hasNone);
  }
  unsigned bits = type.getElementTypeBitWidth();
  Value bytes = arith::ConstantIndexOp::create(b, loc, (bits + 7) / 8);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  auto address = [&](Value element) -> Value {
    return arith::AddIOp::create(b, loc, base,
                                 arith::MulIOp::create(b, loc, element, bytes));
  };
  return {address(metadata.getOffset()),
          address(arith::AddIOp::create(b, loc, last, one)), isEmpty};
}

static void emitApartCheck(CallOp call, Value out, unsigned outNumber,
                           Value arg, unsigned argNumber) {
  OpBuilder b(call);
  Location loc = call.getLoc();
  Span x = emitSpan(b, loc, out), y = emitSpan(b, loc, arg);
  auto atMost = [&](Value a, Value c) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, a, c);
  };
  Value holds = arith::OrIOp::create(b, loc, atMost(x.end, y.begin),
                                     atMost(y.end, x.begin));
  holds = arith::OrIOp::create(b, loc, holds, x.isEmpty);
  holds = arith::OrIOp::create(b, loc, holds, y.isEmpty);
  std::string message;
  llvm::raw_string_ostream(message)
      << "host.call @" << quoteForCheck(call.getCallee())
      << ": expected the memory of out " << outNumber
      << ", which is written, apart from that of argument " << argNumber
      << ", got them overlapping";
  CheckOp::create(b, loc, holds, describeCheckPlace(loc) + message,
                  ValueRange());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct SpecializeCalls
    : public fuser::impl::HostSpecializeCallsPassBase<SpecializeCalls> {
  using Base::Base;
  void runOnOperation() override;

private:
  LogicalResult specialize(CallOp call, func::FuncOp callee,
                           SymbolTable &symbols);
  llvm::StringMap<func::FuncOp> functions;
};

/// One way of calling a function: all arguments, with those that are only
/// written behind the function's own, and for each out the argument that it is.
struct CallForm {
  SmallVector<Value> args;
  SmallVector<unsigned> reused;

  CallForm(CallOp call) : args(call.getArgs()) {
    for (Value out : call.getOuts()) {
      auto *same = llvm::find(args, out);
      reused.push_back(same - args.begin());
      if (same == args.end())
        args.push_back(out);
    }
  }
};
} // namespace

/// Says on the arguments how buffers lie.
static void describeArguments(func::FuncOp func, ValueRange args) {
  Builder b(func.getContext());
  for (auto [i, arg] : llvm::enumerate(args)) {
    if (!isa<MemRefType>(arg.getType()))
      continue;
    bool isRequired =
        func.getArgAttr(i, FusionDialect::getStrideOrderAttrName()) != nullptr;
    if (!isRequired && !isRowMajor(arg))
      func.setArgAttr(i, FusionDialect::getLayoutAttrName(),
                      b.getStringAttr("any"));
    StringRef alignment = FusionDialect::getAlignmentAttrName();
    if (int64_t known = getAlignment(arg);
        known > 1 && !func.getArgAttr(i, alignment))
      func.setArgAttr(i, alignment, b.getI64IntegerAttr(known));
  }
}

/// Writes the results into arguments.
static LogicalResult reuseArguments(CallOp call, func::FuncOp func,
                                    const CallForm &form) {
  StringRef name = FusionDialect::getAliasAttrName();
  for (auto [result, argument] : llvm::enumerate(form.reused)) {
    auto alias = func.getResultAttrOfType<fusion::AliasAttr>(result, name);
    if (alias && alias.getKind() == fusion::AliasKind::Reuse)
      return call.emitOpError("expected no outs for @")
             << call.getCallee() << ", which writes result " << result
             << " into its argument " << alias.getInput();
    func.setResultAttr(result, name,
                       fusion::AliasAttr::get(func.getContext(),
                                              fusion::AliasKind::Reuse,
                                              argument));
  }
  return success();
}

/// An out that is several arguments is one of them: what is written has one
/// name in the function.
static void mergeArguments(func::FuncOp func, const CallForm &form) {
  for (unsigned written : form.reused)
    for (unsigned i = 0; i < form.args.size(); ++i)
      if (i != written && form.args[i] == form.args[written])
        func.getArgument(i).replaceAllUsesWith(func.getArgument(written));
}

/// The arguments of the copy: tensors for buffers that are only written.
static void addArguments(func::FuncOp func, CallOp call, const CallForm &form) {
  unsigned own = func.getNumArguments();
  for (auto [result, argument] : llvm::enumerate(form.reused))
    if (argument >= own)
      (void)func.insertArgument(func.getNumArguments(),
                                func.getResultTypes()[result], {},
                                call.getOuts()[result].getLoc());
}

/// Checks that are not the callee's own: what is written is apart.
static void checkApart(CallOp call, const CallForm &form) {
  for (auto [number, out] : llvm::enumerate(call.getOuts()))
    for (auto [i, arg] : llvm::enumerate(form.args))
      if (arg != out && isa<MemRefType>(arg.getType()) && !areApart(out, arg))
        emitApartCheck(call, out, number, arg, i);
}

/// A host program writes its outputs apart from all that it reads.
static LogicalResult checkOuts(CallOp call) {
  for (Value out : call.getOuts())
    if (llvm::is_contained(call.getArgs(), out))
      return call.emitOpError("expected outs of the host program @")
             << call.getCallee() << " that are none of its arguments";
  checkApart(call, CallForm(call));
  return success();
}

LogicalResult SpecializeCalls::specialize(CallOp call, func::FuncOp callee,
                                          SymbolTable &symbols) {
  CallForm form(call);
  func::FuncOp copy = callee.clone();
  copy.setPrivate();
  addArguments(copy, call, form);
  mergeArguments(copy, form);
  describeArguments(copy, form.args);
  if (failed(reuseArguments(call, copy, form))) {
    copy.erase();
    return failure();
  }
  // Copies of one function that read alike are one.
  std::string key;
  llvm::raw_string_ostream os(key);
  copy.print(os);
  func::FuncOp &function = functions[key];
  if (function) {
    copy.erase();
  } else {
    function = copy;
    symbols.insert(copy, Block::iterator(callee));
    ++numFunctions;
  }
  checkApart(call, form);
  OpBuilder b(call);
  SmallVector<Type> results(call.getResultTypes());
  if (results.empty())
    llvm::append_range(results, call.getOuts().getTypes());
  auto made = CallOp::create(b, call.getLoc(), results,
                             FlatSymbolRefAttr::get(function.getSymNameAttr()),
                             form.args, ValueRange());
  if (call.getNumResults())
    call.replaceAllUsesWith(made);
  call.erase();
  return success();
}

void SpecializeCalls::runOnOperation() {
  functions.clear();
  SymbolTable symbols(getOperation());
  SmallVector<CallOp> calls;
  getOperation().walk([&](CallOp call) { calls.push_back(call); });
  llvm::SmallSetVector<Operation *, 8> generic;
  for (CallOp call : calls) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    bool isCompiled = callee->hasAttr(kProgramAttrName);
    WalkResult walked = callee.walk([](fusion::SegmentOp segment) {
      return segment.getHostFunctionAttr() ? WalkResult::interrupt()
                                           : WalkResult::advance();
    });
    // What has gone through this already stays as it is.
    if (isCompiled || walked.wasInterrupted()) {
      if (failed(checkOuts(call)))
        return signalPassFailure();
      continue;
    }
    if (failed(specialize(call, callee, symbols)))
      return signalPassFailure();
    generic.insert(callee);
  }
  // Nobody calls them any more.
  for (Operation *func : generic)
    if (SymbolTable::symbolKnownUseEmpty(func, getOperation()) &&
        cast<func::FuncOp>(func).isPrivate())
      func->erase();
}
