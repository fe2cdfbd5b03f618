//===- FusionSegmentOps.td - Ops that stand for several -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONSEGMENTOPS_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONSEGMENTOPS_TD

include "fuser/Dialect/Fusion/IR/FusionOpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Fusion_SegmentOp : Op<Fusion_Dialect, "segment", [
    IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable,
    DeclareOpInterfaceMethods<Fusion_TensorOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "part of a program that one schedule makes kernels of";
  let description = [{
    The region computes the results from the operands, which it sees as its block arguments; it sees nothing else. The
    scheduler named makes one kernel of it, or a few.

    Later passes add `schedule`, the decision of how (see the attributes that implement `ScheduleAttrInterface`), and
    `host_function`, the function on buffers that launches the kernels. `result_hints` gives each result a stride order (dimensions from slowest to fastest) or
    `unit` for none: a wish that any pass may drop.

    Constraints:
    - (C1) The block's arguments have the types of the operands.
    - (C2) `yield` has the types of the results.
    - (C3) The region holds ops that compute tensors (TensorOpInterface) but no segments, `tensor.dim` with a constant
      dimension, and ops without effects and regions on scalars.
    - (C4) `schedule` belongs to the scheduler named, and fits the region.
    - (C5) `result_hints` has an entry a result: an array that holds each of its dimensions once, or `unit`.
    - (C6) Every operand and result is a tensor or a scalar; every result is a tensor.
    - (C7) There is at least one result.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> tensor<?x1xf32> {
      %r = fusion.segment "row_reduction" (%a = %x : tensor<?x8xf32>) -> (tensor<?x1xf32>) {
        %0 = fusion.reduce <sum> %a dims [1] keep : tensor<?x8xf32> to tensor<?x1xf32>
        fusion.yield %0 : tensor<?x1xf32>
      }
      return %r : tensor<?x1xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Fusion_SegmentOperand>:$inputs, StrAttr:$scheduler,
                       OptionalAttr<Fusion_ScheduleAttrInterface>:$schedule,
                       OptionalAttr<FlatSymbolRefAttr>:$host_function,
                       OptionalAttr<ArrayAttr>:$result_hints);
  let results = (outs Variadic<Fusion_RealTensor>:$results); // segment_c6
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    // Makes the body's block with its arguments, and no terminator.
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$inputs,
                   "::llvm::StringRef":$scheduler)>,
  ];
  let extraClassDeclaration = [{
    ::fuser::fusion::YieldOp getYield();
    /// The operand that a value of the region stands for; null if it is not a block argument.
    ::mlir::Value getOperandFor(::mlir::Value inner);
    /// The value that the region yields as `result`.
    ::mlir::Value getYielded(unsigned result);
    /// The stride order hinted for `result`, or null.
    ::mlir::DenseI64ArrayAttr getResultHint(unsigned result);
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder, ::mlir::ReifiedRankedShapedTypeDims &dims) {
      return ::fuser::fusion::reifyShapes(*this, builder, dims);
    }
  }];
}

def Fusion_YieldOp : Op<Fusion_Dialect, "yield", [
    Pure, Terminator, ReturnLike, HasParent<"SegmentOp">]> {
  let summary = "results of a segment";
  let description = [{
    Ends the region of a `segment` and gives its results.
  }];
  let arguments = (ins Variadic<Fusion_RealTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), "build($_builder, $_state, ::mlir::ValueRange());">];
}

def Fusion_CheckOp : Op<Fusion_Dialect, "check", [MemoryEffects<[MemWrite]>]> {
  let summary = "fails the call if sizes are not as they must be";
  let description = [{
    If `condition`, which is computed from sizes and other scalars, is false, the call ends with `FUSER_INVALID_ARGUMENT` and `message`, in which
    `{0}`, `{1}`, ... stand for `values`, and `{{` for a brace. Nothing of the program has run then, wherever the op stands. It stands outside of segments, and stays whatever
    becomes of the tensors; `fusion-to-host` makes a `host.check` of it.

    `fusion-check-sizes` writes what ops ask of sizes that are not known (a reshape, of the number of elements) as such checks, before anything is
    simplified: an op may go, what it asks may not.

    Constraints:
    - (C1) Every `{k}` in `message` has a value.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
      %c0 = arith.constant 0 : index
      %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
      %same = arith.cmpi eq, %rows, %n : index
      fusion.check %same, "expected x to have {0} rows, got {1}" (%n, %rows : index, index)
      return %x : tensor<?x8xf32>
    }
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message, Variadic<AnySignlessIntegerOrIndex>:$values);
  let assemblyFormat = "$condition `,` $message (` ` `(` $values^ `:` type($values) `)`)? attr-dict";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

// Complex tensors, too: what is expanded is decomposed behind it.
def Fusion_CompositeOperand : AnyTypeOf<[Fusion_StoredTensor, Fusion_Scalar, Index]>;

def Fusion_CompositeOp : Op<Fusion_Dialect, "composite", [Pure]> {
  let summary = "an op of builders by its name, such as layer_norm";
  let description = [{
    What Python's builder calls by a name, in text: `name` is one of docs/spec/builder-ops.md, with operands and attributes as they are written there. It
    takes any operands that PyTorch would take: types are promoted and shapes broadcast. `fusion-expand-composites`, which all tools run when they have read
    a program, makes other ops of it, so that passes, schedulers and the reference know nothing of it.
    The results that are written have the types of the results of the op of builders, or of the first ones of them.

    A shorter form has the name in place of `composite`, if the dialect has no op of it, and types of operands alone; results have the types that follow. With a
    type for each operand, element-wise ops of the dialect that take numbers as operands are read as composites, too: `fusion.sub %x, %mean : tensor<?x8xbf16>, tensor<?x1xf32>`
    promotes and broadcasts.

    Operands are tensors, scalars, indices (sizes, which count as `i64`) and numbers that are written where they are used: `numbers`, at `positions` among
    all operands. As in Python, a number does not change the type of a float tensor. `options` may be flags without a value (`has_bias`), integers,
    element types (`type = bf16`), strings, or lists of numbers, in
    which `unit` stands for the next of the op's last operands (`shape = [unit, 4]`).

    Constraints:
    - (C1) There are as many `positions` as `numbers`; they ascend, and each is less than the number of all operands.
    - (C2) Each number is an f64, an i64 or an i1.

    Example:
    ```mlir
    func.func @f(%x: tensor<8x64x28x28xbf16>, %w: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<8x64x28x28xbf16> {
      %0 = fusion.composite "group_norm"(%x, 1.0e-5, %w, %b) {groups = 32, has_weight, has_bias}
          : (tensor<8x64x28x28xbf16>, tensor<64xf32>, tensor<64xf32>) -> tensor<8x64x28x28xbf16>
      return %0 : tensor<8x64x28x28xbf16>
    }
    func.func @short(%x: tensor<?x8xbf16>, %mean: tensor<?x1xf32>) -> tensor<?x8xf32> {
      %0 = fusion.sub %x, %mean : tensor<?x8xbf16>, tensor<?x1xf32>
      %1 = fusion.softmax %0 {dim = -1} : tensor<?x8xf32>
      return %1 : tensor<?x8xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<Fusion_CompositeOperand>:$operands, DenseI64ArrayAttr:$positions,
                       ArrayAttr:$numbers, DictionaryAttr:$options);
  let results = (outs Variadic<Fusion_CompositeOperand>:$results);
  let assemblyFormat = [{
    $name `(` custom<MixedOperands>($operands, $positions, $numbers) `)` `` custom<PlainAttributes>($options) attr-dict-with-keyword `:`
    functional-type($operands, $results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// All operands in order: a value, or a number.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOperands();
  }];
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONSEGMENTOPS_TD
