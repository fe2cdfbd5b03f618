//===- HostAttrs.cpp - What a program says of its tensors -----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Support/ElementStorage.h"
#include "fuser/Support/ElementTypes.h"
#include "fuser/Support/EnumSyntax.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace fuser;
using namespace fuser::host;

#define GET_ATTRDEF_CLASSES
#include "fuser/Dialect/Host/IR/HostAttrs.cpp.inc"

void HostDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fuser/Dialect/Host/IR/HostAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// TensorAttr
//===----------------------------------------------------------------------===//

// 8 or s0
static ParseResult parseSize(AsmParser &parser, int64_t &size) {
  StringRef symbol;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&symbol)))
    return parser.parseInteger(size);
  if (!symbol.consume_front("s") || symbol.getAsInteger(10, size) || size < 0)
    return parser.emitError(loc, "expected a size or a symbol such as s0");
  size = -1 - size;
  return success();
}

static ParseResult parseNumber(AsmParser &parser, int64_t &number) {
  return parser.parseInteger(number);
}

using Numbers = SmallVector<int64_t>;

static ParseResult
parseNumbers(AsmParser &parser, Numbers &numbers,
             llvm::function_ref<ParseResult(AsmParser &, int64_t &)> parse) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parse(parser, numbers.emplace_back());
  });
}

/// `keyword` is there.
static bool parseIf(AsmParser &parser, StringRef keyword) {
  return succeeded(parser.parseOptionalKeyword(keyword));
}

Attribute TensorAttr::parse(AsmParser &parser, Type) {
  Type element;
  Numbers sizes, order;
  bool orderRequired = false;
  int64_t alignment = 0;
  if (parser.parseLess() || parser.parseType(element) ||
      parseNumbers(parser, sizes, parseSize))
    return {};
  if (!parseIf(parser, "any")) {
    if (parser.parseKeyword("order") ||
        parseNumbers(parser, order, parseNumber))
      return {};
    orderRequired = parseIf(parser, "required");
  }
  if (parser.parseKeyword("align") || parser.parseInteger(alignment))
    return {};
  bool alignmentRequired = parseIf(parser, "required");
  AliasKind alias = parseIf(parser, "reuse")  ? AliasKind::Reuse
                    : parseIf(parser, "view") ? AliasKind::View
                                              : AliasKind::New;
  unsigned input = 0;
  if ((alias != AliasKind::New && parser.parseInteger(input)) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), element, sizes, order, orderRequired,
             alignment, alignmentRequired, alias, input);
}

void TensorAttr::print(AsmPrinter &printer) const {
  printer << '<' << getElement() << " [";
  llvm::interleaveComma(getSizes(), printer, [&](int64_t size) {
    if (size < 0)
      printer << 's' << -1 - size;
    else
      printer << size;
  });
  printer << ']';
  if (takesAnyStrides()) {
    printer << " any";
  } else {
    printer << " order [";
    llvm::interleaveComma(getOrder(), printer);
    printer << (getOrderRequired() ? "] required" : "]");
  }
  printer << " align " << getAlignment();
  if (getAlignmentRequired())
    printer << " required";
  if (getAlias() != AliasKind::New)
    printer << ' ' << stringifyAliasKind(getAlias()) << ' ' << getInput();
  printer << '>';
}

static LogicalResult
verifyTensor(TensorAttr attr,
             llvm::function_ref<InFlightDiagnostic()> emitError) {
  // tensor_c1
  if (!attr.getElement().isIntOrFloat())
    return emitError() << "expected elements that are integers or floats, got "
                       << attr.getElement();
  // tensor_c2
  int64_t rank = attr.getSizes().size();
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : attr.getOrder())
    if (dim >= 0 && dim < rank)
      seen.set(dim);
  if (!attr.getOrder().empty() &&
      (int64_t(attr.getOrder().size()) != rank || !seen.all()))
    return emitError() << "expected an order of " << rank
                       << " dimensions, each once, got [" << attr.getOrder()
                       << "]";
  // tensor_c3
  if (attr.getAlignment() <= 0 || !llvm::isPowerOf2_64(attr.getAlignment()))
    return emitError() << "expected an alignment that is a power of two, got "
                       << attr.getAlignment();
  return success();
}

LogicalResult
SizeAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                 int64_t symbol, int64_t divisor, int64_t bound,
                 int64_t requiredDivisor, int64_t requiredBound,
                 int64_t lowerBound) {
  // size_c1
  if (symbol < 0 || divisor < 1 || bound < -1 || requiredDivisor < 1 ||
      requiredBound < -1 || lowerBound < 0)
    return emitError() << "expected a symbol and a lower bound of at least 0, "
                          "divisors of at least 1 and bounds of at least -1, "
                          "got symbol "
                       << symbol << ", lower bound " << lowerBound
                       << ", divisors " << divisor << " and " << requiredDivisor
                       << ", bounds " << bound << " and " << requiredBound;
  // size_c2
  if (divisor % requiredDivisor == 0 &&
      (requiredBound < 0 || (bound >= 0 && bound <= requiredBound)))
    return success();
  return emitError() << "expected a divisor that is a multiple of the required "
                        "one, and a bound within the required one, got "
                     << divisor << " and " << bound << ", required "
                     << requiredDivisor << " and " << requiredBound;
}

//===----------------------------------------------------------------------===//
// Attributes of arguments and results
//===----------------------------------------------------------------------===//

// signature_c2
static bool fitsBuffer(TensorAttr tensor, MemRefType memref) {
  if (getStorageType(tensor.getElement()) != memref.getElementType())
    return false;
  // Inputs come in the order that is said; a view of one lies as it does.
  if (tensor.getAlias() == AliasKind::View)
    return true;
  SmallVector<int64_t> sizes, strides;
  int64_t offset;
  for (int64_t size : tensor.getSizes())
    sizes.push_back(size < 0 ? ShapedType::kDynamic : size);
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return false;
  SmallVector<int64_t> dense(memref.getRank(), ShapedType::kDynamic);
  if (!tensor.takesAnyStrides())
    dense = getDenseStrides(sizes, tensor.getOrder());
  return llvm::all_of(llvm::zip_equal(strides, dense, sizes), [](auto dim) {
    auto [stride, expected, size] = dim;
    return ShapedType::isDynamic(stride) || stride == expected || size == 1;
  });
}

// signature_c1
static LogicalResult
verifyUsers(Attribute attr, Type type,
            llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto users = dyn_cast<ArrayAttr>(attr);
  auto memref = dyn_cast<MemRefType>(type);
  if (users && memref && int64_t(users.size()) == memref.getRank() &&
      llvm::all_of(users, llvm::IsaPred<StringAttr>))
    return success();
  return emitError() << "expected a string for each dimension of a memref, got "
                     << attr << " on " << type;
}

// signature_c1
static LogicalResult
verifySignatureAttr(Type type, NamedAttribute attr,
                    llvm::function_ref<InFlightDiagnostic()> emitError) {
  if (attr.getName() == kNameAttrName) {
    auto name = dyn_cast<StringAttr>(attr.getValue());
    if (name && !name.empty())
      return success();
    return emitError() << "expected a string that is not empty, got "
                       << attr.getValue();
  }
  auto memref = dyn_cast<MemRefType>(type);
  if (attr.getName() == kComplexAttrName) {
    // Of floats, or what stands for them in the ring.
    bool fits = memref && memref.getRank() > 0 &&
                memref.getShape().back() == 2 &&
                memref.getElementType().isIntOrFloat();
    unsigned bits = fits ? memref.getElementTypeBitWidth() : 0;
    if (isa<UnitAttr>(attr.getValue()) && (bits == 32 || bits == 64))
      return success();
    return emitError() << "expected a unit attribute of a memref of 32 or 64 "
                          "bits an element whose last dimension is 2, got "
                       << attr.getValue() << " on " << type;
  }
  if (attr.getName() == kPackedAttrName) {
    auto element = dyn_cast<TypeAttr>(attr.getValue());
    if (element && isPackedElement(element.getValue()) && memref &&
        memref.getRank() > 0 && memref.getElementTypeBitWidth() == 8)
      return success();
    return emitError() << "expected f4E2M1FN on a memref of 8 bits an element "
                          "and at least one dimension, got "
                       << attr.getValue() << " on " << type;
  }
  if (attr.getName() == kUsersAttrName)
    return verifyUsers(attr.getValue(), type, emitError);
  if (attr.getName() != kTensorAttrName)
    return emitError() << "unknown attribute";
  auto tensor = dyn_cast<TensorAttr>(attr.getValue());
  bool fits =
      tensor && memref &&
      int64_t(tensor.getSizes().size()) == memref.getRank() &&
      llvm::all_of_zip(tensor.getSizes(), memref.getShape(),
                       [](int64_t size, int64_t known) {
                         return ShapedType::isDynamic(known) || size == known;
                       });
  if (fits) {
    if (failed(verifyTensor(tensor, emitError)))
      return failure();
    if (fitsBuffer(tensor, memref))
      return success();
    return emitError() << "expected the elements and the static strides of "
                       << memref << " to be those of its #host.tensor, got "
                       << tensor;
  }
  return emitError() << "expected a #host.tensor with the sizes of a memref, "
                        "got "
                     << attr.getValue() << " on " << type;
}

LogicalResult HostDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned number,
                                                    NamedAttribute attr) {
  auto emitError = [&] {
    return op->emitOpError() << "argument " << number << ": '"
                             << attr.getName().getValue() << "': ";
  };
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func)
    return emitError() << "expected a function to carry it";
  return verifySignatureAttr(func.getArgumentTypes()[number], attr, emitError);
}

LogicalResult HostDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                       unsigned number,
                                                       NamedAttribute attr) {
  auto emitError = [&] {
    return op->emitOpError() << "result " << number << ": '"
                             << attr.getName().getValue() << "': ";
  };
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func)
    return emitError() << "expected a function to carry it";
  if (attr.getName() == kUsersAttrName)
    return emitError() << "expected it on an argument: sizes of results are "
                          "those that the program computes";
  return verifySignatureAttr(func.getResultTypes()[number], attr, emitError);
}
