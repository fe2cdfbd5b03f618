//===- HostEffects.cpp - What host ops read and write ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/IR/Host.h"

using namespace fuser;
using namespace fuser::host;

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

static void addRead(Effects &effects, OpOperand &buffer) {
  effects.emplace_back(MemoryEffects::Read::get(), &buffer);
}

static void addWrite(Effects &effects, OpOperand &buffer) {
  effects.emplace_back(MemoryEffects::Write::get(), &buffer);
}

/// The op puts work on the current stream, after all that is there.
static void addEnqueue(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(),
                       CurrentStreamResource::get());
  effects.emplace_back(MemoryEffects::Write::get(),
                       CurrentStreamResource::get());
}

// Reads the current stream only, so that an unused buffer may go away.
void AllocOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getBuffer()));
  effects.emplace_back(MemoryEffects::Read::get(),
                       CurrentStreamResource::get());
}

// Hands out the same memory again: not before what was enqueued.
void WorkspaceOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getBuffer()));
  addEnqueue(effects);
}

void DeallocOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Free::get(), &getBufferMutable());
  addEnqueue(effects);
}

void DeclareOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getBuffer()));
}

void LaunchOp::getEffects(Effects &effects) {
  unsigned first =
      getArgs().empty() ? 0 : getArgsMutable().begin()->getOperandNumber();
  for (OpOperand &arg : getArgsMutable()) {
    if (!isa<MemRefType>(arg.get().getType()))
      continue;
    addRead(effects, arg);
    if (mayWrite(arg.getOperandNumber() - first))
      addWrite(effects, arg);
  }
  addEnqueue(effects);
}

void CallOp::getEffects(Effects &effects) {
  // What the callee writes is not known before it is inlined.
  for (OpOperand &operand : (*this)->getOpOperands())
    if (isa<MemRefType>(operand.get().getType())) {
      addRead(effects, operand);
      addWrite(effects, operand);
    }
  for (OpResult result : (*this)->getResults())
    effects.emplace_back(MemoryEffects::Allocate::get(), result);
  addEnqueue(effects);
}

void host::addTensorOpEffects(TensorOpInterface op, Effects &effects) {
  OpOperand &out = op.getOutOperand();
  for (OpOperand &operand : op->getOpOperands())
    if (&operand != &out && isa<MemRefType>(operand.get().getType()))
      addRead(effects, operand);
  addWrite(effects, out);
  addEnqueue(effects);
}

void host::addCommunicationEffects(CommunicationOpInterface op,
                                   Effects &effects) {
  if (OpOperand *source = op.getSource())
    addRead(effects, *source);
  if (OpOperand *destination = op.getDestination())
    addWrite(effects, *destination);
  addEnqueue(effects);
}
