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
