//===- Framework.cpp - What a type of tensors can do ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Framework.h"
#include <cstring>
#include <unordered_map>

using namespace fuser::python;

static PyObject *mapping = nullptr;

/// By type. Types stay alive as keys of the mapping. Never destroyed: at exit
/// there is no interpreter any more.
static auto &table = *new std::unordered_map<PyTypeObject *, Framework>();

void fuser::python::setFrameworks(PyObject *given) {
  Py_INCREF(given);
  Py_XDECREF(mapping);
  mapping = given;
  table.clear();
}

const Framework *fuser::python::findFramework(PyTypeObject *type) {
  auto found = table.find(type);
  return found == table.end() ? nullptr : &found->second;
}

/// The table of C functions, of the newest version that is known.
static const DLPackExchangeAPI *findExchange(PyTypeObject *type) {
  Ref capsule(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type),
                                     "__dlpack_c_exchange_api__"));
  auto *header =
      capsule ? static_cast<DLPackExchangeAPIHeader *>(
                    PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"))
              : nullptr;
  PyErr_Clear();
  while (header && header->version.major != DLPACK_MAJOR_VERSION)
    header = header->prev_api;
  auto *exchange = reinterpret_cast<const DLPackExchangeAPI *>(header);
  return exchange && exchange->dltensor_from_py_object_no_sync ? exchange
                                                               : nullptr;
}

/// An attribute, null for None. False with an exception set.
static bool read(PyObject *object, const char *name, Ref &result) {
  Ref value(PyObject_GetAttrString(object, name));
  if (!value)
    return false;
  if (value.get() != Py_None)
    result = std::move(value);
  return true;
}

bool fuser::python::hasDLPack(PyTypeObject *type) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject *>(type),
                                "__dlpack__") != 0;
}

const Framework *fuser::python::getFramework(PyTypeObject *type) {
  if (const Framework *known = findFramework(type))
    return known;
  Ref entry(PyObject_GetItem(mapping, reinterpret_cast<PyObject *>(type)));
  Framework framework;
  Ref hasBuffers, isMatrix, isWritable;
  if (!entry || !read(entry.get(), "wrap", framework.wrap) ||
      !read(entry.get(), "wrap_bits", framework.wrapBits) ||
      !read(entry.get(), "stream", framework.stream) ||
      !read(entry.get(), "is_recording", framework.isRecording) ||
      !read(entry.get(), "is_negated", framework.isNegated) ||
      !read(entry.get(), "is_conjugated", framework.isConjugated) ||
      !read(entry.get(), "is_writable", isWritable) ||
      !read(entry.get(), "is_matrix", isMatrix) ||
      !read(entry.get(), "has_buffers", hasBuffers))
    return nullptr;
  framework.hasBuffers = hasBuffers.get() == Py_True;
  framework.isMatrix = isMatrix.get() == Py_True;
  framework.isWritable = isWritable.get() == Py_True;
  framework.exchange = findExchange(type);
  framework.isTensor = hasDLPack(type);
  return &table.emplace(type, std::move(framework)).first->second;
}

void fuser::python::explainRefused(PyObject *where, PyObject *object) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback)
    PyException_SetTraceback(value, traceback);
  Ref named(PyObject_CallMethod(mapping, "explain_refused", "OOO", where,
                                object, value));
  if (!named) {
    PyErr_Clear();
    return PyErr_Restore(type, value, traceback);
  }
  Ref ownType(type), ownTraceback(traceback);
  PyException_SetCause(named.get(), value); // It takes the reference.
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(named.get())),
                  named.get());
}

//===----------------------------------------------------------------------===//
// Borrowing
//===----------------------------------------------------------------------===//

Argument::Argument(Argument &&other) noexcept
    : tensor(std::move(other.tensor)), buffer(other.buffer),
      isBorrowed(other.isBorrowed) {
  other.buffer.obj = nullptr;
  std::memcpy(numbers, other.numbers, sizeof(numbers));
  getView(); // That of `other` may have its numbers.
}

const DLTensor *Argument::getView() {
  DLTensor &view = tensor.view;
  if (isBorrowed) {
    view.shape = numbers;
    view.strides = view.strides ? numbers + maxRank : nullptr;
  }
  return &view;
}

bool Argument::copyNumbers() {
  const DLTensor &view = tensor.view;
  if (view.ndim > maxRank)
    return false;
  for (int32_t i = 0; i < view.ndim; ++i) {
    numbers[i] = view.shape[i];
    if (view.strides)
      numbers[maxRank + i] = view.strides[i];
  }
  isBorrowed = true;
  return true;
}

/// Whether the tensor is one of those whose gradients are being recorded, which
/// are not passed on.
static bool isRecorded(PyObject *object, const Framework &framework) {
  static PyObject *name = PyUnicode_InternFromString("requires_grad");
  Ref required(PyObject_GetAttr(object, name));
  if (required.get() == Py_False)
    return false;
  Ref recording(required
                    ? PyObject_CallObject(framework.isRecording.get(), nullptr)
                    : nullptr);
  PyErr_Clear();
  return recording.get() != Py_False;
}

bool Argument::borrowByTable(PyObject *object, const Framework &framework) {
  if (framework.isRecording && isRecorded(object, framework))
    return false;
  if (framework.exchange->dltensor_from_py_object_no_sync(object,
                                                          &tensor.view) == 0)
    return copyNumbers();
  PyErr_Clear();
  return false;
}

/// The type code of a buffer's format, or -1.
static int findTypeCode(const char *format) {
  if (!format)
    return kDLUInt;
  if (*format == '@' || *format == '=')
    ++format;
  if (*format == 'Z' && format[1] && std::strchr("fd", format[1]) && !format[2])
    return kDLComplex;
  if (!*format || format[1])
    return -1;
  if (std::strchr("fde", *format))
    return kDLFloat;
  if (std::strchr("bhilqn", *format))
    return kDLInt;
  if (std::strchr("BHILQN", *format))
    return kDLUInt;
  return *format == '?' ? kDLBool : -1;
}

/// Whether sizes and strides are whole elements of a known type; notes them.
static bool readNumbers(const Py_buffer &buffer, int64_t *numbers) {
  constexpr int32_t maxRank = Argument::maxRank;
  if (buffer.ndim > maxRank || buffer.itemsize > 16)
    return false;
  for (int i = 0; i < buffer.ndim; ++i) {
    if (buffer.strides[i] % buffer.itemsize != 0)
      return false;
    numbers[i] = buffer.shape[i];
    numbers[maxRank + i] = buffer.strides[i] / buffer.itemsize;
  }
  return true;
}

bool Argument::borrowBuffer(PyObject *object) {
  if (PyObject_GetBuffer(object, &buffer, PyBUF_STRIDES | PyBUF_FORMAT) < 0) {
    buffer.obj = nullptr;
    PyErr_Clear();
    return false;
  }
  int code = findTypeCode(buffer.format);
  if (code < 0 || !readNumbers(buffer, numbers)) {
    PyBuffer_Release(&buffer);
    return false;
  }
  auto bits = uint8_t(8 * buffer.itemsize);
  tensor.view = {buffer.buf,
                 {kDLCPU, 0},
                 buffer.ndim,
                 {uint8_t(code), bits, 1},
                 numbers,
                 numbers + maxRank,
                 0};
  tensor.readOnly = buffer.readonly != 0;
  isBorrowed = true;
  return true;
}

bool Argument::borrow(PyObject *object, const Framework &framework) {
  if (framework.exchange)
    return borrowByTable(object, framework);
  if (!framework.hasBuffers)
    return false;
  if (borrowBuffer(object))
    return true;
  // The view that is borrowed is held by the buffer.
  const fuser_rt::ElementInfo *foreign = findForeignElement(object);
  Ref bits = foreign ? viewBits(object, *foreign) : Ref();
  if (!bits || !borrowBuffer(bits.get()))
    return false;
  tensor.view.dtype = foreign->dl;
  return true;
}
