//===- FusionElementwiseOps.td - Ops that work element by element -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Constraints carry numbers (`add_c1`), which docs/spec/fusion.md, the verifiers and the tests share. Those that a
// trait or a type checks are marked here, beside it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONELEMENTWISEOPS_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONELEMENTWISEOPS_TD

include "fuser/Dialect/Fusion/IR/FusionOpBase.td"

// `cost`: of an element, in additions. `exact`: a C++ expression, true if the result needs no rounding.
class Fusion_ElementwiseOp<string mnemonic, int cost, string exact, list<Trait> traits,
                           list<string> methods = []>
    : Fusion_TensorOp<mnemonic, traits # [
        DeclareOpInterfaceMethods<Fusion_ElementwiseOpInterface,
                                  ["isExact", "getElementCost"] # methods>]> {
  let extraClassDefinition = reifyDefinition # [{
    ::mlir::OpFoldResult $cppClass::reifyDim(::fuser::fusion::EmitContext &ctx, unsigned result,
                                             int64_t dim) {
      return ::fuser::fusion::reifyDimOfOperand(ctx, getOperation(), dim);
    }
    bool $cppClass::isExact() { return }] # exact # [{; }
    unsigned $cppClass::getElementCost() { return }] # cost # [{; }
  }];
}

class Fusion_BinaryOp<string mnemonic, int cost, string exact, list<Trait> traits = []>
    : Fusion_ElementwiseOp<mnemonic, cost, exact, traits # [
        // add_c1, sub_c1, mul_c1, div_c1, max_c1, min_c1
        AllTypesMatch<["lhs", "rhs", "result"]>,
        DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  // add_c2, sub_c2, mul_c2, div_c2, max_c2, min_c2
  let arguments = (ins Fusion_NumberTensor:$lhs, Fusion_NumberTensor:$rhs);
  let results = (outs Fusion_NumberTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  string constraints = [{

    | element types | computed in |
    | --- | --- |
    | f64 | f64 |
    | f32, f16, bf16 | f32, then rounded |
    | i32, i64 | themselves |

    Constraints:
    - (C1) `lhs`, `rhs` and `result` have the same type.
    - (C2) Elements are floats or i32 or i64.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %r = fusion.}] # mnemonic # [{ %x, %y : tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    }
    ```
  }];
}

def Fusion_AddOp : Fusion_BinaryOp<"add", 1, "isIntegerResult(getOperation())", [Commutative]> {
  let summary = "sum of two tensors";
  let description = [{
    `result[i] = lhs[i] + rhs[i]`. Integers wrap.
  }] # constraints;
}

def Fusion_SubOp : Fusion_BinaryOp<"sub", 1, "isIntegerResult(getOperation())"> {
  let summary = "difference of two tensors";
  let description = [{
    `result[i] = lhs[i] - rhs[i]`. Integers wrap.
  }] # constraints;
}

def Fusion_MulOp : Fusion_BinaryOp<"mul", 1, "isIntegerResult(getOperation())",
                                   [Commutative, Fusion_KeepsRelativeErrors]> {
  let summary = "product of two tensors";
  let description = [{
    `result[i] = lhs[i] * rhs[i]`. Integers wrap.
  }] # constraints;
}

def Fusion_DivOp : Fusion_BinaryOp<"div", 8, "isIntegerResult(getOperation())",
                                   [Fusion_HasApproximateForm, Fusion_EndsInQuotient,
                                    Fusion_KeepsRelativeErrors]> {
  let summary = "quotient of two tensors";
  let description = [{
    `result[i] = lhs[i] / rhs[i]`. Floats follow IEEE 754. Integers truncate towards zero; the lowest integer
    divided by -1 wraps to itself, and a quotient by zero is 0 (programs should not rely on it).
  }] # constraints;
}

def Fusion_MaxOp : Fusion_BinaryOp<"max", 1, "true", [Commutative, Fusion_KeepsRelativeErrors]> {
  let summary = "greater of two tensors";
  let description = [{
    `result[i] = max(lhs[i], rhs[i])`. NaN if either is NaN; -0 is less than +0.
  }] # constraints;
  let hasFolder = 1;
}

def Fusion_MinOp : Fusion_BinaryOp<"min", 1, "true", [Commutative, Fusion_KeepsRelativeErrors]> {
  let summary = "lesser of two tensors";
  let description = [{
    `result[i] = min(lhs[i], rhs[i])`. NaN if either is NaN; -0 is less than +0.
  }] # constraints;
  let hasFolder = 1;
}

class Fusion_UnaryOp<string mnemonic, int cost, list<Trait> traits = [], string exact = "false",
                     Type type = Fusion_FloatTensor>
    : Fusion_ElementwiseOp<mnemonic, cost, exact, traits # [
        // neg_c1, abs_c1, exp_c1, log_c1, sqrt_c1, rsqrt_c1, tanh_c1, sigmoid_c1, silu_c1
        AllTypesMatch<["input", "result"]>,
        DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  // neg_c2, abs_c2, exp_c2, log_c2, sqrt_c2, rsqrt_c2, tanh_c2, sigmoid_c2, silu_c2
  let arguments = (ins type:$input);
  let results = (outs type:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  string constraints = [{

    | element types | computed in |
    | --- | --- |
    | f64 | f64 |
    | f32, f16, bf16 | f32, then rounded |

    Constraints:
    - (C1) `input` and `result` have the same type.
    - (C2) Elements are floats.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %r = fusion.}] # mnemonic # [{ %x : tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    }
    ```
  }];
}

def Fusion_NegOp : Fusion_UnaryOp<"neg", 1, [Fusion_KeepsRelativeErrors], "true", Fusion_NumberTensor> {
  let summary = "tensor with the opposite sign";
  let description = [{
    `result[i] = -input[i]`. Floats change their sign, also those of zero and NaN; integers wrap.

    Constraints:
    - (C1) `input` and `result` have the same type.
    - (C2) Elements are floats or i32 or i64.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xi32>) -> tensor<?x8xi32> {
      %r = fusion.neg %x : tensor<?x8xi32>
      return %r : tensor<?x8xi32>
    }
    ```
  }];
  let hasFolder = 1;
}

def Fusion_AbsOp : Fusion_UnaryOp<"abs", 1, [Fusion_KeepsRelativeErrors], "true", Fusion_NumberTensor> {
  let summary = "absolute value";
  let description = [{
    `result[i] = |input[i]|`. Floats lose their sign, also those of zero and NaN; the lowest integer stays as it is.

    Constraints:
    - (C1) `input` and `result` have the same type.
    - (C2) Elements are floats or i32 or i64.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
      %r = fusion.abs %x : tensor<?x8xbf16>
      return %r : tensor<?x8xbf16>
    }
    ```
  }];
  let hasFolder = 1;
}

def Fusion_ExpOp : Fusion_UnaryOp<"exp", 20, [Fusion_HasApproximateForm]> {
  let summary = "exponential";
  let description = [{
    `result[i] = e ** input[i]`.
  }] # constraints;
}

def Fusion_LogOp : Fusion_UnaryOp<"log", 20> {
  let summary = "natural logarithm";
  let description = [{
    `result[i] = ln input[i]`: -inf at 0, NaN below.
  }] # constraints;
}

def Fusion_SqrtOp : Fusion_UnaryOp<"sqrt", 10, [Fusion_KeepsRelativeErrors]> {
  let summary = "square root";
  let description = [{
    `result[i] = sqrt(input[i])`: NaN below 0.
  }] # constraints;
}

def Fusion_RsqrtOp : Fusion_UnaryOp<"rsqrt", 10, [Fusion_HasApproximateForm, Fusion_KeepsRelativeErrors]> {
  let summary = "reciprocal square root";
  let description = [{
    `result[i] = 1 / sqrt(input[i])`: inf at 0, NaN below.
  }] # constraints;
}

def Fusion_TanhOp : Fusion_UnaryOp<"tanh", 25, [Fusion_HasApproximateForm]> {
  let summary = "hyperbolic tangent";
  let description = [{
    `result[i] = tanh(input[i])`.
  }] # constraints;
}

def Fusion_SigmoidOp : Fusion_UnaryOp<"sigmoid", 30, [Fusion_HasApproximateForm, Fusion_EndsInQuotient]> {
  let summary = "logistic function";
  let description = [{
    `result[i] = 1 / (1 + e ** -input[i])`: 0 at -inf, 1 at inf. Where `e ** -input[i]` overflows, 0.
  }] # constraints;
}

def Fusion_SiluOp : Fusion_UnaryOp<"silu", 30, [Fusion_HasApproximateForm, Fusion_EndsInQuotient]> {
  let summary = "sigmoid linear unit";
  let description = [{
    `result[i] = input[i] / (1 + e ** -input[i])`: inf at inf, and NaN at -inf as in PyTorch (-inf / inf). Where
    `e ** -input[i]` overflows, -0.
  }] # constraints;
}

def Fusion_CmpOp : Fusion_ElementwiseOp<"cmp", 1, "true", [
    AllTypesMatch<["lhs", "rhs"]>, // cmp_c1
    TypesMatchWith<"result has the shape of the operands and i1 elements", // cmp_c2
                   "lhs", "result", "::fuser::fusion::getBoolTensorLike($_self)">,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "comparison of two tensors";
  let description = [{
    `result[i] = lhs[i] <predicate> rhs[i]`, with predicate `eq`, `ne`, `lt`, `le`, `gt` or `ge`. A comparison with NaN is
    false, but for `ne`, which is true. Integers are signed; of i1, false is less than true.

    Constraints:
    - (C1) `lhs` and `rhs` have the same type.
    - (C2) `result` has their shape and element type i1.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xi1> {
      %r = fusion.cmp <lt> %x, %y : tensor<?x8xf32>
      return %r : tensor<?x8xi1>
    }
    ```
  }];
  let arguments = (ins Fusion_CmpPredicateAttr:$predicate, Fusion_Tensor:$lhs, Fusion_Tensor:$rhs);
  let results = (outs Fusion_BoolTensor:$result);
  let assemblyFormat = "$predicate $lhs `,` $rhs attr-dict `:` type($lhs)";
}

def Fusion_WhereOp : Fusion_ElementwiseOp<"where", 1, "true", [
    Fusion_KeepsRelativeErrors,
    AllTypesMatch<["true_value", "false_value", "result"]>, // where_c1
    TypesMatchWith<"condition has the shape of the result and i1 elements", // where_c2
                   "result", "condition", "::fuser::fusion::getBoolTensorLike($_self)">,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "choice between two tensors";
  let description = [{
    `result[i] = condition[i] ? true_value[i] : false_value[i]`.

    Constraints:
    - (C1) `true_value`, `false_value` and `result` have the same type.
    - (C2) `condition` has their shape and element type i1.

    Example:
    ```mlir
    func.func @f(%c: tensor<?x8xi1>, %x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %r = fusion.where %c, %x, %y : tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    }
    ```
  }];
  let arguments = (ins Fusion_BoolTensor:$condition, Fusion_Tensor:$true_value,
                       Fusion_Tensor:$false_value);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$condition `,` $true_value `,` $false_value attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Fusion_CastOp : Fusion_ElementwiseOp<"cast", 1, "isExactCast(*this)", [Fusion_KeepsRelativeErrors],
                                       ["isNarrowing", "getErrorUnits"]> {
  let summary = "conversion to another element type";
  let description = [{
    `result[i]` is `input[i]` in the result's element type. Every type converts to every other:

    | from | to | rule |
    | --- | --- | --- |
    | float | float | rounded once, to nearest, ties to even; too great becomes infinite |
    | i1, i32, i64 | float | the same; true is 1 |
    | float | i32, i64 | truncated towards zero; beyond the range the nearest bound; NaN becomes 0 |
    | i64 | i32 | the low 32 bits |
    | i1 | i32, i64 | true is 1 |
    | any | i1 | `input[i] != 0`; NaN is true |

    Constraints:
    - (C1) `input` and `result` have the same shape.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xbf16>) -> tensor<?x8xf32> {
      %r = fusion.cast %x : tensor<?x8xbf16> to tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    }
    ```
  }];
  let arguments = (ins Fusion_Tensor:$input);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

class Fusion_CopyOp<string mnemonic, Trait trait>
    : Fusion_ElementwiseOp<mnemonic, 0, "true", [
        trait, Fusion_KeepsRelativeErrors,
        AllTypesMatch<["input", "result"]>, // set_c1, segment_set_c1
        DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins Fusion_Tensor:$input);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Fusion_SetOp : Fusion_CopyOp<"set", Fusion_RequestedCopy> {
  let summary = "explicit copy";
  let description = [{
    `result[i] = input[i]`, as a tensor of its own: a set is never folded away, so that a result of a function can be a
    copy of an input.

    Constraints:
    - (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %r = fusion.set %x : tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    }
    ```
  }];
}

def Fusion_SegmentSetOp : Fusion_CopyOp<"segment_set", Fusion_SegmentBoundary> {
  let summary = "boundary between segments";
  let description = [{
    `result[i] = input[i]`. What computes `input` and what uses `result` never share a segment: the tensor goes through
    memory, and nothing is recomputed across it.

    Constraints:
    - (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %0 = fusion.exp %x : tensor<?x8xf32>
      %1 = fusion.segment_set %0 : tensor<?x8xf32>
      %2 = fusion.add %1, %1 : tensor<?x8xf32>
      return %2 : tensor<?x8xf32>
    }
    ```
  }];
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONELEMENTWISEOPS_TD
