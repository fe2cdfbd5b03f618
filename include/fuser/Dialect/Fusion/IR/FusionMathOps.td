//===- FusionMathOps.td - Functions of the library of mathematics -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nearly all are ops of upstream's math dialect. Kernels of f32 compute them by arithmetic that is the same on every target
// (fuser/Transforms/ExpandFunctions.h); f64 is the target's library.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONMATHOPS_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONMATHOPS_TD

include "fuser/Dialect/Fusion/IR/FusionElementwiseOps.td"

// `cost` is that of f32, which both targets compute in f64 for the most part: instructions of a GPU, of f64 twice, and what a vector of a CPU takes. Random programs give operands of magnitudes up to `limit`; the result is then no greater than `result`.
class Fusion_ElementFunctionOp<string mnemonic, code element, int cost, string limit, string result, string least = "0",
                               Fusion_TensorOf type = Fusion_AnalyticTensor>
    : Fusion_ElementwiseOp<mnemonic, cost, "false", [
        isSampled,
        // unary_c1
        AllTypesMatch<["input", "result"]>, DeclareOpInterfaceMethods<InferTypeOpInterface>],
        ["getErrorUnits"], type> {
  let arguments = (ins type:$input); // unary_c2
  let results = (outs type:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let extraClassDefinition = elementwiseDefinition # Fusion_Sampled<kFloats, limit, least, result>.definition # [{
    ::mlir::Value $cppClass::emitElement(::fuser::fusion::EmitContext &ctx, ::mlir::ValueRange operands, ::mlir::Type) {
      return }] # element # [{;
    }
    double $cppClass::getErrorUnits() { return getFunctionErrorUnits(getOperation()); }
  }];
  string constraints = [{

    Constraints:
    - (C1) `input` and `result` have the same type.
    - (C2) Elements are floats}] # !if(!eq(!cast<string>(type), "Fusion_FloatTensor"), ".", " or complex numbers.") # [{
  }];
}

class Fusion_FunctionOp<string mnemonic, string mathOp, int cost, string limit, string result, string least = "0",
                        Fusion_TensorOf type = Fusion_AnalyticTensor>
    : Fusion_ElementFunctionOp<mnemonic, "::mlir::math::" # mathOp # "::create(ctx.builder, ctx.loc, operands[0])", cost,
                               limit, result, least, type>;

def Fusion_Exp2Op : Fusion_FunctionOp<"exp2", "Exp2Op", 40, "4", "16"> {
  let summary = "exponential of base 2";
  let description = "`result[i] = 2 ** input[i]`, exactly for whole numbers." # constraints;
}

def Fusion_ExpM1Op : Fusion_FunctionOp<"expm1", "ExpM1Op", 45, "4", "std::exp(4.0)"> {
  let summary = "exponential less 1";
  let description = "`result[i] = e ** input[i] - 1`, as exact near 0 as elsewhere." # constraints;
}

def Fusion_Log2Op : Fusion_FunctionOp<"log2", "Log2Op", 45, kAnything, "1100"> {
  let summary = "logarithm of base 2";
  let description = "`result[i] = log2 input[i]`: -inf at 0, NaN below; exact for powers of 2." # constraints;
}

def Fusion_Log10Op : Fusion_FunctionOp<"log10", "Log10Op", 45, kAnything, "400"> {
  let summary = "logarithm of base 10";
  let description = "`result[i] = log10 input[i]`: -inf at 0, NaN below." # constraints;
}

def Fusion_Log1pOp : Fusion_FunctionOp<"log1p", "Log1pOp", 60, kAnything, "800"> {
  let summary = "logarithm of 1 more";
  let description = "`result[i] = ln(1 + input[i])`, as exact near 0 as elsewhere: -inf at -1, NaN below." # constraints;
}

def Fusion_SinOp : Fusion_FunctionOp<"sin", "SinOp", 90, kAnything, "1"> {
  let summary = "sine";
  let description = "`result[i] = sin(input[i])`, of radians of any size; NaN of infinities." # constraints;
}

def Fusion_CosOp : Fusion_FunctionOp<"cos", "CosOp", 90, kAnything, "1"> {
  let summary = "cosine";
  let description = "`result[i] = cos(input[i])`, of radians of any size; NaN of infinities." # constraints;
}

def Fusion_TanOp : Fusion_FunctionOp<"tan", "TanOp", 100, "1.5", "15"> {
  let summary = "tangent";
  let description = "`result[i] = tan(input[i])`, of radians of any size; NaN of infinities." # constraints;
}

def Fusion_AsinOp : Fusion_FunctionOp<"asin", "AsinOp", 85, "1", "1.6"> {
  let summary = "inverse sine";
  let description = "`result[i]` is the angle in [-pi/2, pi/2] whose sine is `input[i]`; NaN beyond [-1, 1]." # constraints;
}

def Fusion_AcosOp : Fusion_FunctionOp<"acos", "AcosOp", 85, "1", "3.2"> {
  let summary = "inverse cosine";
  let description = "`result[i]` is the angle in [0, pi] whose cosine is `input[i]`; NaN beyond [-1, 1]." # constraints;
}

def Fusion_AtanOp : Fusion_FunctionOp<"atan", "AtanOp", 65, kAnything, "1.6"> {
  let summary = "inverse tangent";
  let description = "`result[i]` is the angle in [-pi/2, pi/2] whose tangent is `input[i]`." # constraints;
}

def Fusion_SinhOp : Fusion_FunctionOp<"sinh", "SinhOp", 50, "4", "std::exp(4.0)"> {
  let summary = "hyperbolic sine";
  let description = "`result[i] = (e ** input[i] - e ** -input[i]) / 2`." # constraints;
}

def Fusion_CoshOp : Fusion_FunctionOp<"cosh", "CoshOp", 45, "4", "std::exp(4.0)"> {
  let summary = "hyperbolic cosine";
  let description = "`result[i] = (e ** input[i] + e ** -input[i]) / 2`." # constraints;
}

def Fusion_AsinhOp : Fusion_FunctionOp<"asinh", "AsinhOp", 85, kAnything, "800"> {
  let summary = "inverse hyperbolic sine";
  let description = "`result[i]` is the number whose hyperbolic sine is `input[i]`." # constraints;
}

def Fusion_AcoshOp : Fusion_FunctionOp<"acosh", "AcoshOp", 85, kAnything, "800", "1"> {
  let summary = "inverse hyperbolic cosine";
  let description = "`result[i]` is the number, not negative, whose hyperbolic cosine is `input[i]`; NaN below 1." # constraints;
}

def Fusion_AtanhOp : Fusion_FunctionOp<"atanh", "AtanhOp", 85, "0.9", "1.5"> {
  let summary = "inverse hyperbolic tangent";
  let description = "`result[i]` is the number whose hyperbolic tangent is `input[i]`: infinite at 1 and -1, NaN beyond." # constraints;
}

def Fusion_ErfOp : Fusion_FunctionOp<"erf", "ErfOp", 100, kAnything, "1", "0", Fusion_FloatTensor> {
  let summary = "error function";
  let description = "`result[i]` is 2 / sqrt(pi) times the integral of `e ** -t**2` from 0 to `input[i]`." # constraints;
}

def Fusion_ErfcOp : Fusion_FunctionOp<"erfc", "ErfcOp", 100, kAnything, "2", "0", Fusion_FloatTensor> {
  let summary = "complement of the error function";
  let description = "`result[i] = 1 - erf(input[i])`, as exact where that is small." # constraints;
}

def Fusion_LgammaOp : Fusion_ElementFunctionOp<"lgamma", "emitLogGamma(ctx, getType().getElementType(), operands[0])", 150,
                                               "4", "2", "0.5", Fusion_FloatTensor> {
  let summary = "logarithm of the gamma function";
  let description = [{
    `result[i]` is the logarithm of the absolute value of the gamma function at `input[i]`: inf at 0, at negative whole numbers and at
    infinities. Of f64 what cancels near a zero below -1/2 is off by 4 units.
  }] # constraints;
}

// The same of two operands.
class Fusion_BinaryFunctionOp<string mnemonic, string mathOp, int cost, string limit, string result, string least,
                              Fusion_TensorOf type = Fusion_FloatTensor>
    : Fusion_SimpleBinaryOp<mnemonic, cost, "false", type, kFloats, result,
                            "::mlir::math::" # mathOp # "::create(ctx.builder, ctx.loc, operands[0], operands[1])", [],
                            limit, least>;

def Fusion_PowOp : Fusion_SimpleBinaryOp<"pow", 120, "isIntegerResult(getOperation())", Fusion_FieldTensor, kNumbers, "1100",
                                         "emitPower(ctx, getType().getElementType(), operands)", [], "4", "0.5"> {
  let summary = "power";
  let description = [{
    `result[i] = lhs[i] ** rhs[i]`: 1 if `rhs[i]` is 0 or `lhs[i]` is 1, also of NaN; NaN if `lhs[i]` is negative and finite and `rhs[i]` no whole
    number. Zeros and infinities as IEEE 754 has them. Integers wrap; to a negative power 1 is 1, -1 is -1 or 1, and all others are 0, as in
    PyTorch.
  }] # constraints;
}

def Fusion_Atan2Op : Fusion_BinaryFunctionOp<"atan2", "Atan2Op", 85, kAnything, "3.2", "0"> {
  let summary = "angle of a point";
  let description = [{
    `result[i]` is the angle in [-pi, pi] between the first axis and the point (`rhs[i]`, `lhs[i]`). Zeros and infinities as IEEE 754 has
    them.
  }] # constraints;
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONMATHOPS_TD
