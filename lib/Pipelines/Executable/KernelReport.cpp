//===- KernelReport.cpp - What each kernel of a run took ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/KernelReport.h"
#include "fuser/Pipelines/Inspect.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <map>

using namespace fuser;
namespace json = llvm::json;

static constexpr int kRuns = 20;

static FuserStatus *fail(const Twine &message) {
  return fuser_status_create(FUSER_INTERNAL, message.str().c_str());
}

/// Calls `use` without the lock of the context, if this thread holds that, so
/// that other threads call their programs. What needs it takes it.
static FuserStatus *runSuspended(FuserContext *context,
                                 llvm::function_ref<FuserStatus *()> use) {
  FuserSuspension *suspension;
  if (FuserStatus *status = fuser_context_suspend(context, &suspension))
    return status;
  FuserStatus *status = use();
  FuserStatus *resumed = fuser_context_resume(suspension);
  if (!resumed)
    return status;
  fuser_status_destroy(status);
  return resumed;
}

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

/// What `context` has done since its trace was started.
static FuserStatus *readTrace(FuserContext *context, json::Value &trace) {
  SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("fuser-report", "json", path))
    return fail("a temporary file for times: " + error.message());
  llvm::FileRemover remover(path);
  if (FuserStatus *status =
          fuser_context_write_trace(&context, 1, path.c_str()))
    return status;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail("'" + path + "': " + buffer.getError().message());
  llvm::Expected<json::Value> parsed = json::parse((*buffer)->getBuffer());
  if (!parsed)
    return fail("'" + path + "': " + llvm::toString(parsed.takeError()));
  trace = std::move(*parsed);
  return nullptr;
}

static double takeMedian(std::vector<double> &values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The work of streams, by name, in the order in which it first began.
static std::vector<WorkReport> summarize(const json::Value &trace) {
  llvm::MapVector<StringRef, std::vector<double>> times;
  std::vector<WorkReport> result;
  for (const json::Value &value :
       *trace.getAsObject()->getArray("traceEvents")) {
    const json::Object &event = *value.getAsObject();
    std::optional<StringRef> category = event.getString("cat");
    if (!category || *category == "run" || *category == "wait")
      continue;
    auto [it, isNew] = times.try_emplace(*event.getString("name"));
    it->second.push_back(*event.getNumber("dur"));
    if (!isNew)
      continue;
    WorkReport &work = result.emplace_back();
    work.name = *event.getString("name");
    work.details = *event.getObject("args");
    if (std::optional<int64_t> bytes = work.details.getInteger("bytes"))
      work.bytes = *category == "copy" ? 2 * *bytes : *bytes;
  }
  for (auto [work, entry] : llvm::zip_equal(result, times)) {
    work.launches = entry.second.size() / kRuns;
    work.microseconds = takeMedian(entry.second);
  }
  return result;
}

/// The work of `kRuns` runs.
static FuserStatus *traceRuns(FuserContext *context, RunAgain run,
                              std::vector<WorkReport> &work) {
  // What runs first loads code.
  if (FuserStatus *status = run())
    return status;
  if (FuserStatus *status = fuser_context_start_trace(context))
    return status;
  FuserStatus *status = nullptr;
  for (int i = 0; i < kRuns && !status; ++i)
    status = run();
  json::Value trace = nullptr;
  if (!status)
    status = readTrace(context, trace);
  FuserStatus *stopped = fuser_context_stop_trace(context);
  if (status || stopped) {
    fuser_status_destroy(status ? stopped : nullptr);
    return status ? status : stopped;
  }
  work = summarize(trace);
  return nullptr;
}

FuserStatus *fuser::measureWork(FuserContext *context, RunAgain run,
                                const LaunchNotes &notes,
                                std::vector<WorkReport> &work) {
  if (FuserStatus *status = traceRuns(context, run, work))
    return status;
  for (WorkReport &item : work) {
    const auto *it = notes.getKernels().find(item.name);
    if (it == notes.getKernels().end())
      continue;
    item.schedule = it->second.schedule;
    item.bytes = it->second.bytes;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// A call whose runs write where the first one wrote.
class RepeatedCall {
public:
  RepeatedCall(FuserProgram *program, const ProgramCall &call)
      : program(program), call(call),
        kept(fuser_program_num_outputs(program), nullptr) {}
  RepeatedCall(const RepeatedCall &) = delete;
  ~RepeatedCall() { llvm::for_each(kept, destroy); }

  FuserStatus *run();

private:
  static void destroy(DLManagedTensorVersioned *tensor) {
    if (tensor && tensor->deleter)
      tensor->deleter(tensor);
  }

  FuserProgram *program;
  const ProgramCall &call;
  SmallVector<DLManagedTensorVersioned *> kept;
};
} // namespace

FuserStatus *RepeatedCall::run() {
  SmallVector<FuserOutput> outputs(call.outputs);
  for (auto [output, tensor] : llvm::zip(outputs, kept)) {
    output.tensor = nullptr;
    if (tensor)
      output.preallocated = &tensor->dl_tensor;
  }
  FuserStatus *status = fuser_program_run(
      program, call.inputs.data(), call.inputs.size(), call.scalars.data(),
      call.scalars.size(), outputs.data(), outputs.size());
  for (auto [index, output] : llvm::enumerate(outputs)) {
    size_t input;
    bool isNew =
        fuser_program_output_alias(program, index, &input) == FUSER_OUTPUT_NEW;
    if (isNew && output.tensor && !status)
      kept[index] = output.tensor;
    else
      destroy(output.tensor);
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Floors
//===----------------------------------------------------------------------===//

/// Copies of bf16 by a kernel and by the device's driver.
static std::vector<std::string> getCopies(uint64_t elements) {
  std::string tensor = "tensor<" + std::to_string(elements) + "xbf16>";
  std::string buffer = "memref<" + std::to_string(elements) + "xbf16>";
  return {"func.func @copy(%x: " + tensor + ") -> " + tensor +
              " {\n %y = fusion.neg %x : " + tensor +
              "\n return %y : " + tensor + "\n}\n",
          "func.func @copy(%x: " + buffer + ") -> " + buffer +
              " attributes {host.program} {\n %y = host.output 0 () : " +
              buffer + "\n host.copy %x, %y : " + buffer + ", " + buffer +
              "\n return %y : " + buffer + "\n}\n"};
}

/// A vector of zeros.
static FuserStatus *createZeros(FuserContext *context, uint64_t elements,
                                DLManagedTensorVersioned *&tensor) {
  auto size = static_cast<int64_t>(elements);
  if (FuserStatus *status = fuser_tensor_create(context, {kDLBfloat, 16, 1}, 1,
                                                &size, nullptr, &tensor))
    return status;
  std::vector<uint16_t> zeros(elements);
  return fuser_memcpy(context, tensor->dl_tensor.data, zeros.data(), 2 * size);
}

/// The time of the first work of a program of one vector.
static FuserStatus *timeProgram(FuserContext *context,
                                const CompileOptions &options,
                                const std::string &text, uint64_t elements,
                                double &microseconds) {
  std::unique_ptr<Executable> executable;
  if (FuserStatus *status = runSuspended(context, [&] {
        return Executable::create(context, {text, "<copy>"}, options,
                                  /*cache=*/nullptr, executable,
                                  /*takesLock=*/true);
      }))
    return status;
  DLManagedTensorVersioned *zeros = nullptr;
  FuserStatus *status = createZeros(context, elements, zeros);
  std::vector<WorkReport> work;
  if (!status) {
    const DLTensor *input = &zeros->dl_tensor;
    FuserOutput output{nullptr, nullptr};
    ProgramCall call{input, {}, output};
    RepeatedCall repeated(executable->getProgram(), call);
    status = traceRuns(context, [&] { return repeated.run(); }, work);
  }
  if (zeros)
    zeros->deleter(zeros);
  microseconds = work.empty() ? 0 : work.front().microseconds;
  return status;
}

/// A copy of a multiple of 2 MiB, scaled; a few bytes more can take a driver
/// much longer.
static FuserStatus *measureFloor(FuserContext *context,
                                 const CompileOptions &options, uint64_t bytes,
                                 double &floor) {
  constexpr uint64_t kUnit = 2 << 20;
  uint64_t half = std::max<uint64_t>(bytes / 2, 2);
  uint64_t copied = half < kUnit ? half : (half + kUnit / 2) / kUnit * kUnit;
  std::optional<double> best;
  for (const std::string &text : getCopies(copied / 2)) {
    double time = 0;
    if (FuserStatus *status =
            timeProgram(context, options, text, copied / 2, time))
      return status;
    best = std::min(best.value_or(time), time);
  }
  floor = *best * double(bytes) / double(2 * copied);
  return nullptr;
}

FuserStatus *fuser::measureFloors(FuserContext *context,
                                  const CompileOptions &options,
                                  std::vector<WorkReport> &work) {
  if (options.target->device == fuser_rt::Target::Sim)
    return nullptr;
  CompileOptions plain;
  plain.target = options.target;
  plain.arch = options.arch;
  std::map<uint64_t, double> floors;
  for (WorkReport &item : work) {
    if (!item.bytes || *item.bytes == 0)
      continue;
    auto [it, isNew] = floors.try_emplace(*item.bytes);
    if (isNew)
      if (FuserStatus *status =
              measureFloor(context, plain, *item.bytes, it->second))
        return status;
    item.floorMicroseconds = it->second;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static double getGigabytes(const WorkReport &work) {
  return work.microseconds > 0 ? double(*work.bytes) / work.microseconds * 1e-3
                               : 0;
}

static std::string getDetail(const WorkReport &work, StringRef name) {
  std::optional<int64_t> value = work.details.getInteger(name);
  return value ? std::to_string(*value) : "-";
}

void fuser::printWork(llvm::raw_ostream &os, ArrayRef<WorkReport> work) {
  size_t width = 6;
  for (const WorkReport &item : work)
    width = std::max(width, item.name.size());
  auto pad = [&](StringRef text) { return llvm::left_justify(text, width); };
  os << pad("kernel")
     << "  launches        us        bytes      GB/s  floor/time  threads  "
        "registers  shared  local  occupancy\n";
  for (const WorkReport &item : work) {
    std::string bytes = "-", rate = "-", share = "-";
    if (item.bytes) {
      bytes = std::to_string(*item.bytes);
      rate = llvm::formatv("{0:F1}", getGigabytes(item));
    }
    if (item.floorMicroseconds && item.microseconds > 0)
      share =
          llvm::formatv("{0:F3}", *item.floorMicroseconds / item.microseconds);
    std::string occupancy = getDetail(item, "occupancy_percent");
    os << pad(item.name)
       << llvm::format("  %8llu  %8.2f  %11s  %8s  %10s  %7s  %9s  %6s  %5s",
                       static_cast<unsigned long long>(item.launches),
                       item.microseconds, bytes.c_str(), rate.c_str(),
                       share.c_str(), getDetail(item, "threads").c_str(),
                       getDetail(item, "registers").c_str(),
                       getDetail(item, "shared_bytes").c_str(),
                       getDetail(item, "local_bytes").c_str())
       << llvm::format("  %9s\n",
                       (occupancy + (occupancy == "-" ? "" : " %")).c_str());
    if (!item.schedule.empty())
      os << "  " << item.schedule << "\n";
  }
}

json::Array fuser::toJson(ArrayRef<WorkReport> work) {
  json::Array result;
  for (const WorkReport &item : work) {
    json::Object object = item.details;
    object["name"] = item.name;
    object["launches"] = item.launches;
    object["us"] = item.microseconds;
    if (!item.schedule.empty())
      object["schedule"] = item.schedule;
    if (item.bytes) {
      object["bytes"] = *item.bytes;
      object["gbps"] = getGigabytes(item);
    }
    if (item.floorMicroseconds) {
      object["floor_us"] = *item.floorMicroseconds;
      if (item.microseconds > 0)
        object["floor_share"] = *item.floorMicroseconds / item.microseconds;
    }
    result.push_back(std::move(object));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// A call
//===----------------------------------------------------------------------===//

/// The same program, compiled anew for the call's inputs with `notes` taken.
static FuserStatus *compileNoting(FuserContext *context, Executable &executable,
                                  const ProgramCall &call, LaunchNotes &notes,
                                  std::unique_ptr<Executable> &noted) {
  if (FuserStatus *status = fuser_program_check_inputs(
          executable.getProgram(), call.inputs.data(), call.inputs.size()))
    return status;
  CompileOptions options = executable.getOptionsFor(call.inputs);
  // Variants that runs make later are noted, too.
  options.afterPass = [&notes](StringRef pass, Operation *op) {
    notes.note(pass, op);
  };
  return runSuspended(context, [&] {
    return executable.compileAs(context, std::move(options), noted);
  });
}

static json::Object describeCompilation(FuserContext *context,
                                        const Executable &executable) {
  json::Object stages;
  double total = 0;
  for (const StageTime &time : executable.getResult().times) {
    stages[time.stage] = time.milliseconds;
    total += time.milliseconds;
  }
  const CompileOptions &options = executable.getOptions();
  return json::Object{{"target", options.target->name},
                      {"device", fuser_context_device_name(context)},
                      {"arch", options.arch},
                      {"segments", executable.getResult().program.numSegments},
                      {"compile_ms", total},
                      {"stages_ms", std::move(stages)}};
}

static std::string write(const json::Object &report, ArrayRef<WorkReport> work,
                         StringRef explanation) {
  std::string text;
  llvm::raw_string_ostream os(text);
  int64_t segments = *report.getInteger("segments");
  os << "target " << *report.getString("target") << " ("
     << *report.getString("device") << "), " << segments << " segment"
     << (segments == 1 ? "" : "s") << ", compiled in "
     << llvm::format("%.1f ms\n", *report.getNumber("compile_ms"));
  if (!work.empty())
    printWork(os, work);
  os << explanation;
  return text;
}

FuserStatus *fuser::reportCall(FuserContext *context, Executable &executable,
                               const ProgramCall &call, std::string &json) {
  std::vector<SmallVector<int64_t>> sizes;
  for (const DLTensor *input : call.inputs)
    sizes.emplace_back(input->shape, input->shape + input->ndim);
  LaunchNotes notes(std::move(sizes));
  std::unique_ptr<Executable> noted;
  if (FuserStatus *status =
          compileNoting(context, executable, call, notes, noted))
    return status;
  std::vector<WorkReport> work;
  RepeatedCall repeated(noted->getProgram(), call);
  // What is compiled for this call lets other threads go on, whose launches
  // must not be among those that are traced.
  if (FuserStatus *status = repeated.run())
    return status;
  if (FuserStatus *status =
          measureWork(context, [&] { return repeated.run(); }, notes, work))
    return status;
  if (FuserStatus *status = measureFloors(context, noted->getOptions(), work))
    return status;
  std::string explanation, error;
  auto explain = [&](ModuleOp module) {
    return explainProgram(module, noted->getOptions(), explanation, error)
               ? nullptr
               : fail(error);
  };
  if (FuserStatus *status =
          runSuspended(context, [&] { return executable.useModule(explain); }))
    return status;
  json::Object report = describeCompilation(context, *noted);
  report["text"] = write(report, work, explanation);
  report["kernels"] = toJson(work);
  report["explanation"] = explanation;
  llvm::raw_string_ostream(json) << json::Value(std::move(report));
  return nullptr;
}
