//===- CompositeSyntax.h - The text of ops by name --------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_DIALECT_FUSION_IR_COMPOSITESYNTAX_H
#define FUSER_LIB_DIALECT_FUSION_IR_COMPOSITESYNTAX_H

#include "OpSyntax.h"

namespace fuser::fusion {

/// What the text of a composite says but for its results.
struct CompositeText {
  SMLoc loc;
  StringRef name;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  /// Of each of these.
  SmallVector<Type> types;
  SmallVector<int64_t> positions;
  SmallVector<Attribute> numbers;
  DictionaryAttr options;

  /// A number at this place among all operands.
  ParseResult addNumber(OpAsmParser &parser, const Literal &literal,
                        int64_t position);
};

/// Makes `result` the state of a fusion.composite, whose results have the types
/// that its expansion gives.
ParseResult buildComposite(OpAsmParser &parser, OperationState &result,
                           const CompositeText &text);

/// `fusion.NAME %x, 2.0 {a = 1} : type, ...` of an op that builders alone have.
ParseResult parseNamedComposite(OpAsmParser &parser, OperationState &result);

// Values and numbers in any order: f64, i64 or i1.
ParseResult
parseMixedOperands(OpAsmParser &parser,
                   SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                   DenseI64ArrayAttr &positions, ArrayAttr &numbers);
void printMixedOperands(OpAsmPrinter &printer, Operation *op,
                        OperandRange operands, DenseI64ArrayAttr positions,
                        ArrayAttr numbers);

// `{a = 1, b}`, or nothing.
ParseResult parsePlainAttributes(OpAsmParser &parser,
                                 DictionaryAttr &attributes);
void printPlainAttributes(OpAsmPrinter &printer, Operation *op,
                          DictionaryAttr attributes);

} // namespace fuser::fusion

#endif // FUSER_LIB_DIALECT_FUSION_IR_COMPOSITESYNTAX_H
