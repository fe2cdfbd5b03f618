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

// `cost`: of an element, in additions. `exact`: a C++ expression, true if the result needs no rounding. `type`: of the operands.
//
// An op of one or two tensors of one type, without attributes, whose result's type follows is one of builders and of Python, too, by its mnemonic
// (lib/Frontend/Elementwise.cpp).
class Fusion_ElementwiseOp<string mnemonic, int cost, string exact, list<Trait> traits,
                           list<string> methods = [], Fusion_TensorOf type = Fusion_Tensor>
    : Fusion_TensorOp<mnemonic, traits # !if(type.takesIntegers, []<Trait>, [Fusion_TakesNoIntegers]) # [
        DeclareOpInterfaceMethods<Fusion_ElementwiseOpInterface,
                                  ["isExact", "getElementCost"] # methods>]> {
  code elementwiseDefinition = reifyDefinition # [{
    ::mlir::OpFoldResult $cppClass::reifyDim(::fuser::fusion::EmitContext &ctx, unsigned result,
                                             int64_t dim) {
      return ::fuser::fusion::reifyDimOfOperand(ctx, getOperation(), dim);
    }
    bool $cppClass::isExact() { return }] # exact # [{; }
    unsigned $cppClass::getElementCost() { return }] # cost # [{; }
  }];
  let extraClassDefinition = elementwiseDefinition;
}

// The last two operands are tensors of one type, or one of them is a number, `scalar`. Then the op's own `emit` has all of them.
class Fusion_ScalarOp<string mnemonic, int cost, string exact, list<Trait> traits, Fusion_TensorOf type = Fusion_Tensor>
    : Fusion_ElementwiseOp<mnemonic, cost, exact, traits # [
        Fusion_TakesScalar, DeclareOpInterfaceMethods<InferTypeOpInterface>], [], type> {
  let hasCustomAssemblyFormat = 1;
  code scalarDeclaration = [{
    /// The element, of those of both operands.
    ::mlir::Value emit(::fuser::fusion::EmitContext &ctx, ::mlir::ValueRange operands, ::mlir::Type resultType);
  }];
  code scalarDefinition = elementwiseDefinition # [{
    ::mlir::Value $cppClass::emitElement(::fuser::fusion::EmitContext &ctx, ::mlir::ValueRange operands,
                                         ::mlir::Type resultType) {
      return emit(ctx, ::fuser::fusion::addScalarOperand(ctx, getOperation(), operands), resultType);
    }
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &result) {
      return ::fuser::fusion::parseScalarOp(parser, result);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      ::fuser::fusion::printScalarOp(printer, getOperation());
    }
  }];
  // The result is of the last operand's type.
  code sameTypeDefinition = scalarDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location>, ::mlir::ValueRange operands, ::mlir::DictionaryAttr,
        ::mlir::OpaqueProperties, ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::fuser::fusion::inferSameType(operands, types);
    }
  }];
  let extraClassDeclaration = scalarDeclaration;
  let extraClassDefinition = sameTypeDefinition;
}

// All tensors from operand `first` on, and the results if `withResult`, have one type.
class Fusion_OneType<string names, int first, string withResult>
    : PredOpTrait<"all of {" # names # "} have same type",
                  CPred<"::fuser::fusion::haveOneType(&$_op, " # first # ", " # withResult # ")">>;

class Fusion_AnyBinaryOp<string mnemonic, int cost, string exact, Fusion_TensorOf type, list<Trait> traits = []>
    : Fusion_ScalarOp<mnemonic, cost, exact, traits # [
        // binary_c1, add_c1, sub_c1, mul_c1, div_c1, max_c1, min_c1
        Fusion_OneType<"lhs, rhs, result", 0, "true">], type> {
  // binary_c2, add_c2, sub_c2, mul_c2, div_c2, max_c2, min_c2
  let arguments = (ins type:$lhs, Optional<type>:$rhs, OptionalAttr<TypedAttrInterface>:$scalar,
                       UnitAttr:$scalar_first);
  let results = (outs type:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs),
              [{ build($_builder, $_state, lhs, rhs, ::mlir::TypedAttr(), false); }]>,
    OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$lhs, "::mlir::Value":$rhs),
              [{ build($_builder, $_state, type, lhs, rhs, ::mlir::TypedAttr(), false); }]>];
}

class Fusion_BinaryOp<string mnemonic, int cost, string exact, list<Trait> traits = [], bit ofComplex = false>
    : Fusion_AnyBinaryOp<mnemonic, cost, exact, !if(ofComplex, Fusion_FieldTensor, Fusion_NumberTensor), traits> {
  string constraints = [{

    | element types | computed in |
    | --- | --- |
    | f64 | f64 |
    | f32, f16, bf16, f8E4M3FN, f8E5M2 | f32, then rounded |
    | integers | themselves |

    Constraints:
    - (C1) `lhs`, `rhs` and `result` have the same type.
    - (C2) Elements are floats}] # !if(ofComplex, ", integers or complex numbers.", " or integers.") # [{

    One operand may be a number: `fusion.}] # mnemonic # [{ %x, 2.0 : tensor<?x8xf32>`.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %r = fusion.}] # mnemonic # [{ %x, %y : tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    }
    ```
  }];
}

def Fusion_AddOp : Fusion_BinaryOp<"add", 1, "isIntegerResult(getOperation())", [Commutative], true> {
  let summary = "sum of two tensors";
  let description = [{
    `result[i] = lhs[i] + rhs[i]`. Integers wrap.
  }] # constraints;
}

def Fusion_SubOp : Fusion_BinaryOp<"sub", 1, "isIntegerResult(getOperation())", [], true> {
  let summary = "difference of two tensors";
  let description = [{
    `result[i] = lhs[i] - rhs[i]`. Integers wrap.
  }] # constraints;
}

def Fusion_MulOp : Fusion_BinaryOp<"mul", 1, "isIntegerResult(getOperation())",
                                   [Commutative, Fusion_KeepsRelativeErrors], true> {
  let summary = "product of two tensors";
  let description = [{
    `result[i] = lhs[i] * rhs[i]`. Integers wrap.
  }] # constraints;
}

def Fusion_DivOp : Fusion_BinaryOp<"div", 8, "isIntegerResult(getOperation())",
                                   [Fusion_HasApproximateForm, Fusion_EndsInQuotient,
                                    Fusion_KeepsRelativeErrors], true> {
  let summary = "quotient of two tensors";
  let description = [{
    `result[i] = lhs[i] / rhs[i]`. Floats follow IEEE 754. Integers truncate towards zero; the lowest signed
    integer divided by -1 wraps to itself, and a quotient by zero is 0 (programs should not rely on it). Quotients of complex numbers are scaled, so
    that nothing overflows on the way that need not (docs/rationale/complex.md).
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
                     Fusion_TensorOf type = Fusion_FloatTensor>
    : Fusion_ElementwiseOp<mnemonic, cost, exact, traits # [
        // unary_c1, neg_c1, abs_c1, exp_c1, log_c1, sqrt_c1, rsqrt_c1, tanh_c1, sigmoid_c1, silu_c1
        AllTypesMatch<["input", "result"]>,
        DeclareOpInterfaceMethods<InferTypeOpInterface>], [], type> {
  // unary_c2, neg_c2, abs_c2, exp_c2, log_c2, sqrt_c2, rsqrt_c2, tanh_c2, sigmoid_c2, silu_c2
  let arguments = (ins type:$input);
  let results = (outs type:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  string ofWhat = "";
  string constraints = [{

    | element types | computed in |
    | --- | --- |
    | f64 | f64 |
    | f32, f16, bf16, f8E4M3FN, f8E5M2 | f32, then rounded |

    Constraints:
    - (C1) `input` and `result` have the same type.
    - (C2) Elements are floats}] # ofWhat # [{.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %r = fusion.}] # mnemonic # [{ %x : tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    }
    ```
  }];
}

// A function that complex numbers have, too.
class Fusion_AnalyticOp<string mnemonic, int cost, list<Trait> traits = []>
    : Fusion_UnaryOp<mnemonic, cost, traits, "false", Fusion_AnalyticTensor> {
  let ofWhat = " or complex numbers";
}

def Fusion_NegOp : Fusion_UnaryOp<"neg", 1, [Fusion_KeepsRelativeErrors], "true", Fusion_FieldTensor> {
  let summary = "tensor with the opposite sign";
  let description = [{
    `result[i] = -input[i]`. Floats change their sign, also those of zero and NaN; integers wrap.

    Constraints:
    - (C1) `input` and `result` have the same type.
    - (C2) Elements are floats, integers or complex numbers.

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
    `result[i] = |input[i]|`. Floats lose their sign, also those of zero and NaN; the lowest signed integer and all
    unsigned ones stay as they are. Of complex numbers it is `fusion.modulus`, whose result is real.

    Constraints:
    - (C1) `input` and `result` have the same type.
    - (C2) Elements are floats or integers.

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

def Fusion_ExpOp : Fusion_AnalyticOp<"exp", 20, [Fusion_HasApproximateForm]> {
  let summary = "exponential";
  let description = [{
    `result[i] = e ** input[i]`.
  }] # constraints;
}

def Fusion_LogOp : Fusion_AnalyticOp<"log", 20> {
  let summary = "natural logarithm";
  let description = [{
    `result[i] = ln input[i]`: -inf at 0, NaN below.
  }] # constraints;
}

def Fusion_SqrtOp : Fusion_AnalyticOp<"sqrt", 10, [Fusion_KeepsRelativeErrors]> {
  let summary = "square root";
  let description = [{
    `result[i] = sqrt(input[i])`: NaN below 0.
  }] # constraints;
}

def Fusion_RsqrtOp : Fusion_AnalyticOp<"rsqrt", 10, [Fusion_HasApproximateForm, Fusion_KeepsRelativeErrors]> {
  let summary = "reciprocal square root";
  let description = [{
    `result[i] = 1 / sqrt(input[i])`: inf at 0, NaN below.
  }] # constraints;
}

def Fusion_TanhOp : Fusion_AnalyticOp<"tanh", 25, [Fusion_HasApproximateForm]> {
  let summary = "hyperbolic tangent";
  let description = [{
    `result[i] = tanh(input[i])`.
  }] # constraints;
}

def Fusion_SigmoidOp : Fusion_AnalyticOp<"sigmoid", 30, [Fusion_HasApproximateForm, Fusion_EndsInQuotient]> {
  let summary = "logistic function";
  let description = [{
    `result[i] = 1 / (1 + e ** -input[i])`: 0 at -inf, 1 at inf. Where `e ** -input[i]` overflows, 0.
  }] # constraints;
}

def Fusion_SiluOp : Fusion_AnalyticOp<"silu", 30, [Fusion_HasApproximateForm, Fusion_EndsInQuotient]> {
  let summary = "sigmoid linear unit";
  let description = [{
    `result[i] = input[i] / (1 + e ** -input[i])`: inf at inf, and NaN at -inf as in PyTorch (-inf / inf). Where
    `e ** -input[i]` overflows, -0.
  }] # constraints;
}

// An op that is one record: `element` is its element, C++ with `ctx`, `operands` and `resultType`. Random programs give it elements of the
// types for which `takes`, of an `element`, is true, no greater than `limit`, the first one no less than `least`; then the result is no
// greater than `result`, of the limits `x` and `y`.
class Fusion_Sampled<string takes, string limit, string least, string result> {
  code definition = [{
    bool $cppClass::takesElement(::mlir::Type element) { return }] # takes # [{; }
    double $cppClass::getOperandLimit() { return }] # limit # [{; }
    double $cppClass::getLeastOperand() { return }] # least # [{; }
    double $cppClass::getResultLimit(double x, double y) { return }] # result # [{; }
  }];
}
defvar kFloats = "::llvm::isa<::mlir::FloatType>(element)";
defvar kNumbers = "!::fuser::isBoolElement(element)";
defvar kIntegers = "::fuser::isIntegerElement(element)";
defvar kBits = "::llvm::isa<::mlir::IntegerType>(element)";
defvar kAnything = "HUGE_VAL";
defvar isSampled = DeclareOpInterfaceMethods<Fusion_SampledOpInterface>;

class Fusion_SimpleUnaryOp<string mnemonic, int cost, string exact, Fusion_TensorOf type, code element, string takes,
                           string result, list<Trait> traits = []>
    : Fusion_UnaryOp<mnemonic, cost, traits # [isSampled], exact, type> {
  let extraClassDefinition = elementwiseDefinition # Fusion_Sampled<takes, kAnything, "0", result>.definition # [{
    ::mlir::Value $cppClass::emitElement(::fuser::fusion::EmitContext &ctx, ::mlir::ValueRange operands,
                                         ::mlir::Type resultType) { }] # element # [{ }
  }];
}

// A rounding to a whole number.
class Fusion_RoundingOp<string mnemonic, string mathOp>
    : Fusion_SimpleUnaryOp<mnemonic, 1, "true", Fusion_FloatTensor,
                           "return ::mlir::math::" # mathOp # "::create(ctx.builder, ctx.loc, operands[0]);", kFloats,
                           "x + 1">;

def Fusion_CeilOp : Fusion_RoundingOp<"ceil", "CeilOp"> {
  let summary = "least whole number that is not less";
  let description = "`result[i]` is the least whole number that is not less than `input[i]`; -0 above -1." # constraints;
}

def Fusion_FloorOp : Fusion_RoundingOp<"floor", "FloorOp"> {
  let summary = "greatest whole number that is not greater";
  let description = "`result[i]` is the greatest whole number that is not greater than `input[i]`." # constraints;
}

def Fusion_TruncOp : Fusion_RoundingOp<"trunc", "TruncOp"> {
  let summary = "number without its fraction";
  let description = "`result[i]` is `input[i]` rounded towards zero, with its sign." # constraints;
}

def Fusion_RoundOp : Fusion_RoundingOp<"round", "RoundEvenOp"> {
  let summary = "nearest whole number";
  let description = "`result[i]` is the whole number nearest to `input[i]`, of two the even one, with its sign." # constraints;
}

def Fusion_SignOp : Fusion_SimpleUnaryOp<"sign", 2, "true", Fusion_NumberTensor,
                                         "return emitSign(ctx, getType().getElementType(), operands[0]);", kNumbers, "1"> {
  let summary = "-1, 0 or 1";
  let description = [{
    `result[i]` is 1 if `input[i]` is greater than 0, -1 if it is less, else 0, also of NaN, as in PyTorch.

    Constraints:
    - (C1) `input` and `result` have the same type.
    - (C2) Elements are floats or integers.
  }];
}

def Fusion_NotOp : Fusion_SimpleUnaryOp<"not", 1, "true", Fusion_BitsTensor,
                                        "return emitNot(ctx, operands[0]);", kBits, "x + 1"> {
  let summary = "opposite of all bits";
  let description = [{
    Each bit of `result[i]` is the other one than in `input[i]`; of i1, the other truth.

    Constraints:
    - (C1) `input` and `result` have the same type.
    - (C2) Elements are i1 or integers.
  }];
  let hasFolder = 1;
}

// A question about a float.
class Fusion_FloatTestOp<string mnemonic, string function>
    : Fusion_ElementwiseOp<mnemonic, 1, "true", [
        isSampled,
        TypesMatchWith<"result has the shape of the input and i1 elements", // test_c1
                       "input", "result", "::fuser::fusion::getBoolTensorLike($_self)">,
        DeclareOpInterfaceMethods<InferTypeOpInterface>], [], Fusion_AnalyticTensor> {
  let arguments = (ins Fusion_AnalyticTensor:$input); // test_c2
  let results = (outs Fusion_BoolTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let extraClassDefinition = elementwiseDefinition # Fusion_Sampled<kFloats, kAnything, "0", "1">.definition # [{
    ::mlir::Value $cppClass::emitElement(::fuser::fusion::EmitContext &ctx, ::mlir::ValueRange operands,
                                         ::mlir::Type) {
      return }] # function # [{(ctx, operands[0]);
    }
  }];
  string constraints = [{

    Constraints:
    - (C1) `result` has the shape of `input` and element type i1.
    - (C2) Elements of `input` are floats or complex numbers.
  }];
}

def Fusion_IsNaNOp : Fusion_FloatTestOp<"isnan", "emitIsNaN"> {
  let summary = "whether an element is NaN";
  let description = "`result[i]` is true if `input[i]`, or a part of it, is NaN." # constraints;
}

def Fusion_IsInfOp : Fusion_FloatTestOp<"isinf", "emitIsInf"> {
  let summary = "whether an element is infinite";
  let description = "`result[i]` is true if `input[i]`, or a part of it, is inf or -inf." # constraints;
}

def Fusion_IsFiniteOp : Fusion_FloatTestOp<"isfinite", "emitIsFinite"> {
  let summary = "whether an element is a number";
  let description = "`result[i]` is true if `input[i]`, or each part of it, is neither infinite nor NaN." # constraints;
}

class Fusion_SimpleBinaryOp<string mnemonic, int cost, string exact, Fusion_TensorOf type, string takes, string result,
                            code element, list<Trait> traits = [], string limit = kAnything, string least = "0">
    : Fusion_AnyBinaryOp<mnemonic, cost, exact, type, traits # [isSampled]> {
  let extraClassDefinition = sameTypeDefinition # Fusion_Sampled<takes, limit, least, result>.definition # [{
    ::mlir::Value $cppClass::emit(::fuser::fusion::EmitContext &ctx, ::mlir::ValueRange operands, ::mlir::Type) {
      return }] # element # [{;
    }
  }];
  string constraints = [{

    Constraints:
    - (C1) `lhs`, `rhs` and `result` have the same type.
    - (C2) Elements are }] # !cond(!eq(takes, kFloats): "floats", !eq(takes, kNumbers): "floats or integers",
                                   !eq(takes, kIntegers): "integers", true: "i1 or integers") # [{.

    One operand may be a number.
  }];
}

def Fusion_FMaxOp : Fusion_SimpleBinaryOp<"fmax", 2, "true", Fusion_FloatTensor, kFloats, "std::max(x, y)",
                                          "emitExtremeNumber<::mlir::arith::MaximumFOp>(ctx, operands)",
                                          [Commutative, Fusion_KeepsRelativeErrors]> {
  let summary = "greater of two tensors, of a number and NaN the number";
  let description = "`result[i] = max(lhs[i], rhs[i])`; NaN only if both are NaN; -0 is less than +0." # constraints;
}

def Fusion_FMinOp : Fusion_SimpleBinaryOp<"fmin", 2, "true", Fusion_FloatTensor, kFloats, "std::max(x, y)",
                                          "emitExtremeNumber<::mlir::arith::MinimumFOp>(ctx, operands)",
                                          [Commutative, Fusion_KeepsRelativeErrors]> {
  let summary = "lesser of two tensors, of a number and NaN the number";
  let description = "`result[i] = min(lhs[i], rhs[i])`; NaN only if both are NaN; -0 is less than +0." # constraints;
}

def Fusion_FmodOp : Fusion_SimpleBinaryOp<"fmod", 60, "true", Fusion_NumberTensor, kNumbers, "x",
                                          "emitFmod(ctx, getType().getElementType(), operands)", [Fusion_IsErratic]> {
  let summary = "remainder with the dividend's sign";
  let description = [{
    `result[i] = lhs[i] - n * rhs[i]`, with `n` the quotient without its fraction, exactly; the sign is that of `lhs[i]`. Floats: NaN if
    `lhs[i]` is infinite or `rhs[i]` is 0. Integers: `lhs[i]` if `rhs[i]` is 0 (programs should not rely on it).
  }] # constraints;
}

def Fusion_RemainderOp : Fusion_SimpleBinaryOp<"remainder", 60, "isIntegerResult(getOperation())", Fusion_NumberTensor,
                                               kNumbers, "std::max(x, y)", "emitRemainder(ctx, getType().getElementType(), operands)",
                                               [Fusion_IsErratic]> {
  let summary = "remainder with the divisor's sign";
  let description = [{
    What `fmod` gives, plus `rhs[i]` if that is not 0 and has the other sign than `rhs[i]`: `-1` and `3` give 2. As in PyTorch, a float is
    that sum, rounded, and NaN if `rhs[i]` is 0.
  }] # constraints;
}

def Fusion_FloorDivOp : Fusion_SimpleBinaryOp<"floor_div", 60, "isIntegerResult(getOperation())", Fusion_NumberTensor,
                                              kNumbers, kAnything, "emitFloorQuotient(ctx, getType().getElementType(), operands)",
                                              [Fusion_IsErratic]> {
  let summary = "quotient, rounded down";
  let description = [{
    The greatest whole number that is not greater than `lhs[i] / rhs[i]`. `div` rounds towards zero, or to the nearest float.

    Floats: what PyTorch and NumPy compute, `(lhs[i] - fmod(lhs[i], rhs[i])) / rhs[i]` less 1 if the remainder has the other sign than
    `rhs[i]`, rounded to the nearest whole number; `floor(div)` is another one where the quotient is rounded up: `1.0` and `0.1` give 9. By 0
    it is the quotient; NaN if `lhs[i]` is infinite; 0 has the quotient's sign. f16 and bf16 are computed in f32, as in NumPy.

    Integers: the lowest one divided by -1 wraps to itself, and a quotient by zero is 0 (PyTorch has an error; programs should not rely on
    it).
  }] # constraints;
}

def Fusion_GcdOp : Fusion_SimpleBinaryOp<"gcd", 600, "true", Fusion_IntegerTensor, kIntegers, "std::max(x, y)",
                                         "emitGcd(ctx, getType().getElementType(), operands)", [Commutative, Fusion_IsErratic]> {
  let summary = "greatest common divisor";
  let description = [{
    The greatest integer that divides `lhs[i]` and `rhs[i]`, not negative; of 0 and `x` it is `|x|`. One that the type does not hold (of
    the least integer and 0 or itself) wraps.
  }] # constraints;
}

def Fusion_NextAfterOp : Fusion_SimpleBinaryOp<"nextafter", 15, "true", Fusion_FloatTensor, kFloats, "2 * std::max(x, y)",
                                               "emitNextAfter(ctx, getType().getElementType(), operands)", [Fusion_IsErratic]> {
  let summary = "next float on the way to another";
  let description = [{
    The float of the element type next to `lhs[i]` in the direction of `rhs[i]`; `rhs[i]` if they are equal, NaN if one is. Beyond the greatest
    float is inf, or NaN in f8E4M3FN; next to 0 is the least float, which is not a normal number.
  }] # constraints;
}

def Fusion_AndOp : Fusion_SimpleBinaryOp<"and", 1, "true", Fusion_BitsTensor, kBits, "2 * std::max(x, y) + 1",
                                         "::mlir::arith::AndIOp::create(ctx.builder, ctx.loc, operands[0], operands[1])",
                                         [Commutative, Fusion_IsErratic]> {
  let summary = "bits that both have";
  let description = "The bits that are set in `lhs[i]` and in `rhs[i]`." # constraints;
  let hasFolder = 1;
}

def Fusion_OrOp : Fusion_SimpleBinaryOp<"or", 1, "true", Fusion_BitsTensor, kBits, "2 * std::max(x, y) + 1",
                                        "::mlir::arith::OrIOp::create(ctx.builder, ctx.loc, operands[0], operands[1])",
                                        [Commutative, Fusion_IsErratic]> {
  let summary = "bits that one has";
  let description = "The bits that are set in `lhs[i]`, in `rhs[i]` or in both." # constraints;
  let hasFolder = 1;
}

def Fusion_XorOp : Fusion_SimpleBinaryOp<"xor", 1, "true", Fusion_BitsTensor, kBits, "2 * std::max(x, y) + 1",
                                         "::mlir::arith::XOrIOp::create(ctx.builder, ctx.loc, operands[0], operands[1])",
                                         [Commutative, Fusion_IsErratic]> {
  let summary = "bits that only one has";
  let description = "The bits that are set in `lhs[i]` or in `rhs[i]` but not in both." # constraints;
}

class Fusion_ShiftOp<string mnemonic, string shifted, string result>
    : Fusion_SimpleBinaryOp<mnemonic, 3, "true", Fusion_IntegerTensor, kIntegers, result, shifted, [Fusion_IsErratic]>;

def Fusion_ShlOp : Fusion_ShiftOp<"shl", "emitShift<::mlir::arith::ShLIOp>(ctx, operands)", "0x1p63"> {
  let summary = "shift to the left";
  let description = [{
    The bits of `lhs[i]`, `rhs[i]` places further to the left; zeros come in. 0 where `rhs[i]` is negative or no less than the number of bits.
  }] # constraints;
}

def Fusion_ShrOp : Fusion_ShiftOp<"shr", "emitShiftRight(ctx, getType().getElementType(), operands)", "x"> {
  let summary = "shift to the right that keeps the sign";
  let description = [{
    The bits of `lhs[i]`, `rhs[i]` places further to the right; copies of the sign come in, of unsigned integers zeros, and nothing else is left where
    `rhs[i]` is negative or no less than the number of bits.
  }] # constraints;
}

def Fusion_ShruOp : Fusion_ShiftOp<"shru", "emitShift<::mlir::arith::ShRUIOp>(ctx, operands)", "0x1p63"> {
  let summary = "shift to the right of unsigned bits";
  let description = [{
    The bits of `lhs[i]`, `rhs[i]` places further to the right; zeros come in. 0 where `rhs[i]` is negative or no less than the number of bits.
  }] # constraints;
}

def Fusion_CmpOp : Fusion_ScalarOp<"cmp", 1, "true", [
    Fusion_OneType<"lhs, rhs", 0, "false">, // cmp_c1
    TypesMatchWith<"result has the shape of the operands and i1 elements", // cmp_c2
                   "lhs", "result", "::fuser::fusion::getBoolTensorLike($_self)">]> {
  let summary = "comparison of two tensors";
  let description = [{
    `result[i] = lhs[i] <predicate> rhs[i]`, with predicate `eq`, `ne`, `lt`, `le`, `gt` or `ge`. A comparison with NaN is
    false, but for `ne`, which is true. Integers have the sign of their type; of i1, false is less than true.

    Constraints:
    - (C1) `lhs` and `rhs` have the same type.
    - (C2) `result` has their shape and element type i1.
    - (C3) Complex numbers, which have no order, are compared by `eq` or `ne`.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xi1> {
      %r = fusion.cmp <lt> %x, %y : tensor<?x8xf32>
      return %r : tensor<?x8xi1>
    }
    ```
  }];
  let arguments = (ins Fusion_CmpPredicateAttr:$predicate, Fusion_Tensor:$lhs, Optional<Fusion_Tensor>:$rhs,
                       OptionalAttr<TypedAttrInterface>:$scalar, UnitAttr:$scalar_first);
  let results = (outs Fusion_BoolTensor:$result);
  let builders = [
    OpBuilder<(ins "::fuser::fusion::CmpPredicate":$predicate, "::mlir::Value":$lhs, "::mlir::Value":$rhs),
              [{ build($_builder, $_state, predicate, lhs, rhs, ::mlir::TypedAttr(), false); }]>];
  let extraClassDefinition = scalarDefinition;
  let hasVerifier = 1;
}

def Fusion_WhereOp : Fusion_ScalarOp<"where", 1, "true", [
    Fusion_KeepsRelativeErrors,
    Fusion_OneType<"true_value, false_value, result", 1, "true">, // where_c1
    TypesMatchWith<"condition has the shape of the result and i1 elements", // where_c2
                   "result", "condition", "::fuser::fusion::getBoolTensorLike($_self)">]> {
  let summary = "choice between two tensors";
  let description = [{
    `result[i] = condition[i] ? true_value[i] : false_value[i]`. One of the values may be a number: with `scalar_first`, which the
    order of the operands says in text, the tensor `true_value` is chosen where the condition is false.

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
  let arguments = (ins Fusion_BoolTensor:$condition, Fusion_StoredTensor:$true_value,
                       Optional<Fusion_StoredTensor>:$false_value, OptionalAttr<TypedAttrInterface>:$scalar,
                       UnitAttr:$scalar_first);
  let results = (outs Fusion_StoredTensor:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$condition, "::mlir::Value":$true_value, "::mlir::Value":$false_value),
              [{ build($_builder, $_state, condition, true_value, false_value, ::mlir::TypedAttr(), false); }]>];
  let hasFolder = 1;
}

def Fusion_CastOp : Fusion_ElementwiseOp<"cast", 1, "isExactCast(*this)", [Fusion_KeepsRelativeErrors],
                                       ["isNarrowing", "getErrorUnits"]> {
  let summary = "conversion to another element type";
  let description = [{
    `result[i]` is `input[i]` in the result's element type:

    | from | to | rule |
    | --- | --- | --- |
    | float | float | rounded once, to nearest, ties to even; too great becomes infinite; in f8E8M0FNU the power of two nearest to the size |
    | i1, integer | float | the same; true is 1 |
    | float | integer | truncated towards zero; beyond the range the nearest bound; NaN becomes 0 |
    | integer | integer | the low bits; a wider result has copies of the sign above them, of an unsigned input zeros |
    | i1 | integer | true is 1 |
    | any | i1 | `input[i] != 0`; NaN is true |
    | any other | complex | the real part in the type of the parts, and 0 |
    | complex | complex | both parts |
    | f32, f16, bf16 | f4E2M1FN | the nearest of 0, 0.5, 1, 1.5, 2, 3, 4 and 6 with the sign, ties to even; beyond 6, 6; NaN becomes -0 |
    | f4E2M1FN | f32, f16, bf16 | the same |

    Constraints:
    - (C1) `input` and `result` have the same shape.
    - (C2) Complex numbers become complex numbers or i1; `real` is their real part.
    - (C3) f4E2M1FN becomes f32, f16 or bf16, and is made of these.

    An element type alone stands for the result's type: `fusion.cast %x : tensor<?x8xbf16> to f32`.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xbf16>) -> tensor<?x8xf32> {
      %r = fusion.cast %x : tensor<?x8xbf16> to tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    }
    ```
  }];
  let arguments = (ins Fusion_StoredTensor:$input);
  let results = (outs Fusion_StoredTensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `to` custom<TypeOrElement>(type($result), ref(type($input)))
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Fusion_BitcastOp : Fusion_ElementwiseOp<"bitcast", 1, "true", []> {
  let summary = "the bits of elements as another element type";
  let description = [{
    `result[i]` has the bits of `input[i]`. NaNs are NaNs with the same sign or another, whose other bits may differ from those of the input.

    Constraints:
    - (C1) `input` and `result` have the same shape.
    - (C2) Elements of both have as many bits.

    An element type alone stands for the result's type: `fusion.bitcast %x : tensor<?x8xbf16> to i16`.

    Example:
    ```mlir
    func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xi32> {
      %r = fusion.bitcast %x : tensor<?x8xf32> to tensor<?x8xi32>
      return %r : tensor<?x8xi32>
    }
    ```
  }];
  let arguments = (ins Fusion_RealTensor:$input);
  let results = (outs Fusion_RealTensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `to` custom<TypeOrElement>(type($result), ref(type($input)))
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

class Fusion_CopyOp<string mnemonic, Trait trait>
    : Fusion_ElementwiseOp<mnemonic, 0, "true", [
        trait, Fusion_KeepsRelativeErrors,
        AllTypesMatch<["input", "result"]>, // set_c1, segment_set_c1
        DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins Fusion_StoredTensor:$input);
  let results = (outs Fusion_StoredTensor:$result);
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
