//===- KernelReport.cpp - What each kernel of a run took ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelReport.h"
#include "fuser/Pipelines/Executable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace fuser;
using namespace fuser::run;
namespace json = llvm::json;

static constexpr int kRuns = 20;

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

/// What `context` has done since its trace was started.
static llvm::Expected<json::Value> readTrace(FuserContext *context) {
  SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("fuser-report", "json", path))
    return llvm::createStringError("a temporary file for times: " +
                                   error.message());
  llvm::FileRemover remover(path);
  if (llvm::Error error = writeTrace(context, path))
    return std::move(error);
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("'" + path +
                                   "': " + buffer.getError().message());
  return json::parse((*buffer)->getBuffer());
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
static llvm::Expected<std::vector<WorkReport>> traceRuns(FuserContext *context,
                                                         Session &session) {
  // What runs first loads code.
  session.keepOutputs();
  if (llvm::Error error = session.run())
    return std::move(error);
  if (llvm::Error error = session.startTrace())
    return std::move(error);
  for (int i = 0; i < kRuns; ++i)
    if (llvm::Error error = session.run())
      return std::move(error);
  llvm::Expected<json::Value> trace = readTrace(context);
  if (!trace)
    return trace.takeError();
  return summarize(*trace);
}

llvm::Expected<std::vector<WorkReport>>
run::measureWork(FuserContext *context, Session &session,
                 const LaunchNotes &notes) {
  auto work = traceRuns(context, session);
  if (!work)
    return work.takeError();
  for (WorkReport &item : *work) {
    const auto *it = notes.getKernels().find(item.name);
    if (it == notes.getKernels().end())
      continue;
    item.schedule = it->second.schedule;
    item.bytes = it->second.bytes;
  }
  return work;
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

static llvm::Expected<double> timeProgram(FuserContext *context,
                                          const RunOptions &options,
                                          const std::string &text,
                                          uint64_t elements) {
  std::unique_ptr<MLIRContext> compiler = createCompilerContext();
  std::string errors;
  ErrorCollector collector(compiler.get(), errors);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text),
                             llvm::SMLoc());
  CompileOptions compile;
  compile.target = options.target;
  compile.arch = options.arch;
  std::unique_ptr<Executable> executable;
  OwningOpRef<ModuleOp> module = parseProgram(sources, compiler.get());
  if (!module)
    return llvm::createStringError("a copy to compare with: " + errors);
  if (FuserStatus *status =
          Executable::create(context, std::move(module), compile, executable))
    return toError(status);
  auto inputs = makeTensors({std::to_string(elements) + "xbf16=value:0"});
  if (!inputs)
    return inputs.takeError();
  Session session(context, executable->getProgram());
  if (llvm::Error error = session.bindInputs(*inputs))
    return std::move(error);
  auto work = traceRuns(context, session);
  if (!work)
    return work.takeError();
  return work->empty() ? 0.0 : work->front().microseconds;
}

/// A copy of a multiple of 2 MiB, scaled; a few bytes more can take a driver
/// much longer.
static llvm::Expected<double>
measureFloor(FuserContext *context, const RunOptions &options, uint64_t bytes) {
  constexpr uint64_t kUnit = 2 << 20;
  uint64_t half = std::max<uint64_t>(bytes / 2, 2);
  uint64_t copied = half < kUnit ? half : (half + kUnit / 2) / kUnit * kUnit;
  std::optional<double> best;
  for (const std::string &text : getCopies(copied / 2)) {
    auto time = timeProgram(context, options, text, copied / 2);
    if (!time)
      return time.takeError();
    best = std::min(best.value_or(*time), *time);
  }
  return *best * double(bytes) / double(2 * copied);
}

llvm::Error run::measureFloors(FuserContext *context, const RunOptions &options,
                               std::vector<WorkReport> &work) {
  std::map<uint64_t, double> floors;
  for (WorkReport &item : work) {
    if (!item.bytes || *item.bytes == 0)
      continue;
    auto [it, isNew] = floors.try_emplace(*item.bytes);
    if (isNew) {
      auto floor = measureFloor(context, options, *item.bytes);
      if (!floor)
        return floor.takeError();
      it->second = *floor;
    }
    item.floorMicroseconds = it->second;
  }
  return llvm::Error::success();
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

void run::printWork(llvm::raw_ostream &os, ArrayRef<WorkReport> work) {
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

json::Array run::toJson(ArrayRef<WorkReport> work) {
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
    if (item.floorMicroseconds)
      object["floor_us"] = *item.floorMicroseconds;
    result.push_back(std::move(object));
  }
  return result;
}
