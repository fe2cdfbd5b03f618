//===- Session.cpp - A program and its tensors on a device ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "../CommandLine.h"
#include "../Tensors/Number.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace fuser;
using namespace fuser::run;

llvm::Error run::toError(FuserStatus *status) {
  if (!status)
    return llvm::Error::success();
  std::string message = fuser_status_message(status);
  std::error_code code = llvm::inconvertibleErrorCode();
  if (fuser_status_code(status) == FUSER_COMMUNICATION_ERROR)
    code = std::make_error_code(kCommunicationError);
  fuser_status_destroy(status);
  return llvm::createStringError(code, message);
}

static FuserStatus *createContext(const RunOptions &options,
                                  FuserContext **context) {
  int32_t threads = options.threads.value_or(0);
  switch (options.target->device) {
  case fuser_rt::Target::Cpu:
    return fuser_context_create_cpu(threads, context);
  case fuser_rt::Target::Cuda:
    return fuser_context_create_cuda(options.device.value_or(0), context);
  case fuser_rt::Target::Sim:
    return fuser_context_create_sim(threads, context);
  }
}

llvm::Expected<ContextPtr> run::createContext(const RunOptions &options) {
  FuserContext *context = nullptr;
  if (llvm::Error error = toError(createContext(options, &context)))
    return error;
  ContextPtr result(context);
  if (options.simChecks || options.simSeed)
    if (llvm::Error error = toError(fuser_context_set_simulation(
            context, options.simChecks, options.simSeed)))
      return error;
  if (options.delays)
    if (llvm::Error error = toError(fuser_context_set_delays(
            context, options.delays->seed, options.delays->mostMicroseconds)))
      return error;
  return result;
}

llvm::Error run::writeTrace(llvm::ArrayRef<FuserContext *> contexts,
                            llvm::StringRef path) {
  return toError(fuser_context_write_trace(contexts.data(), contexts.size(),
                                           path.str().c_str()));
}

static void destroy(DLManagedTensorVersioned *tensor) {
  if (tensor && tensor->deleter)
    tensor->deleter(tensor);
}

Session::~Session() {
  llvm::consumeError(synchronize());
  for (FuserOutput &output : outputs)
    destroy(output.tensor);
  llvm::for_each(kept, destroy);
  llvm::for_each(inputMemory, destroy);
}

static char *getData(const DLManagedTensorVersioned *memory) {
  return static_cast<char *>(memory->dl_tensor.data) +
         memory->dl_tensor.byte_offset;
}

llvm::Error Session::bindInputs(llvm::MutableArrayRef<HostTensor> tensors) {
  DLDevice device = fuser_context_device(context);
  for (HostTensor &tensor : tensors) {
    auto bytes = static_cast<int64_t>(tensor.storageBytes);
    DLManagedTensorVersioned *memory = nullptr;
    if (llvm::Error error = toError(fuser_tensor_create(
            context, {kDLInt, 8, 1}, 1, &bytes, nullptr, &memory)))
      return error;
    size_t number = inputMemory.size();
    if (guards && number < required.inputs.size())
      guards->place(memory->dl_tensor, required.inputs[number],
                    "input " + std::to_string(number) + " '" +
                        fuser_program_input_name(program, number) + "'");
    inputMemory.push_back(memory);
    auto *data = getData(memory);
    // Without elements there is no memory.
    if (data)
      data += tensor.offset * fuser_rt::elementBytes(tensor.element);
    inputs.push_back(tensor.getDLTensor(device, data));
  }
  for (DLTensor &input : inputs)
    inputPointers.push_back(&input);
  return copyInputs(tensors);
}

llvm::Error Session::copyInputs(llvm::ArrayRef<HostTensor> tensors) {
  for (auto [tensor, memory] : llvm::zip(tensors, inputMemory))
    if (llvm::Error error =
            toError(fuser_memcpy(context, getData(memory), tensor.storage.get(),
                                 static_cast<int64_t>(tensor.storageBytes))))
      return error;
  return llvm::Error::success();
}

llvm::Error Session::bindScalars(llvm::ArrayRef<std::string> values,
                                 llvm::ArrayRef<fuser_rt::ScalarSpec> specs) {
  // A wrong number of them is what the runtime tells.
  scalars.resize(values.size(), FuserScalar{});
  for (size_t index = 0; index < std::min(values.size(), specs.size());
       ++index) {
    const fuser_rt::ScalarSpec &spec = specs[index];
    FuserScalar &scalar = scalars[index];
    llvm::Expected<Number> number = parseScalar(values[index], spec.element);
    if (!number)
      return usageError("scalar " + llvm::Twine(index) + " '" + spec.name +
                        "': " + llvm::toString(number.takeError()));
    scalar.kind = isFloat(spec.element) ? FuserScalar::FUSER_SCALAR_FLOAT
                                        : FuserScalar::FUSER_SCALAR_INT;
    if (isFloat(spec.element))
      scalar.value.f = number->value;
    else
      scalar.value.i = number->integer;
  }
  return llvm::Error::success();
}

void Session::releaseOutputs() {
  for (FuserOutput &output : outputs)
    destroy(output.tensor);
  outputs.assign(fuser_program_num_outputs(program), FuserOutput{});
  for (auto [output, tensor] : llvm::zip(outputs, kept))
    output.preallocated = tensor ? &tensor->dl_tensor : nullptr;
}

/// Outputs that are an input's memory (written in place, or a view) are not
/// the caller's to provide.
static bool isInputMemory(const DLTensor &output,
                          llvm::ArrayRef<DLManagedTensorVersioned *> inputs) {
  return llvm::any_of(inputs, [&](DLManagedTensorVersioned *input) {
    char *begin = getData(input);
    return output.data >= begin &&
           output.data < begin + input->dl_tensor.shape[0];
  });
}

void Session::keepOutputs() {
  for (FuserOutput &output : outputs) {
    bool keep =
        output.tensor && !isInputMemory(output.tensor->dl_tensor, inputMemory);
    if (keep && guards)
      guards->place(output.tensor->dl_tensor, required.outputs[kept.size()],
                    "output " + std::to_string(kept.size()) + " '" +
                        fuser_program_output_name(program, kept.size()) + "'");
    kept.push_back(keep ? output.tensor : nullptr);
    if (keep)
      output.tensor = nullptr;
  }
}

llvm::Error Session::startTrace() {
  return toError(fuser_context_start_trace(context));
}

FuserStatus *Session::enqueue() {
  releaseOutputs();
  return fuser_program_run(program, inputPointers.data(), inputPointers.size(),
                           scalars.data(), scalars.size(), outputs.data(),
                           outputs.size());
}

llvm::Error Session::synchronize() {
  return toError(fuser_context_synchronize(context));
}

llvm::Expected<llvm::SmallVector<HostTensor>> Session::fetchOutputs() {
  llvm::SmallVector<HostTensor> results;
  for (FuserOutput &output : outputs) {
    const DLTensor &from =
        output.preallocated ? *output.preallocated : output.tensor->dl_tensor;
    const ElementInfo *element = fuser_rt::findElement(from.dtype);
    if (!element)
      return llvm::createStringError("an output has an unknown element type");
    llvm::ArrayRef<int64_t> sizes(from.shape, from.ndim);
    llvm::ArrayRef<int64_t> strides(from.strides, from.ndim);
    llvm::Expected<HostTensor> tensor = allocate(element->type, sizes, strides);
    if (!tensor)
      return tensor.takeError();
    if (tensor->getNumElements() != 0)
      if (llvm::Error error = toError(
              fuser_memcpy(context, tensor->getData(),
                           static_cast<char *>(from.data) + from.byte_offset,
                           tensor->storageBytes)))
        return error;
    results.push_back(std::move(*tensor));
  }
  return results;
}

static uint64_t countBytes(const DLTensor &tensor) {
  uint64_t bytes = (tensor.dtype.bits + 7) / 8;
  for (int32_t dim = 0; dim < tensor.ndim; ++dim)
    bytes *= static_cast<uint64_t>(tensor.shape[dim]);
  return bytes;
}

uint64_t Session::getBytesMoved() const {
  uint64_t bytes = 0;
  for (const DLTensor &input : inputs)
    bytes += countBytes(input);
  for (const FuserOutput &output : outputs)
    bytes += countBytes(output.preallocated ? *output.preallocated
                                            : output.tensor->dl_tensor);
  return bytes;
}
