//===- ArgumentNames.cpp - What messages call arguments -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Analysis/ArgumentNames.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"

using namespace mlir;

std::string fuser::getArgumentName(func::FuncOp function, unsigned number) {
  if (auto name = function.getArgAttrOfType<StringAttr>(
          number, fusion::FusionDialect::getNameAttrName()))
    return name.str();
  if (!function.isExternal())
    if (auto loc =
            function.getArgument(number).getLoc()->findInstanceOf<NameLoc>())
      return loc.getName().str();
  return "arg" + std::to_string(number);
}

std::string fuser::getResultName(func::FuncOp function, unsigned number) {
  if (auto name = function.getResultAttrOfType<StringAttr>(
          number, fusion::FusionDialect::getNameAttrName()))
    return name.str();
  return "result" + std::to_string(number);
}

std::string fuser::describeArgument(func::FuncOp function, unsigned number) {
  ArrayRef<Type> types = function.getArgumentTypes();
  auto isTensor = [](Type type) { return isa<ShapedType>(type); };
  bool kind = isTensor(types[number]);
  size_t place = llvm::count_if(types.take_front(number), [&](Type type) {
    return isTensor(type) == kind;
  });
  return (kind ? "input " : "scalar ") + std::to_string(place) + " '" +
         getArgumentName(function, number) + "'";
}
