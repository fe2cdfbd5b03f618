//===- Captured.cpp - Whether a traced function names what it did ---------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each call of a function that uses more than its arguments asks this, of as
// many places as a model has parts and numbers (fuser/_jit/_captured.py). As a
// rule there is the same object as before, which takes no Python code to see.
//
//===----------------------------------------------------------------------===//

#include "Framework.h"

using namespace fuser::python;

/// A function of a module, which is kept for ever; null with an exception set.
static PyObject *importFunction(const char *module, const char *name) {
  Ref found(PyImport_ImportModule(module));
  return found ? PyObject_GetAttrString(found.get(), name) : nullptr;
}

/// What there is in a place now: get(where, key).
static Ref take(PyObject *get, PyObject *where, PyObject *key) {
  static PyObject *const getItem = importFunction("operator", "getitem");
  static PyObject *const getAttribute = importFunction("builtins", "getattr");
  if (get == getItem)
    return Ref(PyObject_GetItem(where, key));
  if (get == getAttribute)
    return Ref(PyObject_GetAttr(where, key));
  return Ref(PyObject_CallFunctionObjArgs(get, where, key, nullptr));
}

/// Whether the exception that is set says that there is nothing any more; a
/// RuntimeError is that of a dict that another thread changes. Clears it then.
static bool isGone() {
  for (PyObject *type : {PyExc_AttributeError, PyExc_LookupError,
                         PyExc_ValueError, PyExc_RuntimeError})
    if (PyErr_ExceptionMatches(type)) {
      PyErr_Clear();
      return true;
    }
  return false;
}

/// 1 or 0; -1 with an exception set.
static int hasChangedIn(PyObject *source, PyObject *differs) {
  PyObject *get = nullptr, *where = nullptr, *key = nullptr, *value = nullptr;
  if (!PyArg_UnpackTuple(source, "source", 4, 4, &get, &where, &key, &value))
    return -1;
  Ref found = take(get, where, key);
  if (!found)
    return isGone() ? 1 : -1;
  if (found.get() == value)
    return 0;
  Ref answer(
      PyObject_CallFunctionObjArgs(differs, found.get(), value, nullptr));
  return answer ? PyObject_IsTrue(answer.get()) : -1;
}

int fuser::python::haveChanged(PyObject *sources, PyObject *differs) {
  int answer = 0;
  for (Py_ssize_t i = 0, n = PyTuple_Size(sources); answer == 0 && i < n; ++i)
    answer = hasChangedIn(PyTuple_GetItem(sources, i), differs);
  return answer;
}

PyObject *fuser::python::hasChanged(PyObject *, PyObject *arguments) {
  PyObject *sources = nullptr, *differs = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!O", &PyTuple_Type, &sources, &differs))
    return nullptr;
  int answer = haveChanged(sources, differs);
  return answer < 0 ? nullptr : PyBool_FromLong(answer);
}

/// The second of two arguments if `isKept`, else None.
static PyObject *keepIf(bool isKept, PyObject *second) {
  PyObject *result = isKept ? second : Py_None;
  Py_INCREF(result);
  return result;
}

PyObject *fuser::python::keepLength(PyObject *, PyObject *arguments) {
  PyObject *where = nullptr, *length = nullptr;
  if (!PyArg_ParseTuple(arguments, "OO!", &where, &PyLong_Type, &length))
    return nullptr;
  Py_ssize_t own = PyObject_Size(where);
  return own < 0 ? nullptr : keepIf(own == PyLong_AsSsize_t(length), length);
}

/// Whether a dict has these very objects as its keys, in this order.
static bool hasKeys(PyObject *dict, PyObject *keys) {
  if (!PyDict_CheckExact(dict) || PyDict_Size(dict) != PyTuple_Size(keys))
    return false;
  Py_ssize_t position = 0, count = 0;
  PyObject *key = nullptr;
  while (PyDict_Next(dict, &position, &key, nullptr))
    if (key != PyTuple_GetItem(keys, count++))
      return false;
  return true;
}

PyObject *fuser::python::keepKeys(PyObject *, PyObject *arguments) {
  PyObject *where = nullptr, *keys = nullptr;
  if (!PyArg_ParseTuple(arguments, "OO!", &where, &PyTuple_Type, &keys))
    return nullptr;
  if (hasKeys(where, keys))
    return keepIf(true, keys);
  // Keys may be equal that are no longer the same objects.
  Ref own(PySequence_Tuple(where));
  int isEqual = own ? PyObject_RichCompareBool(own.get(), keys, Py_EQ) : -1;
  return isEqual < 0 ? nullptr : keepIf(isEqual != 0, keys);
}
