//===- Compile.h - From a fusion program to a compiled program ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler as a function: a module of the fusion dialect in, a program
// value (fuser_rt::Program) out. Compiling does not run anything and needs no
// GPU.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PIPELINES_COMPILE_H
#define FUSER_PIPELINES_COMPILE_H

#include "fuser/Pipelines/Targets.h"
#include "fuser/Support/Arithmetic.h"
#include "fuser/Support/LLVM.h"
#include "fuser_rt/Program.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace fuser {

/// What is assumed of one tensor input, beyond its type. A program has one
/// variant for each combination of classes that its inputs come in.
struct InputClass {
  /// Any strides, instead of dense in the input's stride order.
  bool anyStrides = false;
  /// Of the first element's address, in bytes. 0: of the element type only.
  unsigned alignment = 16;
  /// The sizes of a call, whose classes the variant is for
  /// (docs/rationale/variants.md). Empty: all sizes.
  llvm::SmallVector<int64_t, 4> sizes = {};
  /// With any strides: the order in which the input is dense all the same.
  /// Empty: none is known.
  llvm::SmallVector<int64_t, 4> strideOrder = {};
};

struct CompileOptions {
  /// The function to compile; empty: the only public one.
  std::string entry;
  const Target *target = &getCpuTarget();
  /// Of the target: see Target::resolveArch.
  std::string arch;
  /// One for each tensor input; missing ones are default.
  std::vector<InputClass> inputs;
  /// Whether these may be other inputs than those that the module was decided
  /// for: what it says of the classes of their sizes is dropped, and schedules
  /// that do not fit are chosen anew.
  bool isForOtherInputs = false;
  /// Whether the classes of the inputs' sizes say how large they are at least,
  /// so that they have no sizes in common.
  bool lowerBounds = true;
  /// Whether preallocated outputs (and so all outputs) are at least this
  /// aligned, in bytes.
  unsigned outputAlignment = 16;
  /// Whether remarks say why the program was cut where it was, and why
  /// schedules are what they are (see explainSchedules).
  bool explain = false;
  /// What kernels compute with. In the ring products are expanded, inputs and
  /// outputs keep their types, and their elements' bits are what counts.
  Arithmetic arithmetic = Arithmetic::Floats;
  /// Kernels for a simulated GPU announce their accesses, so that they can be
  /// checked (fuser_context_set_simulation).
  bool checkKernels = false;
  /// LLVM does little for the code of the host and of kernels that run there:
  /// it compiles faster, and runs slower.
  bool quick = false;
  /// Called with the name of each step, a pass most often, before it begins,
  /// and with none at the end, also of a failure; on the thread that compiles.
  std::function<void(StringRef step)> onStep;
  /// Called with the name of each pass that has run, and the module.
  std::function<void(StringRef pass, Operation *module)> afterPass;
};

/// How long a stage took.
struct StageTime {
  std::string stage;
  double milliseconds;
};

struct CompileResult {
  fuser_rt::Program program;
  std::vector<StageTime> times;
};

/// A context with every dialect of the compiler's pipelines loaded or
/// registered, single-threaded.
std::unique_ptr<MLIRContext> createCompilerContext();

/// Parses the program in the main buffer of `sources`, as text or bytecode.
/// Null, with diagnostics, on failure. Arguments keep what the text calls them:
/// `getArgumentName`.
OwningOpRef<ModuleOp> parseProgram(const llvm::SourceMgr &sources,
                                   MLIRContext *context);

/// Bytecode with a checksum in front: MLIR's reader may crash on what is
/// damaged.
std::string sealBytecode(StringRef bytecode);

/// The same of text or sealed bytecode in memory, named `name` in diagnostics,
/// which go to `error`.
OwningOpRef<ModuleOp> parseProgram(StringRef text, StringRef name,
                                   MLIRContext *context, std::string &error);

/// Compiles the entry of `module`, which is left unchanged, to a program of one
/// variant, for the inputs that `options` describes. Errors are diagnostics on
/// the module's context.
FailureOr<CompileResult> compileModule(ModuleOp module,
                                       const CompileOptions &options);

/// The same for a program that is saved. It has no compiler behind it when it
/// runs, so behind the variant for the inputs that `options` describes it has
/// one that takes any strides and any alignment, and refuses nothing that
/// compiled code would take.
FailureOr<CompileResult> compileToSave(ModuleOp module,
                                       const CompileOptions &options);

/// As long as it lives, errors on `context` are written to `error` with their
/// notes, "FILE:LINE:COLUMN: error: TEXT" each, and a newline between two.
class ErrorCollector {
public:
  ErrorCollector(MLIRContext *context, std::string &error);

private:
  llvm::raw_string_ostream os;
  ScopedDiagnosticHandler handler;
};

/// The function that `entry` names in `module`: with an empty name the only
/// public function. A diagnostic on failure.
FailureOr<Operation *> findEntry(ModuleOp module, StringRef entry);

} // namespace fuser

#endif // FUSER_PIPELINES_COMPILE_H
