//===- Loader.h - Programs on a device ------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_LOADER_H
#define FUSER_RT_LOADER_H

#include "Context.h"
#include "Run/Workspaces.h"
#include "SharedObject.h"

#include <vector>

namespace fuser_rt {

class Compilation;

/// A variant of a program and, once it was used, its code.
struct LoadedVariant {
  explicit LoadedVariant(Variant variant);
  LoadedVariant(const LoadedVariant &) = delete;
  LoadedVariant &operator=(const LoadedVariant &) = delete;

  /// Loads the code, unless it is.
  FuserStatus *load(Device &device);

  const Variant spec;
  /// Why it cannot run on the device; empty if it can.
  std::string whyNot;
  SharedObject object;
  FuserHostEntry entry = nullptr;
  /// After the object, which holds their code.
  std::unique_ptr<KernelSet> kernels;

  /// To be released before the variant goes.
  Workspaces workspaces;

  // What follows from the description, for the checks of each call.
  size_t numSymbols = 0;
  size_t inputRanks = 0; ///< How many numbers views of the inputs may need.
  /// What is asked of symbols, by their numbers; null: nothing.
  std::vector<const SizeSpec *> sizes;
  /// The sizes of inputs whose classes another variant would make use of.
  struct WantedSize {
    size_t input, dim;
    const SizeSpec *spec;
  };
  std::vector<WantedSize> wantedSizes;
  /// How much it asks of sizes for the sake of a class.
  size_t numAssumptions = 0;
  std::vector<bool> writtenInputs;
  bool writesInputs = false;
};

} // namespace fuser_rt

struct FuserProgram {
  explicit FuserProgram(FuserContext &context) : context(context) {
    context.retain();
  }
  ~FuserProgram();
  FuserProgram(const FuserProgram &) = delete;
  FuserProgram &operator=(const FuserProgram &) = delete;

  /// Appends the variants of the program in the bytes.
  FuserStatus *add(const void *bytes, size_t size, bool setName);
  /// Removes those from number `count` on.
  void drop(size_t count);
  /// Loads the code of a variant, unless it is loaded.
  FuserStatus *load(fuser_rt::LoadedVariant &variant);
  /// Null, or why the program cannot be used in this process, which was forked
  /// off.
  FuserStatus *checkUsable();

  FuserContext &context;
  std::string name;
  // Pointers: a variant stays where it is while its callback adds others.
  std::vector<std::unique_ptr<fuser_rt::LoadedVariant>> variants;
  /// What all variants have in common, from the first: it can be asked for
  /// while another thread adds variants.
  fuser_rt::Variant signature;
  std::vector<std::string> inputTypes, outputTypes;
  uint32_t numSegments = 0;
  bool communicates = false; ///< Any of its variants.
  FuserCompileCallback callback = nullptr;
  void *callbackUser = nullptr;
  /// How often the compiler was asked for a class of sizes.
  unsigned numSizeRequests = 0;
  /// The call for which the compiler is asked: in the process that had been
  /// forked off so many times, and not in its children.
  fuser_rt::Compilation *compilation = nullptr;
  uint64_t compilationForks = 0;

private:
  FuserStatus *checkSignature(const fuser_rt::Variant &variant,
                              const fuser_rt::Variant &first);
  void setSignature(const fuser_rt::Variant &first);

  /// Variants are being added, dropped or loaded. Where it is seen, the process
  /// was forked off meanwhile.
  std::atomic<bool> isChanging{false};
};

#endif // FUSER_RT_LOADER_H
