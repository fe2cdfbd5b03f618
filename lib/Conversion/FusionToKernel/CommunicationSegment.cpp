//===- CommunicationSegment.cpp - Communications between ranks ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A segment without a kernel: its host function enqueues one communication.
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/TensorLayout.h"
#include "fuser/Conversion/KernelEmitters.h"
#include "fuser/Conversion/SegmentLowering.h"
#include "fuser/Schedule/GroupFit.h"
#include "fuser/Support/SchedulerNames.h"

using namespace fuser;
using fusion::CollectiveOpInterface;

static LogicalResult lowerCommunication(SegmentLowering &lowering) {
  fusion::SegmentOp segment = lowering.getSegment();
  if (Decision decision = liesAsTaken(segment); !decision)
    return segment.emitOpError("expected tensors that a communication takes "
                               "for ")
           << segment.getScheduleAttr() << ": " << decision.getReason();
  auto op = fusion::getOnlyOp<CollectiveOpInterface>(segment);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(lowering.getHostFunction().getArgument(
        cast<BlockArgument>(operand).getArgNumber()));
  return op.emitTransfer(lowering.getHostBuilder(), operands,
                         lowering.getBuffer(segment.getResult(0)));
}

static Decision chooseCommunication(const schedule::Segment &segment,
                                    const schedule::Processor &processor,
                                    schedule::Choice &choice) {
  Decision decision = schedule::fitsCommunication(segment.group, processor);
  if (decision)
    decision = liesAsTaken(segment.op);
  if (decision)
    choice.schedule =
        fusion::CommunicationScheduleAttr::get(segment.op->getContext());
  return decision;
}

schedule::Scheduler fuser::getCommunicationScheduler() {
  return {schedulers::kCommunication, schedule::fitsCommunication,
          chooseCommunication,
          static_cast<unsigned>(fusion::Family::Communication)};
}

void fuser::registerCommunicationEmitter(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, fusion::FusionDialect *) {
    fusion::CommunicationScheduleAttr::attachInterface<KernelEmitter<
        fusion::CommunicationScheduleAttr, kNoKernels, lowerCommunication>>(
        *context);
  });
}
