//===- Ranks.cpp - A program on several ranks -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"
#include "../CommandLine.h"
#include "../Signature.h"
#include "Report/Report.h"
#include "Session.h"
#include "fuser_rt/communicator.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <algorithm>
#include <mutex>
#include <thread>

using namespace fuser;
using namespace fuser::run;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// One rank
//===----------------------------------------------------------------------===//

void run::replaceRank(std::string &text, int rank) {
  constexpr StringRef kRank = "{rank}";
  for (size_t at = 0; (at = text.find(kRank, at)) != std::string::npos;)
    text.replace(at, kRank.size(), std::to_string(rank));
}

RunOptions run::getRankOptions(const RunOptions &all, int rank) {
  RunOptions options = all;
  for (std::vector<std::string> *texts :
       {&options.inputs, &options.scalars, &options.outputs})
    for (std::string &text : *texts)
      replaceRank(text, rank);
  replaceRank(options.trace, rank);
  // Ranks that are slow at the same places would wait for each other less.
  if (options.delays)
    options.delays->seed += static_cast<uint64_t>(rank);
  return options;
}

llvm::Expected<RankProgram> run::makeRankProgram(StringRef bytes) {
  fuser_rt::Program value;
  std::string error;
  if (!fuser_rt::deserialize(bytes.data(), bytes.size(), value, error))
    return llvm::createStringError(error);
  if (value.variants.empty())
    return llvm::createStringError("expected a program with a variant");
  return RankProgram{bytes.str(), std::move(value.name),
                     std::move(value.variants.front())};
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
} // namespace

/// What the rank has of each input.
static llvm::Expected<llvm::SmallVector<HostTensor>>
makeInputs(const RunOptions &options, const Shards *shards, int rank) {
  if (!shards)
    return makeTensors(options.inputs);
  llvm::SmallVector<HostTensor> inputs;
  for (size_t number = 0; number < options.inputs.size(); ++number) {
    auto part = shards->getInputPart(number, rank);
    if (!part)
      return part.takeError();
    inputs.push_back(std::move(*part));
  }
  return std::move(inputs);
}

llvm::Error run::runRank(const RunOptions &options, const RankProgram &program,
                         int rank,
                         llvm::function_ref<llvm::Error(FuserContext *)> join,
                         RankResult &result) {
  auto inputs = makeInputs(options, program.shards, rank);
  if (!inputs)
    return inputs.takeError();
  auto made = createContext(options);
  if (!made)
    return made.takeError();
  result.context = std::move(*made);
  FuserContext *context = result.context.get();
  result.device = fuser_context_device_name(context);
  if (llvm::Error error = join(context))
    return error;
  FuserProgram *loaded = nullptr;
  if (llvm::Error error = toError(fuser_program_load(
          context, program.bytes.data(), program.bytes.size(), &loaded)))
    return error;
  std::unique_ptr<FuserProgram, ProgramDeleter> owner(loaded);
  const fuser_rt::Variant &variant = program.variant;
  Signature signature{context, loaded, variant.inputs, variant.outputs,
                      variant.scalars};
  if (llvm::Error error = signature.checkCounts(options))
    return error;
  Session session(context, loaded);
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
    auto bench = benchInStep(session);
    if (!bench)
      return bench.takeError();
    result.bench = *bench;
  }
  if (program.shards)
    result.outputs = *outputs;
  if (program.shards && program.shards->hasWholeOutputs())
    return llvm::Error::success();
  return writeOutputs(options, *outputs);
}

RankFailure run::takeFailure(llvm::Error error) {
  RankFailure failure;
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &info) {
    failure.isOthers =
        info.convertToErrorCode() == std::make_error_code(kCommunicationError);
    failure.message += (failure.message.empty() ? "" : "\n") + info.message();
  });
  return failure;
}

//===----------------------------------------------------------------------===//
// Threads of this process
//===----------------------------------------------------------------------===//

/// A rank's own options, with its device and its share of the threads.
static RunOptions getThreadOptions(const RunOptions &all, int rank) {
  RunOptions options = getRankOptions(all, rank);
  // One file for all.
  options.trace = all.trace;
  if (all.target->device == fuser_rt::Target::Cuda)
    options.device = all.device.value_or(0) + rank;
  else if (!all.threads)
    options.threads =
        std::max<int>(1, std::thread::hardware_concurrency() / options.ranks);
  return options;
}

namespace {
/// All ranks, and what has become of them.
class Ranks {
public:
  Ranks(FuserRanks *ranks, const RankProgram &program, int count)
      : ranks(ranks), program(program), results(count) {}

  /// Runs one rank. Its failure ends the others' waiting.
  void run(const RunOptions &options, int rank);

  /// What all ranks have done, when they have ended.
  llvm::Error writeTrace(StringRef path) const {
    return run::writeTrace(llvm::map_to_vector(results,
                                               [](const RankResult &result) {
                                                 return result.context.get();
                                               }),
                           path);
  }

  RankOutputs takeOutputs() {
    RankOutputs outputs;
    for (RankResult &result : results)
      outputs.push_back(std::move(result.outputs));
    return outputs;
  }

  /// Of the rank that failed first by itself, else of the first that failed.
  RankFailure failure;
  RankResult &getFirst() { return results.front(); }

private:
  FuserRanks *ranks;
  const RankProgram &program;
  std::vector<RankResult> results;
  std::mutex mutex;
};
} // namespace

void Ranks::run(const RunOptions &options, int rank) {
  llvm::Error error = runRank(
      options, program, rank,
      [&](FuserContext *context) {
        return toError(fuser_context_join(context, ranks, rank));
      },
      results[rank]);
  if (!error) {
    // It has left, as far as others still wait for it.
    if (options.trace.empty())
      results[rank].context.reset();
    return;
  }
  RankFailure own = takeFailure(std::move(error));
  own.message = "rank " + std::to_string(rank) + ": " + own.message;
  fuser_ranks_abort(ranks, own.message.c_str());
  std::lock_guard<std::mutex> lock(mutex);
  if (failure.message.empty() || (failure.isOthers && !own.isOthers))
    failure = std::move(own);
}

llvm::Expected<RankOutputs> run::runOnRanks(const RunOptions &options,
                                            const RankProgram &program,
                                            Report &report) {
  // Once, and not of each rank.
  if (llvm::Error error =
          checkCounts(options, program.name, program.variant.inputs,
                      program.variant.scalars))
    return std::move(error);
  FuserRanks *created = nullptr;
  if (llvm::Error failed =
          toError(fuser_ranks_create(options.ranks, options.timeout, &created)))
    return failed;
  std::unique_ptr<FuserRanks, RanksDeleter> owner(created);
  Ranks ranks(created, program, options.ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < options.ranks; ++rank)
    threads.emplace_back([&ranks, own = getThreadOptions(options, rank), rank] {
      ranks.run(own, rank);
    });
  for (std::thread &thread : threads)
    thread.join();
  if (!ranks.failure.message.empty())
    return llvm::createStringError(ranks.failure.message);
  report.device = ranks.getFirst().device;
  report.bench = ranks.getFirst().bench;
  if (!options.trace.empty())
    if (llvm::Error error = ranks.writeTrace(options.trace))
      return std::move(error);
  return ranks.takeOutputs();
}
