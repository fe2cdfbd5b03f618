//===- Loader.cpp - Programs on a device ----------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loader.h"

#include "Run/Checks.h"
#include "Status.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace fuser_rt;

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

LoadedVariant::LoadedVariant(Variant variant)
    : spec(std::move(variant)), writtenInputs(spec.inputs.size(), false) {
  auto count = [&](const TensorSpec &tensor) {
    for (Dim dim : tensor.dims)
      if (dim < 0)
        numSymbols = std::max(numSymbols, static_cast<size_t>(-dim));
  };
  for (const TensorSpec &input : spec.inputs) {
    count(input);
    inputRanks += input.dims.size();
  }
  for (const TensorSpec &output : spec.outputs) {
    count(output);
    if (output.alias == TensorSpec::Alias::Reuse) {
      writtenInputs[output.aliasInput] = true;
      writesInputs = true;
    }
  }
}

FuserStatus *LoadedVariant::load(Device &device) {
  if (entry)
    return nullptr;
  if (!object.handle())
    FUSER_RETURN_IF_ERROR(object.load(spec.object));
  void *symbol = object.find(FUSER_HOST_ENTRY_NAME);
  if (!symbol)
    return makeError(
        FUSER_BAD_PROGRAM,
        "expected the program's object to define '%s', got no such symbol",
        FUSER_HOST_ENTRY_NAME);
  FUSER_RETURN_IF_ERROR(device.loadKernels(spec, object.handle(), kernels));
  entry = reinterpret_cast<FuserHostEntry>(symbol);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

FuserProgram::~FuserProgram() {
  {
    Entered entered(*context.device);
    for (std::unique_ptr<LoadedVariant> &variant : variants) {
      variant->kernels.reset(); // Waits for what still runs.
      variant->workspaces.release(context);
    }
    variants.clear();
  }
  context.release();
}

/// format_r4: all variants of a program are called alike.
FuserStatus *FuserProgram::checkSignature(const Variant &variant,
                                          const Variant &first) {
  if (variant.inputs.size() == first.inputs.size() &&
      variant.scalars.size() == first.scalars.size() &&
      variant.outputs.size() == first.outputs.size())
    return nullptr;
  return makeError(FUSER_BAD_PROGRAM,
                   "expected a variant with %zu tensors, %zu scalars and %zu "
                   "outputs, as the "
                   "first of program '%s' has, got %zu, %zu and %zu",
                   first.inputs.size(), first.scalars.size(),
                   first.outputs.size(), name.c_str(), variant.inputs.size(),
                   variant.scalars.size(), variant.outputs.size());
}

FuserStatus *FuserProgram::add(const void *bytes, size_t size, bool setName) {
  Program program;
  std::string error;
  // format_r3: its objects are opened by LoadedVariant::load, later.
  if (!deserialize(static_cast<const char *>(bytes), size, program, error))
    return makeError(FUSER_BAD_PROGRAM, error);
  if (setName)
    name = program.name;
  // All or none: first see whether they belong here.
  const Variant *first = variants.empty() ? nullptr : &variants.front()->spec;
  for (const Variant &variant : program.variants) {
    if (!first)
      first = &variant;
    FUSER_RETURN_IF_ERROR(checkSignature(variant, *first));
  }
  std::string whyNot;
  size_t before = variants.size(), usable = 0;
  for (Variant &variant : program.variants) {
    auto loaded = std::make_unique<LoadedVariant>(std::move(variant));
    if (context.device->canRun(loaded->spec, loaded->whyNot))
      ++usable;
    else if (whyNot.empty())
      whyNot = loaded->whyNot;
    variants.push_back(std::move(loaded));
  }
  // format_r4
  if (!program.variants.empty() && usable == 0) {
    variants.resize(before);
    return makeError(FUSER_NO_VARIANT,
                     "no variant of program '%s' can run here: %s",
                     name.c_str(), whyNot.c_str());
  }
  if (inputTypes.empty() && outputTypes.empty() && !variants.empty()) {
    for (const TensorSpec &input : variants.front()->spec.inputs)
      inputTypes.push_back(typeText(input));
    for (const TensorSpec &output : variants.front()->spec.outputs)
      outputTypes.push_back(typeText(output));
  }
  return nullptr;
}

static FuserStatus *loadProgram(FuserContext &context, const void *bytes,
                                size_t size, FuserProgram **program) {
  auto result = std::make_unique<FuserProgram>(context);
  FUSER_RETURN_IF_ERROR(result->add(bytes, size, /*setName=*/true));
  // The first that can be used is likely to be: what is wrong with it shows
  // here.
  for (std::unique_ptr<LoadedVariant> &variant : result->variants)
    if (variant->whyNot.empty()) {
      Entered entered(*context.device);
      FUSER_RETURN_IF_ERROR(variant->load(*context.device));
      break;
    }
  *program = result.release();
  return nullptr;
}

static FuserStatus *readFile(const char *path, std::string &bytes) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "expected to read a program from %s, got: %s", path,
                     strerror(errno));
  char buffer[1 << 16];
  while (size_t read = fread(buffer, 1, sizeof(buffer), file))
    bytes.append(buffer, read);
  bool failed = ferror(file);
  int reason = errno;
  fclose(file);
  if (failed)
    return makeError(FUSER_INVALID_ARGUMENT,
                     "expected to read a program from %s, got: %s", path,
                     strerror(reason));
  return nullptr;
}

extern "C" {

FuserStatus *fuser_program_load(FuserContext *context, const void *bytes,
                                size_t num_bytes, FuserProgram **program) {
  *program = nullptr;
  return guarded(
      [&] { return loadProgram(*context, bytes, num_bytes, program); });
}

FuserStatus *fuser_program_load_file(FuserContext *context, const char *path,
                                     FuserProgram **program) {
  *program = nullptr;
  return guarded([&]() -> FuserStatus * {
    std::string bytes;
    FUSER_RETURN_IF_ERROR(readFile(path, bytes));
    FuserStatus *status =
        loadProgram(*context, bytes.data(), bytes.size(), program);
    if (status)
      status->message = std::string(path) + ": " + status->message;
    return status;
  });
}

void fuser_program_destroy(FuserProgram *program) { delete program; }

const char *fuser_program_name(const FuserProgram *program) {
  return program->name.c_str();
}

size_t fuser_program_num_variants(const FuserProgram *program) {
  return program->variants.size();
}

size_t fuser_program_num_inputs(const FuserProgram *program) {
  return program->inputTypes.size();
}

size_t fuser_program_num_scalars(const FuserProgram *program) {
  return program->variants.empty()
             ? 0
             : program->variants.front()->spec.scalars.size();
}

size_t fuser_program_num_outputs(const FuserProgram *program) {
  return program->outputTypes.size();
}

const char *fuser_program_input_type(const FuserProgram *program,
                                     size_t index) {
  return index < program->inputTypes.size() ? program->inputTypes[index].c_str()
                                            : "";
}

const char *fuser_program_output_type(const FuserProgram *program,
                                      size_t index) {
  return index < program->outputTypes.size()
             ? program->outputTypes[index].c_str()
             : "";
}

void fuser_program_set_compile_callback(FuserProgram *program,
                                        FuserCompileCallback callback,
                                        void *user) {
  program->callback = callback;
  program->callbackUser = user;
}

FuserStatus *fuser_program_add_variants(FuserProgram *program,
                                        const void *bytes, size_t num_bytes) {
  return guarded(
      [&] { return program->add(bytes, num_bytes, /*setName=*/false); });
}

} // extern "C"
