//===- fuser-test-compile.cpp - Programs with test-only ops to files ------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fuser-test-compile input.mlir cpu|cuda arch output.fx
//
//===----------------------------------------------------------------------===//

#include "TestFusion.h"
#include "fuser/Pipelines/Compile.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace fuser;

int main(int argc, char **argv) {
  if (argc != 5) {
    llvm::errs() << "expected: input.mlir cpu|cuda arch output.fx\n";
    return 1;
  }
  std::unique_ptr<MLIRContext> context = createCompilerContext();
  context->getOrLoadDialect<test::TestFusionDialect>();
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, context.get());
  auto module = parseSourceFile<ModuleOp>(argv[1], sources, context.get());
  if (!module)
    return 1;
  CompileOptions options;
  options.target = StringRef(argv[2]) == "cuda" ? fuser_rt::Target::Cuda
                                                : fuser_rt::Target::Cpu;
  options.arch = argv[3];
  FailureOr<CompileResult> result = compileModule(*module, options);
  if (failed(result))
    return 1;
  std::error_code error;
  llvm::raw_fd_ostream os(argv[4], error);
  if (error) {
    llvm::errs() << "'" << argv[4] << "': " << error.message() << "\n";
    return 1;
  }
  os << fuser_rt::serialize(result->program);
  return 0;
}
