//===- Context.cpp - fuser.Context: a device ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common.h"
#include <cstring>
#include <string>
#include <utility>

using namespace fuser::python;

namespace {
struct ContextObject {
  PyObject_HEAD std::shared_ptr<Context> *context;
};
} // namespace

static PyTypeObject *contextType = nullptr;

static ContextObject *as(PyObject *self) {
  return reinterpret_cast<ContextObject *>(self);
}

std::shared_ptr<Context> fuser::python::getContext(PyObject *object) {
  if (Py_TYPE(object) == contextType)
    return *as(object)->context;
  Ref name(PyType_GetName(Py_TYPE(object)));
  if (name)
    PyErr_Format(PyExc_TypeError, "expected a fuser.Context, got %S",
                 name.get());
  return nullptr;
}

/// A converter of PyArg_Parse: None, or names such as "races,bounds", to
/// FUSER_CHECK_... bits.
static int parseChecks(PyObject *object, void *checks) {
  if (object == Py_None)
    return 1;
  if (!PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "checks: expected None or a str, got %R",
                 object);
    return 0;
  }
  const char *names = PyUnicode_AsUTF8AndSize(object, nullptr);
  if (!names)
    return 0;
  FuserStatus *status =
      fuser_find_checks(names, static_cast<uint32_t *>(checks));
  if (!status)
    return 1;
  PyErr_Format(PyExc_ValueError, "checks: %s", fuser_status_message(status));
  fuser_status_destroy(status);
  return 0;
}

namespace {
/// The arguments of fuser.Context.
struct Arguments {
  FuserTarget target = FUSER_TARGET_CPU;
  int device = 0, threads = 0;
  uint32_t checks = 0;
  uint64_t seed = 0;

  bool parse(PyObject *args, PyObject *kwargs);
};
} // namespace

bool Arguments::parse(PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"target", "device", "threads",
                                "checks", "seed",   nullptr};
  PyObject *number = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O&iiO&O!:Context",
                                   const_cast<char **>(names), parseTarget,
                                   &target, &device, &threads, parseChecks,
                                   &checks, &PyLong_Type, &number))
    return false;
  if (number)
    seed = PyLong_AsUnsignedLongLong(number);
  return !PyErr_Occurred();
}

static FuserStatus *createContext(const Arguments &arguments,
                                  FuserContext **context) {
  if (arguments.target != FUSER_TARGET_CUDA && arguments.device != 0) {
    std::string text = std::string("expected device 0 of the target '") +
                       fuser_target_name(arguments.target) + "', got " +
                       std::to_string(arguments.device);
    return fuser_status_create(FUSER_INVALID_ARGUMENT, text.c_str());
  }
  switch (arguments.target) {
  case FUSER_TARGET_CPU:
    return fuser_context_create_cpu(arguments.threads, context);
  case FUSER_TARGET_CUDA:
    return fuser_context_create_cuda(arguments.device, context);
  case FUSER_TARGET_SIM:
    return fuser_context_create_sim(arguments.threads, context);
  }
  return fuser_status_create(FUSER_INVALID_ARGUMENT,
                             "expected a target that has a context");
}

static PyObject *create(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  Arguments arguments;
  if (!arguments.parse(args, kwargs))
    return nullptr;
  auto context = std::make_shared<Context>();
  context->checksKernels = arguments.checks != 0;
  FuserStatus *status;
  {
    WithoutGIL released;
    status = createContext(arguments, &context->handle);
    if (!status && (arguments.checks || arguments.seed))
      status = fuser_context_set_simulation(context->handle, arguments.checks,
                                            arguments.seed);
  }
  if (status)
    return raise(status);
  context->ownStream = fuser_context_stream(context->handle);
  context->isOnGPU =
      fuser_context_device(context->handle).device_type == kDLCUDA;
  ContextObject *self = as(PyType_GenericAlloc(type, 0));
  if (self)
    self->context = new std::shared_ptr<Context>(std::move(context));
  return reinterpret_cast<PyObject *>(self);
}

static void destroy(PyObject *self) {
  delete as(self)->context;
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *synchronize(PyObject *self, PyObject *) {
  Context &context = **as(self)->context;
  FuserStatus *status;
  {
    Locked locked(context);
    status = fuser_context_synchronize(context.handle);
  }
  if (status)
    return raise(status);
  Py_RETURN_NONE;
}

static PyObject *getArch(PyObject *self, void *) {
  return makeText(fuser_context_arch((*as(self)->context)->handle));
}

static PyObject *getDeviceName(PyObject *self, void *) {
  return makeText(fuser_context_device_name((*as(self)->context)->handle));
}

bool fuser::python::addContextType(PyObject *module) {
  static PyMethodDef methods[] = {
      {"synchronize", synchronize, METH_NOARGS,
       "Waits for all work that was given to the device."},
      {nullptr, nullptr, 0, nullptr}};
  static PyGetSetDef getters[] = {
      {"arch", getArch, nullptr, "sm_90 and so on, cpu, or sim.", nullptr},
      {"device_name", getDeviceName, nullptr, "The device's name.", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(create)},
      {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
      {Py_tp_methods, methods},
      {Py_tp_getset, getters},
      {Py_tp_doc,
       const_cast<char *>(
           "Context(target='cpu', device=0, threads=0, checks=None, seed=0)\n\n"
           "A device with its memory, streams and threads. For the target sim: "
           "checks, such as 'races,bounds' or 'all', are what is looked for in "
           "the kernels that are compiled for the context, and seed is that of "
           "the order in which blocks and threads take turns.")},
      {0, nullptr}};
  static PyType_Spec spec = {"fuser.Context", sizeof(ContextObject), 0,
                             Py_TPFLAGS_DEFAULT, slots};
  contextType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return contextType &&
         PyModule_AddObjectRef(module, "Context",
                               reinterpret_cast<PyObject *>(contextType)) == 0;
}
