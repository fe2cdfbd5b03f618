//===- Framework.h - What a type of tensors can do ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The package is asked once for each type of tensors, and the type for DLPack's
// table of C functions: a call then runs no Python code. Tensors are borrowed
// for the call where that is possible: by the table, or as a buffer.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PYTHON_FRAMEWORK_H
#define FUSER_PYTHON_FRAMEWORK_H

#include "Common.h"

namespace fuser::python {

/// What is known of a type of tensors. References are null for None.
struct Framework {
  /// Null where the type has no table of a version that is known.
  const DLPackExchangeAPI *exchange = nullptr;
  Ref wrap, wrapBits;    ///< Make its tensor of a fuser.Tensor.
  Ref stream;            ///< The current stream of a GPU, by its number.
  Ref isRecording;       ///< Whether gradients are recorded.
  Ref isNegated;         ///< Whether a tensor's memory has the other sign.
  Ref isConjugated;      ///< Whether that of imaginary parts has.
  bool isTensor = false; ///< It has DLPack's methods.
  bool isMatrix = false; ///< Of two dimensions, whose `*` is another product.
  bool hasBuffers = false;
  bool isWritable = false; ///< All of its tensors are.
};

/// The framework of a type that was seen before, or null, without an exception.
const Framework *findFramework(PyTypeObject *type);
/// The same, asking the package where it was not. Null with an exception set.
const Framework *getFramework(PyTypeObject *type);

/// Replaces the exception that is set, of a tensor that is not passed on, by
/// one that says `where` it was given and what to do.
void explainRefused(PyObject *where, PyObject *object);

/// (known, detail, differs, args, kwargs): calls the program that `known` has
/// for what a function that fuser.jit traces depends on of these arguments, and
/// returns (program, results). Without one (None, key); the key is None where
/// the package has to look.
PyObject *callKnown(PyObject *module, PyObject *const *arguments,
                    Py_ssize_t given);

/// _has_changed(sources, differs): whether there is something else in one of
/// the places that a traced function took something of.
PyObject *hasChanged(PyObject *module, PyObject *arguments);
/// The same of C++: 1 or 0; -1 with an exception set.
int haveChanged(PyObject *sources, PyObject *differs);
/// (list, length): the length if the list has it, else None.
PyObject *keepLength(PyObject *module, PyObject *arguments);
/// (dict, keys): the keys if they are those of the dict, else None.
PyObject *keepKeys(PyObject *module, PyObject *arguments);

/// The device of the first tensor in a list that is not in the memory of the
/// CPU, as DLPack has it; the CPU if there is none, None where a tensor cannot
/// be borrowed.
PyObject *findDevice(PyObject *module, PyObject *arguments);

/// Whether objects of a type are tensors.
bool hasDLPack(PyTypeObject *type);

/// A tensor of a call. It may be moved: `getView` is what is passed on.
struct Argument {
  static constexpr int32_t maxRank = 8;

  Tensor tensor;
  /// Holds the buffer as long as `obj` is not null.
  Py_buffer buffer;
  bool isBorrowed = false;
  /// Sizes and strides of what is borrowed: the object's own may change while
  /// other threads run.
  int64_t numbers[2 * maxRank];

  Argument() { buffer.obj = nullptr; }
  Argument(Argument &&other) noexcept;
  Argument &operator=(Argument &&) = delete;
  ~Argument() {
    if (buffer.obj)
      PyBuffer_Release(&buffer);
  }

  const DLTensor *getView();

  /// Reads a tensor that outlives the call. False, without an exception, where
  /// it has to be imported.
  bool borrow(PyObject *object, const Framework &framework);

private:
  bool borrowByTable(PyObject *object, const Framework &framework);
  bool borrowBuffer(PyObject *object);
  bool copyNumbers();
};

} // namespace fuser::python

#endif // FUSER_PYTHON_FRAMEWORK_H
