//===- Places.cpp - Where errors say that an op stands --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Support/Places.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

std::string fuser::describePlace(Location loc) {
  auto place = loc->findInstanceOf<FileLineColLoc>();
  if (!place)
    return {};
  std::string text = place.getFilename().str() + ":";
  // Line 0: the file as a whole. Column 0: the line as a whole.
  if (place.getLine() != 0)
    text += std::to_string(place.getLine()) + ":";
  if (place.getLine() != 0 && place.getColumn() != 0)
    text += std::to_string(place.getColumn()) + ":";
  return text + " ";
}

/// Others may give locations metadata of their own.
static constexpr StringRef kRequest = "fuser.request";

Location fuser::addRequest(Location loc, StringRef name) {
  MLIRContext *context = loc.getContext();
  Builder b(context);
  NamedAttribute request = b.getNamedAttr(kRequest, b.getStringAttr(name));
  return FusedLoc::get({loc}, b.getDictionaryAttr(request), context);
}

static constexpr StringRef kReduced = "fuser.reduced";

Location fuser::addReduced(Location loc) {
  Builder b(loc.getContext());
  NamedAttribute reduced = b.getNamedAttr(kReduced, b.getUnitAttr());
  return FusedLoc::get({loc}, b.getDictionaryAttr(reduced), b.getContext());
}

/// The attributes that a location of several has.
static DictionaryAttr getAttributes(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  return fused ? dyn_cast_or_null<DictionaryAttr>(fused.getMetadata())
               : DictionaryAttr();
}

/// What follows the name of the op whose place `loc` is.
static StringRef describeReduced(Location loc) {
  bool isReduced = false;
  loc->walk([&](Location each) {
    if (isa<FileLineColLoc>(each))
      return WalkResult::interrupt();
    DictionaryAttr attributes = getAttributes(each);
    isReduced |= attributes && attributes.contains(kReduced);
    return WalkResult::advance();
  });
  return isReduced ? " of a reduction without 'keep' (keepdims=True)" : "";
}

/// Names of ops have no braces, which would stand for values.
static bool isOfName(char c) { return llvm::isAlnum(c) || c == '_'; }

/// The request of the op whose place `loc` is; empty if there is none.
static StringRef findRequest(Location loc) {
  StringRef name;
  loc->walk([&](Location each) {
    if (isa<FileLineColLoc>(each))
      return WalkResult::interrupt();
    DictionaryAttr attributes = getAttributes(each);
    auto request =
        attributes ? attributes.getAs<StringAttr>(kRequest) : StringAttr();
    if (!request || !llvm::all_of(request.getValue(), isOfName))
      return WalkResult::advance();
    name = request.getValue();
    return WalkResult::interrupt();
  });
  return name;
}

std::string fuser::nameOp(Operation *op) {
  StringRef request = findRequest(op->getLoc());
  bool isOther = !request.empty() && request != op->getName().stripDialect();
  std::string name =
      isOther ? "'" + request.str() + "'" : op->getName().getStringRef().str();
  return name + describeReduced(op->getLoc()).str();
}

std::string fuser::describeRequest(Location loc) {
  StringRef request = findRequest(loc);
  std::string text = describePlace(loc);
  if (request.empty())
    return text;
  return text + "'" + request.str() + "'" + describeReduced(loc).str() + ": ";
}

/// Marks the place among those that an argument's location is fused of.
static Attribute getMark(MLIRContext *context, int64_t dim) {
  return IntegerAttr::get(IndexType::get(context), dim);
}

Location fuser::addSizeUser(Location argument, int64_t dim, Location user) {
  MLIRContext *context = argument.getContext();
  Location marked = FusedLoc::get({user}, getMark(context, dim), context);
  return FusedLoc::get(context, {argument, marked});
}

Location fuser::findSizeUser(Location argument, int64_t dim) {
  Attribute mark = getMark(argument.getContext(), dim);
  Location found = UnknownLoc::get(argument.getContext());
  argument->walk([&](Location loc) {
    auto fused = dyn_cast<FusedLoc>(loc);
    if (!fused || fused.getMetadata() != mark)
      return WalkResult::advance();
    found = fused.getLocations().front();
    return WalkResult::interrupt();
  });
  return found;
}
