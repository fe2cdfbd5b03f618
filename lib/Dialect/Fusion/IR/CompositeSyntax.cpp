//===- CompositeSyntax.cpp - The text of ops by name ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompositeSyntax.h"
#include "fuser/Dialect/Fusion/CompositeInterface.h"

using namespace fuser;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The number in the type that a number of a program has: f64, i64 or i1.
static TypedAttr convertAlone(OpAsmParser &parser, const Literal &literal) {
  Builder &b = parser.getBuilder();
  auto integer = dyn_cast<IntegerAttr>(literal.value);
  if (!integer || integer.getType().isInteger(1))
    return cast<TypedAttr>(literal.value);
  return convertLiteral(literal, b.getI64Type());
}

ParseResult CompositeText::addNumber(OpAsmParser &parser,
                                     const Literal &literal, int64_t position) {
  TypedAttr number = convertAlone(parser, literal);
  if (!number)
    return parser.emitError(literal.loc, "expected an integer of 64 bits");
  positions.push_back(position);
  numbers.push_back(number);
  return success();
}

/// Whether no operand stands here, but what follows them.
static bool isAtEnd(OpAsmParser &parser) {
  return StringRef("){:").contains(*parser.getCurrentLocation().getPointer());
}

static ParseResult parseOperands(OpAsmParser &parser, CompositeText &text) {
  if (isAtEnd(parser))
    return success();
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (parsed.has_value()) {
      text.operands.push_back(operand);
      return *parsed;
    }
    Literal literal;
    if (failed(parseLiteral(parser, literal)))
      return failure();
    return text.addNumber(parser, literal,
                          text.operands.size() + text.numbers.size());
  });
}

ParseResult fusion::parseMixedOperands(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
    DenseI64ArrayAttr &positions, ArrayAttr &numbers) {
  CompositeText text;
  if (failed(parseOperands(parser, text)))
    return failure();
  operands.assign(text.operands.begin(), text.operands.end());
  positions = parser.getBuilder().getDenseI64ArrayAttr(text.positions);
  numbers = parser.getBuilder().getArrayAttr(text.numbers);
  return success();
}

void fusion::printMixedOperands(OpAsmPrinter &printer, Operation *op,
                                OperandRange, DenseI64ArrayAttr, ArrayAttr) {
  llvm::interleaveComma(cast<CompositeOp>(op).getMixedOperands(), printer,
                        [&](OpFoldResult operand) {
                          if (auto number = dyn_cast<Attribute>(operand))
                            printLiteral(printer, cast<TypedAttr>(number));
                          else
                            printer.printOperand(cast<Value>(operand));
                        });
}

ParseResult fusion::parsePlainAttributes(OpAsmParser &parser,
                                         DictionaryAttr &attributes) {
  NamedAttrList list;
  if (failed(parser.parseOptionalAttrDict(list)))
    return failure();
  attributes = list.getDictionary(parser.getContext());
  return success();
}

void fusion::printPlainAttributes(OpAsmPrinter &printer, Operation *,
                                  DictionaryAttr attributes) {
  printer.printOptionalAttrDict(attributes.getValue());
}

//===----------------------------------------------------------------------===//
// Results that follow
//===----------------------------------------------------------------------===//

ParseResult fusion::buildComposite(OpAsmParser &parser, OperationState &result,
                                   const CompositeText &text) {
  if (text.types.size() != text.operands.size())
    return parser.emitError(text.loc)
           << "expected a type for each tensor and scalar, got "
           << text.types.size() << " for " << text.operands.size()
           << (text.numbers.empty() ? "" : ": a number has none");
  MLIRContext *context = parser.getContext();
  Builder &b = parser.getBuilder();
  auto *expansion = CompositeInterface::get(context);
  if (!expansion)
    return parser.emitError(text.loc)
           << "expected the ops of builders, which are not registered here";
  if (failed(parser.resolveOperands(text.operands, text.types, text.loc,
                                    result.operands)))
    return failure();
  result.name = OperationName(CompositeOp::getOperationName(), context);
  auto &properties = result.getOrAddProperties<CompositeOp::Properties>();
  properties.name = b.getStringAttr(text.name);
  properties.positions = b.getDenseI64ArrayAttr(text.positions);
  properties.numbers = b.getArrayAttr(text.numbers);
  properties.options = text.options;
  FailureOr<SmallVector<Type>> types =
      expansion->inferTypes(result.location, properties.name, text.types,
                            text.positions, properties.numbers, text.options);
  if (failed(types))
    return failure();
  size_t wanted = parser.getNumResults();
  if (wanted > 0 && wanted < types->size())
    types->truncate(wanted);
  result.addTypes(*types);
  return success();
}

ParseResult fusion::parseNamedComposite(OpAsmParser &parser,
                                        OperationState &result) {
  CompositeText text;
  // The identifier lives as long as the context.
  text.name = result.name.getIdentifier().getValue();
  text.name.consume_front("fusion.");
  text.loc = parser.getCurrentLocation();
  if (failed(parseOperands(parser, text)) ||
      failed(parsePlainAttributes(parser, text.options)) ||
      failed(parser.parseOptionalColonTypeList(text.types)))
    return failure();
  return buildComposite(parser, result, text);
}
