//===- InlineCalls.cpp - Programs that are called go where the calls are --===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/FusionToHost.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Support/CheckOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include <map>

namespace fuser {
#define GEN_PASS_DEF_HOSTINLINECALLSPASS
#include "fuser/Conversion/FusionToHost.h.inc"
} // namespace fuser

using namespace fuser;
using namespace fuser::host;

namespace {
/// Puts one callee's program in place of one call.
class CallInliner {
public:
  CallInliner(CallOp call, func::FuncOp callee, int32_t firstWorkspace)
      : call(call), callee(callee), firstWorkspace(firstWorkspace), b(call) {}

  LogicalResult run();

private:
  Location getLoc() { return call.getLoc(); }
  /// What messages call a value of the call.
  std::string getText(StringRef kind, unsigned number) {
    return (kind + " " + Twine(number) + " of @" + call.getCallee()).str();
  }
  void checkSize(Value buffer, StringRef what, int64_t dim, Value expected);
  FailureOr<Value> castBuffer(Value buffer, Type type, StringRef what);
  LogicalResult mapArguments();
  void checkAsked(Value size, StringRef what, int64_t dim, SizeAttr asked);
  void checkSymbols();
  LogicalResult inlineOp(Operation &op);
  void replaceCallersStream(Operation *copy);
  LogicalResult inlineOutput(OutputOp output);
  LogicalResult replaceResults(func::ReturnOp returned);

  CallOp call;
  func::FuncOp callee;
  int32_t firstWorkspace;
  OpBuilder b;
  IRMapping mapping;
  Value caller; ///< The stream at the call, where the callee uses others.
};
} // namespace

//===----------------------------------------------------------------------===//
// Types and sizes
//===----------------------------------------------------------------------===//

void CallInliner::checkSize(Value buffer, StringRef what, int64_t dim,
                            Value expected) {
  Value size = memref::DimOp::create(b, getLoc(), buffer, dim);
  Value same = arith::CmpIOp::create(b, getLoc(), arith::CmpIPredicate::eq,
                                     size, expected);
  std::string message;
  llvm::raw_string_ostream(message)
      << "expected dimension " << dim << " of " << quoteForCheck(what)
      << " to be {0}, got {1}";
  CheckOp::create(b, getLoc(), same, describeCheckPlace(getLoc()) + message,
                  ValueRange{expected, size});
}

/// Whether a type's strides and offset follow from another's.
static bool followsLayout(MemRefType type, MemRefType from) {
  if (type.getLayout().isIdentity() && from.getLayout().isIdentity())
    return true;
  auto [strides, offset] = type.getStridesAndOffset();
  auto [fromStrides, fromOffset] = from.getStridesAndOffset();
  auto follows = [](int64_t to, int64_t from) {
    return ShapedType::isDynamic(to) || to == from;
  };
  return follows(offset, fromOffset) &&
         llvm::all_of_zip(strides, fromStrides, follows);
}

/// The buffer as `type`. Sizes that only `type` knows are checked.
FailureOr<Value> CallInliner::castBuffer(Value buffer, Type type,
                                         StringRef what) {
  if (buffer.getType() == type)
    return buffer;
  auto to = cast<MemRefType>(type), from = cast<MemRefType>(buffer.getType());
  if (to.getStridesAndOffset().second == 0 &&
      from.getStridesAndOffset().second != 0) {
    buffer = RebaseOp::create(b, getLoc(), buffer);
    from = cast<MemRefType>(buffer.getType());
    if (from == to)
      return buffer;
  }
  if (!memref::CastOp::areCastCompatible(from, to) || !followsLayout(to, from))
    return call.emitOpError("expected ")
           << what << " to lie as " << to << " does, got " << from;
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (from.isDynamicDim(d) && !to.isDynamicDim(d))
      checkSize(buffer, what, d,
                arith::ConstantIndexOp::create(b, getLoc(), to.getDimSize(d)));
  return memref::CastOp::create(b, getLoc(), to, buffer).getResult();
}

LogicalResult CallInliner::mapArguments() {
  for (auto [i, arg] : llvm::enumerate(call.getArgs())) {
    BlockArgument inner = callee.getArgument(i);
    if (!isa<MemRefType>(inner.getType())) {
      mapping.map(inner, arg);
      continue;
    }
    FailureOr<Value> buffer =
        castBuffer(arg, inner.getType(), getText("argument", i));
    if (failed(buffer))
      return failure();
    mapping.map(inner, *buffer);
  }
  return success();
}

/// What the callee asks of a size.
void CallInliner::checkAsked(Value size, StringRef what, int64_t dim,
                             SizeAttr asked) {
  auto check = [&](Value value, arith::CmpIPredicate predicate, int64_t number,
                   StringRef relation, int64_t shown) {
    Value expected = arith::ConstantIndexOp::create(b, getLoc(), number);
    Value holds =
        arith::CmpIOp::create(b, getLoc(), predicate, value, expected);
    std::string message;
    llvm::raw_string_ostream(message)
        << "expected dimension " << dim << " of " << quoteForCheck(what)
        << " to be " << relation << ' ' << shown << ", got {0}";
    CheckOp::create(b, getLoc(), holds, describeCheckPlace(getLoc()) + message,
                    ValueRange{size});
  };
  if (int64_t divisor = asked.getDivisor(); divisor > 1) {
    Value rest = arith::RemSIOp::create(
        b, getLoc(), size,
        arith::ConstantIndexOp::create(b, getLoc(), divisor));
    check(rest, arith::CmpIPredicate::eq, 0, "a multiple of", divisor);
  }
  if (int64_t bound = asked.getBound(); bound >= 0)
    check(size, arith::CmpIPredicate::sle, bound, "at most", bound);
}

/// Sizes that are the same symbol are equal, and as the callee asks.
void CallInliner::checkSymbols() {
  std::map<int64_t, SizeAttr> asked;
  if (auto sizes = callee->getAttrOfType<ArrayAttr>(kSizesAttrName))
    for (auto size : sizes.getAsRange<SizeAttr>())
      asked[-1 - size.getSymbol()] = size;
  std::map<int64_t, Value> symbols;
  for (BlockArgument arg : callee.getArguments()) {
    auto tensor = callee.getArgAttrOfType<TensorAttr>(arg.getArgNumber(),
                                                      kTensorAttrName);
    if (!tensor)
      continue;
    Value buffer = mapping.lookup(arg);
    for (auto [d, size] : llvm::enumerate(tensor.getSizes())) {
      if (size >= 0)
        continue;
      Value &first = symbols[size];
      std::string what = getText("argument", arg.getArgNumber());
      if (first) {
        checkSize(buffer, what, d, first);
        continue;
      }
      first = memref::DimOp::create(b, getLoc(), buffer, d);
      if (auto of = asked.find(size); of != asked.end())
        checkAsked(first, what, d, of->second);
    }
  }
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

LogicalResult CallInliner::inlineOutput(OutputOp output) {
  unsigned index = output.getIndex();
  MemRefType type = output.getType();
  SmallVector<Value> sizes;
  for (Value size : output.getSizes())
    sizes.push_back(mapping.lookupOrDefault(size));
  if (call.getOuts().empty()) {
    mapping.map(
        output.getBuffer(),
        AllocOp::create(b, getLoc(), type, sizes, output.getStrideOrderAttr()));
    return success();
  }
  std::string what = getText("out", index);
  FailureOr<Value> buffer = castBuffer(call.getOuts()[index], type, what);
  if (failed(buffer))
    return failure();
  ArrayRef<Value> dynamic = sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d)) {
      checkSize(*buffer, what, d, dynamic.front());
      dynamic = dynamic.drop_front();
    }
  mapping.map(output.getBuffer(), *buffer);
  return success();
}

/// Stream 0 of the callee is the one at the call.
void CallInliner::replaceCallersStream(Operation *copy) {
  copy->walk([&](StreamOp stream) {
    OpBuilder at(stream->getContext());
    at.setInsertionPointAfter(stream);
    Value zero = arith::ConstantIndexOp::create(at, stream.getLoc(), 0);
    Value isCallers = arith::CmpIOp::create(
        at, stream.getLoc(), arith::CmpIPredicate::eq, stream.getIndex(), zero);
    auto chosen = arith::SelectOp::create(at, stream.getLoc(), isCallers,
                                          caller, stream.getStream());
    stream.getStream().replaceAllUsesExcept(chosen, chosen);
    for (auto &entry : llvm::make_early_inc_range(mapping.getValueMap()))
      if (entry.second == stream.getStream())
        mapping.map(entry.first, chosen.getResult());
  });
}

LogicalResult CallInliner::inlineOp(Operation &op) {
  if (auto output = dyn_cast<OutputOp>(op))
    return inlineOutput(output);
  if (isa<OutputViewOp>(op))
    return success();
  WalkResult nested = op.walk([&](Operation *inner) {
    return isa<OutputOp, OutputViewOp>(inner) ? WalkResult::interrupt()
                                              : WalkResult::advance();
  });
  if (nested.wasInterrupted())
    return call.emitOpError("expected @")
           << call.getCallee()
           << " to make its outputs outside of branches and loops";
  Operation *copy = b.clone(op, mapping);
  replaceCallersStream(copy);
  copy->walk([&](WorkspaceOp workspace) {
    workspace.setNumber(workspace.getNumber() + firstWorkspace);
  });
  return success();
}

LogicalResult CallInliner::replaceResults(func::ReturnOp returned) {
  SmallVector<Value> results;
  for (auto [i, operand] : llvm::enumerate(returned.getOperands())) {
    Value buffer = mapping.lookupOrDefault(operand);
    // An argument is what the caller gave, whatever the callee knows of it.
    if (auto arg = dyn_cast<BlockArgument>(operand))
      buffer = call.getArgs()[arg.getArgNumber()];
    if (call.getOuts().empty()) {
      FailureOr<Value> result =
          castBuffer(buffer, call.getResultTypes()[i], getText("result", i));
      if (failed(result))
        return failure();
      results.push_back(*result);
      continue;
    }
    auto strip = [](Value buffer) {
      while (isa_and_nonnull<memref::CastOp, RebaseOp>(buffer.getDefiningOp()))
        buffer = buffer.getDefiningOp()->getOperand(0);
      return buffer;
    };
    if (strip(buffer) != strip(call.getOuts()[i]))
      return call.emitOpError("expected ")
             << getText("result", i)
             << " to be written into its out, got a view of other memory";
  }
  call.replaceAllUsesWith(results);
  return success();
}

LogicalResult CallInliner::run() {
  if (!callee.getBody().hasOneBlock())
    return call.emitOpError("expected @")
           << call.getCallee() << " to have one block, got "
           << callee.getBody().getBlocks().size();
  if (failed(mapArguments()))
    return failure();
  checkSymbols();
  Block &body = callee.getBody().front();
  // Its caller's stream is the one that is current at the call, before and
  // after.
  bool usesStreams =
      callee.walk([](StreamOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (usesStreams)
    caller = GetStreamOp::create(b, getLoc());
  for (Operation &op : body.without_terminator())
    if (failed(inlineOp(op)))
      return failure();
  if (caller)
    SetStreamOp::create(b, getLoc(), caller);
  auto returned = dyn_cast<func::ReturnOp>(body.getTerminator());
  if (!returned)
    return body.getTerminator()->emitOpError(
        "expected func.return at the end of a function that is inlined");
  if (failed(replaceResults(returned)))
    return failure();
  call.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct InlineCalls : public fuser::impl::HostInlineCallsPassBase<InlineCalls> {
  using Base::Base;
  void runOnOperation() override;

private:
  LogicalResult inlineInto(func::FuncOp program, SymbolTable &symbols);
  enum class State { UnderWay, Done };
  llvm::DenseMap<Operation *, State> states;
  llvm::SmallSetVector<Operation *, 8> callees;
};
} // namespace

/// The first number that no workspace of the program has.
static int32_t getFreeWorkspace(func::FuncOp program) {
  int32_t next = 0;
  program.walk([&](WorkspaceOp op) {
    next = std::max(next, static_cast<int32_t>(op.getNumber()) + 1);
  });
  return next;
}

/// Inlines what is called in the callees first.
LogicalResult InlineCalls::inlineInto(func::FuncOp program,
                                      SymbolTable &symbols) {
  states[program] = State::UnderWay;
  SmallVector<CallOp> calls;
  program.walk([&](CallOp call) { calls.push_back(call); });
  // One call's workspaces are free when the next one starts.
  int32_t firstWorkspace = calls.empty() ? 0 : getFreeWorkspace(program);
  for (CallOp call : calls) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee->hasAttr(kProgramAttrName))
      return call.emitOpError("expected @")
             << call.getCallee()
             << " to be a host program by now: run fusion-to-host first";
    auto it = states.find(callee);
    if (it != states.end() && it->second == State::UnderWay)
      return call.emitOpError("expected a program that does not call itself, "
                              "got a call of @")
             << call.getCallee();
    if (it == states.end() && failed(inlineInto(callee, symbols)))
      return failure();
    if (failed(CallInliner(call, callee, firstWorkspace).run()))
      return failure();
    callees.insert(callee);
    ++numInlined;
  }
  states[program] = State::Done;
  return success();
}

void InlineCalls::runOnOperation() {
  states.clear();
  callees.clear();
  SymbolTable symbols(getOperation());
  for (auto func : getOperation().getOps<func::FuncOp>())
    if (func->hasAttr(kProgramAttrName) && !states.count(func) &&
        failed(inlineInto(func, symbols)))
      return signalPassFailure();
  for (Operation *callee : callees)
    if (cast<func::FuncOp>(callee).isPrivate())
      callee->erase();
}
