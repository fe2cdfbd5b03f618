//===- HostInterfaces.td - What ops of the dialect have in common --*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_IR_HOSTINTERFACES_TD
#define FUSER_DIALECT_HOST_IR_HOSTINTERFACES_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Host_TransferKind : I32EnumAttr<"TransferKind", "what ranks do together, numbered as the runtime has it", [
    I32EnumAttrCase<"AllGather", 0>, I32EnumAttrCase<"AllReduce", 1>, I32EnumAttrCase<"ReduceScatter", 2>,
    I32EnumAttrCase<"Broadcast", 3>, I32EnumAttrCase<"Reduce", 4>, I32EnumAttrCase<"Gather", 5>,
    I32EnumAttrCase<"Scatter", 6>, I32EnumAttrCase<"AllToAll", 7>, I32EnumAttrCase<"Send", 8>,
    I32EnumAttrCase<"Recv", 9>, I32EnumAttrCase<"Permute", 10>]> {
  let cppNamespace = "::fuser::host";
  let genSpecializedAttr = 0;
}

def Host_CommunicationOpInterface : OpInterface<"CommunicationOpInterface"> {
  let cppNamespace = "::fuser::host";
  let description = [{
    A communication between the ranks of a group: what it reads, what it writes, and who takes part.
  }];
  let verify = [{ return ::fuser::host::verifyCommunication(::llvm::cast<::fuser::host::CommunicationOpInterface>($_op)); }];
  let methods = [
    StaticInterfaceMethod<"What the ranks do.", "::fuser::host::TransferKind", "getTransferKind">,
    InterfaceMethod<"The buffer that is read, or null.", "::mlir::OpOperand *", "getSource">,
    InterfaceMethod<"The buffer that is written, or null.", "::mlir::OpOperand *", "getDestination">,
    InterfaceMethod<"The root, or the other rank; null if there is none.", "::mlir::Value", "getPeerRank">,
    InterfaceMethod<"How elements are combined, if they are.", "std::optional<::fuser::host::ReduceKind>", "getReduction">,
    InterfaceMethod<"The dimension whose ranges are the ranks' parts.", "int64_t", "getPartDim">,
    InterfaceMethod<"The ranks that take part.", "::mlir::TypedValue<::fuser::host::GroupType>", "getGroup">
  ];
}

def Host_TensorOpInterface : OpInterface<"TensorOpInterface"> {
  let cppNamespace = "::fuser::host";
  let description = [{
    An op that computes its last operand, a buffer, from the others, and does nothing else.
  }];
  let methods = [
    InterfaceMethod<"The buffer that is written.", "::mlir::OpOperand &", "getOutOperand", (ins), "",
                    "return $_op->getOpOperand($_op->getNumOperands() - 1);">,
    InterfaceMethod<[{
      The dimension of operand `operand` whose index is that of dimension `dim` of the result in every term; -1 where all of the operand is
      needed for each index.
    }], "int64_t", "getOperandDim", (ins "unsigned":$operand, "int64_t":$dim)>
  ];
}

// The effects of a TensorOpInterface.
defvar tensorOpEffects = [{
  void getEffects(::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
    addTensorOpEffects(*this, effects);
  }
}];

#endif // FUSER_DIALECT_HOST_IR_HOSTINTERFACES_TD
