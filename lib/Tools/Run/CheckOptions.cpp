//===- CheckOptions.cpp - Which options go together -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"
#include "fuser/Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace fuser;
using namespace fuser::run;
using llvm::StringRef;

namespace {
struct Given {
  StringRef flag;
  bool isGiven;
};
} // namespace

/// An error for the first of `others` that is given, all of them without effect
/// beside `flag`.
static llvm::Error refuse(StringRef flag, StringRef why,
                          llvm::ArrayRef<Given> others) {
  for (const Given &other : others)
    if (other.isGiven)
      return llvm::createStringError(flag + ": expected no " + other.flag +
                                     " with it because " + why);
  return llvm::Error::success();
}

/// The passes of a compilation for `target`, in order.
static llvm::SetVector<StringRef> listPasses(StringRef target,
                                             std::string &text) {
  mlir::OpPassManager passes(mlir::ModuleOp::getOperationName());
  PipelineOptions options;
  options.target = target.str();
  buildFusionPipeline(passes, options);
  buildKernelPipeline(passes, options);
  buildHostPipeline(passes);
  buildKernelLoweringPipeline(passes, options);
  buildHostLoweringPipeline(passes);
  llvm::raw_string_ostream os(text);
  passes.printAsTextualPipeline(os);
  // A name ends at its options, or where the next one begins; before a
  // parenthesis it is that of an op.
  llvm::SetVector<StringRef> names;
  StringRef rest = text;
  while (!rest.empty()) {
    StringRef name =
        rest.take_until([](char c) { return StringRef("(){},").contains(c); });
    rest = rest.drop_front(name.size());
    if (!name.empty() && !rest.starts_with("("))
      names.insert(name);
    if (rest.starts_with("{"))
      rest = rest.drop_front(rest.find('}'));
    rest = rest.drop_front(rest.empty() ? 0 : 1);
  }
  return names;
}

static llvm::Error checkDumps(const RunOptions &options) {
  std::string text;
  llvm::SetVector<StringRef> known = listPasses(options.target, text);
  for (StringRef pass : options.dumpAfter)
    if (pass != "all" && !known.contains(pass))
      return llvm::createStringError(
          "--dump-ir-after: expected all or a pass of the target " +
          options.target + " (" + llvm::join(known, ", ") + "), got '" + pass +
          "'");
  return llvm::Error::success();
}

llvm::Error run::checkOptions(const RunOptions &options) {
  if (options.target != "cpu" && options.target != "cuda")
    return llvm::createStringError("--target: expected cpu or cuda, got '" +
                                   options.target + "'");
  Given check{"--check", options.check}, bench{"--bench", options.bench},
      preallocate{"--preallocate", options.preallocate},
      timing{"--timing", options.timing},
      dump{"--dump-ir-after", !options.dumpAfter.empty()};
  if (options.reference)
    if (llvm::Error error = refuse("--reference",
                                   "nothing is compiled, and the reference is "
                                   "what others are compared with",
                                   {check, bench, preallocate, timing, dump}))
      return error;
  if (!options.emit.empty())
    if (llvm::Error error =
            refuse("--emit", "it only compiles, and nothing runs",
                   {{"--reference", options.reference},
                    check,
                    bench,
                    preallocate,
                    {"--output", !options.outputs.empty()}}))
      return error;
  if (StringRef(options.file).ends_with(".fx"))
    if (llvm::Error error = refuse(
            options.file, "a compiled program is not compiled again", {dump}))
      return error;
  return checkDumps(options);
}
