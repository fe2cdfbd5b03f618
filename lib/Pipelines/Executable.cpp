//===- Executable.cpp - A program that compiles what it lacks -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/Executable.h"
#include "fuser/Pipelines/CompilerUse.h"
#include "mlir/IR/MLIRContext.h"
#include <chrono>
#include <numeric>

using namespace fuser;

InputClass fuser::classifyInput(const DLTensor &tensor,
                                ArrayRef<int64_t> strideOrder) {
  InputClass result;
  auto address = reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset;
  unsigned elementBytes = (tensor.dtype.bits + 7) / 8;
  result.alignment = address % 16 == 0 ? 16 : elementBytes;
  SmallVector<int64_t> order(strideOrder);
  if (order.empty()) {
    order.resize(tensor.ndim);
    std::iota(order.begin(), order.end(), 0);
  }
  result.sizes.assign(tensor.shape, tensor.shape + tensor.ndim);
  int64_t expected = 1;
  for (int64_t dim : llvm::reverse(order)) {
    if (!tensor.strides || tensor.shape[dim] == 0)
      return result;
    if (tensor.shape[dim] != 1 && tensor.strides[dim] != expected)
      result.anyStrides = true;
    expected *= tensor.shape[dim];
  }
  return result;
}

/// Compiles with the errors collected in `error`.
static FailureOr<CompileResult> compileCollecting(ModuleOp module,
                                                  const CompileOptions &options,
                                                  std::string &error) {
  ErrorCollector collector(module.getContext(), error);
  return compileModule(module, options);
}

FuserStatus *Executable::create(FuserContext *context,
                                OwningOpRef<ModuleOp> module,
                                CompileOptions options,
                                std::unique_ptr<Executable> &executable) {
  if (options.arch.empty())
    options.arch = options.target->getDeviceArch(fuser_context_arch(context));
  std::string error;
  FailureOr<CompileResult> result = compileCollecting(*module, options, error);
  if (failed(result))
    return fuser_status_create(FUSER_INVALID_ARGUMENT, error.c_str());
  std::unique_ptr<Executable> made(new Executable);
  made->module = std::move(module);
  made->options = std::move(options);
  made->result = std::move(*result);
  auto start = std::chrono::steady_clock::now();
  std::string bytes = fuser_rt::serialize(made->result.program);
  if (FuserStatus *status = fuser_program_load(context, bytes.data(),
                                               bytes.size(), &made->program))
    return status;
  std::chrono::duration<double, std::milli> loading =
      std::chrono::steady_clock::now() - start;
  made->result.times.push_back({"load", loading.count()});
  fuser_program_set_compile_callback(made->program, compileOnMiss, made.get());
  executable = std::move(made);
  return nullptr;
}

Executable::~Executable() { fuser_program_destroy(program); }

FuserStatus *Executable::compileOnMiss(void *user, FuserProgram *program,
                                       const DLTensor *const *inputs,
                                       size_t numInputs) {
  CompilerUse use;
  if (FuserStatus *status = use.check())
    return status;
  auto *self = static_cast<Executable *>(user);
  CompileOptions options = self->options;
  options.inputs.clear();
  const auto &specs = self->result.program.variants.front().inputs;
  for (size_t i = 0; i < numInputs; ++i)
    options.inputs.push_back(classifyInput(*inputs[i], specs[i].strideOrder));
  if (self->numSizeVariants++ >= fuser_rt::maxSizeVariants)
    for (InputClass &input : options.inputs)
      input.sizes.clear();
  // Where nothing fits, outputs of the caller may be unaligned as well.
  options.outputAlignment = fuser_program_output_alignment(program);
  std::string error;
  FailureOr<CompileResult> result =
      compileCollecting(*self->module, options, error);
  if (failed(result))
    return fuser_status_create(FUSER_INTERNAL, error.c_str());
  std::string bytes = fuser_rt::serialize(result->program);
  return fuser_program_add_variants(program, bytes.data(), bytes.size());
}
