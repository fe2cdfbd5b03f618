//===- OpSyntax.h - What ops leave out of their text -----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The directives of assembly formats. A type that follows from others can be
// left out, and is always printed.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_IR_OPSYNTAX_H
#define FUSER_LIB_DIALECT_FUSION_IR_OPSYNTAX_H

#include "fuser/Dialect/Fusion/IR/Fusion.h"

namespace fuser::fusion {

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// The types of results, which constraints say of the ops. The dimensions are
/// ascending ones of the input.
RankedTensorType getReducedType(RankedTensorType input, ArrayRef<int64_t> dims,
                                bool keep);
FailureOr<RankedTensorType> getBroadcastType(RankedTensorType input,
                                             ArrayRef<int64_t> dims,
                                             EmitError emitError);
FailureOr<RankedTensorType> getPermutedType(RankedTensorType input,
                                            ArrayRef<int64_t> permutation,
                                            EmitError emitError);
/// How many elements are added, kDynamic where a value says it.
struct PadNumbers {
  ArrayRef<int64_t> low, high;
};
FailureOr<RankedTensorType> getPaddedType(RankedTensorType input,
                                          const PadNumbers &numbers,
                                          EmitError emitError);
/// The same of what a slice takes.
struct SliceNumbers {
  ArrayRef<int64_t> offsets, sizes, steps;
};
FailureOr<RankedTensorType> getSlicedType(RankedTensorType input,
                                          const SliceNumbers &numbers,
                                          EmitError emitError);

/// The types of operands that say where the first one is read.
struct GatherTypes {
  RankedTensorType input, indices;
  int64_t dim;
};
FailureOr<RankedTensorType> getTakenType(const GatherTypes &operands,
                                         EmitError emitError);
FailureOr<RankedTensorType> getTakenAlongType(const GatherTypes &operands,
                                              EmitError emitError);
FailureOr<RankedTensorType> getCatType(TypeRange inputs, int64_t dim,
                                       EmitError emitError);

// A tensor type, or the element type of one with the shape of `input`.
ParseResult parseTypeOrElement(OpAsmParser &parser, Type &result, Type input);
void printTypeOrElement(OpAsmPrinter &printer, Operation *op, Type result,
                        Type input);

// Dimensions, and `keep` or nothing.
ParseResult parseDims(OpAsmParser &parser, DenseI64ArrayAttr &dims,
                      UnitAttr &keep);
void printDims(OpAsmPrinter &printer, Operation *op, DenseI64ArrayAttr dims,
               UnitAttr keep);

// `to` and a type, or nothing.
ParseResult parseReducedType(OpAsmParser &parser, Type &result, Type input,
                             DenseI64ArrayAttr dims, UnitAttr keep);
// The same of i64.
ParseResult parsePositionType(OpAsmParser &parser, Type &result, Type input,
                              DenseI64ArrayAttr dims, UnitAttr keep);
ParseResult parseBroadcastType(OpAsmParser &parser, Type &result, Type input,
                               DenseI64ArrayAttr dims);
ParseResult parsePermutedType(OpAsmParser &parser, Type &result, Type input,
                              DenseI64ArrayAttr permutation);
ParseResult parsePaddedType(OpAsmParser &parser, Type &result, Type input,
                            DenseI64ArrayAttr low, DenseI64ArrayAttr high);
ParseResult parseSlicedType(OpAsmParser &parser, Type &result, Type input,
                            DenseI64ArrayAttr offsets, DenseI64ArrayAttr sizes,
                            DenseI64ArrayAttr steps);
ParseResult parseCatType(OpAsmParser &parser, Type &result,
                         ArrayRef<Type> inputs, IntegerAttr dim);
ParseResult parseTakenType(OpAsmParser &parser, Type &result, Type input,
                           Type indices, IntegerAttr dim);
ParseResult parseTakenAlongType(OpAsmParser &parser, Type &result, Type input,
                                Type indices, IntegerAttr dim);
ParseResult parseOrderType(OpAsmParser &parser, Type &result, Type input);
ParseResult parseTopType(OpAsmParser &parser, Type &result, Type input,
                         IntegerAttr k, IntegerAttr dim);
ParseResult parseMatmulType(OpAsmParser &parser, Type &result, Type lhs,
                            Type rhs);
ParseResult parseLinearType(OpAsmParser &parser, Type &result, Type input,
                            Type weight);

/// Behind the matrix of weights: says how a bias is added, which builders take.
ParseResult parseNoBias(OpAsmParser &parser,
                        const OpAsmParser::UnresolvedOperand &weight);
inline void printNoBias(OpAsmPrinter &, Operation *, Value) {}

// It is always printed, whatever it follows from.
inline constexpr auto printResultType = [](OpAsmPrinter &printer, Operation *,
                                           Type result, const auto &...) {
  printer << "to " << result;
};
inline constexpr auto printReducedType = printResultType;
inline constexpr auto printPositionType = printResultType;
inline constexpr auto printBroadcastType = printResultType;
inline constexpr auto printPermutedType = printResultType;
inline constexpr auto printPaddedType = printResultType;
inline constexpr auto printSlicedType = printResultType;
inline constexpr auto printCatType = printResultType;
inline constexpr auto printTakenType = printResultType;
inline constexpr auto printTakenAlongType = printResultType;
inline constexpr auto printOrderType = printResultType;
inline constexpr auto printTopType = printResultType;
inline constexpr auto printMatmulType = printResultType;
inline constexpr auto printLinearType = printResultType;

// The result's type: the operands have its element type.
ParseResult
parseTypeOfElements(OpAsmParser &parser, Type &result,
                    SmallVectorImpl<Type> &types,
                    ArrayRef<OpAsmParser::UnresolvedOperand> operands);
void printTypeOfElements(OpAsmPrinter &printer, Operation *op, Type result,
                         TypeRange types, OperandRange operands);

/// A number before its type is known.
struct Literal {
  SMLoc loc;
  Attribute value;
  bool isHexadecimal = false;
};
/// `inf`, `nan`, `true`, `false` or digits. An integer has a bit for its sign.
ParseResult parseLiteral(OpAsmParser &parser, Literal &literal);
void printLiteral(OpAsmPrinter &printer, TypedAttr number);
/// The number as one of `element`; null if it is none. No float is
/// hexadecimal: whether that were its bits would not be plain to see.
TypedAttr convertLiteral(const Literal &literal, Type element);

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_IR_OPSYNTAX_H
