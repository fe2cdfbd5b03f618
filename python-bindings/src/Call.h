//===- Call.h - One call of a program from Python -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PYTHON_CALL_H
#define FUSER_PYTHON_CALL_H

#include "Common.h"

namespace fuser::python {

/// What a fuser.Executable holds.
struct Executable {
  Executable() = default;
  Executable(const Executable &) = delete;
  ~Executable();

  std::shared_ptr<Context> context;
  /// Null for a program that was loaded: then there is no compiler behind it.
  FuserExecutable *compiled = nullptr;
  FuserProgram *program = nullptr;
};

/// One call: its arguments as the runtime wants them. References to Python
/// objects are borrowed from the caller.
class Call {
public:
  explicit Call(Executable &executable)
      : executable(executable), stream(executable.context->ownStream) {}

  Call(const Call &) = delete;
  ~Call();

  /// Tensors and numbers, each in their order. False with an exception set.
  bool readArguments(PyObject *args);
  /// `out`: null, a tensor, or a sequence of tensors and None.
  bool readOutputs(PyObject *out);
  /// Runs and returns the outputs: one, or a tuple.
  PyObject *run();

private:
  bool readTensor(PyObject *object);
  bool readNumber(PyObject *object);
  int64_t readInteger(PyObject *object);
  /// An error that says what to pass if numbers were given for tensors, or the
  /// other way around; what else is wrong with the counts, the runtime says.
  bool checkKinds();
  /// The framework of the first tensor decides the stream that is used and what
  /// outputs become.
  bool chooseFramework(PyObject *tensor);
  bool readOutput(PyObject *object, size_t index);
  bool checkWritable();
  FuserStatus *execute();
  PyObject *getResult(size_t index);

  Executable &executable;
  void *stream;
  /// Whether `stream` is the framework's, whose allocator then orders the reuse
  /// of memory with it.
  bool sharesStream = false;
  Ref wrap; ///< Makes the framework's tensor of a fuser.Tensor; null or None:
            ///< none.
  std::vector<PyObject *> inputObjects, outputObjects;
  std::vector<Tensor> inputs, preallocated;
  std::vector<FuserScalar> scalars;
  std::vector<FuserOutput> outputs;
};

/// The mapping from a tensor's type to (wrap, stream), which the package sets.
void setFrameworks(PyObject *mapping);

} // namespace fuser::python

#endif // FUSER_PYTHON_CALL_H
