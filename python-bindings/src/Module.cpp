//===- Module.cpp - The extension module fuser._fuser ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Framework.h"
#include "Progress.h"
#include <cstring>

using namespace fuser::python;

PyObject *fuser::python::errorType = nullptr;

PyObject *fuser::python::makeText(const std::string &text) {
  return PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace");
}

PyObject *fuser::python::takeBytes(FuserBytes *bytes) {
  PyObject *result = PyBytes_FromStringAndSize(
      static_cast<const char *>(fuser_bytes_data(bytes)),
      Py_ssize_t(fuser_bytes_size(bytes)));
  fuser_bytes_destroy(bytes);
  return result;
}

PyObject *fuser::python::raise(FuserStatus *status) {
  Ref text(makeText(fuser_status_message(status)));
  Ref error(text ? PyObject_CallFunctionObjArgs(errorType, text.get(), nullptr)
                 : nullptr);
  Ref code(PyLong_FromLong(fuser_status_code(status)));
  fuser_status_destroy(status);
  if (error && code &&
      PyObject_SetAttrString(error.get(), "code", code.get()) == 0)
    PyErr_SetObject(errorType, error.get());
  return nullptr;
}

int fuser::python::parseTarget(PyObject *object, void *target) {
  Ref bytes(PyUnicode_Check(object) ? PyUnicode_AsUTF8String(object) : nullptr);
  if (!bytes) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "expected the name of a target, got %R",
                   object);
    return 0;
  }
  FuserStatus *status = fuser_find_target(PyBytes_AsString(bytes.get()),
                                          static_cast<FuserTarget *>(target));
  if (!status)
    return 1;
  PyErr_SetString(PyExc_ValueError, fuser_status_message(status));
  fuser_status_destroy(status);
  return 0;
}

bool fuser::python::readProgram(PyObject *object, const char *&data,
                                Py_ssize_t &size) {
  if (PyUnicode_Check(object)) {
    data = PyUnicode_AsUTF8AndSize(object, &size);
    if (!data && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
      PyErr_Clear();
      raise(fuser_status_create(
          FUSER_INVALID_ARGUMENT,
          "expected a program's text that UTF-8 can have, got half of a "
          "surrogate pair in it"));
    }
    return data;
  }
  char *bytes = nullptr;
  if (PyBytes_Check(object) &&
      PyBytes_AsStringAndSize(object, &bytes, &size) == 0) {
    data = bytes;
    return true;
  }
  Ref name(PyType_GetName(Py_TYPE(object)));
  if (name)
    PyErr_Format(PyExc_TypeError,
                 "expected a program: its text as a str, or bytes, got %S",
                 name.get());
  return false;
}

static PyObject *compileToBytes(PyObject *, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"text",      "target",        "entry", "arch",
                                "file_name", "check_kernels", "cache", nullptr};
  PyObject *program;
  const char *text;
  Py_ssize_t size;
  FuserCompileOptions options;
  if (!initializeOptions(options) ||
      !PyArg_ParseTupleAndKeywords(
          args, kwargs, "O|O&zzzpp:compile_to_bytes",
          const_cast<char **>(names), &program, parseTarget, &options.target,
          &options.entry, &options.arch, &options.file_name,
          &options.check_kernels, &options.use_cache) ||
      !readProgram(program, text, size))
    return nullptr;
  FuserBytes *bytes = nullptr;
  FuserStatus *status;
  {
    WithoutGIL released;
    status = fuser_compile(text, size_t(size), &options, &bytes);
  }
  return status ? raise(status) : takeBytes(bytes);
}

static PyObject *getOpNames(PyObject *, PyObject *) {
  return makeText(fuser_builder_op_names());
}

static PyObject *getElementwiseNames(PyObject *, PyObject *count) {
  size_t numOperands = PyLong_AsSize_t(count);
  if (PyErr_Occurred())
    return nullptr;
  return makeText(fuser_builder_elementwise_names(numOperands));
}

static PyObject *getOtherNames(PyObject *, PyObject *args) {
  const char *library;
  Py_ssize_t numOperands;
  if (!PyArg_ParseTuple(args, "sn:_other_names", &library, &numOperands))
    return nullptr;
  return makeText(fuser_builder_other_names(library, size_t(numOperands)));
}

static PyObject *getElementInfo(PyObject *, PyObject *name) {
  Ref utf8(PyUnicode_AsUTF8String(name));
  if (!utf8)
    return nullptr;
  FuserElementInfo info;
  const char *text = PyBytes_AsString(utf8.get());
  if (FuserStatus *status = fuser_element_info(text, &info))
    return raise(status);
  static constexpr const char *names[] = {"float", "signed", "unsigned", "bool",
                                          "complex"};
  return Py_BuildValue("(sI)", names[info.kind], info.bits);
}

static PyObject *checkTarget(PyObject *, PyObject *name) {
  FuserTarget target;
  return parseTarget(name, &target) ? Py_NewRef(name) : nullptr;
}

static PyObject *setFrameworksOf(PyObject *, PyObject *mapping) {
  setFrameworks(mapping);
  Py_RETURN_NONE;
}

/// ELEMENTS: names of element types in the program's text, and what NumPy and
/// PyTorch call them.
static bool addElements(PyObject *module) {
  Ref elements(PyDict_New());
  for (const fuser_rt::ElementInfo &info : fuser_rt::elementInfos) {
    if (!info.isOfTensors)
      continue;
    Ref name(PyUnicode_FromString(info.numpyName));
    if (!elements || !name ||
        PyDict_SetItemString(elements.get(), info.name, name.get()) < 0)
      return false;
  }
  return PyModule_AddObjectRef(module, "ELEMENTS", elements.get()) == 0;
}

static PyMethodDef methods[] = {
    {"compile_to_bytes",
     reinterpret_cast<PyCFunction>(
         reinterpret_cast<void (*)()>(compileToBytes)),
     METH_VARARGS | METH_KEYWORDS,
     "compile_to_bytes(text, target='cpu', entry=None, arch=None, "
     "file_name=None, check_kernels=False, cache=True)\n\nThe bytes of the "
     "compiled "
     "program: the content of a .fx file. Needs no GPU. check_kernels: for "
     "the target sim, so that a Context with checks has something to check."},
    {"_op_names", getOpNames, METH_NOARGS,
     "The names of all ops of a builder, separated by spaces."},
    {"_elementwise_names", getElementwiseNames, METH_O,
     "Those of them that are ops of the dialect, element by element, of so "
     "many operands, 1 or 2, without attributes."},
    {"_other_names", getOtherNames, METH_VARARGS,
     "_other_names(library, num_operands)\n\nWhat a library (array_api, numpy, "
     "torch, nvfuser) calls ops that have another name here: its name and the "
     "one here, in turn, separated by spaces. Of ops element by element of so "
     "many operands; 0: of all the others."},
    {"_element_info", getElementInfo, METH_O,
     "_element_info(name)\n\n(kind, bits) of an element type by its name in "
     "a program's text. Kinds: float, signed, unsigned, bool, complex."},
    {"_check_target", checkTarget, METH_O,
     "_check_target(name)\n\nThe name of a target; a ValueError if there is "
     "none of it, which lists those that there are."},
    {"_call_known",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(callKnown)),
     METH_FASTCALL,
     "_call_known(known, detail, differs, args, kwargs)\n\n(program, "
     "results) of the program that is known for these arguments, unless one "
     "of its sources differs (see _has_changed); else (None, key). The key "
     "has what a program depends on: element types, numbers of dimensions, "
     "sizes of 1, the device of the first tensor, and other values: of "
     "objects that are equal to themselves alone weak references; with a "
     "detail of 1 types of tensors, too, of 2 these and sizes. It is None "
     "for tensors that cannot be borrowed, and what is rare."},
    {"_has_changed", hasChanged, METH_VARARGS,
     "_has_changed(sources, differs)\n\nWhether there is something else in "
     "one of the places that a function took something of. Each is (get, "
     "where, key, value): value = get(where, key). differs(found, value) is "
     "asked of another object."},
    {"_keep_length", keepLength, METH_VARARGS,
     "_keep_length(where, length)\n\nThis length, if it still is that of a "
     "list: two numbers of the same value may be two objects."},
    {"_keep_keys", keepKeys, METH_VARARGS,
     "_keep_keys(where, keys)\n\nThese keys, if they still are those of a "
     "dict."},
    {"_find_device", findDevice, METH_O,
     "Kind and number of the device of the first tensor in a list that is "
     "not on the CPU, as DLPack has them; those of the CPU if there is none. "
     "None where a tensor cannot be borrowed."},
    {"_set_frameworks", setFrameworksOf, METH_O,
     "Sets the mapping from a tensor's type to its framework."},
    {"_set_progress", setProgress, METH_O,
     "Sets the function that is called before each compilation; None: none "
     "is."},
    {"_compilations", getCompilations, METH_NOARGS,
     "Of each compilation that is under way: for how many seconds it has "
     "been, and the name of the step that it is at."},
    {nullptr, nullptr, 0, nullptr}};

PyMODINIT_FUNC PyInit__fuser() {
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   "_fuser",
                                   "The compiler and its runtime.",
                                   -1,
                                   methods,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr};
  Ref module(PyModule_Create(&definition));
  if (!module)
    return nullptr;
  errorType = PyErr_NewExceptionWithDoc(
      "fuser.Error",
      "An error of the compiler or the runtime; code is its FuserStatusCode.",
      nullptr, nullptr);
  if (!errorType || PyModule_AddObjectRef(module.get(), "Error", errorType) < 0)
    return nullptr;
  if (!addTensorType(module.get()) || !addContextType(module.get()) ||
      !addExecutableType(module.get()) || !addBuilderType(module.get()) ||
      !addElements(module.get()))
    return nullptr;
  return module.release();
}
