//===- Import.cpp - Tensors that come from Python -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common.h"

using namespace fuser::python;

namespace {
/// Where a tensor will be used.
struct Consumer {
  const Context &context;
  void *stream;
};
} // namespace

/// The keyword arguments for `__dlpack__`: the version, and on a GPU the
/// stream.
static Ref makeKeywords(PyObject *object, const Consumer &consumer) {
  Ref keywords(PyDict_New());
  Ref version(Py_BuildValue("(ii)", DLPACK_MAJOR_VERSION, 1));
  if (!keywords || !version ||
      PyDict_SetItemString(keywords.get(), "max_version", version.get()) < 0)
    return Ref();
  if (!consumer.context.onGPU())
    return keywords;
  Ref device(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
  int type = 0, ordinal = 0;
  if (!device || !readPair(device.get(), "__dlpack_device__", type, ordinal))
    return Ref();
  if (type != kDLCUDA)
    return keywords;
  // DLPack writes 1 for the default stream, whose handle is null.
  auto handle = reinterpret_cast<uintptr_t>(consumer.stream);
  Ref stream(PyLong_FromSize_t(handle ? handle : 1));
  if (!stream ||
      PyDict_SetItemString(keywords.get(), "stream", stream.get()) < 0)
    return Ref();
  return keywords;
}

/// Calls `object.__dlpack__`, without a version if the object's library is
/// older than that.
static Ref callDLPack(PyObject *object, const Consumer &consumer) {
  Ref method(PyObject_GetAttrString(object, "__dlpack__"));
  Ref keywords = method ? makeKeywords(object, consumer) : Ref();
  Ref none(keywords ? PyTuple_New(0) : nullptr);
  if (!none)
    return Ref();
  Ref capsule(PyObject_Call(method.get(), none.get(), keywords.get()));
  if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError))
    return capsule;
  PyErr_Clear();
  if (PyDict_DelItemString(keywords.get(), "max_version") < 0)
    return Ref();
  return Ref(PyObject_Call(method.get(), none.get(), keywords.get()));
}

template <typename Managed>
static void own(Managed *managed, Tensor &tensor) {
  tensor.view = managed->dl_tensor;
  tensor.owner.reset(managed, [](Managed *self) {
    WithGIL held;
    if (self->deleter)
      self->deleter(self);
  });
}

/// Takes the tensor out of a capsule of struct `Managed`.
template <typename Managed>
static Managed *take(PyObject *capsule, const char *name, const char *used,
                     Tensor &tensor) {
  auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, name));
  if (!managed || PyCapsule_SetName(capsule, used) < 0)
    return nullptr;
  own(managed, tensor);
  return managed;
}

static bool takeTensor(PyObject *capsule, Tensor &tensor) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    auto *managed = take<DLManagedTensorVersioned>(
        capsule, "dltensor_versioned", "used_dltensor_versioned", tensor);
    if (!managed)
      return false;
    tensor.readOnly = managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY;
    if (managed->version.major == DLPACK_MAJOR_VERSION)
      return true;
    PyErr_Format(PyExc_BufferError, "expected DLPack %d, got version %d",
                 DLPACK_MAJOR_VERSION, int(managed->version.major));
    return false;
  }
  if (PyCapsule_IsValid(capsule, "dltensor"))
    return take<DLManagedTensor>(capsule, "dltensor", "used_dltensor", tensor);
  PyErr_Format(PyExc_BufferError,
               "expected a capsule with a tensor that nobody has taken from "
               "__dlpack__, got %R",
               capsule);
  return false;
}

static bool takeCapsule(Ref capsule, Tensor &tensor) {
  bool isTaken = takeTensor(capsule.get(), tensor);
  // What was not taken, the capsule frees.
  WithGIL kept;
  capsule = Ref();
  return isTaken;
}

const fuser_rt::ElementInfo *
fuser::python::findForeignElement(PyObject *object) {
  WithGIL kept;
  Ref dtype(PyObject_GetAttrString(object, "dtype"));
  Ref name(dtype ? PyObject_GetAttrString(dtype.get(), "name") : nullptr);
  PyErr_Clear();
  if (!name || !PyUnicode_Check(name.get()))
    return nullptr;
  for (const fuser_rt::ElementInfo &info : fuser_rt::elementInfos)
    if (isForeign(info.dl) &&
        PyUnicode_CompareWithASCIIString(name.get(), info.numpyName) == 0)
      return &info;
  return nullptr;
}

Ref fuser::python::viewBits(PyObject *object,
                            const fuser_rt::ElementInfo &element) {
  WithGIL kept;
  const char *name = element.bytes == 1 ? "uint8" : "uint16";
  Ref bits(PyObject_CallMethod(object, "view", "s", name));
  PyErr_Clear();
  return bits;
}

bool fuser::python::importTensor(PyObject *object, const Context &context,
                                 void *stream, Tensor &tensor) {
  Consumer consumer{context, stream};
  Ref capsule = callDLPack(object, consumer);
  if (capsule)
    return takeCapsule(std::move(capsule), tensor);
  const fuser_rt::ElementInfo *foreign = findForeignElement(object);
  Ref bits = foreign ? viewBits(object, *foreign) : Ref();
  if (!bits)
    return false;
  PyErr_Clear();
  capsule = callDLPack(bits.get(), consumer);
  if (!capsule || !takeCapsule(std::move(capsule), tensor))
    return false;
  tensor.view.dtype = foreign->dl;
  return true;
}

/// A tensor whose table of C functions exports it: the owner is the tensor.
bool fuser::python::importByTable(PyObject *object,
                                  const DLPackExchangeAPI &exchange,
                                  Tensor &tensor) {
  DLManagedTensorVersioned *managed = nullptr;
  if (exchange.managed_tensor_from_py_object_no_sync(object, &managed) != 0)
    return false;
  own(managed, tensor);
  tensor.readOnly = managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY;
  return true;
}
