//===- Context.cpp - fuser.Context: a device ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common.h"
#include <cstring>

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
  PyErr_SetString(PyExc_TypeError, "expected a fuser.Context");
  return nullptr;
}

static PyObject *create(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"target", "device", "threads", nullptr};
  FuserTarget target = FUSER_TARGET_CPU;
  int device = 0, threads = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O&ii:Context",
                                   const_cast<char **>(names), parseTarget,
                                   &target, &device, &threads))
    return nullptr;
  auto context = std::make_shared<Context>();
  FuserStatus *status;
  {
    WithoutGIL released;
    status = target == FUSER_TARGET_CUDA
                 ? fuser_context_create_cuda(device, &context->handle)
                 : fuser_context_create_cpu(threads, &context->handle);
  }
  if (status)
    return raise(status);
  context->ownStream = fuser_context_stream(context->handle);
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
      {"arch", getArch, nullptr, "sm_90 and so on, or cpu.", nullptr},
      {"device_name", getDeviceName, nullptr, "The device's name.", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(create)},
      {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
      {Py_tp_methods, methods},
      {Py_tp_getset, getters},
      {Py_tp_doc,
       const_cast<char *>("Context(target='cpu', device=0, threads=0)\n\nA "
                          "device with its memory, streams and threads.")},
      {0, nullptr}};
  static PyType_Spec spec = {"fuser.Context", sizeof(ContextObject), 0,
                             Py_TPFLAGS_DEFAULT, slots};
  contextType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return contextType &&
         PyModule_AddObjectRef(module, "Context",
                               reinterpret_cast<PyObject *>(contextType)) == 0;
}
