//===- FusionDialect.td - The fusion dialect -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONDIALECT_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONDIALECT_TD

include "mlir/IR/OpBase.td"

def Fusion_Dialect : Dialect {
  let name = "fusion";
  let summary = "Tensor programs before they are cut into kernels";
  let cppNamespace = "::fuser::fusion";
  let description = [{
    Values are builtin ranked tensors with static or dynamic sizes; there is no memory. The dialect is
    strict: nothing is broadcast or promoted unless an op says so. Tensors of rank 0 and dimensions of
    size 0 are as good as any.

    *Element types.* `f64`, `f32`, `f16`, `bf16`, `i1`, `i8`, `i16`, `i32`, `i64`, `f8E4M3FN`, `f8E5M2`, `ui8`, `ui16`, `ui32`, `ui64`, `f8E8M0FNU`, `complex<f32>`, `complex<f64>`, `f4E2M1FN`.
    Integers wrap; those that begin with `u` have no sign. Every op
    rounds its result to the result's element type; ops on floats narrower than `f32` compute in `f32`. Rounding is to nearest, ties to
    even. What is beyond the largest number, rounded as if exponents had no end, is infinite; `f8E4M3FN` has no infinity, and NaN in
    its place. `f8E8M0FNU` has the powers of two from 2^-127 to 2^127 and NaN: scales, which ops move, compare and cast, but do not compute with. Complex
    numbers lie in memory as their two parts, one after the other. Two numbers of `f4E2M1FN` lie in a byte: tensors of them are moved and cast, and nothing else.

    *Scalars.* Sizes and offsets are operands of type `index`; `full` takes a scalar of its element type. They are
    computed by `arith`, `index`, `math` and `tensor.dim`.

    *Function attributes.* They say what a function expects of its arguments and promises of its results:

    | attribute | on | meaning |
    | --- | --- | --- |
    | `fusion.name = "x"` | argument, result | a name for messages and for callers |
    | `fusion.layout = "any"` | argument | arbitrary strides; without it the argument is dense, slowest dimension first |
    | `fusion.alignment = 16 : i64` | argument, result | the base address is a multiple of so many bytes; without it, of the element's size |
    | `fusion.specialized` | argument, result | the alignment is one that this variant of the program asks for, and not the program itself |
    | `fusion.divisors = array<i64: 1, 8>` | argument | each size is a multiple of so many; 1: of anything |
    | `fusion.bounds = array<i64: -1, 16384>` | argument | each size is at most so large; -1: as large as it likes |
    | `fusion.class_stride_order` | argument with `fusion.layout = "any"` | inputs of this variant of the program are dense in this order; no order of another tensor follows from it |
    | `fusion.class_divisors`, `fusion.class_bounds` | argument | the same, asked for by this variant of the program, and not the program itself |
    | `fusion.class_lower_bounds = array<i64: 0, 4097>` | argument | each size is at least so large, asked for by this variant |
    | `fusion.stride_order = array<i64: 0, 2, 1>` | argument, result | a requirement: the dimensions from slowest to fastest in memory |
    | `fusion.complex` | argument, result | the last dimension, of 2 elements, is the parts of complex numbers, as which callers see it |
    | `fusion.packed = f4E2M1FN` | argument, result | the elements, of ui8, are bytes of several numbers of that type, as which callers see them |
    | `fusion.stride_order_hint` | result, op | a wish for the same, which any pass may drop or change until `fusion-segment` writes it into `result_hints` |
    | `fusion.forward` | op | it is computed again in each segment that uses it, instead of passed through memory |
    | `fusion.equal_dims = array<i64: 0, -1, 2>` | reshape | the dimension of the input whose open size each dimension of the result has; -1: of none that is known |
    | `fusion.exactness = #fusion.exactness<exact>` | op with two forms of f32 | whether kernels approximate it (`approximate`; `summand`: as what is only added, to no less than 1 in all); without it they do not |
    | `fusion.keep = #fusion.keep<scratch>` | element-wise op in a segment | part of the schedule `#fusion.cpu`: where later stages of the kernel find its elements |
    | `fusion.sizes_checked` | function | its `fusion.check` are all that it asks of sizes (`fusion-check-sizes`) |
    | `fusion.target = "sm_90"` | function | the processor that segments and schedules were decided for |
    | `fusion.ring` | module | floats stand for integers of a ring (docs/rationale/exact-arithmetic.md): casts convert as those do, and every f16 and bf16 is rounded |
    | `fusion.alias = #fusion.alias<reuse, 0>` | result | where the result lives: see the attribute |
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Names of the discardable attributes that the dialect verifies.
    static constexpr ::llvm::StringLiteral getNameAttrName() { return "fusion.name"; }
    static constexpr ::llvm::StringLiteral getLayoutAttrName() { return "fusion.layout"; }
    static constexpr ::llvm::StringLiteral getAlignmentAttrName() { return "fusion.alignment"; }
    static constexpr ::llvm::StringLiteral getSpecializedAttrName() { return "fusion.specialized"; }
    static constexpr ::llvm::StringLiteral getComplexAttrName() { return "fusion.complex"; }
    static constexpr ::llvm::StringLiteral getPackedAttrName() { return "fusion.packed"; }
    static constexpr ::llvm::StringLiteral getDivisorsAttrName() { return "fusion.divisors"; }
    static constexpr ::llvm::StringLiteral getBoundsAttrName() { return "fusion.bounds"; }
    static constexpr ::llvm::StringLiteral getClassStrideOrderAttrName() { return "fusion.class_stride_order"; }
    static constexpr ::llvm::StringLiteral getClassDivisorsAttrName() { return "fusion.class_divisors"; }
    static constexpr ::llvm::StringLiteral getClassBoundsAttrName() { return "fusion.class_bounds"; }
    static constexpr ::llvm::StringLiteral getClassLowerBoundsAttrName() { return "fusion.class_lower_bounds"; }
    static constexpr ::llvm::StringLiteral getStrideOrderAttrName() {
      return "fusion.stride_order";
    }
    static constexpr ::llvm::StringLiteral getStrideOrderHintAttrName() {
      return "fusion.stride_order_hint";
    }
    static constexpr ::llvm::StringLiteral getEqualDimsAttrName() { return "fusion.equal_dims"; }
    static constexpr ::llvm::StringLiteral getForwardAttrName() { return "fusion.forward"; }
    static constexpr ::llvm::StringLiteral getExactnessAttrName() { return "fusion.exactness"; }
    static constexpr ::llvm::StringLiteral getSizesCheckedAttrName() { return "fusion.sizes_checked"; }
    static constexpr ::llvm::StringLiteral getKeepAttrName() { return "fusion.keep"; }
    static constexpr ::llvm::StringLiteral getTargetAttrName() { return "fusion.target"; }
    static constexpr ::llvm::StringLiteral getRingAttrName() { return "fusion.ring"; }
    static constexpr ::llvm::StringLiteral getAliasAttrName() { return "fusion.alias"; }

    void registerAttributes();

    /// Ops that builders have, and the dialect has not, by their names: `fusion.layer_norm %x, %w, %b : ...` is a fusion.composite.
    ::std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef opName) const override;
  }];
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONDIALECT_TD
