//===- TestFusionOps.td - Ops of known families that only tests know -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing but the family interfaces of the fusion dialect tells passes and emitters what these ops are.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TEST_LIB_TESTFUSION_TESTFUSIONOPS_TD
#define FUSER_TEST_LIB_TESTFUSION_TESTFUSIONOPS_TD

include "fuser/Analysis/SizeChecks.td"
include "fuser/Dialect/Fusion/IR/FusionInterfaces.td"
include "fuser/Dialect/Fusion/IR/FusionTypes.td"
include "fuser/Reference/Jumps.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TestFusion_Dialect : Dialect {
  let name = "test_fusion";
  let cppNamespace = "::fuser::test";
  let useDefaultAttributePrinterParser = 1;
}

def TestFusion_ByHandAttr : AttrDef<TestFusion_Dialect, "ByHand", [
    DeclareAttrInterfaceMethods<Fusion_ScheduleAttrInterface>]> {
  let mnemonic = "by_hand";
  let summary = "a schedule for which no emitter is registered";
}

class TestFusion_Op<string mnemonic, list<Trait> traits>
    : Op<TestFusion_Dialect, mnemonic, traits # [
        Pure, DeclareOpInterfaceMethods<Fusion_TensorOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder, ::mlir::ReifiedRankedShapedTypeDims &dims) {
      return ::fuser::fusion::reifyShapes(*this, builder, dims);
    }
  }];
}

def TestFusion_LerpOp : TestFusion_Op<"lerp", [
    AllTypesMatch<["from", "to", "result"]>,
    DeclareOpInterfaceMethods<Fusion_ElementwiseOpInterface, ["getElementCost"]>]> {
  let summary = "elementwise, three operands: from + weight * (to - from)";
  let arguments = (ins Fusion_FloatTensor:$from, Fusion_FloatTensor:$to, F64Attr:$weight);
  let results = (outs Fusion_FloatTensor:$result);
  let assemblyFormat = "$from `,` $to `by` $weight attr-dict `:` type($result)";
}

def TestFusion_ReverseOp : TestFusion_Op<"reverse", [
    AllTypesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<Fusion_IndexMapOpInterface>]> {
  let summary = "index map: the last dimension backwards";
  let arguments = (ins Fusion_Tensor:$input);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def TestFusion_VarianceOp : TestFusion_Op<"variance", [
    DeclareOpInterfaceMethods<Fusion_ReductionOpInterface>]> {
  let summary = "reduction of the last dimension with three accumulators: count, mean, sum of squared differences";
  let arguments = (ins Fusion_FloatTensor:$input);
  let results = (outs Fusion_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

def TestFusion_PlacesOp : TestFusion_Op<"places", [
    DeclareOpInterfaceMethods<Fusion_ReductionOpInterface, ["needsPosition"]>]> {
  let summary = "reduction that needs positions and not only the best: 2^40 times the number of elements above 0, plus the sum of where they are";
  let arguments = (ins Fusion_FloatTensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Fusion_IntegerTensor:$result);
  let assemblyFormat = "$input `dims` $dims attr-dict `:` type($input) `to` type($result)";
}

def TestFusion_SmoothOp : TestFusion_Op<"smooth", [
    AllTypesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<Fusion_FibreOpInterface, ["isExactFibre"]>]> {
  let summary = "fibres along the first dimension that read back what they have: each element is half of the one before, plus half of the operand's";
  let arguments = (ins Fusion_FloatTensor:$input);
  let results = (outs Fusion_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def TestFusion_IotaOp : TestFusion_Op<"iota", [
    DeclareOpInterfaceMethods<Fusion_FactoryOpInterface, ["emitElement"]>]> {
  let summary = "factory whose elements differ: the index in the last dimension";
  let arguments = (ins Variadic<Index>:$sizes);
  let results = (outs Fusion_FloatTensor:$result);
  let assemblyFormat = "(`sizes` `(` $sizes^ `)`)? attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// What else a family's interface can say, and the other families (TestFusionFamilies.cpp)
//===----------------------------------------------------------------------===//

def TestFusion_ShiftInOp : TestFusion_Op<"shift_in", [
    AllTypesMatch<["input", "result"]>,
    TypesMatchWith<"the number is an element", "input", "number", "::mlir::getElementTypeOrSelf($_self)">,
    DeclareOpInterfaceMethods<Fusion_IndexMapOpInterface, ["hasFill", "emitFill"]>]> {
  let summary = "index map with a fill: the elements of the last dimension one further, so that a number comes in";
  let arguments = (ins Fusion_FloatTensor:$input, Fusion_Scalar:$number);
  let results = (outs Fusion_FloatTensor:$result);
  let assemblyFormat = "$input `,` $number attr-dict `:` type($input)";
}

def TestFusion_PickOp : TestFusion_Op<"pick", [
    AllElementTypesMatch<["input", "result"]>, AllShapesMatch<["places", "result"]>,
    DeclareOpInterfaceMethods<Fusion_IndexMapOpInterface, ["getNumSources", "hasFill", "emitFill", "getEqualDims"]>]> {
  let summary = "index map with a selector: of each row the element at a place that another tensor says, 0 if there is none";
  let arguments = (ins Fusion_FloatTensor:$input, Fusion_IndexTensor:$places);
  let results = (outs Fusion_FloatTensor:$result);
  let assemblyFormat = "$input `at` $places attr-dict `:` type($input) `,` type($places) `to` type($result)";
}

def TestFusion_ForwardFillOp : TestFusion_Op<"forward_fill", [
    AllTypesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<Fusion_FibreOpInterface>,
    DeclareOpInterfaceMethods<Fusion_ScanOpInterface>]> {
  let summary = "scan of the last dimension whose parts do not commute: each 0 becomes the last other number before it";
  let arguments = (ins Fusion_IntegerTensor:$input);
  let results = (outs Fusion_IntegerTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def TestFusion_OrderByAbsOp : TestFusion_Op<"order_by_abs", [
    AllShapesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<Fusion_FibreOpInterface, ["isSelector"]>,
    DeclareOpInterfaceMethods<Fusion_OrderOpInterface>]> {
  let summary = "sort of the last dimension: where the elements are in order of their magnitudes";
  let arguments = (ins Fusion_FloatTensor:$input);
  let results = (outs Fusion_LongTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

def TestFusion_BlendOp : TestFusion_Op<"blend", [
    AllTypesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<Fusion_FibreOpInterface, ["getFibreIndex", "getEqualDims", "isExactFibre", "isSelector"]>,
    DeclareOpInterfaceMethods<Fusion_ScatterOpInterface>]> {
  let summary = "scatter of rows whose updates do not commute: each makes of its row the mean of that and itself";
  let arguments = (ins Fusion_FloatTensor:$input, Fusion_IndexTensor:$indices, Fusion_FloatTensor:$updates);
  let results = (outs Fusion_FloatTensor:$result);
  let assemblyFormat = "$input `,` $indices `,` $updates attr-dict `:` type($input) `,` type($indices) `,` type($updates)";
}

def TestFusion_OuterDotOp : TestFusion_Op<"outer_dot", [
    AllElementTypesMatch<["lhs", "rhs", "result"]>,
    DeclareOpInterfaceMethods<Fusion_ContractionOpInterface>]> {
  let summary = "contraction of the first dimensions, with columns before rows: result[j, i] is the sum of lhs[k, i] * rhs[k, j]";
  let arguments = (ins Fusion_FactorTensor:$lhs, Fusion_FactorTensor:$rhs);
  let results = (outs Fusion_FactorTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `to` type($result)";
}

//===----------------------------------------------------------------------===//
// Ops that say more than their family must (TestInterfaces.cpp)
//===----------------------------------------------------------------------===//

def TestFusion_FlattenOp : TestFusion_Op<"flatten", [
    DeclareOpInterfaceMethods<Fusion_IndexMapOpInterface, ["keepsLinearOrder"]>,
    DeclareOpInterfaceMethods<SizeCheckOpInterface>]> {
  let summary = "index map that keeps the linear order: all elements in one dimension, of a size that a value gives";
  let arguments = (ins Fusion_Tensor:$input, Index:$size);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$input `size` $size attr-dict `:` type($input) `to` type($result)";
}

def TestFusion_EveryOp : TestFusion_Op<"every", [
    AllTypesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<Fusion_IndexMapOpInterface, ["getStridedMap"]>]> {
  let summary = "index map with strides that values give: the first element and every step-th after it";
  let arguments = (ins Fusion_Tensor:$input, Index:$step);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$input `step` $step attr-dict `:` type($result)";
}

def TestFusion_TurnOp : TestFusion_Op<"turn", [
    DeclareOpInterfaceMethods<Fusion_IndexMapOpInterface>]> {
  let summary = "index map that is a permutation: the dimensions from the last to the first";
  let arguments = (ins Fusion_Tensor:$input);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

class TestFusion_PeakBase<string mnemonic, list<Trait> traits>
    : TestFusion_Op<mnemonic, traits # [
        AllTypesMatch<["input", "result"]>,
        DeclareOpInterfaceMethods<Fusion_ElementwiseOpInterface, ["isExact"]>]> {
  let arguments = (ins Fusion_FloatTensor:$input, F64Attr:$at);
  let results = (outs Fusion_FloatTensor:$result);
  let assemblyFormat = "$input `at` $at attr-dict `:` type($result)";
}

def TestFusion_PeakOp : TestFusion_PeakBase<"peak", [DeclareOpInterfaceMethods<JumpOpInterface>]> {
  let summary = "elementwise, jumps: 1 at a number, 0 elsewhere";
}

def TestFusion_QuietPeakOp : TestFusion_PeakBase<"quiet_peak", []> {
  let summary = "a peak that does not say that it jumps";
}

def TestFusion_RoughOp : TestFusion_Op<"rough", [
    AllTypesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<Fusion_ElementwiseOpInterface, ["getErrorUnits"]>]> {
  let summary = "elementwise: the operand in f64, and 64 units of 1 more in f32; says how many it may be off";
  let arguments = (ins Fusion_FloatTensor:$input, F64Attr:$units);
  let results = (outs Fusion_FloatTensor:$result);
  let assemblyFormat = "$input `within` $units attr-dict `:` type($result)";
}

def TestFusion_DemoteOp : TestFusion_Op<"demote", [
    DeclareOpInterfaceMethods<Fusion_ElementwiseOpInterface, ["isNarrowing"]>]> {
  let summary = "elementwise: f64 as f32, which counts as a narrowing if it says so";
  let arguments = (ins Fusion_FloatTensor:$input, UnitAttr:$narrowing);
  let results = (outs Fusion_FloatTensor:$result);
  let assemblyFormat = "$input (`narrowing` $narrowing^)? attr-dict `:` type($input) `to` type($result)";
}

def TestFusion_FenceOp : TestFusion_Op<"fence", [
    Fusion_SegmentBoundary, AllTypesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<Fusion_ElementwiseOpInterface, ["isExact"]>]> {
  let summary = "elementwise: the operand, and a boundary between segments";
  let arguments = (ins Fusion_Tensor:$input);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def TestFusion_TiltedFenceOp : TestFusion_Op<"tilted_fence", [Fusion_SegmentBoundary]> {
  let summary = "a boundary that is none: its result may have another type";
  let arguments = (ins Fusion_Tensor:$input);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

def TestFusion_OpaqueOp : TestFusion_Op<"opaque", [AllTypesMatch<["input", "result"]>]> {
  let summary = "an op on tensors of no family";
  let arguments = (ins Fusion_Tensor:$input);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

#endif // FUSER_TEST_LIB_TESTFUSION_TESTFUSIONOPS_TD
