//===- Calls.h - Random calls of a program ----------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call is one that the program takes, with a few faults. Two questions about
// it are answered apart from the runtime's own checks: whether the tensors are
// what the program describes, and whether their memory is there.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_TEST_LIBFUZZER_CALLS_H
#define FUSER_TEST_LIBFUZZER_CALLS_H

#include "fuser_rt/Program.h"
#include "fuser_rt/fuser_rt.h"
#include <fuzzer/FuzzedDataProvider.h>
#include <memory>
#include <vector>

namespace fuser::fuzzers {

/// Memory of the caller, with memory that faults on both sides.
class Arena {
public:
  Arena();
  static constexpr size_t kBytes = size_t(1) << 16;
  char *data() const { return memory; }

private:
  char *memory;
};

/// A tensor of a call, whose lists have exactly as many elements as it needs:
/// what is read beyond them shows.
struct CallTensor {
  int32_t rank = 0;
  std::unique_ptr<int64_t[]> sizes, strides;
  DLTensor tensor{};
};

/// The arguments of fuser_program_run.
struct Call {
  std::vector<std::unique_ptr<CallTensor>> tensors;
  std::vector<const DLTensor *> inputs;
  std::vector<FuserScalar> scalars;
  std::vector<FuserOutput> outputs;
  bool hasNoInputs = false, hasNoScalars = false, hasNoOutputs = false;
  /// Whether nothing was changed that a program may refuse.
  bool isPlain = true;

  FuserStatus *run(FuserProgram *program);
};

Call makeCall(const fuser_rt::Variant &spec, const Arena &arena,
              FuzzedDataProvider &data);

/// Whether the tensors have the types and sizes that are described.
bool isAsDescribed(const Call &call, const fuser_rt::Variant &spec);

/// Whether code may read and write all that the tensors describe, and soon
/// ends.
bool canRun(const Call &call, const fuser_rt::Variant &spec,
            const Arena &arena);

} // namespace fuser::fuzzers

#endif // FUSER_TEST_LIBFUZZER_CALLS_H
