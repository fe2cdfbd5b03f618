//===- FuzzProgram.cpp - Program files, damaged behind their checksum -----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a program file, writes it again, and asks and calls what it describes.
// The mutator changes fields or bytes, and repairs the header. Code is never
// loaded: the system's loader trusts what it is given.
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "Loader.h"
#include "Run/Checks.h"
#include "fuser_rt/host_abi.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace fuser_rt;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

//===----------------------------------------------------------------------===//
// One program
//===----------------------------------------------------------------------===//

static void require(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "expected %s\n", what);
  abort();
}

static FuserContext &getContext() {
  static FuserContext *context = nullptr;
  if (!context)
    fuser_status_destroy(fuser_context_create_cpu(1, &context));
  return *context;
}

/// All that can be asked, also beyond the last index.
static void ask(const FuserProgram &program) {
  size_t length = strlen(fuser_program_name(&program)) +
                  fuser_program_num_segments(&program) +
                  fuser_program_num_variants(&program);
  for (size_t i = 0; i <= fuser_program_num_inputs(&program); ++i)
    length += strlen(fuser_program_input_name(&program, i)) +
              strlen(fuser_program_input_type(&program, i)) +
              size_t(fuser_program_writes_input(&program, i));
  for (size_t i = 0; i <= fuser_program_num_scalars(&program); ++i)
    length += strlen(fuser_program_scalar_name(&program, i));
  for (size_t i = 0; i <= fuser_program_num_outputs(&program); ++i) {
    size_t input = 0;
    fuser_program_output_alias(&program, i, &input);
    require(input == 0 || input < fuser_program_num_inputs(&program),
            "an output to share memory with an input that there is");
    length += strlen(fuser_program_output_name(&program, i)) +
              strlen(fuser_program_output_type(&program, i));
  }
  require(length < size_t(1) << 40, "texts that end");
}

namespace {
/// A tensor that fits a description, but that nothing lies behind it.
struct FittingTensor {
  std::vector<int64_t> sizes, strides;
  DLTensor tensor{};

  FittingTensor(const TensorSpec &spec, size_t number) {
    for (Dim dim : spec.dims)
      sizes.push_back(dim < 0 ? 1 + (-dim + int64_t(number)) % 3 : dim);
    strides.resize(sizes.size());
    uint64_t next = 1;
    for (size_t i = spec.strideOrder.size(); i-- > 0;) {
      strides[spec.strideOrder[i]] = int64_t(next);
      next *= uint64_t(sizes[spec.strideOrder[i]]);
    }
    // Any address: it is aligned to all but the largest.
    uintptr_t address = uintptr_t(1 + number) << 40;
    tensor = {reinterpret_cast<void *>(address),
              {kDLCPU, 0},
              int32_t(sizes.size()),
              dlType(spec.element),
              sizes.data(),
              number % 2 ? strides.data() : nullptr,
              0};
  }
  FittingTensor(const FittingTensor &) = delete;
};
} // namespace

/// Calls it, which ends where its code would be loaded.
static void call(FuserProgram &program, bool preallocates) {
  std::vector<std::unique_ptr<FittingTensor>> tensors;
  std::vector<const DLTensor *> inputs;
  auto makeTensor = [&](const TensorSpec &spec) {
    tensors.push_back(std::make_unique<FittingTensor>(spec, tensors.size()));
    return &tensors.back()->tensor;
  };
  for (const TensorSpec &input : program.signature.inputs)
    inputs.push_back(makeTensor(input));
  std::vector<FuserScalar> scalars(program.signature.scalars.size());
  std::vector<FuserOutput> outputs(program.signature.outputs.size());
  for (size_t i = 0; i < outputs.size() && preallocates; ++i)
    outputs[i].preallocated = makeTensor(program.signature.outputs[i]);
  FuserStatus *status =
      fuser_program_run(&program, inputs.data(), inputs.size(), scalars.data(),
                        scalars.size(), outputs.data(), outputs.size());
  require(status && *fuser_status_message(status), "a status with a message");
  fuser_status_destroy(status);
}

static void loadAndCall(const Program &program) {
  std::string bytes = serialize(program);
  FuserProgram loaded(getContext());
  FuserStatus *status = loaded.add(bytes.data(), bytes.size(), true);
  if (!status)
    status = loaded.add(bytes.data(), bytes.size(), false);
  bool isUsable = !status;
  fuser_status_destroy(status);
  ask(loaded);
  if (!isUsable)
    return;
  call(loaded, false);
  call(loaded, true);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *bytes = reinterpret_cast<const char *>(data);
  Program program;
  std::string error;
  if (!deserialize(bytes, size, program, error)) {
    require(!error.empty(), "an error for what is not a program");
    return 0;
  }
  require(serialize(program) == std::string(bytes, size),
          "the bytes that were read");
  for (Variant &variant : program.variants)
    variant.object.clear();
  loadAndCall(program);
  return 0;
}

//===----------------------------------------------------------------------===//
// Mutations
//===----------------------------------------------------------------------===//

namespace {
/// Changes one field of a program, chosen at random.
class Mutator {
public:
  explicit Mutator(unsigned seed) : engine(seed) {}

  uint64_t below(uint64_t end) { return engine() % end; }

  void mutate(Program &program) {
    if (program.variants.empty() || below(20) == 0)
      return mutateList(program.variants);
    mutate(program.variants[below(program.variants.size())]);
  }

private:
  template <typename T>
  void mutateList(std::vector<T> &list) {
    if (list.empty() || below(3) == 0) {
      // Not too many of what holds others.
      if (list.size() < 80)
        list.push_back(list.empty() ? T() : list[below(list.size())]);
    } else if (below(2) == 0) {
      list.erase(list.begin() + below(list.size()));
    } else {
      std::swap(list[below(list.size())], list[below(list.size())]);
    }
  }

  void mutateText(std::string &text) {
    std::string other = text + std::string(16, '\0');
    other.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(other.data()),
                                  text.size(), other.size()));
    text = other;
  }

  int64_t number() {
    static constexpr int64_t interesting[] = {
        0,      1,         2,         3,         -1,        -2,
        -3,     16,        63,        64,        65,        -65536,
        -65537, 1 << 15,   1 << 30,   1ll << 31, 255,       1 << 8,
        4096,   1ll << 32, 1ll << 61, 1ll << 62, INT64_MAX, INT64_MIN};
    return interesting[below(std::size(interesting))];
  }

  void mutateNumbers(std::vector<int64_t> &numbers) {
    if (numbers.empty() || below(3) == 0)
      return mutateList(numbers);
    numbers[below(numbers.size())] = number();
  }

  template <typename Enum>
  Enum choose(uint32_t end) {
    return static_cast<Enum>(below(end));
  }

  void mutate(TensorSpec &spec) {
    switch (below(11)) {
    case 0:
      return mutateText(spec.name);
    case 1:
      spec.element = choose<ElementType>(10);
      return;
    case 2:
      return mutateNumbers(spec.dims);
    case 3:
      return mutateNumbers(spec.strideOrder);
    case 4:
      // All, so that they go on fitting.
      spec.strideOrder.insert(spec.strideOrder.begin() +
                                  below(spec.dims.size() + 1) %
                                      (spec.strideOrder.size() + 1),
                              int64_t(spec.dims.size()));
      spec.dims.push_back(number());
      if (!spec.users.empty())
        spec.users.emplace_back();
      return;
    case 5:
      spec.anyStrides = !spec.anyStrides;
      return;
    case 6:
      spec.alignment = uint64_t(1) << below(64);
      return;
    case 7:
      (below(2) ? spec.strideOrderRequired : spec.alignmentRequired) ^= true;
      return;
    case 8:
      spec.written = !spec.written;
      return;
    case 9:
      spec.users.resize(below(2) ? spec.dims.size() : below(4));
      return spec.users.empty() ? void() : mutateText(spec.users.front());
    default:
      spec.alias = choose<TensorSpec::Alias>(4);
      spec.aliasInput = uint32_t(below(4));
    }
  }

  void mutate(TensorMapSpec &spec) {
    uint32_t *fields[] = {&spec.param, &spec.argument, &spec.interleave,
                          &spec.swizzle, &spec.l2Promotion};
    *fields[below(std::size(fields))] = uint32_t(number());
    spec.element = choose<TensorMapElement>(11);
    spec.box.resize(below(7), uint32_t(number()));
  }

  void mutate(KernelSpec &spec) {
    if (!spec.tensorMaps.empty() && below(2))
      return mutate(spec.tensorMaps[below(spec.tensorMaps.size())]);
    switch (below(5)) {
    case 0:
      return mutateText(spec.name);
    case 1:
      spec.image = uint32_t(number());
      return;
    case 2:
      spec.scratchBytes = uint64_t(number());
      return;
    case 3:
      spec.numParams = uint32_t(number());
      return;
    default:
      return mutateList(spec.tensorMaps);
    }
  }

  template <typename T>
  void mutateOneOf(std::vector<T> &list) {
    if (list.empty() || below(4) == 0)
      return mutateList(list);
    mutate(list[below(list.size())]);
  }
  void mutate(std::string &text) { mutateText(text); }
  void mutate(ScalarSpec &spec) { spec.element = choose<ElementType>(10); }

  void mutate(Variant &variant) {
    switch (below(12)) {
    case 0:
      variant.target = choose<Target>(4);
      return;
    case 1:
      return mutateText(variant.arch);
    case 2:
      return mutateOneOf(variant.features);
    case 3:
      return mutateOneOf(variant.scalars);
    case 4:
      return mutateOneOf(variant.kernels);
    case 5:
      return mutateOneOf(variant.images);
    case 6:
      return mutateText(variant.object);
    case 7:
    case 8:
      return mutateOneOf(variant.outputs);
    default:
      return mutateOneOf(variant.inputs);
    }
  }

  std::minstd_rand engine;
};
} // namespace

/// Most of a file is code, which nothing here looks at.
static void shorten(Program &program) {
  constexpr size_t kKept = 64;
  for (Variant &variant : program.variants) {
    variant.object.resize(std::min(variant.object.size(), kKept));
    for (std::string &image : variant.images)
      image.resize(std::min(image.size(), kKept));
  }
}

/// Gives the bytes a header that says what is behind it.
static void repairHeader(uint8_t *data, size_t size) {
  auto put = [&](size_t at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
      data[at + i] = uint8_t(value >> 8 * i);
  };
  memcpy(data, formatMagic, sizeof(formatMagic));
  put(8, formatVersion, 4);
  put(12, FUSER_HOST_ABI_VERSION, 4);
  put(16, size - formatHeaderBytes, 8);
  put(24,
      hashBytes(reinterpret_cast<char *>(data) + formatHeaderBytes,
                size - formatHeaderBytes),
      8);
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  Mutator mutator(seed);
  Program program;
  std::string error;
  if (deserialize(reinterpret_cast<char *>(data), size, program, error)) {
    shorten(program);
    bool mutatesField = mutator.below(4) != 0;
    if (mutatesField)
      mutator.mutate(program);
    std::string bytes = serialize(program);
    if (bytes.size() <= maxSize) {
      memcpy(data, bytes.data(), bytes.size());
      size = bytes.size();
      if (mutatesField)
        return size;
    }
  }
  // A header that is wrong has few things to say.
  if (mutator.below(50) == 0 || maxSize <= formatHeaderBytes)
    return LLVMFuzzerMutate(data, size, maxSize);
  size_t payload = std::max(size, formatHeaderBytes) - formatHeaderBytes;
  size = formatHeaderBytes + LLVMFuzzerMutate(data + formatHeaderBytes, payload,
                                              maxSize - formatHeaderBytes);
  repairHeader(data, size);
  return size;
}
