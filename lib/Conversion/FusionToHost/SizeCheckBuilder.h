//===- SizeCheckBuilder.h - What a program asks of sizes -------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOHOST_SIZECHECKBUILDER_H
#define FUSER_LIB_CONVERSION_FUSIONTOHOST_SIZECHECKBUILDER_H

#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"

namespace fuser {

/// True if whoever runs the program compares all sizes of arguments that have
/// this symbol, by the description of the arguments: with a static size, or
/// with that of the first of them.
bool areArgumentsCompared(const ShapeSymbols &symbols, unsigned symbol);

/// Makes the conditions that the sizes of a function of tensors must meet,
/// where a builder stands: equal sizes, and what ops say by
/// SizeCheckOpInterface.
class SizeCheckBuilder {
public:
  using AddFn = llvm::function_ref<void(mlir::Location, mlir::Value condition,
                                        llvm::StringRef message,
                                        mlir::ValueRange values)>;

  /// `leavesArguments`: nothing is made of what areArgumentsCompared() says.
  SizeCheckBuilder(mlir::func::FuncOp func, const ShapeSymbols &symbols,
                   SizeMaterializer &sizes, mlir::OpBuilder &builder,
                   bool leavesArguments, AddFn add)
      : func(func), symbols(symbols), sizes(sizes), builder(builder),
        leavesArguments(leavesArguments), add(add) {}

  /// Fails with an error if an op asks for what no call can have. Else calls
  /// `add` with each condition, its message, and the values of that. The
  /// location is that of the op that asks; unknown if none does.
  LogicalResult build();

private:
  LogicalResult verify();
  void checkSymbol(unsigned symbol);
  void checkReuse(mlir::OpOperand &returned);
  void checkScalar(const SizeSource &source);
  void checkSource(const SizeSource &source, const SizeSource *reference,
                   mlir::OpFoldResult expected);

  mlir::func::FuncOp func;
  const ShapeSymbols &symbols;
  SizeMaterializer &sizes;
  mlir::OpBuilder &builder;
  bool leavesArguments;
  AddFn add;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOHOST_SIZECHECKBUILDER_H
