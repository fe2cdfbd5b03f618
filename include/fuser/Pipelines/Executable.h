//===- Executable.h - A program that compiles what it lacks ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program loaded in a runtime context, together with the compiler: inputs of
// a class for which it has no variant yet (other strides, another alignment)
// are compiled for when they come. The call that compiles lets go of the
// context's lock meanwhile, so what compiles takes turns by a lock of its own.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PIPELINES_EXECUTABLE_H
#define FUSER_PIPELINES_EXECUTABLE_H

#include "fuser/Pipelines/Compile.h"
#include "fuser/Pipelines/ProgramCache.h"
#include "fuser_rt/fuser_rt.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <mutex>
#include <vector>

namespace fuser {

/// A program before it is parsed: text, or bytecode.
struct ProgramText {
  std::string text;
  std::string fileName; ///< Named in diagnostics.
};

class Executable {
public:
  /// Compiles the entry of `text`, or takes it from `cache`, which may be null:
  /// then the text is parsed when a variant is compiled. What is compiled is
  /// stored there. Statuses as below. `takesLock`: of the context, while the
  /// program is loaded, so that other threads call their programs while it is
  /// compiled; without it a caller that shares the context holds the lock.
  static FuserStatus *create(FuserContext *context, ProgramText text,
                             CompileOptions options, const ProgramCache *cache,
                             std::unique_ptr<Executable> &executable,
                             bool takesLock = false);
  /// Compiles the entry of `module` and loads it in `context`, which must
  /// outlive the result. With an empty `options.arch` a GPU program is compiled
  /// for the context's device. A program that is not accepted is
  /// FUSER_INVALID_ARGUMENT, with all diagnostics as the message; loading has
  /// the runtime's statuses. Null on success.
  static FuserStatus *create(FuserContext *context,
                             OwningOpRef<ModuleOp> module,
                             CompileOptions options,
                             std::unique_ptr<Executable> &executable);
  ~Executable();
  /// The same program for the classes that these inputs are in, with their
  /// code in front, as the one that Inspect.h tells of. It takes what
  /// this one takes, and needs it no more. Inputs as for a call; what does not
  /// fit is FUSER_INVALID_ARGUMENT. Takes the context's lock, but not while it
  /// compiles.
  FuserStatus *specialize(FuserContext *context,
                          ArrayRef<const DLTensor *> inputs,
                          std::unique_ptr<Executable> &specialized);
  /// The same program compiled anew with other options. Takes the lock while
  /// that is loaded.
  FuserStatus *compileAs(FuserContext *context, CompileOptions options,
                         std::unique_ptr<Executable> &made);

  FuserProgram *getProgram() const { return program; }
  /// What it was made from; empty of one that was made from a module.
  const ProgramText &getSource() const { return source; }
  /// What the first compilation gave, or the cache.
  const CompileResult &getResult() const { return result; }
  /// Calls `use` with the module that it is compiled from, parsed if it was
  /// not, while no other thread uses that; and how it is compiled. They are
  /// what Inspect.h asks for.
  FuserStatus *useModule(llvm::function_ref<FuserStatus *(ModuleOp)> use);
  const CompileOptions &getOptions() const { return options; }
  /// How it is compiled for a call with these inputs, of as many as it takes.
  CompileOptions getOptionsFor(ArrayRef<const DLTensor *> inputs) const;
  /// Whether the cache had it.
  bool isFromCache() const { return fromCache; }

private:
  Executable() = default;
  static FuserStatus *compileOnMiss(void *user, FuserProgram *program,
                                    const DLTensor *const *inputs,
                                    size_t numInputs);

  /// Parses the text, unless it is.
  FuserStatus *parse();
  /// Loads the first compilation's bytes in `context`, under its lock if that
  /// is to be taken, and takes their time.
  FuserStatus *load(FuserContext *context, const std::string &bytes);
  FuserStatus *loadCached(FuserContext *context);
  /// An error of the compiler has the code `code`.
  FuserStatus *compileNow(const CompileOptions &options, FuserStatusCode code,
                          CompileResult &compiled);
  FuserStatus *compileFirst(FuserContext *context);
  /// Adds a variant for `classes`, compiled if the cache lacks it.
  FuserStatus *addVariant(FuserProgram *program, const CompileOptions &classes);
  /// False if the cache has none that is of this program.
  bool addCached(FuserProgram *program, const CacheKey::Digest &key) const;
  /// The bytes of a variant, which the cache gets, too.
  FuserStatus *compileVariant(const CompileOptions &classes,
                              const CacheKey::Digest &key, std::string &bytes);
  /// Of what is compiled of the program, `kind`, with such options. What fails
  /// in a call names the file.
  CacheKey::Digest getKey(StringRef kind, const CompileOptions &options) const;
  CacheKey::Digest getVariantKey(const CompileOptions &classes) const;

  ProgramText source;
  /// What the module lives in, if that was parsed here: it is for one thread at
  /// a time, in turns. Executables that are compiled from this one share it.
  /// Nobody waits for a context's lock in a turn. Turns are within a
  /// CompilerUse, so that no child of the process waits for one that never
  /// ends.
  struct Shared {
    std::unique_ptr<MLIRContext> mlirContext;
    std::mutex turn;
    std::mutex abandonedMutex;
    std::vector<OwningOpRef<ModuleOp>> abandoned;

    /// Takes the module apart in a turn: in the next one of whoever has it, so
    /// that no destructor waits for a compilation.
    void abandon(OwningOpRef<ModuleOp> module);
    /// In a turn.
    void clearAbandoned();
  };
  std::shared_ptr<Shared> shared = std::make_shared<Shared>();
  std::optional<ProgramCache> cache;
  bool fromCache = false;
  bool takesLock = false;
  OwningOpRef<ModuleOp> module;
  CompileOptions options;
  CompileResult result;
  FuserProgram *program = nullptr;
  /// How often it was compiled for the sizes of a call.
  unsigned numSizeVariants = 0;
};

/// The class of an input: whether its memory is dense in row-major order or in
/// `strideOrder` (dimensions from slowest to fastest; empty: row major), how
/// its address is aligned (16 at most), and its sizes.
InputClass classifyInput(const DLTensor &tensor, ArrayRef<int64_t> strideOrder);

} // namespace fuser

#endif // FUSER_PIPELINES_EXECUTABLE_H
