//===- HostBuilder.h - A host program in the making ------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_CONVERSION_FUSIONTOHOST_HOSTBUILDER_H
#define FUSER_LIB_CONVERSION_FUSIONTOHOST_HOSTBUILDER_H

#include "fuser/Analysis/ShapeSymbols.h"
#include "fuser/Conversion/FusionToKernel.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace fuser {

/// True if `func` takes or gives tensors, or gives nothing: a program then,
/// which checks its arguments at most.
bool isTensorProgram(mlir::func::FuncOp func);

/// The host program of one function: the new body grows beside the old one,
/// which is what all answers come from.
class HostBuilder {
public:
  /// `functions` finds the host functions that segments name.
  HostBuilder(mlir::func::FuncOp func, mlir::SymbolTableCollection &functions);

  /// Builds the program and puts it in place of the function's body. Failure
  /// comes with a diagnostic, and leaves the function as it was.
  mlir::LogicalResult run();

  unsigned getNumLaunches() const { return numLaunches; }
  unsigned getNumChecks() const { return numChecks; }

private:
  // HostBuilder.cpp
  void addArguments();
  void cloneScalars();
  void cloneScalar(mlir::Operation *op);
  mlir::Value getSize(mlir::tensor::DimOp dim);
  void checkDivision(mlir::Operation *op);
  void addCheck(mlir::Location loc, mlir::Value condition,
                llvm::StringRef message, mlir::ValueRange values);
  mlir::LogicalResult buildSizeChecks();
  mlir::LogicalResult buildSegment(fusion::SegmentOp segment);
  mlir::Value buildResult(mlir::OpResult result);
  mlir::Value buildShape(mlir::Value tensor, mlir::Value memory);
  mlir::Value buildReturnedShape(fusion::ReshapeOp shape);
  mlir::func::FuncOp getHostFunction(fusion::SegmentOp segment);
  mlir::LogicalResult verifyArguments(fusion::SegmentOp segment,
                                      mlir::func::FuncOp host,
                                      mlir::ValueRange args);
  void inlineHostFunction(mlir::func::FuncOp host, mlir::ValueRange tensors,
                          mlir::ValueRange args);
  mlir::LogicalResult buildReturn();
  void replaceBody();
  unsigned countBuffersBefore(unsigned argument) const;

  // HostSignature.cpp
  mlir::NamedAttrList getName(llvm::StringRef name, llvm::StringRef kind,
                              unsigned number);
  std::string getUser(mlir::BlockArgument arg, int64_t dim);
  mlir::ArrayAttr getUsers(mlir::BlockArgument arg);
  mlir::DictionaryAttr getArgumentAttrs(mlir::BlockArgument arg);
  mlir::DictionaryAttr getResultAttrs(unsigned number);
  mlir::LogicalResult verifyStatedSize(unsigned symbol, int64_t size);
  mlir::LogicalResult verifyStatedSizes();
  mlir::ArrayAttr getSizes();

  // HostAliases.cpp
  mlir::LogicalResult verifyReuse();
  mlir::LogicalResult verifyReuse(mlir::OpOperand &returned,
                                  mlir::BlockArgument input);
  mlir::LogicalResult verifyReusedSizes(mlir::OpOperand &returned,
                                        mlir::BlockArgument input);
  mlir::FailureOr<mlir::Value> buildView(mlir::OpOperand &returned,
                                         mlir::BlockArgument input);
  mlir::LogicalResult verifyStrideOrder(mlir::OpOperand &returned,
                                        mlir::BlockArgument input,
                                        mlir::Value buffer);

  mlir::func::ReturnOp getReturn() {
    return mlir::cast<mlir::func::ReturnOp>(
        func.getBody().front().getTerminator());
  }
  fusion::AliasAttr getAlias(unsigned result);

  mlir::func::FuncOp func;
  mlir::SymbolTableCollection &functions;
  ShapeSymbols symbols;
  SizeMaterializer sizes;
  mlir::OpBuilder builder;
  mlir::Region program;
  /// From tensors to buffers, and from scalars to scalars.
  mlir::IRMapping mapping;
  unsigned numLaunches = 0, numChecks = 0;
};

} // namespace fuser

#endif // FUSER_LIB_CONVERSION_FUSIONTOHOST_HOSTBUILDER_H
