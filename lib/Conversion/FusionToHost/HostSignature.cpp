//===- HostSignature.cpp - What a host program says of its tensors --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of the dialect of tensors become those of the dialect of buffers:
// what the types of buffers do not say.
//
//===----------------------------------------------------------------------===//

#include "HostBuilder.h"
#include "fuser/Analysis/ArgumentNames.h"
#include "fuser/Support/Places.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;
using namespace fuser;
using namespace fuser::fusion;

static SmallVector<int64_t> getOrder(DictionaryAttr attrs, StringRef name,
                                     int64_t rank) {
  if (attrs)
    if (auto order = attrs.getAs<DenseI64ArrayAttr>(name))
      return llvm::to_vector(order.asArrayRef());
  SmallVector<int64_t> rowMajor(rank);
  std::iota(rowMajor.begin(), rowMajor.end(), 0);
  return rowMajor;
}

namespace {
/// The memory of an input or an output.
struct Memory {
  /// Where the order of dimensions is, and the attribute's name.
  DictionaryAttr orderAttrs;
  StringRef orderName;
  int64_t alignment;
  host::AliasKind alias = host::AliasKind::New;
  unsigned input = 0;
};
} // namespace

/// What the attributes say of `tensor`, an input or an output.
static host::TensorAttr describe(Value tensor, DictionaryAttr attrs,
                                 const Memory &memory,
                                 const ShapeSymbols &symbols) {
  auto has = [&](StringRef name) { return attrs && attrs.contains(name); };
  SymbolicShape sizes = symbols.getShape(tensor);
  SmallVector<int64_t> order;
  StringRef classOrder = FusionDialect::getClassStrideOrderAttrName();
  DictionaryAttr orders = memory.orderAttrs;
  if (orders && orders.contains(classOrder))
    order = getOrder(orders, classOrder, sizes.size());
  else if (!has(FusionDialect::getLayoutAttrName()))
    order = getOrder(memory.orderAttrs, memory.orderName, sizes.size());
  bool alignmentRequired = has(FusionDialect::getAlignmentAttrName()) &&
                           !has(FusionDialect::getSpecializedAttrName());
  return host::TensorAttr::get(
      tensor.getContext(), getElementTypeOrSelf(tensor.getType()), sizes, order,
      has(FusionDialect::getStrideOrderAttrName()), memory.alignment,
      alignmentRequired, memory.alias, memory.input);
}

/// The attribute for `name`, unless that is what it is called anyhow.
NamedAttrList HostBuilder::getName(StringRef name, StringRef kind,
                                   unsigned number) {
  NamedAttrList attrs;
  if (name != (kind + Twine(number)).str())
    attrs.set(host::kNameAttrName, builder.getStringAttr(name));
  return attrs;
}

/// How a message begins in which the size of an argument is not another one's.
std::string HostBuilder::getUser(BlockArgument arg, int64_t dim) {
  SymbolicSize size = symbols.getOwnSize(arg, dim);
  if (size >= 0)
    return describeRequest(findSizeUser(arg.getLoc(), dim));
  Operation *user = symbols.getOwnSource(-1 - size).user;
  if (!user || describePlace(user->getLoc()).empty())
    return {};
  return describePlace(user->getLoc()) + nameOp(user) + ": ";
}

/// That of each dimension; null if none is known.
ArrayAttr HostBuilder::getUsers(BlockArgument arg) {
  SmallVector<Attribute> users;
  bool isKnown = false;
  int64_t rank = cast<RankedTensorType>(arg.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    std::string user = getUser(arg, dim);
    isKnown |= !user.empty();
    users.push_back(builder.getStringAttr(user));
  }
  return isKnown ? builder.getArrayAttr(users) : nullptr;
}

DictionaryAttr HostBuilder::getArgumentAttrs(BlockArgument arg) {
  unsigned number = arg.getArgNumber();
  NamedAttrList attrs = getName(getArgumentName(func, number), "arg", number);
  if (isTensor(arg)) {
    attrs.set(host::kTensorAttrName,
              describe(arg, func.getArgAttrDict(number),
                       {func.getArgAttrDict(number),
                        FusionDialect::getStrideOrderAttrName(),
                        getTensorBuffer(arg).alignment},
                       symbols));
    if (ArrayAttr users = getUsers(arg))
      attrs.set(host::kUsersAttrName, users);
  }
  if (func.getArgAttr(number, FusionDialect::getComplexAttrName()))
    attrs.set(host::kComplexAttrName, builder.getUnitAttr());
  if (Attribute packed =
          func.getArgAttr(number, FusionDialect::getPackedAttrName()))
    attrs.set(host::kPackedAttrName, packed);
  return attrs.getDictionary(func.getContext());
}

static host::AliasKind getHostKind(AliasAttr alias) {
  if (!alias || alias.getKind() == AliasKind::New)
    return host::AliasKind::New;
  return alias.getKind() == AliasKind::Reuse ? host::AliasKind::Reuse
                                             : host::AliasKind::View;
}

DictionaryAttr HostBuilder::getResultAttrs(unsigned number) {
  Value tensor = getReturn().getOperand(number);
  DictionaryAttr dict = func.getResultAttrDict(number);
  host::AliasKind kind = getHostKind(getAlias(number));
  unsigned input = kind == host::AliasKind::New
                       ? 0
                       : countBuffersBefore(getAlias(number).getInput());
  StringRef order = FusionDialect::getStrideOrderAttrName();
  if (!dict || !dict.contains(order))
    order = FusionDialect::getStrideOrderHintAttrName();
  // What is written into an input lies as that does.
  DictionaryAttr orderAttrs = dict;
  if (kind == host::AliasKind::Reuse) {
    order = FusionDialect::getStrideOrderAttrName();
    orderAttrs = func.getArgAttrDict(getAlias(number).getInput());
  }
  int64_t alignment = getElementAlignment(
      cast<RankedTensorType>(tensor.getType()),
      dict ? dict.get(FusionDialect::getAlignmentAttrName()) : Attribute());
  NamedAttrList attrs = getName(getResultName(func, number), "result", number);
  attrs.set(host::kTensorAttrName,
            describe(tensor, dict, {orderAttrs, order, alignment, kind, input},
                     symbols));
  if (dict && dict.contains(FusionDialect::getComplexAttrName()))
    attrs.set(host::kComplexAttrName, builder.getUnitAttr());
  if (Attribute packed =
          dict ? dict.get(FusionDialect::getPackedAttrName()) : Attribute())
    attrs.set(host::kPackedAttrName, packed);
  return attrs.getDictionary(func.getContext());
}

/// What the program asks of a size holds for the one that it has.
LogicalResult HostBuilder::verifyStatedSize(unsigned symbol, int64_t size) {
  SizeFacts required = symbols.getRequiredFacts(symbol);
  bool isBeyond = required.bound && size > *required.bound;
  if (size % required.divisor == 0 && !isBeyond)
    return success();
  const SizeSource &source = symbols.getSources(symbol).front();
  InFlightDiagnostic diag = emitError(source.value.getLoc()) << "expected ";
  if (auto arg = dyn_cast<BlockArgument>(source.value))
    diag << "dimension " << source.dim << " of "
         << describeArgument(func, arg.getArgNumber());
  else
    diag << "a size";
  if (isBeyond)
    diag << " to be at most " << *required.bound;
  else
    diag << " to be a multiple of " << required.divisor;
  return diag << ", as the function says of what is equal to it, got " << size;
}

LogicalResult HostBuilder::verifyStatedSizes() {
  for (unsigned symbol = 0; symbol < symbols.getNumSymbols(); ++symbol)
    if (std::optional<int64_t> size = symbols.getStaticSize(symbol);
        size && symbols.isRepresentative(symbol) &&
        failed(verifyStatedSize(symbol, *size)))
      return failure();
  return success();
}

/// The attributes of open sizes that have requirements.
ArrayAttr HostBuilder::getSizes() {
  SmallVector<Attribute> sizes;
  for (unsigned symbol = 0; symbol < symbols.getNumSymbols(); ++symbol) {
    if (!symbols.isRepresentative(symbol) || symbols.getStaticSize(symbol))
      continue;
    // What follows from other sizes is not asked of anyone: that sizes are
    // equal is checked, and a call that breaks it fits no other variant.
    SizeFacts facts = symbols.getStatedFacts(symbol);
    SizeFacts required = symbols.getRequiredFacts(symbol);
    if (facts.divisor > 1 || facts.bound || facts.lowerBound > 0)
      sizes.push_back(host::SizeAttr::get(
          func.getContext(), symbol, facts.divisor, facts.bound.value_or(-1),
          required.divisor, required.bound.value_or(-1), facts.lowerBound));
  }
  return builder.getArrayAttr(sizes);
}
