//===- Loader.cpp - Programs on a device ----------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loader.h"

#include "Run/Checks.h"
#include "Run/Compilation.h"
#include "Status.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

using namespace fuser_rt;

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

/// Those that an output is written into, and those that the program says of
/// itself.
static std::vector<bool> findWrittenInputs(const Variant &variant) {
  std::vector<bool> written;
  for (const TensorSpec &input : variant.inputs)
    written.push_back(input.written);
  for (const TensorSpec &output : variant.outputs)
    if (output.alias == TensorSpec::Alias::Reuse)
      written[output.aliasInput] = true;
  return written;
}

/// The first places of symbols among the inputs whose classes are wanted.
static std::vector<LoadedVariant::WantedSize>
findWantedSizes(const Variant &variant, std::vector<const SizeSpec *> symbols) {
  std::vector<LoadedVariant::WantedSize> wanted;
  for (size_t i = 0; i < variant.inputs.size(); ++i) {
    const std::vector<Dim> &dims = variant.inputs[i].dims;
    for (size_t d = 0; d < dims.size(); ++d) {
      const SizeSpec *spec =
          dims[d] < 0 ? std::exchange(symbols[-1 - dims[d]], nullptr) : nullptr;
      if (spec && (spec->wantedDivisor > 1 || spec->wantedBound >= 0))
        wanted.push_back({i, d, spec});
    }
  }
  return wanted;
}

LoadedVariant::LoadedVariant(Variant variant)
    : spec(std::move(variant)), writtenInputs(findWrittenInputs(spec)) {
  auto count = [&](const TensorSpec &tensor) {
    for (Dim dim : tensor.dims)
      if (dim < 0)
        numSymbols = std::max(numSymbols, static_cast<size_t>(-dim));
  };
  for (const TensorSpec &input : spec.inputs) {
    count(input);
    // Complex inputs have sizes of their own for the program, besides strides.
    inputRanks += isComplex(input.element) ? 2 * (input.dims.size() + 1)
                                           : input.dims.size();
  }
  for (const TensorSpec &output : spec.outputs)
    count(output);
  sizes.resize(numSymbols);
  for (const SizeSpec &size : spec.sizes) {
    // No tensor has it: nothing is asked.
    if (size.symbol < numSymbols)
      sizes[size.symbol] = &size;
    numAssumptions += (size.divisor != size.requiredDivisor) +
                      (size.bound != size.requiredBound) +
                      (size.lowerBound != 0);
  }
  wantedSizes = findWantedSizes(spec, sizes);
  writesInputs = std::find(writtenInputs.begin(), writtenInputs.end(), true) !=
                 writtenInputs.end();
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

namespace {
/// Says that variants change as long as it lives.
class Changing {
public:
  explicit Changing(std::atomic<bool> &flag) : flag(flag) { flag = true; }
  ~Changing() { flag = false; }
  Changing(const Changing &) = delete;
  Changing &operator=(const Changing &) = delete;

private:
  std::atomic<bool> &flag;
};
} // namespace

FuserProgram::~FuserProgram() {
  if (FuserStatus *lost = checkUsable()) {
    // What cannot be used cannot be taken apart either.
    fuser_status_destroy(lost);
    new std::vector<std::unique_ptr<LoadedVariant>>(std::move(variants));
  } else {
    Entered entered(*context.device);
    for (std::unique_ptr<LoadedVariant> &variant : variants) {
      variant->kernels.reset(); // Waits for what still runs.
      variant->workspaces.release(context);
    }
    variants.clear();
  }
  context.release();
}

FuserStatus *FuserProgram::checkUsable() {
  FUSER_RETURN_IF_ERROR(context.device->checkUsable());
  if (__builtin_expect(!isChanging, 1))
    return nullptr;
  return makeError(
      FUSER_BAD_PROGRAM,
      "program '%s': expected a process that was not forked off while another "
      "thread loaded code of the program, got one that was: load it again",
      name.c_str());
}

/// The same use of memory: what is known of one holds for all.
static bool haveSameAliases(const Variant &a, const Variant &b) {
  return std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(),
                    [](const TensorSpec &x, const TensorSpec &y) {
                      return x.alias == y.alias &&
                             (x.alias == TensorSpec::Alias::New ||
                              x.aliasInput == y.aliasInput);
                    });
}

/// format_r4: all variants of a program are called alike.
FuserStatus *FuserProgram::checkSignature(const Variant &variant,
                                          const Variant &first) {
  if (variant.inputs.size() != first.inputs.size() ||
      variant.scalars.size() != first.scalars.size() ||
      variant.outputs.size() != first.outputs.size())
    return makeError(FUSER_BAD_PROGRAM,
                     "expected a variant with %zu tensors, %zu scalars and %zu "
                     "outputs, as the "
                     "first of program '%s' has, got %zu, %zu and %zu",
                     first.inputs.size(), first.scalars.size(),
                     first.outputs.size(), name.c_str(), variant.inputs.size(),
                     variant.scalars.size(), variant.outputs.size());
  if (!haveSameAliases(variant, first))
    return makeError(FUSER_BAD_PROGRAM,
                     "expected a variant whose outputs lie where those of the "
                     "first of program '%s' do (in new memory, or in that of "
                     "the same inputs), got another one",
                     name.c_str());
  if (findWrittenInputs(variant) != findWrittenInputs(first))
    return makeError(FUSER_BAD_PROGRAM,
                     "expected a variant that may write into the inputs that "
                     "the first of program '%s' may write into, got another "
                     "one",
                     name.c_str());
  return nullptr;
}

void FuserProgram::setSignature(const Variant &first) {
  signature.inputs = first.inputs;
  signature.scalars = first.scalars;
  signature.outputs = first.outputs;
  std::vector<bool> written = findWrittenInputs(first);
  for (size_t i = 0; i < written.size(); ++i)
    signature.inputs[i].written = written[i];
  for (const TensorSpec &input : first.inputs)
    inputTypes.push_back(typeText(input));
  for (const TensorSpec &output : first.outputs)
    outputTypes.push_back(typeText(output));
}

void FuserProgram::drop(size_t count) {
  Changing changing(isChanging);
  variants.resize(count);
}

FuserStatus *FuserProgram::load(LoadedVariant &variant) {
  if (__builtin_expect(variant.entry != nullptr, 1))
    return nullptr;
  Changing changing(isChanging);
  return variant.load(*context.device);
}

/// What programs of a target are for, and what users call it.
static const char *placeText(Target target) {
  return target == Target::Cpu    ? "the CPU"
         : target == Target::Cuda ? "a GPU"
                                  : "the simulator of GPUs";
}
static const char *targetName(Target target) {
  return target == Target::Cpu    ? "cpu"
         : target == Target::Cuda ? "cuda"
                                  : "sim";
}

/// True if the variant's code runs on the device; else `why` says why not.
static bool canRun(const Device &device, const Variant &variant,
                   std::string &why) {
  if (variant.target == device.target())
    return device.canRun(variant, why);
  std::string arch =
      variant.target == Target::Cuda ? " (" + variant.arch + ")" : "";
  why = format("it is for %s%s, and the context is for %s: load it for the "
               "target %s",
               placeText(variant.target), arch.c_str(),
               placeText(device.target()), targetName(variant.target));
  return false;
}

FuserStatus *FuserProgram::add(const void *bytes, size_t size, bool setName) {
  Program program;
  std::string error;
  // format_r3: its objects are opened by LoadedVariant::load, later.
  if (!deserialize(static_cast<const char *>(bytes), size, program, error))
    return makeError(FUSER_BAD_PROGRAM, error);
  if (setName) {
    name = program.name;
    numSegments = program.numSegments;
  }
  communicates |= program.communicates;
  Changing changing(isChanging);
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
    if (canRun(*context.device, loaded->spec, loaded->whyNot))
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
  if (before == 0 && !variants.empty())
    setSignature(variants.front()->spec);
  return nullptr;
}

static FuserStatus *loadProgram(FuserContext &context, const void *bytes,
                                size_t size, FuserProgram **program) {
  FUSER_RETURN_IF_ERROR(context.device->checkUsable());
  auto result = std::make_unique<FuserProgram>(context);
  FUSER_RETURN_IF_ERROR(result->add(bytes, size, /*setName=*/true));
  // The first that can be used is likely to be: what is wrong with it shows
  // here.
  for (std::unique_ptr<LoadedVariant> &variant : result->variants)
    if (variant->whyNot.empty()) {
      Entered entered(*context.device);
      FUSER_RETURN_IF_ERROR(result->load(*variant));
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

template <typename Spec>
static const char *nameOf(const std::vector<Spec> &specs, size_t index) {
  return index < specs.size() ? specs[index].name.c_str() : "";
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

size_t fuser_program_num_segments(const FuserProgram *program) {
  return program->numSegments;
}

size_t fuser_program_num_inputs(const FuserProgram *program) {
  return program->signature.inputs.size();
}

size_t fuser_program_num_scalars(const FuserProgram *program) {
  return program->signature.scalars.size();
}

size_t fuser_program_num_outputs(const FuserProgram *program) {
  return program->signature.outputs.size();
}

const char *fuser_program_input_name(const FuserProgram *program,
                                     size_t index) {
  return nameOf(program->signature.inputs, index);
}

const char *fuser_program_scalar_name(const FuserProgram *program,
                                      size_t index) {
  return nameOf(program->signature.scalars, index);
}

const char *fuser_program_output_name(const FuserProgram *program,
                                      size_t index) {
  return nameOf(program->signature.outputs, index);
}

FuserOutputAlias fuser_program_output_alias(const FuserProgram *program,
                                            size_t index, size_t *input) {
  const std::vector<TensorSpec> &outputs = program->signature.outputs;
  if (index >= outputs.size())
    return FUSER_OUTPUT_NEW;
  if (input && outputs[index].alias != TensorSpec::Alias::New)
    *input = outputs[index].aliasInput;
  return static_cast<FuserOutputAlias>(outputs[index].alias);
}

int32_t fuser_program_writes_input(const FuserProgram *program, size_t index) {
  const std::vector<TensorSpec> &inputs = program->signature.inputs;
  return index < inputs.size() && inputs[index].written;
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

size_t fuser_program_output_alignment(const FuserProgram *program) {
  const Compilation *compilation = Compilation::find(*program);
  return compilation ? compilation->getOutputAlignment() : 1;
}

void fuser_program_begin_compile(FuserProgram *program) {
  if (Compilation *compilation = Compilation::find(*program))
    compilation->unlock();
}

void fuser_program_end_compile(FuserProgram *program) {
  if (Compilation *compilation = Compilation::find(*program))
    compilation->relock();
}

FuserStatus *fuser_program_add_variants(FuserProgram *program,
                                        const void *bytes, size_t num_bytes) {
  return guarded([&]() -> FuserStatus * {
    FUSER_RETURN_IF_ERROR(program->checkUsable());
    return program->add(bytes, num_bytes, /*setName=*/false);
  });
}

} // extern "C"
