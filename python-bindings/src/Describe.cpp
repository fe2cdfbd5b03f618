//===- Describe.cpp - What a traced program depends on of a tensor --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Framework.h"

using namespace fuser::python;

/// Whether a tensor's elements are those in memory with the other sign, of
/// which DLPack knows nothing: -1 with an exception set.
static int isNegated(PyObject *object, const Framework &framework) {
  if (!framework.isNegated)
    return 0;
  Ref answer(
      PyObject_CallFunctionObjArgs(framework.isNegated.get(), object, nullptr));
  return answer ? PyObject_IsTrue(answer.get()) : -1;
}

/// Element type, number of dimensions and which sizes are 1, as one number.
static uint64_t describeType(const DLTensor &view) {
  static_assert(Argument::maxRank <= 8, "a bit for each size");
  uint64_t ones = 0;
  for (int32_t i = 0; i < view.ndim; ++i)
    ones |= uint64_t(view.shape[i] == 1) << i;
  return ones | uint64_t(view.ndim) << 8 | uint64_t(view.dtype.code) << 16 |
         uint64_t(view.dtype.bits) << 24 | uint64_t(view.dtype.lanes) << 32;
}

/// Adds a tensor to what is known of all. False where it cannot be borrowed, or
/// with an exception set.
static bool add(PyObject *object, std::vector<uint64_t> &numbers) {
  PyTypeObject *type = Py_TYPE(object);
  const Framework *framework = findFramework(type);
  // Nothing is noted of types that are no tensors, of which there may be many.
  if (!framework && hasDLPack(type))
    framework = getFramework(type);
  Argument argument;
  if (!framework || !framework->isTensor ||
      !argument.borrow(object, *framework))
    return false;
  int negated = isNegated(object, *framework);
  if (negated > 0)
    PyErr_SetString(PyExc_ValueError,
                    "expected arrays without the negative bit, got a tensor "
                    "with it: pass tensor.resolve_neg()");
  if (negated != 0)
    return false;
  const DLTensor &view = *argument.getView();
  if (numbers.empty())
    numbers.push_back(uint64_t(view.device.device_type) << 32 |
                      uint32_t(view.device.device_id));
  numbers.push_back(describeType(view));
  return true;
}

PyObject *fuser::python::describe(PyObject *, PyObject *objects) {
  if (!PyTuple_Check(objects)) {
    PyErr_SetString(PyExc_TypeError, "expected a tuple");
    return nullptr;
  }
  Py_ssize_t count = PyTuple_Size(objects);
  std::vector<uint64_t> numbers;
  numbers.reserve(size_t(count) + 1);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (add(PyTuple_GetItem(objects, i), numbers))
      continue;
    if (PyErr_Occurred())
      return nullptr;
    Py_RETURN_NONE;
  }
  return PyBytes_FromStringAndSize(
      reinterpret_cast<const char *>(numbers.data()),
      Py_ssize_t(numbers.size() * sizeof(uint64_t)));
}
