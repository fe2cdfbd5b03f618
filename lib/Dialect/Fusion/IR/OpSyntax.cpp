//===- OpSyntax.cpp - What ops leave out of their text --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpSyntax.h"
#include "CompositeSyntax.h"
#include "EmitUtils.h"
#include "fuser/Dialect/Fusion/ContractionShapes.h"
#include "fuser/Support/PowersOfTwo.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>
#include <limits>

using namespace fuser;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

ParseResult fusion::parseTypeOrElement(OpAsmParser &parser, Type &result,
                                       Type input) {
  if (failed(parser.parseType(result)))
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(input);
  if (tensor && (result.isIntOrFloat() || isa<ComplexType>(result)))
    result = tensor.clone(result);
  return success();
}

void fusion::printTypeOrElement(OpAsmPrinter &printer, Operation *, Type result,
                                Type) {
  printer << result;
}

ParseResult fusion::parseDims(OpAsmParser &parser, DenseI64ArrayAttr &dims,
                              UnitAttr &keep) {
  dims = dyn_cast_or_null<DenseI64ArrayAttr>(
      DenseI64ArrayAttr::parse(parser, Type()));
  if (!dims)
    return failure();
  if (succeeded(parser.parseOptionalKeyword("keep")))
    keep = parser.getBuilder().getUnitAttr();
  return success();
}

void fusion::printDims(OpAsmPrinter &printer, Operation *,
                       DenseI64ArrayAttr dims, UnitAttr keep) {
  printer.printStrippedAttrOrType(dims);
  if (keep)
    printer << " keep";
}

/// The type after `to`, or else what `infer` gives for a tensor.
static ParseResult
parseResult(OpAsmParser &parser, Type &result, Type input,
            function_ref<FailureOr<RankedTensorType>(RankedTensorType)> infer) {
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("to")))
    return parser.parseType(result);
  auto tensor = dyn_cast<RankedTensorType>(input);
  if (!tensor)
    return parser.emitError(loc) << "expected a ranked tensor, got " << input;
  FailureOr<RankedTensorType> type = infer(tensor);
  if (failed(type))
    return failure();
  result = *type;
  return success();
}

/// The type that an input has without `dims`, which are checked (reduce_c1,
/// position_c1).
static FailureOr<RankedTensorType> inferReducedType(OpAsmParser &parser,
                                                    RankedTensorType input,
                                                    ArrayRef<int64_t> dims,
                                                    bool keep) {
  auto emitError = [&]() {
    return parser.emitError(parser.getNameLoc()) << "dims: ";
  };
  if (failed(verifyAscendingDims(dims, input.getRank(), emitError)))
    return failure();
  return getReducedType(input, dims, keep);
}

ParseResult fusion::parseReducedType(OpAsmParser &parser, Type &result,
                                     Type input, DenseI64ArrayAttr dims,
                                     UnitAttr keep) {
  return parseResult(parser, result, input, [&](RankedTensorType tensor) {
    return inferReducedType(parser, tensor, dims, keep != nullptr);
  });
}

ParseResult fusion::parsePositionType(OpAsmParser &parser, Type &result,
                                      Type input, DenseI64ArrayAttr dims,
                                      UnitAttr keep) {
  return parseResult(
      parser, result, input,
      [&](RankedTensorType tensor) -> FailureOr<RankedTensorType> {
        FailureOr<RankedTensorType> type =
            inferReducedType(parser, tensor, dims, keep != nullptr);
        if (failed(type))
          return failure();
        return type->clone(parser.getBuilder().getI64Type());
      });
}

ParseResult fusion::parseBroadcastType(OpAsmParser &parser, Type &result,
                                       Type input, DenseI64ArrayAttr dims) {
  return parseResult(parser, result, input, [&](RankedTensorType tensor) {
    return getBroadcastType(
        tensor, dims, [&]() { return parser.emitError(parser.getNameLoc()); });
  });
}

ParseResult fusion::parsePermutedType(OpAsmParser &parser, Type &result,
                                      Type input,
                                      DenseI64ArrayAttr permutation) {
  return parseResult(parser, result, input, [&](RankedTensorType tensor) {
    return getPermutedType(tensor, permutation, [&]() {
      return parser.emitError(parser.getNameLoc());
    });
  });
}

ParseResult fusion::parsePaddedType(OpAsmParser &parser, Type &result,
                                    Type input, DenseI64ArrayAttr low,
                                    DenseI64ArrayAttr high) {
  return parseResult(parser, result, input, [&](RankedTensorType tensor) {
    return getPaddedType(tensor, {low, high}, [&]() {
      return parser.emitError(parser.getNameLoc());
    });
  });
}

ParseResult fusion::parseSlicedType(OpAsmParser &parser, Type &result,
                                    Type input, DenseI64ArrayAttr offsets,
                                    DenseI64ArrayAttr sizes,
                                    DenseI64ArrayAttr steps) {
  return parseResult(parser, result, input, [&](RankedTensorType tensor) {
    return getSlicedType(tensor, {offsets, sizes, steps}, [&]() {
      return parser.emitError(parser.getNameLoc());
    });
  });
}

ParseResult fusion::parseCatType(OpAsmParser &parser, Type &result,
                                 ArrayRef<Type> inputs, IntegerAttr dim) {
  // A list of types has one at least.
  return parseResult(parser, result, inputs.front(), [&](RankedTensorType) {
    return getCatType(inputs, dim.getInt(),
                      [&]() { return parser.emitError(parser.getNameLoc()); });
  });
}

/// `get` gives the type for those of the operands.
static ParseResult parseGatheredType(
    OpAsmParser &parser, Type &result, Type input, Type indices,
    IntegerAttr dim,
    FailureOr<RankedTensorType> (*get)(const GatherTypes &, EmitError)) {
  return parseResult(
      parser, result, input,
      [&](RankedTensorType tensor) -> FailureOr<RankedTensorType> {
        auto emitError = [&]() {
          return parser.emitError(parser.getNameLoc());
        };
        auto numbers = dyn_cast<RankedTensorType>(indices);
        if (!numbers)
          return emitError() << "expected a ranked tensor, got " << indices;
        return get({tensor, numbers, dim.getInt()}, emitError);
      });
}

ParseResult fusion::parseTakenType(OpAsmParser &parser, Type &result,
                                   Type input, Type indices, IntegerAttr dim) {
  return parseGatheredType(parser, result, input, indices, dim, getTakenType);
}

ParseResult fusion::parseTakenAlongType(OpAsmParser &parser, Type &result,
                                        Type input, Type indices,
                                        IntegerAttr dim) {
  return parseGatheredType(parser, result, input, indices, dim,
                           getTakenAlongType);
}

ParseResult fusion::parseOrderType(OpAsmParser &parser, Type &result,
                                   Type input) {
  return parseResult(parser, result, input, [&](RankedTensorType tensor) {
    return FailureOr<RankedTensorType>(
        tensor.clone(parser.getBuilder().getI64Type()));
  });
}

ParseResult fusion::parseTopType(OpAsmParser &parser, Type &result, Type input,
                                 IntegerAttr k, IntegerAttr dim) {
  return parseResult(parser, result, input, [&](RankedTensorType tensor) {
    return FailureOr<RankedTensorType>(getFibreType(
        tensor, dim.getInt(), k.getInt(), parser.getBuilder().getI64Type()));
  });
}

/// The dimensions of `lhs` but for the last one, and behind them the last one
/// of `rhs`, or the one before it of a weight. The other one has the size of
/// the last one of `lhs`, which is checked here: a result of another type would
/// be an error of its use (matmul_c2, linear_c2).
static ParseResult parseProductType(OpAsmParser &parser, Type &result, Type lhs,
                                    Type rhs, bool isLinear) {
  return parseResult(
      parser, result, lhs,
      [&](RankedTensorType left) -> FailureOr<RankedTensorType> {
        auto right = dyn_cast<RankedTensorType>(rhs);
        if (left.getRank() < 1 || !right || right.getRank() < 2)
          return parser.emitError(parser.getNameLoc())
                 << "expected the type of the result after 'to', or operands "
                    "that it follows from, got "
                 << lhs << " and " << rhs;
        if (failed(verifySummed({left, right, isLinear}, [&]() {
              return parser.emitError(parser.getNameLoc()) << "expected ";
            })))
          return failure();
        SmallVector<int64_t> shape(left.getShape());
        shape.back() = right.getDimSize(right.getRank() - (isLinear ? 2 : 1));
        return RankedTensorType::get(shape, left.getElementType());
      });
}

ParseResult fusion::parseMatmulType(OpAsmParser &parser, Type &result, Type lhs,
                                    Type rhs) {
  return parseProductType(parser, result, lhs, rhs, /*isLinear=*/false);
}

ParseResult fusion::parseLinearType(OpAsmParser &parser, Type &result,
                                    Type input, Type weight) {
  return parseProductType(parser, result, input, weight, /*isLinear=*/true);
}

ParseResult fusion::parseNoBias(OpAsmParser &parser,
                                const OpAsmParser::UnresolvedOperand &) {
  if (failed(parser.parseOptionalComma()))
    return success();
  return parser.emitError(parser.getNameLoc())
         << "expected two operands, got more: 'fusion.composite "
            "\"linear\"(%x, %weight, %bias)' adds a bias";
}

ParseResult
fusion::parseTypeOfElements(OpAsmParser &parser, Type &result,
                            SmallVectorImpl<Type> &types,
                            ArrayRef<OpAsmParser::UnresolvedOperand> operands) {
  if (failed(parser.parseType(result)))
    return failure();
  types.assign(operands.size(), getScalarType(getElementTypeOrSelf(result)));
  return success();
}

void fusion::printTypeOfElements(OpAsmPrinter &printer, Operation *,
                                 Type result, TypeRange, OperandRange) {
  printer << result;
}

//===----------------------------------------------------------------------===//
// Numbers as operands
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kScalar = "scalar";
static constexpr StringLiteral kScalarFirst = "scalar_first";
static constexpr StringLiteral kPredicate = "predicate";

/// The inherent attribute, if it is there.
static Attribute getInherent(Operation *op, StringRef name) {
  return op->getInherentAttr(name).value_or(Attribute());
}

std::optional<unsigned> fusion::getScalarPosition(Operation *op) {
  if (!op->hasTrait<TakesScalar>() || !getInherent(op, kScalar))
    return std::nullopt;
  unsigned last = op->getNumOperands();
  return getInherent(op, kScalarFirst) ? last - 1 : last;
}

SmallVector<Value> fusion::addScalarOperand(EmitContext &ctx, Operation *op,
                                            ValueRange elements) {
  SmallVector<Value> all(elements);
  std::optional<unsigned> position = getScalarPosition(op);
  if (!position)
    return all;
  Type type = elements.back().getType();
  auto number = cast<TypedAttr>(getInherent(op, kScalar));
  if (auto integer = dyn_cast<IntegerAttr>(number)) {
    Value value = emitConstant(ctx, type, integer.getValue());
    all.insert(all.begin() + *position, value);
    return all;
  }
  // Of what is computed in f32 the number is an f16 or bf16 all the same.
  Value value =
      extendNumber(ctx.builder, ctx.loc, cast<FloatAttr>(number), type);
  all.insert(all.begin() + *position, value);
  return all;
}

LogicalResult fusion::verifyScalar(Operation *op) {
  unsigned count = isa<WhereOp>(op) ? 3 : 2;
  auto number = dyn_cast_or_null<TypedAttr>(getInherent(op, kScalar));
  // scalar_c1
  if (op->getNumOperands() + (number ? 1 : 0) != count ||
      (!number && getInherent(op, kScalarFirst)))
    return op->emitOpError()
           << "expected " << count << " tensors, or one less and a number";
  Type element = getElementTypeOrSelf(op->getOperands().back().getType());
  // scalar_c2
  if (number && (number.getType() != element || isPackedElement(element) ||
                 !isa<FloatAttr, IntegerAttr>(number)))
    return op->emitOpError()
           << "expected a number of type " << element << ", got " << number;
  return success();
}

bool fusion::haveOneType(Operation *op, unsigned first, bool withResults) {
  auto types = llvm::to_vector(llvm::drop_begin(op->getOperandTypes(), first));
  if (withResults)
    llvm::append_range(types, op->getResultTypes());
  return llvm::all_equal(types);
}

LogicalResult fusion::inferSameType(ValueRange operands,
                                    SmallVectorImpl<Type> &types) {
  if (operands.empty())
    return failure();
  types.push_back(operands.back().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Their text
//===----------------------------------------------------------------------===//

/// What stands behind the digits of `1e-5`, which MLIR's lexer takes for
/// several words: the exponent, if it follows without a space.
static FailureOr<std::optional<int64_t>> parseExponent(OpAsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  // No exponent is longer.
  StringRef rest(loc.getPointer(), strnlen(loc.getPointer(), 24));
  if (!rest.starts_with("e") || !llvm::isDigit(loc.getPointer()[-1]))
    return std::optional<int64_t>();
  StringRef digits = rest.drop_front().take_while(llvm::isDigit);
  std::string word = ("e" + digits).str();
  if (failed(parser.parseOptionalKeyword(word)))
    return std::optional<int64_t>();
  int64_t exponent = 0;
  if (!digits.empty()) {
    if (digits.getAsInteger(10, exponent))
      return parser.emitError(loc, "expected an exponent of 64 bits");
    return std::optional(exponent);
  }
  bool isNegative = succeeded(parser.parseOptionalMinus());
  if (!isNegative)
    (void)parser.parseOptionalPlus();
  if (failed(parser.parseInteger(exponent)))
    return failure();
  return std::optional(isNegative ? -exponent : exponent);
}

ParseResult fusion::parseLiteral(OpAsmParser &parser, Literal &literal) {
  literal.loc = parser.getCurrentLocation();
  Builder &b = parser.getBuilder();
  bool isNegative = succeeded(parser.parseOptionalMinus());
  const char *digits = parser.getCurrentLocation().getPointer();
  literal.isHexadecimal = digits[0] == '0' && digits[1] == 'x';
  StringRef keyword;
  APInt integer;
  double number = 0;
  if (succeeded(parser.parseOptionalKeyword(&keyword,
                                            {"inf", "nan", "true", "false"}))) {
    if (keyword == "true" || keyword == "false") {
      literal.value = b.getBoolAttr(keyword == "true");
      return success();
    }
    number = keyword == "inf" ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (OptionalParseResult parsed = parser.parseOptionalInteger(integer);
             parsed.has_value()) {
    if (failed(*parsed))
      return failure();
    FailureOr<std::optional<int64_t>> exponent = parseExponent(parser);
    if (failed(exponent))
      return failure();
    if (*exponent) {
      std::string text = llvm::formatv(
          "{0}e{1}", llvm::toString(integer, 10, /*Signed=*/false), **exponent);
      if (StringRef(text).getAsDouble(number))
        return parser.emitError(literal.loc, "expected a number, got ") << text;
      literal.value = b.getF64FloatAttr(isNegative ? -number : number);
      return success();
    }
    integer = integer.zext(integer.getBitWidth() + 1);
    if (isNegative)
      integer.negate();
    literal.value =
        IntegerAttr::get(b.getIntegerType(integer.getBitWidth()), integer);
    return success();
  } else if (failed(parser.parseFloat(number))) {
    return failure();
  }
  literal.value = b.getF64FloatAttr(isNegative ? -number : number);
  return success();
}

TypedAttr fusion::convertLiteral(const Literal &literal, Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    if (auto integer = dyn_cast<IntegerAttr>(literal.value)) {
      bool isBool = integer.getType().isInteger(1);
      return literal.isHexadecimal
                 ? TypedAttr()
                 : roundNumber(type, integer.getValue().roundToDouble(!isBool));
    }
    return roundNumber(type, toDouble(cast<FloatAttr>(literal.value)));
  }
  auto integer = dyn_cast<IntegerAttr>(literal.value);
  auto type = dyn_cast<IntegerType>(element);
  if (!integer || !type)
    return {};
  if (type.isInteger(1))
    return integer.getType() == type ? integer : TypedAttr();
  APInt value = integer.getValue();
  bool fits = type.isUnsigned()
                  ? !value.isNegative() && value.isIntN(type.getWidth())
                  : value.isSignedIntN(type.getWidth());
  if (integer.getType().isInteger(1) || !fits)
    return {};
  return IntegerAttr::get(type, value.sextOrTrunc(type.getWidth()));
}

namespace {
/// `%a, 2.0, ...`
struct Operands {
  SmallVector<OpAsmParser::UnresolvedOperand> tensors;
  std::optional<Literal> literal;
  /// Among all operands.
  unsigned literalPosition = 0;
  unsigned count = 0;
};
} // namespace

static ParseResult parseOperands(OpAsmParser &parser, Operands &operands) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand tensor;
    OptionalParseResult parsed = parser.parseOptionalOperand(tensor);
    unsigned position = operands.count++;
    if (parsed.has_value()) {
      operands.tensors.push_back(tensor);
      return *parsed;
    }
    if (operands.literal)
      return parser.emitError(parser.getCurrentLocation(),
                              "expected a tensor: one operand is a number");
    operands.literalPosition = position;
    return parseLiteral(parser, operands.literal.emplace());
  });
}

/// With a type for each tensor the op is that of builders, which promotes and
/// broadcasts.
static ParseResult parseLenientOp(OpAsmParser &parser, OperationState &result,
                                  SMLoc loc, const Operands &operands,
                                  CmpPredicateAttr predicate,
                                  const NamedAttrList &attributes,
                                  ArrayRef<Type> types) {
  CompositeText text;
  text.loc = loc;
  StringRef name = result.name.stripDialect();
  text.name = predicate ? stringifyEnum(predicate.getValue()) : name;
  text.operands = operands.tensors;
  text.types.assign(types.begin(), types.end());
  text.options = attributes.getDictionary(parser.getContext());
  if (operands.literal && failed(text.addNumber(parser, *operands.literal,
                                                operands.literalPosition)))
    return failure();
  result.attributes.clear();
  return buildComposite(parser, result, text);
}

ParseResult fusion::parseScalarOp(OpAsmParser &parser, OperationState &result) {
  StringRef name = result.name.getStringRef();
  bool isCmp = name == CmpOp::getOperationName();
  unsigned conditions = name == WhereOp::getOperationName() ? 1 : 0;
  CmpPredicateAttr predicate;
  if (isCmp && failed(parser.parseCustomAttributeWithFallback(
                   predicate, Type(), kPredicate, result.attributes)))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  Operands operands;
  NamedAttrList attributes;
  SmallVector<Type> given;
  if (failed(parseOperands(parser, operands)) ||
      failed(parser.parseOptionalAttrDict(attributes)))
    return failure();
  SMLoc typesLoc = parser.getCurrentLocation();
  if (failed(parser.parseColonTypeList(given)))
    return failure();
  if (given.size() > 1)
    return parseLenientOp(parser, result, loc, operands, predicate, attributes,
                          given);
  auto type = dyn_cast<RankedTensorType>(given.front());
  if (!type)
    return parser.emitError(typesLoc)
           << "expected a ranked tensor, got " << given.front();
  result.attributes.append(attributes);
  if (operands.count != conditions + 2 || operands.tensors.size() <= conditions)
    return parser.emitError(loc)
           << "expected " << conditions + 2
           << " operands, at most the last or the last but one a number";
  if (operands.literal) {
    if (operands.literalPosition < conditions)
      return parser.emitError(operands.literal->loc, "expected a condition");
    TypedAttr number = convertLiteral(*operands.literal, type.getElementType());
    if (isComplexElement(type.getElementType())) // scalar_c2
      return parser.emitError(operands.literal->loc)
             << "expected a tensor in place of a number for complex numbers: "
                "fusion.complex makes it of two fusion.full";
    if (isPackedElement(type.getElementType())) // scalar_c2
      return parser.emitError(operands.literal->loc)
             << "expected a tensor in place of a number: there are no scalars "
                "of "
             << type.getElementType();
    if (!number) // scalar_c2
      return parser.emitError(operands.literal->loc)
             << "expected a number of type " << type.getElementType();
    result.addAttribute(kScalar, number);
    if (operands.literalPosition + 1 < operands.count)
      result.addAttribute(kScalarFirst, parser.getBuilder().getUnitAttr());
  }
  SmallVector<Type> types(operands.tensors.size(), type);
  Type boolType = getBoolTensorLike(type);
  if (conditions)
    types.front() = boolType;
  result.addTypes(isCmp ? boolType : type);
  return parser.resolveOperands(operands.tensors, types, loc, result.operands);
}

void fusion::printLiteral(OpAsmPrinter &printer, TypedAttr number) {
  auto real = dyn_cast<FloatAttr>(number);
  if (!real)
    return printer.printAttributeWithoutType(number);
  APFloat value = real.getValue();
  if (!value.isFinite()) {
    printer << (value.isNegative() ? "-" : "")
            << (value.isNaN() ? "nan" : "inf");
    return;
  }
  // As attributes are printed, but none by its bits, as whole numbers of many
  // digits would be.
  SmallString<32> text;
  value.toString(text, /*FormatPrecision=*/6, /*FormatMaxPadding=*/0,
                 /*TruncateZero=*/false);
  if (!APFloat(value.getSemantics(), text).bitwiseIsEqual(value)) {
    text.clear();
    value.toString(text);
    if (!text.str().contains('.')) {
      text.clear();
      value.toString(text, /*FormatPrecision=*/0, /*FormatMaxPadding=*/0);
    }
  }
  printer << text;
}

void fusion::printScalarOp(OpAsmPrinter &printer, Operation *op) {
  printer << " ";
  if (auto cmp = dyn_cast<CmpOp>(op)) {
    printer.printStrippedAttrOrType(cmp.getPredicateAttr());
    printer << " ";
  }
  std::optional<unsigned> scalar = getScalarPosition(op);
  unsigned count = op->getNumOperands() + (scalar ? 1 : 0);
  for (unsigned position = 0, tensor = 0; position < count; ++position) {
    printer << (position == 0 ? "" : ", ");
    if (position == scalar)
      printLiteral(printer, cast<TypedAttr>(getInherent(op, kScalar)));
    else
      printer << op->getOperand(tensor++);
  }
  printer.printOptionalAttrDict(op->getAttrs(),
                                {kScalar, kScalarFirst, kPredicate});
  printer << " : " << op->getOperands().back().getType();
}
