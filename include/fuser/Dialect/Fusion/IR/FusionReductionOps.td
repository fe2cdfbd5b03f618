//===- FusionReductionOps.td - Ops that reduce dimensions -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONREDUCTIONOPS_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONREDUCTIONOPS_TD

include "fuser/Dialect/Fusion/IR/FusionOpBase.td"

// The elements of `input` whose indices differ in `dims` only become one. `element` is the result's element type, in C++, of that of the input, `type`.
class Fusion_DimsReductionOp<string mnemonic, string element, list<Trait> traits>
    : Fusion_TensorOp<mnemonic, traits # [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  code reductionDefinition = reifyDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location>, ::mlir::ValueRange operands,
        ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      Adaptor adaptor(operands, attributes, properties, regions);
      auto input = ::llvm::dyn_cast<::mlir::RankedTensorType>(adaptor.getInput().getType());
      if (!input)
        return ::mlir::failure();
      ::mlir::Type type = input.getElementType();
      types.push_back(::fuser::fusion::getReducedType(input, adaptor.getDims(), adaptor.getKeep()).clone(}] # element # [{));
      return ::mlir::success();
    }
    ::mlir::OpFoldResult $cppClass::reifyDim(::fuser::fusion::EmitContext &ctx, unsigned, int64_t dim) {
      return ::fuser::fusion::reifyReducedDim(ctx, *this, dim);
    }
    ::llvm::SmallVector<int64_t> $cppClass::getReductionDims() {
      return ::llvm::SmallVector<int64_t>(getDims());
    }
    bool $cppClass::getKeepsDims() { return getKeep(); }
  }];
  let hasVerifier = 1;
}

def Fusion_ReduceOp : Fusion_DimsReductionOp<"reduce", "type", [
    DeclareOpInterfaceMethods<Fusion_ReductionOpInterface, ["isIdempotent", "isProduct", "getPartialKind"]>]> {
  let summary = "sum, product, greatest, least or mean over dimensions, or whether any or all are true";
  let description = [{
    The elements of `input` whose indices differ in `dims` only become one element:

    | kind | result | of no elements |
    | --- | --- | --- |
    | `sum` | their sum | 0 |
    | `prod` | their product | 1 |
    | `max` | the greatest | the lowest value, -inf of floats |
    | `min` | the least | the highest value, inf of floats |
    | `mean` | their sum, divided by their number | NaN |
    | `any` | whether one is true | false |
    | `all` | whether none is false | true |

    With `keep` the reduced dimensions stay, with size 1; without it they go. NaN among the elements gives NaN. The order
    of a sum or a product is the emitter's; it depends on its length, the element type and the target, and on nothing else.
    A product of floats may overflow or underflow on the way where the product of all does not.

    | element types | accumulated in |
    | --- | --- |
    | f64 | f64 |
    | f32, f16, bf16, f8E4M3FN, f8E5M2 | f32, then rounded |
    | i64, ui64 | themselves, wrapping |
    | narrower integers | 32 bits, of which the low ones are the result: it wraps |
    | i1 | i32 |

    Constraints:
    - (C1) `dims` are ascending dimensions of `input`, each once.
    - (C2) `result` has the element type of `input`, and its shape with `dims` of size 1 (`keep`) or removed.
    - (C3) The elements of a `mean` are floats or complex, those of `any` and `all` i1, those of `sum` and `prod` numbers or complex, those of other kinds numbers.

    The type of the result can be left out.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %c: tensor<?x8xi1>) -> (tensor<?x1xf32>, tensor<?xf32>, tensor<8xi1>) {
      %0 = fusion.reduce <mean> %x dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
      %1 = fusion.reduce <max> %x dims [1] : tensor<?x8xf32> to tensor<?xf32>
      %2 = fusion.reduce <any> %c dims [0] : tensor<?x8xi1> to tensor<8xi1>
      return %0, %1, %2 : tensor<?x1xf32>, tensor<?xf32>, tensor<8xi1>
    }
    ```
  }];
  let arguments = (ins Fusion_ReduceKindAttr:$kind, Fusion_Tensor:$input,
                       DenseI64ArrayAttr:$dims, UnitAttr:$keep);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = [{
    $kind $input `dims` custom<Dims>($dims, $keep) attr-dict `:` type($input)
    custom<ReducedType>(type($result), ref(type($input)), ref($dims), ref($keep))
  }];
  let extraClassDefinition = reductionDefinition;
  let hasCanonicalizeMethod = 1;
}

class Fusion_PositionOp<string mnemonic, string isGreatest, string which>
    : Fusion_DimsReductionOp<mnemonic, "::mlir::IntegerType::get(type.getContext(), 64)", [
        DeclareOpInterfaceMethods<Fusion_ReductionOpInterface, ["isIdempotent", "needsPosition", "givesPosition", "emitStart", "emitCombineInOrder"]>]> {
  let summary = "where the " # which # " element is";
  let description = [{
    The elements of `input` whose indices differ in `dims` only become one number: the position of the }] # which # [{ of
    them, counted in row-major order of `dims`. Of one dimension that is its index there. Of equal ones the first counts;
    -0 equals +0. NaN counts as }] # which # [{: if there is one, the result is the position of the first. That is what
    PyTorch gives. With `keep` the reduced dimensions stay, with size 1; without it they go. Of no elements, which only
    sizes that are open allow, the result is -1.

    Constraints:
    - (C1) `dims` are ascending dimensions of `input`, each once.
    - (C2) `result` has i64 elements, and the shape of `input` with `dims` of size 1 (`keep`) or removed.
    - (C3) No size of `dims` is known to be 0.

    The type of the result can be left out.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> tensor<?xi64> {
      %0 = fusion.}] # mnemonic # [{ %x dims [1] : tensor<?x8xf32> to tensor<?xi64>
      return %0 : tensor<?xi64>
    }
    ```
  }];
  let arguments = (ins Fusion_NumberTensor:$input, DenseI64ArrayAttr:$dims, UnitAttr:$keep);
  let results = (outs Fusion_LongTensor:$result);
  let assemblyFormat = [{
    $input `dims` custom<Dims>($dims, $keep) attr-dict `:` type($input)
    custom<PositionType>(type($result), ref(type($input)), ref($dims), ref($keep))
  }];
  let extraClassDefinition = reductionDefinition # [{
    ::llvm::LogicalResult $cppClass::verify() { return ::fuser::fusion::verifyPositionOp(*this); }
    bool $cppClass::isIdempotent() { return true; }
    bool $cppClass::needsPosition() { return true; }
    bool $cppClass::givesPosition() { return true; }
    ::llvm::SmallVector<::mlir::Type> $cppClass::getAccumulatorTypes(::mlir::Type computeType) {
      return {::fuser::fusion::getAccumulatorType(computeType), ::mlir::IntegerType::get(getContext(), 64)};
    }
    ::llvm::SmallVector<::mlir::Value> $cppClass::emitNeutral(
        ::fuser::fusion::EmitContext &ctx, ::llvm::ArrayRef<::mlir::Type> accumulatorTypes) {
      return ::fuser::fusion::emitNoExtreme(ctx, getInput().getType().getElementType(), accumulatorTypes,
                                            }] # isGreatest # [{);
    }
    ::llvm::SmallVector<::mlir::Value> $cppClass::emitPrepare(
        ::fuser::fusion::EmitContext &ctx, ::mlir::Value element, ::mlir::Value position,
        ::llvm::ArrayRef<::mlir::Type> accumulatorTypes) {
      return {::fuser::fusion::emitAccumulator(ctx, getInput().getType().getElementType(), element,
                                               accumulatorTypes[0]),
              position};
    }
    ::llvm::SmallVector<::mlir::Value> $cppClass::emitCombine(
        ::fuser::fusion::EmitContext &ctx, ::mlir::ValueRange lhs, ::mlir::ValueRange rhs) {
      return ::fuser::fusion::emitExtreme(ctx, getInput().getType().getElementType(), lhs, rhs, }] # isGreatest # [{);
    }
    ::llvm::SmallVector<::mlir::Value> $cppClass::emitStart(
        ::fuser::fusion::EmitContext &ctx, ::llvm::ArrayRef<::mlir::Type> accumulatorTypes) {
      return ::fuser::fusion::emitFirstExtreme(ctx, getInput().getType().getElementType(), accumulatorTypes,
                                               }] # isGreatest # [{);
    }
    ::llvm::SmallVector<::mlir::Value> $cppClass::emitCombineInOrder(
        ::fuser::fusion::EmitContext &ctx, ::mlir::ValueRange lhs, ::mlir::ValueRange rhs) {
      return ::fuser::fusion::emitExtremeInOrder(ctx, getInput().getType().getElementType(), lhs, rhs,
                                                 }] # isGreatest # [{);
    }
    ::mlir::Value $cppClass::emitFinalize(
        ::fuser::fusion::EmitContext &ctx, ::mlir::ValueRange accumulators, ::mlir::Value count, ::mlir::Type) {
      return ::fuser::fusion::emitPositionOr(ctx, accumulators[1], count, -1);
    }
  }];
}

def Fusion_ArgMaxOp : Fusion_PositionOp<"argmax", "true", "greatest">;
def Fusion_ArgMinOp : Fusion_PositionOp<"argmin", "false", "least">;

#endif // FUSER_DIALECT_FUSION_IR_FUSIONREDUCTIONOPS_TD
