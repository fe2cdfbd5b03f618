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
#include <limits>
#include <numeric>

using namespace fuser;

/// The order in which the tensor is dense, if its elements fill their memory.
/// Dimensions of size 1 may have any stride, and come first.
static SmallVector<int64_t, 4> findDenseOrder(const DLTensor &tensor) {
  auto order = llvm::to_vector<4>(llvm::seq<int64_t>(0, tensor.ndim));
  auto getStride = [&](int64_t dim) {
    return tensor.shape[dim] == 1 ? std::numeric_limits<int64_t>::max()
                                  : tensor.strides[dim];
  };
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(getStride(b), a) < std::pair(getStride(a), b);
  });
  int64_t expected = 1;
  for (int64_t dim : llvm::reverse(order)) {
    if (tensor.shape[dim] != 1 && tensor.strides[dim] != expected)
      return {};
    expected *= tensor.shape[dim];
  }
  return order;
}

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
  // Of elements that share a byte no order is counted on.
  if (result.anyStrides && tensor.dtype.bits >= 8)
    result.strideOrder = findDenseOrder(tensor);
  return result;
}

/// Compiles with the errors collected in `error`.
static FailureOr<CompileResult> compileCollecting(ModuleOp module,
                                                  const CompileOptions &options,
                                                  std::string &error) {
  ErrorCollector collector(module.getContext(), error);
  return compileModule(module, options);
}

//===----------------------------------------------------------------------===//
// The first compilation
//===----------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

FuserStatus *Executable::parse() {
  if (module)
    return nullptr;
  Clock::time_point start = Clock::now();
  shared->mlirContext = createCompilerContext();
  std::string error;
  module = parseProgram(source.text, source.fileName, shared->mlirContext.get(),
                        error);
  if (!module)
    return fuser_status_create(FUSER_INVALID_ARGUMENT, error.c_str());
  result.times.push_back({"parse", millisecondsSince(start)});
  return nullptr;
}

FuserStatus *
Executable::useModule(llvm::function_ref<FuserStatus *(ModuleOp)> use) {
  CompilerUse compiler;
  if (FuserStatus *status = compiler.check())
    return status;
  std::lock_guard<std::mutex> turn(shared->turn);
  shared->clearAbandoned();
  if (FuserStatus *status = parse())
    return status;
  FuserStatus *status = use(*module);
  shared->clearAbandoned();
  return status;
}

FuserStatus *Executable::load(FuserContext *context, const std::string &bytes) {
  Clock::time_point start = Clock::now();
  if (takesLock)
    fuser_context_lock(context);
  FuserStatus *status =
      fuser_program_load(context, bytes.data(), bytes.size(), &program);
  if (takesLock)
    fuser_context_unlock(context);
  if (status)
    return status;
  result.times.push_back({"load", millisecondsSince(start)});
  fuser_program_set_compile_callback(program, compileOnMiss, this);
  return nullptr;
}

FuserStatus *Executable::compileNow(const CompileOptions &options,
                                    FuserStatusCode code,
                                    CompileResult &compiled) {
  return useModule([&](ModuleOp module) -> FuserStatus * {
    std::string error;
    FailureOr<CompileResult> made = compileCollecting(module, options, error);
    if (failed(made))
      return fuser_status_create(code, error.c_str());
    compiled = std::move(*made);
    return nullptr;
  });
}

CacheKey::Digest Executable::getKey(StringRef kind,
                                    const CompileOptions &options) const {
  return CacheKey()
      .add(kind)
      .add(source.text)
      .add(source.fileName)
      .add(options)
      .get();
}

FuserStatus *Executable::compileFirst(FuserContext *context) {
  CompileResult compiled;
  if (FuserStatus *status =
          compileNow(options, FUSER_INVALID_ARGUMENT, compiled))
    return status;
  result.program = std::move(compiled.program);
  llvm::append_range(result.times, compiled.times);
  std::string bytes = fuser_rt::serialize(result.program);
  if (FuserStatus *status = load(context, bytes))
    return status;
  if (cache)
    cache->store(getKey("first", options), bytes);
  return nullptr;
}

/// Without a program where the cache has none that loads.
FuserStatus *Executable::loadCached(FuserContext *context) {
  Clock::time_point start = Clock::now();
  std::optional<std::string> bytes = cache->find(getKey("first", options));
  std::string error;
  if (!bytes || !fuser_rt::deserialize(bytes->data(), bytes->size(),
                                       result.program, error))
    return nullptr;
  result.times.push_back({"cache", millisecondsSince(start)});
  FuserStatus *status = load(context, *bytes);
  if (fuser_status_code(status) == FUSER_BAD_PROGRAM) {
    fuser_status_destroy(status);
    result = {};
    return nullptr;
  }
  fromCache = !status;
  return status;
}

FuserStatus *Executable::create(FuserContext *context,
                                OwningOpRef<ModuleOp> module,
                                CompileOptions options,
                                std::unique_ptr<Executable> &executable) {
  if (options.arch.empty())
    options.arch = options.target->getDeviceArch(fuser_context_arch(context));
  std::unique_ptr<Executable> made(new Executable);
  made->module = std::move(module);
  made->options = std::move(options);
  if (FuserStatus *status = made->compileFirst(context))
    return status;
  executable = std::move(made);
  return nullptr;
}

FuserStatus *Executable::create(FuserContext *context, ProgramText text,
                                CompileOptions options,
                                const ProgramCache *cache,
                                std::unique_ptr<Executable> &executable,
                                bool takesLock) {
  if (options.arch.empty())
    options.arch = options.target->getDeviceArch(fuser_context_arch(context));
  std::unique_ptr<Executable> made(new Executable);
  made->source = std::move(text);
  made->takesLock = takesLock;
  // What is to be seen of a compilation is seen where there is one.
  if (cache && !options.explain && !options.afterPass)
    made->cache = *cache;
  made->options = std::move(options);
  if (made->cache)
    if (FuserStatus *status = made->loadCached(context))
      return status;
  if (!made->program)
    if (FuserStatus *status = made->compileFirst(context))
      return status;
  executable = std::move(made);
  return nullptr;
}

Executable::~Executable() {
  fuser_program_destroy(program);
  // Another one may compile in the context that the module lives in.
  if (module)
    shared->abandon(std::move(module));
}

void Executable::Shared::abandon(OwningOpRef<ModuleOp> module) {
  {
    std::lock_guard<std::mutex> guard(abandonedMutex);
    abandoned.push_back(std::move(module));
  }
  std::unique_lock<std::mutex> now(turn, std::try_to_lock);
  if (now)
    clearAbandoned();
}

void Executable::Shared::clearAbandoned() {
  std::vector<OwningOpRef<ModuleOp>> modules;
  std::lock_guard<std::mutex> guard(abandonedMutex);
  // Destroyed behind the lock, for which no destructor waits then.
  modules.swap(abandoned);
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

/// Of a variant: the classes of sizes are what it depends on, not the sizes.
CacheKey::Digest
Executable::getVariantKey(const CompileOptions &classes) const {
  const fuser_rt::Variant &first = result.program.variants.front();
  CompileOptions keyed = classes;
  for (auto [input, spec] : llvm::zip(keyed.inputs, first.inputs)) {
    SmallVector<int64_t, 4> sizes;
    for (auto [size, dim] : llvm::zip(input.sizes, spec.dims))
      for (const fuser_rt::SizeSpec &wanted : first.sizes)
        if (dim == -1 - fuser_rt::Dim(wanted.symbol)) {
          fuser_rt::SizeClass of = fuser_rt::classifySize(wanted, size);
          sizes.append({of.divisor, of.bound});
        }
    // No sizes at all is another thing than sizes of no class.
    if (!input.sizes.empty())
      sizes.push_back(0);
    input.sizes = std::move(sizes);
  }
  return getKey("variant", keyed);
}

namespace {
/// Without the lock of the context, so that other threads call their programs.
class UnlockedScope {
public:
  explicit UnlockedScope(FuserProgram *program) : program(program) {
    fuser_program_begin_compile(program);
  }
  ~UnlockedScope() { fuser_program_end_compile(program); }
  UnlockedScope(const UnlockedScope &) = delete;
  UnlockedScope &operator=(const UnlockedScope &) = delete;

private:
  FuserProgram *program;
};
} // namespace

bool Executable::addCached(FuserProgram *program,
                           const CacheKey::Digest &key) const {
  std::optional<std::string> bytes;
  {
    UnlockedScope unlocked(program);
    bytes = cache->find(key);
  }
  if (!bytes)
    return false;
  FuserStatus *status =
      fuser_program_add_variants(program, bytes->data(), bytes->size());
  bool isAdded = !status;
  fuser_status_destroy(status);
  return isAdded;
}

FuserStatus *Executable::compileVariant(const CompileOptions &classes,
                                        const CacheKey::Digest &key,
                                        std::string &bytes) {
  CompileResult compiled;
  if (FuserStatus *status = compileNow(classes, FUSER_INTERNAL, compiled))
    return status;
  bytes = fuser_rt::serialize(compiled.program);
  if (cache)
    cache->store(key, bytes);
  return nullptr;
}

FuserStatus *Executable::addVariant(FuserProgram *program,
                                    const CompileOptions &classes) {
  CacheKey::Digest key{};
  if (cache) {
    key = getVariantKey(classes);
    if (addCached(program, key))
      return nullptr;
  }
  std::string bytes;
  {
    UnlockedScope unlocked(program);
    if (FuserStatus *status = compileVariant(classes, key, bytes))
      return status;
  }
  return fuser_program_add_variants(program, bytes.data(), bytes.size());
}

CompileOptions
Executable::getOptionsFor(ArrayRef<const DLTensor *> inputs) const {
  CompileOptions result = options;
  result.isForOtherInputs = true;
  result.inputs.clear();
  const auto &specs = this->result.program.variants.front().inputs;
  for (auto [input, spec] : llvm::zip_equal(inputs, specs))
    result.inputs.push_back(classifyInput(*input, spec.strideOrder));
  return result;
}

FuserStatus *Executable::specialize(FuserContext *context,
                                    ArrayRef<const DLTensor *> inputs,
                                    std::unique_ptr<Executable> &specialized) {
  // Calls of other threads may add variants.
  fuser_context_lock(context);
  FuserStatus *status =
      fuser_program_check_inputs(program, inputs.data(), inputs.size());
  fuser_context_unlock(context);
  return status ? status
                : compileAs(context, getOptionsFor(inputs), specialized);
}

FuserStatus *Executable::compileAs(FuserContext *context,
                                   CompileOptions options,
                                   std::unique_ptr<Executable> &made) {
  std::unique_ptr<Executable> other(new Executable);
  other->source = source;
  other->shared = shared;
  other->takesLock = true;
  other->options = std::move(options);
  if (FuserStatus *status = useModule([&](ModuleOp whole) -> FuserStatus * {
        other->module = whole.clone();
        return nullptr;
      }))
    return status;
  if (FuserStatus *status = other->compileFirst(context))
    return status;
  made = std::move(other);
  return nullptr;
}

FuserStatus *Executable::compileOnMiss(void *user, FuserProgram *program,
                                       const DLTensor *const *inputs,
                                       size_t numInputs) {
  auto *self = static_cast<Executable *>(user);
  CompileOptions options = self->getOptionsFor(ArrayRef(inputs, numInputs));
  unsigned number = self->numSizeVariants++;
  // Where there are many classes, the later ones take smaller sizes, too.
  options.lowerBounds = number < fuser_rt::maxSizeVariants / 2;
  if (number >= fuser_rt::maxSizeVariants)
    for (InputClass &input : options.inputs)
      input.sizes.clear();
  // Where nothing fits, outputs of the caller may be unaligned as well.
  options.outputAlignment = fuser_program_output_alignment(program);
  return self->addVariant(program, options);
}
