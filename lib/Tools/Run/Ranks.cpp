//===- Ranks.cpp - A program on several ranks -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"
#include "../CommandLine.h"
#include "../Signature.h"
#include "Report.h"
#include "Session.h"
#include "fuser_rt/communicator.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <algorithm>
#include <mutex>
#include <thread>

using namespace fuser;
using namespace fuser::run;
using llvm::StringRef;

static constexpr StringRef kRank = "{rank}";

static void replaceRank(std::vector<std::string> &texts, int rank) {
  for (std::string &text : texts)
    for (size_t at = 0; (at = text.find(kRank, at)) != std::string::npos;)
      text.replace(at, kRank.size(), std::to_string(rank));
}

/// What one rank does: `all` with its number, its device and its share of the
/// threads.
static RunOptions getOptions(const RunOptions &all, int rank) {
  RunOptions options = all;
  replaceRank(options.inputs, rank);
  replaceRank(options.scalars, rank);
  replaceRank(options.outputs, rank);
  if (all.target->device == fuser_rt::Target::Cuda)
    options.device = all.device.value_or(0) + rank;
  else if (!all.threads)
    options.threads =
        std::max<int>(1, std::thread::hardware_concurrency() / options.ranks);
  // Ranks that are slow at the same places would wait for each other less.
  if (options.delays)
    options.delays->seed += static_cast<uint64_t>(rank);
  return options;
}

namespace {
struct RanksDeleter {
  void operator()(FuserRanks *ranks) const { fuser_ranks_destroy(ranks); }
};
struct ProgramDeleter {
  void operator()(FuserProgram *program) const {
    fuser_program_destroy(program);
  }
};

/// All ranks, and what has become of them.
class Ranks {
public:
  Ranks(FuserRanks *ranks, StringRef bytes, const fuser_rt::Variant &variant,
        int count)
      : ranks(ranks), bytes(bytes), variant(variant), traced(count) {}

  /// Runs one rank. Its failure ends the others' waiting.
  void run(const RunOptions &options, int rank) {
    llvm::Error error = tryToRun(options, rank);
    if (!error)
      return;
    std::string message = llvm::toString(std::move(error));
    std::lock_guard<std::mutex> lock(mutex);
    if (failure.empty())
      failure = "rank " + std::to_string(rank) + ": " + message;
    fuser_ranks_abort(ranks, failure.c_str());
  }

  /// What all ranks have done, when they have ended.
  llvm::Error writeTrace(StringRef path) const {
    return run::writeTrace(
        llvm::map_to_vector(traced,
                            [](const ContextPtr &p) { return p.get(); }),
        path);
  }

  std::string failure; ///< Of the rank that failed first.
  /// Of the first rank.
  std::string device;
  std::optional<BenchResult> bench;

private:
  llvm::Error tryToRun(const RunOptions &options, int rank);

  FuserRanks *ranks;
  StringRef bytes;
  const fuser_rt::Variant &variant;
  /// Contexts whose traces are to be written: null for others.
  std::vector<ContextPtr> traced;
  std::mutex mutex;
};
} // namespace

llvm::Error Ranks::tryToRun(const RunOptions &options, int rank) {
  auto inputs = makeTensors(options.inputs);
  if (!inputs)
    return inputs.takeError();
  auto context = createContext(options);
  if (!context)
    return context.takeError();
  if (llvm::Error error =
          toError(fuser_context_join(context->get(), ranks, rank)))
    return error;
  if (rank == 0)
    device = fuser_context_device_name(context->get());
  FuserProgram *loaded = nullptr;
  if (llvm::Error error = toError(fuser_program_load(
          context->get(), bytes.data(), bytes.size(), &loaded)))
    return error;
  std::unique_ptr<FuserProgram, ProgramDeleter> program(loaded);
  Signature signature{context->get(), loaded, variant.inputs, variant.outputs,
                      variant.scalars};
  if (llvm::Error error = signature.checkCounts(options))
    return error;
  Session session(context->get(), loaded);
  if (llvm::Error error = session.bindInputs(*inputs))
    return error;
  if (llvm::Error error = session.bindScalars(options.scalars, variant.scalars))
    return error;
  if (!options.trace.empty())
    if (llvm::Error error = session.startTrace())
      return error;
  if (llvm::Error error = session.run())
    return error;
  if (llvm::Error error = session.synchronize())
    return error;
  auto outputs = session.fetchOutputs();
  if (!outputs)
    return outputs.takeError();
  if (options.bench) {
    auto result = benchInStep(session);
    if (!result)
      return result.takeError();
    if (rank == 0)
      bench = *result;
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (!options.trace.empty())
    traced[rank] = std::move(*context);
  return writeOutputs(options, *outputs);
}

llvm::Error run::runOnRanks(const RunOptions &options, StringRef program,
                            Report &report) {
  fuser_rt::Program value;
  std::string error;
  if (!fuser_rt::deserialize(program.data(), program.size(), value, error))
    return llvm::createStringError(error);
  if (value.variants.empty())
    return llvm::createStringError("expected a program with a variant");
  FuserRanks *created = nullptr;
  if (llvm::Error failed =
          toError(fuser_ranks_create(options.ranks, options.timeout, &created)))
    return failed;
  std::unique_ptr<FuserRanks, RanksDeleter> owner(created);
  Ranks ranks(created, program, value.variants.front(), options.ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < options.ranks; ++rank)
    threads.emplace_back([&ranks, own = getOptions(options, rank), rank] {
      ranks.run(own, rank);
    });
  for (std::thread &thread : threads)
    thread.join();
  report.device = ranks.device;
  report.bench = ranks.bench;
  if (!ranks.failure.empty())
    return llvm::createStringError(ranks.failure);
  if (!options.trace.empty())
    return ranks.writeTrace(options.trace);
  return llvm::Error::success();
}
