//===- Tensor.cpp - fuser.Tensor: tensors that go to Python ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common.h"

using namespace fuser::python;

namespace {
struct TensorObject {
  PyObject_HEAD std::shared_ptr<Context> *context;
  Tensor *tensor;
};

/// What an exported capsule owns: the description, its sizes and strides, and
/// the memory.
template <typename Managed>
struct Export {
  Managed managed{};
  std::vector<int64_t> sizes, strides;
  std::shared_ptr<void> owner;
};
} // namespace

static PyTypeObject *tensorType = nullptr;

static TensorObject *as(PyObject *self) {
  return reinterpret_cast<TensorObject *>(self);
}

PyObject *fuser::python::makeTensor(std::shared_ptr<Context> context,
                                    Tensor tensor) {
  auto *self = as(PyType_GenericAlloc(tensorType, 0));
  if (!self)
    return nullptr;
  self->context = new std::shared_ptr<Context>(std::move(context));
  self->tensor = new Tensor(std::move(tensor));
  return reinterpret_cast<PyObject *>(self);
}

static void destroy(PyObject *self) {
  delete as(self)->tensor;
  delete as(self)->context;
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static const char *capsuleName(DLManagedTensor *) { return "dltensor"; }
static const char *capsuleName(DLManagedTensorVersioned *) {
  return "dltensor_versioned";
}

/// Frees the tensor of a capsule that no one took.
template <typename Managed>
static void destroyCapsule(PyObject *capsule) {
  const char *name = capsuleName(static_cast<Managed *>(nullptr));
  if (!PyCapsule_IsValid(capsule, name))
    return;
  auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}

static void setVersion(DLManagedTensor &, const Tensor &) {}
static void setVersion(DLManagedTensorVersioned &managed,
                       const Tensor &tensor) {
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.flags = tensor.readOnly ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
}

template <typename Managed>
static Managed *makeManaged(const Tensor &tensor) {
  auto *result = new Export<Managed>();
  result->owner = tensor.owner;
  DLTensor &view = result->managed.dl_tensor;
  view = tensor.view;
  result->sizes.assign(view.shape, view.shape + view.ndim);
  view.shape = result->sizes.data();
  if (view.strides) {
    result->strides.assign(view.strides, view.strides + view.ndim);
    view.strides = result->strides.data();
  }
  setVersion(result->managed, tensor);
  result->managed.manager_ctx = result;
  result->managed.deleter = [](Managed *self) {
    delete static_cast<Export<Managed> *>(self->manager_ctx);
  };
  return &result->managed;
}

DLManagedTensorVersioned *fuser::python::exportTensor(const Tensor &tensor) {
  return makeManaged<DLManagedTensorVersioned>(tensor);
}

template <typename Managed>
static PyObject *makeCapsule(const Tensor &tensor) {
  auto *managed = makeManaged<Managed>(tensor);
  PyObject *capsule =
      PyCapsule_New(managed, capsuleName(managed), destroyCapsule<Managed>);
  if (!capsule)
    managed->deleter(managed);
  return capsule;
}

/// Waits for the work on the tensor if the consumer's stream is not the one
/// that does it.
static bool orderStreams(TensorObject *self, PyObject *stream) {
  Context &context = **self->context;
  if (!context.onGPU())
    return true;
  auto own = reinterpret_cast<uintptr_t>(self->tensor->stream);
  if (stream && stream != Py_None) {
    long long wanted = PyLong_AsLongLong(stream);
    if (wanted == -1 && PyErr_Occurred())
      return false;
    if (wanted == -1 || uintptr_t(wanted) == own || (wanted == 1 && !own))
      return true;
  }
  FuserStatus *status;
  {
    Locked locked(context);
    status = fuser_context_set_stream(context.handle, self->tensor->stream);
    if (!status)
      status = fuser_context_synchronize(context.handle);
  }
  return !status || raise(status);
}

bool fuser::python::readPair(PyObject *object, const char *what, int &first,
                             int &second) {
  if (PyTuple_Check(object) && PyArg_ParseTuple(object, "ii", &first, &second))
    return true;
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "expected two integers as %s, got %R", what,
               object);
  return false;
}

static PyObject *dlpack(PyObject *object, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"stream", "max_version", "dl_device", "copy",
                                nullptr};
  PyObject *stream = nullptr, *version = nullptr, *device = nullptr,
           *copy = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__",
                                   const_cast<char **>(names), &stream,
                                   &version, &device, &copy))
    return nullptr;
  TensorObject *self = as(object);
  const DLTensor &view = self->tensor->view;
  if (device && device != Py_None) {
    int type = 0, ordinal = 0;
    if (!readPair(device, "dl_device", type, ordinal))
      return nullptr;
    if (type != view.device.device_type || ordinal != view.device.device_id)
      return PyErr_Format(PyExc_BufferError,
                          "expected device (%d, %d), where the tensor is, got "
                          "(%d, %d)",
                          int(view.device.device_type),
                          int(view.device.device_id), type, ordinal);
  }
  int copies = copy ? PyObject_IsTrue(copy) : 0;
  if (copies < 0)
    return nullptr;
  if (copies) {
    PyErr_SetString(PyExc_BufferError, "a fuser.Tensor is not copied");
    return nullptr;
  }
  if (!orderStreams(self, stream))
    return nullptr;
  int major = 0, minor = 0;
  if (version && version != Py_None &&
      !readPair(version, "max_version", major, minor))
    return nullptr;
  if (major < 1 && self->tensor->readOnly) {
    PyErr_SetString(PyExc_BufferError,
                    "a view of a read-only input is read-only, which only "
                    "DLPack 1.0 and later can say: expected max_version=(1, 0) "
                    "or later");
    return nullptr;
  }
  return major >= 1 ? makeCapsule<DLManagedTensorVersioned>(*self->tensor)
                    : makeCapsule<DLManagedTensor>(*self->tensor);
}

static PyObject *dlpackDevice(PyObject *self, PyObject *) {
  DLDevice device = as(self)->tensor->view.device;
  return Py_BuildValue("(ii)", int(device.device_type), int(device.device_id));
}

/// The same memory as unsigned integers of the same width, for frameworks that
/// lack the type.
static PyObject *bits(PyObject *self, PyObject *) {
  Tensor tensor = *as(self)->tensor;
  DLDataType &type = tensor.view.dtype;
  type = {kDLUInt, uint8_t(type.bits * type.lanes), 1};
  return makeTensor(*as(self)->context, std::move(tensor));
}

static PyObject *makeTuple(const int64_t *values, int32_t count) {
  PyObject *tuple = PyTuple_New(count);
  for (int32_t i = 0; tuple && i < count; ++i)
    PyTuple_SetItem(tuple, i, PyLong_FromLongLong(values[i]));
  return tuple;
}

static PyObject *getShape(PyObject *self, void *) {
  const DLTensor &view = as(self)->tensor->view;
  return makeTuple(view.shape, view.ndim);
}

static PyObject *getStrides(PyObject *self, void *) {
  const DLTensor &view = as(self)->tensor->view;
  if (!view.strides)
    Py_RETURN_NONE;
  return makeTuple(view.strides, view.ndim);
}

static PyObject *getDtype(PyObject *self, void *) {
  DLDataType type = as(self)->tensor->view.dtype;
  if (const fuser_rt::ElementInfo *info = fuser_rt::findElement(type))
    return PyUnicode_FromString(info->numpyName);
  // Bits of a type that a framework lacks.
  return PyUnicode_FromFormat("uint%d", int(type.bits));
}

static PyObject *repr(PyObject *self) {
  Ref shape(getShape(self, nullptr)), dtype(getDtype(self, nullptr));
  if (!shape || !dtype)
    return nullptr;
  const char *where =
      as(self)->tensor->view.device.device_type == kDLCPU ? "CPU" : "GPU";
  return PyUnicode_FromFormat("<fuser.Tensor %R of %S in the memory of the %s>",
                              shape.get(), dtype.get(), where);
}

/// `__array__(dtype=None, copy=None)`: NumPy's array of the same memory, or of
/// a copy: if it is asked for, or where another type needs one, unless `copy`
/// is false.
static PyObject *toArray(PyObject *self, PyObject *args, PyObject *kwargs) {
  PyObject *dtype = Py_None, *copy = Py_None;
  static char *names[] = {const_cast<char *>("dtype"),
                          const_cast<char *>("copy"), nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:__array__", names, &dtype,
                                   &copy))
    return nullptr;
  int copies = PyObject_IsTrue(copy);
  if (copies < 0)
    return nullptr;
  Ref module(PyImport_ImportModule("fuser._frameworks"));
  Ref array(module ? PyObject_CallMethod(module.get(), "to_numpy", "O", self)
                   : nullptr);
  if (!array)
    return nullptr;
  if (dtype == Py_None)
    return copies ? PyObject_CallMethod(array.get(), "copy", nullptr)
                  : array.release();
  // astype(dtype, order, casting, subok, copy)
  PyObject *result =
      PyObject_CallMethod(array.get(), "astype", "OssOO", dtype, "K", "unsafe",
                          Py_True, copies ? Py_True : Py_False);
  if (!result || result == array.get() || copies || copy == Py_None)
    return result;
  Py_DECREF(result);
  Ref own(getDtype(self, nullptr));
  if (own)
    PyErr_Format(
        PyExc_ValueError,
        "expected the type of the tensor, %S, which needs no copy, got "
        "%R with copy=False",
        own.get(), dtype);
  return nullptr;
}

bool fuser::python::addTensorType(PyObject *module) {
  static PyMethodDef methods[] = {
      {"__array__",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(toArray)),
       METH_VARARGS | METH_KEYWORDS, "The tensor as NumPy's array."},
      {"__dlpack__",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(dlpack)),
       METH_VARARGS | METH_KEYWORDS, "The tensor as a DLPack capsule."},
      {"__dlpack_device__", dlpackDevice, METH_NOARGS,
       "DLPack's device type and number."},
      {"_bits", bits, METH_NOARGS,
       "The same memory as unsigned integers of the same width."},
      {nullptr, nullptr, 0, nullptr}};
  static PyGetSetDef getters[] = {
      {"shape", getShape, nullptr, "Sizes.", nullptr},
      {"strides", getStrides, nullptr, "Strides in elements.", nullptr},
      {"dtype", getDtype, nullptr, "The element type, such as bfloat16.",
       nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
      {Py_tp_methods, methods},
      {Py_tp_getset, getters},
      {Py_tp_repr, reinterpret_cast<void *>(repr)},
      {Py_tp_doc, const_cast<char *>("A tensor, for any from_dlpack.")},
      {0, nullptr}};
  static PyType_Spec spec = {
      "fuser.Tensor", sizeof(TensorObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  tensorType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return tensorType &&
         PyModule_AddObjectRef(module, "Tensor",
                               reinterpret_cast<PyObject *>(tensorType)) == 0;
}
