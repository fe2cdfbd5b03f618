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
// Whatever may wait (a context's lock, the compiler, a device) does so without
// the interpreter's lock, and nothing waits for that while it holds another.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PYTHON_COMMON_H
#define FUSER_PYTHON_COMMON_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "fuser-c/Builder.h"
#include "fuser_rt/ElementTypes.h"
#include <memory>
#include <string>
#include <vector>

namespace fuser::python {

/// Whether it is a complex number: Python's, or a scalar of NumPy's.
bool isComplex(PyObject *object);

/// Whether it is a bool of NumPy's, which is no integer to Python.
bool isNumpyBool(PyObject *object);

/// Reads a tuple of two integers, `what` it is. False with a TypeError set.
bool readPair(PyObject *object, const char *what, int &first, int &second);

/// Lets other Python threads run as long as it lives, whether or not this one
/// holds the interpreter's lock: a deleter that DLPack calls cannot know.
class WithoutGIL {
public:
  WithoutGIL() {
    if (!Py_IsInitialized())
      return;
    before = PyGILState_Ensure();
    saved = PyEval_SaveThread();
  }
  ~WithoutGIL() {
    if (!saved)
      return;
    PyEval_RestoreThread(saved);
    PyGILState_Release(before);
  }
  WithoutGIL(const WithoutGIL &) = delete;
  WithoutGIL &operator=(const WithoutGIL &) = delete;

private:
  PyGILState_STATE before{};
  PyThreadState *saved = nullptr;
};

/// For code of others that runs in between: holds the interpreter's lock, and
/// keeps the exception that is set out of its way.
class WithGIL {
public:
  WithGIL() {
    if (!Py_IsInitialized())
      return;
    isHeld = true;
    before = PyGILState_Ensure();
    PyErr_Fetch(&type, &value, &traceback);
  }
  ~WithGIL() {
    if (!isHeld)
      return;
    PyErr_Restore(type, value, traceback);
    PyGILState_Release(before);
  }
  WithGIL(const WithGIL &) = delete;
  WithGIL &operator=(const WithGIL &) = delete;

private:
  bool isHeld = false;
  PyGILState_STATE before{};
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
};

/// A runtime context.
struct Context {
  FuserContext *handle = nullptr;
  /// The context's own stream.
  void *ownStream = nullptr;
  /// Whether kernels that are compiled for it are to be checked.
  bool checksKernels = false;
  bool isOnGPU = false;
  ~Context() {
    WithoutGIL released;
    fuser_context_destroy(handle);
  }
  bool onGPU() const { return isOnGPU; }
};

/// Holds a context's lock, and not the interpreter's.
class Locked {
public:
  explicit Locked(const Context &context) : handle(context.handle) {
    fuser_context_lock(handle);
  }
  ~Locked() { fuser_context_unlock(handle); }
  Locked(const Locked &) = delete;
  Locked &operator=(const Locked &) = delete;

private:
  WithoutGIL released;
  FuserContext *handle;
};

/// The same in a thread that is known to hold the interpreter's lock.
class LockedByCall {
public:
  explicit LockedByCall(const Context &context)
      : saved(PyEval_SaveThread()), handle(context.handle) {
    fuser_context_lock(handle);
  }
  ~LockedByCall() {
    fuser_context_unlock(handle);
    PyEval_RestoreThread(saved);
  }
  LockedByCall(const LockedByCall &) = delete;
  LockedByCall &operator=(const LockedByCall &) = delete;

private:
  PyThreadState *saved;
  FuserContext *handle;
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

/// A str of text that may be no UTF-8: names are what a program says.
PyObject *makeText(const std::string &text);

/// They become bytes, and are destroyed.
PyObject *takeBytes(FuserBytes *bytes);

/// Raises fuser.Error with the status' message and code; frees the status.
/// Returns null.
PyObject *raise(FuserStatus *status);
/// A converter of PyArg_Parse: the name of a target to a FuserTarget.
int parseTarget(PyObject *name, void *target);

/// Reads a program: its text from a str, or bytes. `data` is the object's.
/// False with an exception set.
bool readProgram(PyObject *object, const char *&data, Py_ssize_t &size);

/// Reads a tensor from an object with `__dlpack__`, to be used on `stream` of
/// the context. False with an exception set.
bool importTensor(PyObject *object, const Context &context, void *stream,
                  Tensor &tensor);

/// The same by DLPack's table of C functions, which waits for nothing: for
/// tensors of the framework whose stream is used.
bool importByTable(PyObject *object, const DLPackExchangeAPI &exchange,
                   Tensor &tensor);
/// True for types that NumPy lacks, and has by ml_dtypes.
inline bool isForeign(DLDataType type) {
  const fuser_rt::ElementInfo *info = fuser_rt::findElement(type);
  return info && info->kind == fuser_rt::ElementKind::Float &&
         type.code != kDLFloat;
}
/// The type of an array of such elements, which NumPy does not export. Null for
/// any other object. No exception.
const fuser_rt::ElementInfo *findForeignElement(PyObject *object);
/// The array as unsigned integers of the same width. Null if it has no such
/// view, without an exception.
Ref viewBits(PyObject *object, const fuser_rt::ElementInfo &element);

/// A tensor for DLPack, which is the caller's to delete.
DLManagedTensorVersioned *exportTensor(const Tensor &tensor);
/// A new fuser.Tensor over `tensor`. Null with an exception set.
PyObject *makeTensor(std::shared_ptr<Context> context, Tensor tensor);

/// The mapping from a tensor's type to what the package knows of it.
void setFrameworks(PyObject *mapping);

bool addTensorType(PyObject *module);
bool addExecutableType(PyObject *module);
bool addContextType(PyObject *module);
bool addBuilderType(PyObject *module);
/// The context of a fuser.Context, or null with an exception set.
std::shared_ptr<Context> getContext(PyObject *object);

extern PyObject *errorType;

} // namespace fuser::python

#endif // FUSER_PYTHON_COMMON_H
