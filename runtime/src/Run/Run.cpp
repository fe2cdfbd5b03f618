//===- Run.cpp - One call of a program ------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The path of every call. On success, with up to 16 tensors whose ranks add up
// to 64 and with preallocated outputs, it takes nothing from the heap, no lock,
// and makes no text.
//
//===----------------------------------------------------------------------===//

#include "Run/Checks.h"
#include "Run/Compilation.h"
#include "Run/Frame.h"
#include "Run/Scalars.h"
#include "Status.h"

using namespace fuser_rt;

namespace {
/// The arguments of fuser_program_run.
struct Call {
  FuserProgram &program;
  const DLTensor *const *inputs;
  size_t numInputs;
  const FuserScalar *scalars;
  size_t numScalars;
  FuserOutput *outputs;
  size_t numOutputs;

  CallTensors tensors(const LoadedVariant &variant) const {
    return {variant.spec, inputs, outputs};
  }
};
} // namespace

/// "2 input tensors ('%x', '%y')".
template <typename Spec>
static std::string countText(const char *what, const std::vector<Spec> &specs) {
  constexpr size_t kMaxNames = 8;
  std::string text = std::to_string(specs.size()) + " " + what +
                     (specs.size() == 1 ? "" : "s");
  for (size_t i = 0; i < specs.size() && i < kMaxNames; ++i)
    text += (i == 0 ? " ('" : ", '") + specs[i].name + "'";
  if (specs.size() > kMaxNames)
    text += ", ...";
  return specs.empty() ? text : text + ")";
}

template <typename Spec>
static FuserStatus *checkCount(const Call &call, const char *what,
                               const std::vector<Spec> &specs, size_t got,
                               const void *list) {
  if (specs.size() == got && (list || got == 0))
    return nullptr;
  return makeError(FUSER_INVALID_ARGUMENT,
                   "program '%s': expected %s, got %s%zu",
                   call.program.name.c_str(), countText(what, specs).c_str(),
                   list || got == 0 ? "" : "a null list of ", got);
}

/// All variants have the counts of the first.
static FuserStatus *checkCounts(const Call &call) {
  if (call.program.variants.empty())
    return nullptr;
  const Variant &spec = call.program.variants.front()->spec;
  FUSER_RETURN_IF_ERROR(checkCount(call, "input tensor", spec.inputs,
                                   call.numInputs, call.inputs));
  FUSER_RETURN_IF_ERROR(checkCount(call, "scalar input", spec.scalars,
                                   call.numScalars, call.scalars));
  return checkCount(call, "output", spec.outputs, call.numOutputs,
                    call.outputs);
}

namespace {
/// Looks whether tensors are what a variant takes. What no variant can mend is
/// reported before what another one can.
class Fit {
public:
  Fit(const Call &call, const LoadedVariant &variant, Mismatch &mismatch)
      : call(call), variant(variant), device(*call.program.context.device),
        symbols(variant.numSymbols), mismatch(mismatch) {
    for (size_t i = 0; i < variant.numSymbols; ++i)
      symbols[i].size = -1;
  }

  /// False, with the reason, if no variant takes them.
  bool acceptsInputs() {
    for (size_t i = 0; i < call.numInputs; ++i)
      if (!accepts(variant.spec.inputs[i], call.inputs[i], false, i))
        return false;
    return true;
  }
  bool acceptsOutputs() {
    bool writes = variant.writesInputs;
    for (size_t i = 0; i < call.numOutputs; ++i) {
      const DLTensor *given = call.outputs[i].preallocated;
      writes |= given != nullptr;
      if (given && !accepts(variant.spec.outputs[i], given, true, i))
        return false;
    }
    return !writes ||
           checkOverlap(call.tensors(variant), variant.writtenInputs, mismatch);
  }
  /// Of those that are accepted: false, with the reason, if another variant is
  /// to take them.
  bool isOfClass() {
    if (ofClass.kind == Mismatch::None)
      return true;
    mismatch = ofClass;
    return false;
  }

private:
  bool accepts(const TensorSpec &spec, const DLTensor *tensor, bool isOutput,
               size_t index) {
    if (__builtin_expect(TensorCheck{spec, tensor, device, symbols.data(),
                                     variant.sizes.data(), isOutput, index}
                             .run(mismatch),
                         1))
      return true;
    if (mismatch.isOfClass() && ofClass.kind == Mismatch::None)
      ofClass = mismatch;
    return mismatch.isOfClass();
  }

  const Call &call;
  const LoadedVariant &variant;
  const Device &device;
  InlineBuffer<Symbol, 32> symbols;
  Mismatch &mismatch;
  Mismatch ofClass;
};
} // namespace

/// Whether the variant is for the tensors of the call.
static bool fits(const Call &call, const LoadedVariant &variant,
                 Mismatch &mismatch) {
  Fit fit(call, variant, mismatch);
  return fit.acceptsInputs() && fit.acceptsOutputs() && fit.isOfClass();
}

/// Whether no other variant would make more of the sizes of the call, which
/// this one fits.
static bool isBest(const Call &call, const LoadedVariant &variant) {
  for (const LoadedVariant::WantedSize &wanted : variant.wantedSizes) {
    const SizeSpec &spec = *wanted.spec;
    SizeClass best =
        classifySize(spec, call.inputs[wanted.input]->shape[wanted.dim]);
    bool isBounded = best.bound < 0
                         ? spec.lowerBound >= best.lowerBound
                         : spec.bound >= 0 && spec.bound <= best.bound;
    if (spec.divisor % best.divisor != 0 || !isBounded)
      return false;
  }
  return true;
}

/// The variant from `first` on that fits and is the best, else the one that
/// counts on most; the first without a compiler. Null if none fits. `mismatch`
/// and `refused` then say why: of the first variant that another class would
/// make fit, else of the first.
static LoadedVariant *findVariant(const Call &call, size_t first,
                                  Mismatch &mismatch,
                                  const LoadedVariant *&refused) {
  LoadedVariant *found = nullptr;
  for (size_t i = first; i < call.program.variants.size(); ++i) {
    LoadedVariant &variant = *call.program.variants[i];
    if (__builtin_expect(!variant.whyNot.empty(), 0))
      continue;
    Mismatch here;
    if (__builtin_expect(fits(call, variant, here), 1)) {
      if (!call.program.callback || isBest(call, variant))
        return &variant;
      if (!found || variant.numAssumptions > found->numAssumptions)
        found = &variant;
      continue;
    }
    if (!refused || (here.isOfClass() && !mismatch.isOfClass())) {
      mismatch = here;
      refused = &variant;
    }
  }
  return found;
}

static FuserStatus *refusal(const Call &call, FuserStatusCode code,
                            const char *why, const Mismatch &mismatch,
                            const LoadedVariant *refused) {
  std::string who = "program '" + call.program.name + "': ";
  if (!refused)
    return makeError(code, who + why);
  CallTensors tensors = call.tensors(*refused);
  // The op says more than the program that it is in.
  if (const std::string &user = findUser(mismatch, tensors); !user.empty())
    who = user;
  return makeError(
      code,
      who + describe(mismatch, tensors, *call.program.context.device) + why);
}

/// What all outputs are aligned to: 16 bytes or 1. Those that the program
/// allocates are.
static size_t getOutputAlignment(const Call &call) {
  for (size_t i = 0; i < call.numOutputs; ++i)
    if (const DLTensor *given = call.outputs[i].preallocated) {
      auto address = reinterpret_cast<uintptr_t>(given->data);
      if ((address + given->byte_offset) % 16 != 0)
        return 1;
    }
  return 16;
}

/// Asks the compiler for a variant that makes more of the sizes of the call
/// than `variant`, which fits and stays where there is no better one: a call
/// that can run does not fail for that.
static void improveVariant(const Call &call, LoadedVariant *&variant) {
  FuserProgram &program = call.program;
  ++program.numSizeRequests;
  Compilation compilation(program, getOutputAlignment(call));
  fuser_status_destroy(compilation.run(call.inputs, call.numInputs));
  size_t before = compilation.getNumBefore();
  Mismatch mismatch;
  const LoadedVariant *refused = nullptr;
  if (LoadedVariant *better = findVariant(call, before, mismatch, refused))
    variant = better;
  else
    program.drop(before);
}

/// Asks the compiler for a variant where none fits.
static FuserStatus *compileVariant(const Call &call, LoadedVariant *&variant) {
  FuserProgram &program = call.program;
  Compilation compilation(program, /*outputAlignment=*/1);
  FUSER_RETURN_IF_ERROR(compilation.run(call.inputs, call.numInputs));
  FUSER_RETURN_IF_ERROR(checkCounts(call));
  size_t before = compilation.getNumBefore();
  Mismatch mismatch;
  const LoadedVariant *refused = nullptr;
  variant = findVariant(call, before, mismatch, refused);
  if (variant)
    return nullptr;
  // It takes any address that a kernel can: that is a fault of the call.
  bool isOfCall = refused && mismatch.kind == Mismatch::Alignment;
  const char *why =
      isOfCall  ? ""
      : refused ? " (of the variant that the compiler made for this call)"
                : "the compiler was called and added no variant that runs here";
  FuserStatus *status =
      refusal(call, isOfCall ? FUSER_INVALID_ARGUMENT : FUSER_NO_VARIANT, why,
              mismatch, refused);
  // The next call like this one would add as many.
  program.drop(before);
  return status;
}

/// Finds the variant for the call, compiling it where there is a compiler.
static FuserStatus *chooseVariant(const Call &call, LoadedVariant *&variant) {
  FuserProgram &program = call.program;
  // What another thread compiles may be it.
  do {
    FUSER_RETURN_IF_ERROR(checkCounts(call));
    Mismatch mismatch;
    const LoadedVariant *refused = nullptr;
    variant = findVariant(call, 0, mismatch, refused);
    if (__builtin_expect(variant != nullptr, 1)) {
      if (!program.callback || isBest(call, *variant) ||
          program.numSizeRequests >= maxSizeVariants)
        return nullptr;
      continue;
    }
    if (refused && !mismatch.isOfClass())
      return refusal(call, FUSER_INVALID_ARGUMENT, "", mismatch, refused);
    if (!program.callback)
      return refusal(call, FUSER_NO_VARIANT,
                     refused ? " (no variant is compiled for this class of "
                               "inputs, and there is no compiler)"
                             : "it has no variant, and there is no compiler",
                     mismatch, refused);
  } while (Compilation::await(program));
  if (!variant)
    return compileVariant(call, variant);
  improveVariant(call, variant);
  return nullptr;
}

/// Complex numbers as the program sees them: real ones, in pairs along one more
/// dimension. Takes `numbers` for sizes and strides.
static FuserTensorView makePairs(const FuserTensorView &view, int32_t rank,
                                 int64_t *&numbers) {
  int64_t *sizes = numbers, *strides = numbers + rank + 1;
  numbers = strides + rank + 1;
  for (int32_t i = 0; i < rank; ++i) {
    sizes[i] = view.sizes[i];
    // Unsigned, as wild strides may wrap around.
    strides[i] = static_cast<int64_t>(2 * uint64_t(view.strides[i]));
  }
  sizes[rank] = 2;
  strides[rank] = 1;
  return {view.data, sizes, strides};
}

/// Views of the inputs as the host program wants them: with strides.
static void makeViews(const Call &call, FuserTensorView *views,
                      int64_t *strides) {
  for (size_t i = 0; i < call.numInputs; ++i) {
    const DLTensor &tensor = *call.inputs[i];
    views[i] = {dataOf(tensor), tensor.shape, tensor.strides};
    bool isPairs = __builtin_expect(tensor.dtype.code == kDLComplex, 0);
    if (!tensor.strides) {
      // Those of pairs are made from the end of their numbers.
      int64_t *dense = isPairs ? strides + tensor.ndim + 1 : strides;
      rowMajorStrides(tensor.ndim, tensor.shape, dense);
      views[i].strides = dense;
      strides += isPairs ? 0 : tensor.ndim;
    }
    if (isPairs)
      views[i] = makePairs(views[i], tensor.ndim, strides);
  }
}

namespace {
/// Tells a device that checks kernels of the caller's tensors, as long as this
/// lives.
class NotedTensors {
public:
  explicit NotedTensors(const Call &call) : call(call) {}
  ~NotedTensors() {
    for (const DLTensor *tensor : noted)
      call.program.context.device->forgetTensor(*tensor);
  }

  void note(const Variant &spec) {
    for (size_t i = 0; i < call.numInputs; ++i)
      note(*call.inputs[i], /*isOutput=*/false);
    for (size_t i = 0; i < call.numOutputs; ++i)
      if (const DLTensor *given = call.outputs[i].preallocated)
        note(*given, spec.outputs[i].alias == TensorSpec::Alias::New);
  }

private:
  void note(const DLTensor &tensor, bool isOutput) {
    noted.push_back(&tensor);
    call.program.context.device->noteTensor(tensor, isOutput);
  }

  const Call &call;
  std::vector<const DLTensor *> noted;
};
} // namespace

static FuserStatus *checkOutputs(const Call &call, const Variant &spec) {
  Device &device = *call.program.context.device;
  FuserStatus *status = nullptr;
  for (size_t i = 0; i < call.numOutputs && !status; ++i) {
    const FuserOutput &output = call.outputs[i];
    status = device.checkWritten(output.tensor ? output.tensor->dl_tensor
                                               : *output.preallocated,
                                 spec.outputs[i].name);
  }
  for (size_t i = 0; i < call.numOutputs && status; ++i)
    if (DLManagedTensorVersioned *tensor = call.outputs[i].tensor) {
      call.outputs[i].tensor = nullptr;
      tensor->deleter(tensor);
    }
  return status;
}

static FuserStatus *runUsable(const Call &call) {
  LoadedVariant *variant = nullptr;
  FUSER_RETURN_IF_ERROR(chooseVariant(call, variant));
  FuserContext &context = call.program.context;
  InlineBuffer<int64_t, 16> slots(call.numScalars);
  for (size_t i = 0; i < call.numScalars; ++i)
    FUSER_RETURN_IF_ERROR(
        convertScalar(variant->spec.scalars[i], i, call.scalars[i], slots[i]));
  InlineBuffer<FuserTensorView, 16> views(call.numInputs);
  InlineBuffer<int64_t, 64> strides(variant->inputRanks);
  makeViews(call, views.data(), strides.data());

  Entered entered(*context.device);
  FUSER_RETURN_IF_ERROR(call.program.load(*variant));
  bool isChecked = __builtin_expect(context.device->isChecked(), 0);
  NotedTensors tensors(call);
  if (isChecked)
    tensors.note(variant->spec);
  FuserFrame frame(context, *variant, call.inputs, call.outputs,
                   call.program.communicates);
  FUSER_RETURN_IF_ERROR(frame.finish(
      variant->entry(&hostApi, &frame, views.data(), slots.data())));
  return isChecked ? checkOutputs(call, variant->spec) : nullptr;
}

static FuserStatus *run(const Call &call) {
  for (size_t i = 0; i < call.numOutputs && call.outputs; ++i)
    call.outputs[i].tensor = nullptr;
  FUSER_RETURN_IF_ERROR(call.program.checkUsable());
  FuserStatus *status = guarded([&] { return runUsable(call); });
  // Also what fails before the program's first communication, or before its
  // code runs: others may be at theirs.
  if (__builtin_expect(status && call.program.communicates, 0))
    call.program.context.communicator->abort(status->message);
  return status;
}

/// With an event of the host, from the call to its return.
static FuserStatus *runTraced(const Call &call, Trace &trace) {
  Trace::Event *event = trace.addToHost({Work::Run, call.program.name});
  int64_t started = trace.getStart(), begin = steadyNanoseconds();
  FuserStatus *status = run(call);
  // A call that lets go of the lock may outlive the trace.
  const Trace *now = call.program.context.getTrace();
  if (event && now && now->getStart() == started) {
    event->begin = begin;
    event->end = steadyNanoseconds();
  }
  return status;
}

FuserStatus *fuser_program_check_inputs(FuserProgram *program,
                                        const DLTensor *const *inputs,
                                        size_t num_inputs) {
  return guarded([&]() -> FuserStatus * {
    if (!program)
      return makeError(FUSER_INVALID_ARGUMENT,
                       "expected a program, got a null pointer");
    if (program->variants.empty())
      return nullptr;
    Call call{*program, inputs, num_inputs, nullptr, 0, nullptr, 0};
    const LoadedVariant &variant = *program->variants.front();
    FUSER_RETURN_IF_ERROR(checkCount(call, "input tensor", variant.spec.inputs,
                                     num_inputs, inputs));
    Mismatch mismatch;
    if (Fit(call, variant, mismatch).acceptsInputs())
      return nullptr;
    return refusal(call, FUSER_INVALID_ARGUMENT, "", mismatch, &variant);
  });
}

FuserStatus *fuser_program_run(FuserProgram *program,
                               const DLTensor *const *inputs, size_t num_inputs,
                               const FuserScalar *scalars, size_t num_scalars,
                               FuserOutput *outputs, size_t num_outputs) {
  return guarded([&]() -> FuserStatus * {
    if (!program)
      return makeError(FUSER_INVALID_ARGUMENT,
                       "expected a program, got a null pointer");
    Call call{*program,    inputs,  num_inputs, scalars,
              num_scalars, outputs, num_outputs};
    if (Trace *trace = program->context.getTrace())
      return runTraced(call, *trace);
    return run(call);
  });
}
