//===- TimelineLabels.cpp - What a timeline calls buffers and ops ---------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimelineValues.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace fuser;
using namespace fuser::host;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// What of its buffer a view shows: "[2:4]", "[:, 1]"; "" for all of it.
std::string TimelineValues::getPart(Operation *view) {
  const std::string other = "[..]";
  int64_t dim = 0;
  std::string text;
  if (auto select = dyn_cast<SelectOp>(view)) {
    dim = select.getDim();
    text = getExpression(select.getIndex());
  } else if (auto slice = dyn_cast<SliceOp>(view)) {
    dim = slice.getDim();
    text = getExpression(slice.getOffset());
    std::optional<int64_t> offset = getConstant(slice.getOffset());
    std::optional<int64_t> size = getConstant(slice.getSize());
    if (size != 1 && (!offset || !size))
      return other;
    if (size != 1)
      text += ":" + std::to_string(*offset + *size);
  } else {
    return isa<memref::SubViewOp, memref::ReinterpretCastOp>(view) ? other : "";
  }
  // Size arithmetic that is longer than this tells a reader nothing.
  if (text.size() > 16)
    return other;
  for (int64_t i = 0; i < dim; ++i)
    text.insert(0, ":, ");
  return "[" + text + "]";
}

std::string TimelineValues::getBuffer(Value value) {
  std::string part;
  while (true) {
    auto found = texts.find(value);
    if (found != texts.end())
      return found->second + part;
    auto view = value.getDefiningOp<ViewLikeOpInterface>();
    if (!view)
      return getName(value) + part;
    std::string inner = getPart(view);
    part = part.empty() || inner.empty() ? inner + part : "[..]";
    value = view.getViewSource();
  }
}

/// Buffers and numbers, with commas.
std::string TimelineValues::getOperands(ValueRange values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(values, os, [&](Value value) {
    os << (isa<MemRefType>(value.getType()) ? getBuffer(value)
                                            : getExpression(value));
  });
  return text;
}

static std::string getArrow(const std::string &ins, const std::string &outs) {
  if (outs.empty())
    return ins;
  return ins + (ins.empty() ? "-> " : " -> ") + outs;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

std::string host::describeSymbol(StringAttr name) {
  std::string text;
  llvm::raw_string_ostream(text) << FlatSymbolRefAttr::get(name);
  return text;
}

/// "4x?xf32".
static std::string getShape(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t size : type.getShape())
    if (ShapedType::isDynamic(size))
      os << "?x";
    else
      os << size << "x";
  os << type.getElementType();
  return text;
}

static std::string getChunks(std::optional<StreamDimAttr> mark) {
  if (!mark)
    return "";
  std::string dim = " of dimension " + std::to_string(mark->getDim());
  if (mark->getChunks() == 0)
    return ", a chunk for each index" + dim;
  return ", " + std::to_string(mark->getChunks()) + " chunks" + dim;
}

std::string TimelineValues::describeMemory(Operation *op) {
  auto getNew = [&](Value buffer) {
    return getName(buffer) + " : " + getShape(buffer);
  };
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([&](AllocOp alloc) {
        return "alloc " + getNew(alloc.getBuffer()) +
               getChunks(alloc.getStream());
      })
      .Case([&](OutputOp output) {
        return "output " + std::to_string(output.getIndex()) + " " +
               getNew(output.getBuffer()) + getChunks(output.getStream());
      })
      .Case([&](WorkspaceOp workspace) {
        return "workspace " + std::to_string(workspace.getNumber()) + " " +
               getNew(workspace.getBuffer());
      })
      .Case([&](OutputViewOp view) {
        return "output " + std::to_string(view.getIndex()) + " = " +
               getBuffer(view.getView());
      })
      .Case([&](DeallocOp dealloc) {
        return "dealloc " + getBuffer(dealloc.getBuffer());
      })
      .Default(std::string());
}

/// "all_reduce <sum> %x -> %y", "send %x to 1".
std::string TimelineValues::describeCommunication(Operation *op) {
  auto communication = cast<CommunicationOpInterface>(op);
  std::string ins, outs;
  if (OpOperand *source = communication.getSource())
    ins = getBuffer(source->get());
  if (OpOperand *destination = communication.getDestination())
    outs = getBuffer(destination->get());
  TransferKind kind = communication.getTransferKind();
  std::string text = kind == TransferKind::Recv ? outs : getArrow(ins, outs);
  Value peer = communication.getPeerRank();
  if (!peer)
    return text;
  StringRef preposition = kind == TransferKind::Send   ? " to "
                          : kind == TransferKind::Recv ? " from "
                                                       : " root ";
  return text + preposition.str() + getExpression(peer);
}

/// An op by its name and operands.
std::string TimelineValues::describeOther(Operation *op) {
  std::string name = op->getName().stripDialect().str();
  if (auto kind = op->getAttrOfType<ReduceKindAttr>("kind"))
    name += (" <" + stringifyEnum(kind.getValue()) + ">").str();
  if (isa<CommunicationOpInterface>(op))
    return name + " " + describeCommunication(op);
  if (auto tensorOp = dyn_cast<TensorOpInterface>(op)) {
    std::string ins = getOperands(op->getOperands().drop_back());
    return name + " " +
           getArrow(ins, getBuffer(tensorOp.getOutOperand().get()));
  }
  std::string operands = getOperands(op->getOperands());
  return operands.empty() ? name : name + " " + operands;
}

std::string TimelineValues::describe(Operation *op) {
  if (std::string text = describeMemory(op); !text.empty())
    return text;
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    SmallVector<Value> ins, outs;
    for (auto [i, value] : llvm::enumerate(launch.getArgs()))
      if (isa<MemRefType>(value.getType()))
        (launch.getWrites() && launch.mayWrite(i) ? outs : ins)
            .push_back(value);
    return "launch " + describeSymbol(launch.getKernel().getLeafReference()) +
           " " + getArrow(getOperands(ins), getOperands(outs));
  }
  if (auto call = dyn_cast<CallOp>(op)) {
    auto outs = call.getOuts().empty() ? ValueRange(call.getResults())
                                       : ValueRange(call.getOuts());
    return "call " + describeSymbol(call.getCalleeAttr().getAttr()) + " " +
           getArrow(getOperands(call.getArgs()), getOperands(outs));
  }
  if (auto group = dyn_cast<GroupOp>(op)) {
    std::string text = "group " + getName(group.getGroup());
    llvm::raw_string_ostream os(text);
    if (std::optional<ArrayAttr> lists = group.getLists()) {
      os << " of ";
      llvm::interleaveComma(lists->getAsRange<DenseI64ArrayAttr>(), os,
                            [&](DenseI64ArrayAttr l) {
                              os << "[";
                              llvm::interleaveComma(l.asArrayRef(), os);
                              os << "]";
                            });
    }
    return text;
  }
  if (auto coalesce = dyn_cast<CoalesceOp>(op)) {
    SmallVector<std::string> parts;
    for (auto part : coalesce.getBody().getOps<CommunicationOpInterface>())
      parts.push_back(describeOther(part));
    return "coalesce {" + llvm::join(parts, "; ") + "}";
  }
  return describeOther(op);
}
