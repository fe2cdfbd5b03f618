//===- Inspect.cpp - What fuser.Executable tells of itself ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser-c/Inspect.h"
#include "Call.h"

using namespace fuser::python;

PyObject *fuser::python::takeText(FuserBytes *bytes) {
  PyObject *text = makeText({static_cast<const char *>(fuser_bytes_data(bytes)),
                             fuser_bytes_size(bytes)});
  fuser_bytes_destroy(bytes);
  return text;
}

bool fuser::python::checkCompiled(const Executable &executable) {
  if (!executable.compiled)
    PyErr_SetString(PyExc_ValueError,
                    "expected a program that was compiled from its text, got "
                    "one that was loaded: it holds no text");
  return executable.compiled;
}

/// Asks for a text about a program that was compiled here.
template <typename Ask>
static PyObject *ask(Executable &executable, Ask ask) {
  if (!checkCompiled(executable))
    return nullptr;
  FuserBytes *bytes = nullptr;
  FuserStatus *status;
  {
    WithoutGIL released;
    status = ask(executable.compiled, &bytes);
  }
  return status ? raise(status) : takeText(bytes);
}

PyObject *fuser::python::printStage(Executable &executable, PyObject *stage) {
  Ref bytes(PyUnicode_Check(stage) ? PyUnicode_AsUTF8String(stage) : nullptr);
  const char *name = bytes ? PyBytes_AsString(bytes.get()) : nullptr;
  if (!name) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "expected the name of a stage, got %R",
                   stage);
    return nullptr;
  }
  return ask(executable, [&](FuserExecutable *compiled, FuserBytes **ir) {
    return fuser_executable_print(compiled, name, ir);
  });
}

PyObject *fuser::python::explain(Executable &executable) {
  return ask(executable, fuser_executable_explain);
}

PyObject *fuser::python::describeAsJson(Executable &executable) {
  return ask(executable, fuser_executable_describe);
}

PyObject *fuser::python::getPtx(Executable &executable) {
  return ask(executable, fuser_executable_get_ptx);
}

/// The texts of a sequence of str and None. False with an exception set.
static bool readSchedules(PyObject *sequence, std::vector<Ref> &texts) {
  Py_ssize_t count = PyUnicode_Check(sequence) ? -1 : PySequence_Size(sequence);
  PyErr_Clear();
  if (count < 0) {
    PyErr_Format(PyExc_TypeError,
                 "schedules: expected a sequence of str and None, one for each "
                 "segment, got %R",
                 sequence);
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref item(PySequence_GetItem(sequence, i));
    if (!item)
      return false;
    if (item.get() == Py_None) {
      texts.emplace_back();
      continue;
    }
    if (!PyUnicode_Check(item.get())) {
      PyErr_Format(PyExc_TypeError,
                   "schedules[%zd]: expected a str or None, got %R", i,
                   item.get());
      return false;
    }
    texts.emplace_back(PyUnicode_AsUTF8String(item.get()));
    if (!texts.back())
      return false;
  }
  return true;
}

PyObject *fuser::python::replaceSchedules(Executable &executable,
                                          PyObject *schedules) {
  std::vector<Ref> texts;
  if (!readSchedules(schedules, texts))
    return nullptr;
  std::vector<const char *> pointers;
  for (const Ref &text : texts)
    pointers.push_back(text ? PyBytes_AsString(text.get()) : nullptr);
  return ask(executable, [&](FuserExecutable *compiled, FuserBytes **text) {
    return fuser_executable_replace_schedules(compiled, pointers.data(),
                                              pointers.size(), text);
  });
}
