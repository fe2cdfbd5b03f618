//===- Common.h - What the files of the extension module share ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module uses CPython's limited API (3.11) and the C API of fuser-c, so one
// binary serves every later Python. It holds no state of its own but the
// exception and the table of frameworks.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PYTHON_COMMON_H
#define FUSER_PYTHON_COMMON_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "fuser-c/Compile.h"
#include <memory>
#include <mutex>
#include <vector>

namespace fuser::python {

/// A runtime context. Its calls are not concurrent, so each holds the mutex:
/// with it, nothing may wait for the interpreter's lock.
struct Context {
  FuserContext *handle = nullptr;
  /// The context's own stream.
  void *ownStream = nullptr;
  std::mutex mutex;
  ~Context() { fuser_context_destroy(handle); }
  bool onGPU() const {
    return fuser_context_device(handle).device_type == kDLCUDA;
  }
};

/// An owned reference.
class Ref {
public:
  Ref() = default;
  explicit Ref(PyObject *object) : object(object) {}
  Ref(Ref &&other) noexcept : object(other.release()) {}
  Ref &operator=(Ref &&other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Ref() { Py_XDECREF(object); }
  PyObject *get() const { return object; }
  PyObject *release() {
    PyObject *result = object;
    object = nullptr;
    return result;
  }
  explicit operator bool() const { return object != nullptr; }

private:
  PyObject *object = nullptr;
};

/// A tensor that came from Python, or goes there: a description and what keeps
/// the memory alive.
struct Tensor {
  DLTensor view{};
  std::shared_ptr<void> owner;
  bool readOnly = false;
  /// Outputs on a GPU: the stream whose work writes them.
  void *stream = nullptr;
};

/// Raises fuser.Error with the status' message and code; frees the status.
/// Returns null.
PyObject *raise(FuserStatus *status);

/// Reads a program: its text from a str, or bytes. `data` is the object's.
/// False with an exception set.
bool readProgram(PyObject *object, const char *&data, Py_ssize_t &size);

/// Reads a tensor from an object with `__dlpack__`, to be used on `stream` of
/// the context. False with an exception set.
bool importTensor(PyObject *object, const Context &context, void *stream,
                  Tensor &tensor);

/// A new fuser.Tensor over `tensor`. Null with an exception set.
PyObject *makeTensor(std::shared_ptr<Context> context, Tensor tensor);

bool addTensorType(PyObject *module);
bool addExecutableType(PyObject *module);
bool addContextType(PyObject *module);
/// The context of a fuser.Context, or null with an exception set.
std::shared_ptr<Context> getContext(PyObject *object);

extern PyObject *errorType;

} // namespace fuser::python

#endif // FUSER_PYTHON_COMMON_H
