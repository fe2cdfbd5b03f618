//===- FusionOpBase.td - Base classes of the ops of the fusion dialect -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONOPBASE_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONOPBASE_TD

include "fuser/Dialect/Fusion/IR/FusionAttrs.td"
include "fuser/Dialect/Fusion/IR/FusionTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// An op with one tensor result, without effects. Upstream's shape interface is implemented by reifyDim.
class Fusion_TensorOp<string mnemonic, list<Trait> traits>
    : Op<Fusion_Dialect, mnemonic, traits # [
        Pure, DeclareOpInterfaceMethods<Fusion_TensorOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  code reifyDefinition = [{
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder, ::mlir::ReifiedRankedShapedTypeDims &dims) {
      return ::fuser::fusion::reifyShapes(*this, builder, dims);
    }
  }];
  let extraClassDefinition = reifyDefinition;
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONOPBASE_TD
