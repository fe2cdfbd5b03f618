//===- Builder.cpp - fuser._fuser.Builder: programs built op by op --------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API of builders, for the Python classes around it. A value is an int:
// the number of its builder and its own. Whatever has an attribute `_value` is
// a value as an operand; a number is one too.
//
//===----------------------------------------------------------------------===//

#include "Common.h"
#include <deque>

using namespace fuser::python;

namespace {
struct BuilderObject {
  PyObject_HEAD FuserBuilder *handle;
  /// The bytes of the program once it is finished, which threads may ask for at
  /// the same time.
  PyObject *program;
};

/// A list of integers, in which None and what cannot be are open.
struct Integers {
  std::vector<int64_t> values;
  bool isGiven = false;
  const int64_t *get() const { return isGiven ? values.data() : nullptr; }
};

/// Attributes of an op, with the memory that they point to.
struct Attributes {
  std::vector<FuserAttribute> list;
  std::deque<std::vector<int64_t>> integers;
  std::deque<std::vector<double>> floats;
  std::deque<Ref> texts;
};
} // namespace

static FuserBuilder *as(PyObject *self) {
  return reinterpret_cast<BuilderObject *>(self)->handle;
}

static PyObject *makeValue(FuserValue value) {
  return PyLong_FromUnsignedLongLong(uint64_t(value.builder) << 32 |
                                     value.index);
}

/// False with an exception set.
static bool readValue(PyObject *object, FuserValue &value) {
  unsigned long long number = PyLong_AsUnsignedLongLong(object);
  value = {uint32_t(number >> 32), uint32_t(number)};
  return !PyErr_Occurred();
}

/// The text of a str; null with an exception set.
static const char *readText(PyObject *object) {
  if (PyUnicode_Check(object))
    return PyUnicode_AsUTF8AndSize(object, nullptr);
  PyErr_Format(PyExc_TypeError, "expected a str, got %R", object);
  return nullptr;
}

/// A converter of PyArg_Parse: a sequence of integers, or None.
static int parseIntegers(PyObject *object, void *target) {
  auto &integers = *static_cast<Integers *>(target);
  if (object == Py_None)
    return 1;
  integers.isGiven = true;
  Py_ssize_t count = PySequence_Size(object);
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref item(PySequence_GetItem(object, i));
    if (!item)
      return 0;
    if (item.get() == Py_None) {
      integers.values.push_back(FUSER_DYNAMIC);
      continue;
    }
    if (!PyIndex_Check(item.get()) && isNumpyBool(item.get())) {
      integers.values.push_back(PyObject_IsTrue(item.get()));
      continue;
    }
    Ref number(PyNumber_Index(item.get()));
    if (!number)
      return 0;
    integers.values.push_back(PyLong_AsLongLong(number.get()));
    if (PyErr_Occurred())
      return 0;
  }
  // An empty list has memory, too: it is not null.
  integers.values.reserve(1);
  return count >= 0;
}

/// A complex number as a value of the builder, a tensor without dimensions.
static bool makeComplex(FuserBuilder *builder, PyObject *object,
                        FuserValue &value) {
  FuserValue parts[2];
  Ref number(PyObject_CallFunctionObjArgs(
      reinterpret_cast<PyObject *>(&PyComplex_Type), object, nullptr));
  if (!number)
    return false;
  double numbers[] = {PyComplex_RealAsDouble(number.get()),
                      PyComplex_ImagAsDouble(number.get())};
  for (int i = 0; i < 2; ++i) {
    FuserScalar number{};
    number.kind = FuserScalar::FUSER_SCALAR_FLOAT;
    number.value.f = numbers[i];
    if (FuserStatus *status =
            fuser_builder_number(builder, &number, nullptr, &parts[i]))
      return raise(status);
  }
  FuserOpSpec spec{};
  spec.name = "complex";
  spec.operands = parts;
  spec.num_operands = 2;
  FuserStatus *status = fuser_builder_op(builder, &spec, &value, 1, nullptr);
  return !status || raise(status);
}

/// Whether its dtype is one of NumPy's kind `letter`.
static bool hasKind(PyObject *object, const char *letter) {
  Ref dtype(PyObject_GetAttrString(object, "dtype"));
  Ref kind(dtype ? PyObject_GetAttrString(dtype.get(), "kind") : nullptr);
  bool result = kind && PyUnicode_Check(kind.get()) &&
                PyUnicode_CompareWithASCIIString(kind.get(), letter) == 0;
  PyErr_Clear();
  return result;
}

// NumPy's complex64 is no subclass of Python's complex.
bool fuser::python::isComplex(PyObject *object) {
  return PyComplex_Check(object) || hasKind(object, "c");
}

bool fuser::python::isNumpyBool(PyObject *object) {
  return hasKind(object, "b");
}

/// A number as a value of the builder. False with an exception set.
static bool makeNumber(FuserBuilder *builder, PyObject *object,
                       FuserValue &value) {
  if (isComplex(object))
    return makeComplex(builder, object, value);
  FuserScalar number{};
  const char *element = PyBool_Check(object) ? "i1" : nullptr;
  if (!PyIndex_Check(object) && isNumpyBool(object)) {
    element = "i1";
    number.kind = FuserScalar::FUSER_SCALAR_INT;
    number.value.i = PyObject_IsTrue(object);
  } else if (PyIndex_Check(object)) {
    Ref index(PyNumber_Index(object));
    number.kind = FuserScalar::FUSER_SCALAR_INT;
    number.value.i = index ? PyLong_AsLongLong(index.get()) : 0;
  } else {
    number.kind = FuserScalar::FUSER_SCALAR_FLOAT;
    number.value.f = PyFloat_AsDouble(object);
  }
  if (PyErr_Occurred()) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      Ref name(PyType_GetName(Py_TYPE(object)));
      PyErr_Format(PyExc_TypeError,
                   "expected a value of the program or a number, got %S",
                   name.get());
    }
    return false;
  }
  FuserStatus *status = fuser_builder_number(builder, &number, element, &value);
  return !status || raise(status);
}

static bool readOperands(FuserBuilder *builder, PyObject *sequence,
                         std::vector<FuserValue> &operands) {
  Py_ssize_t count = PySequence_Size(sequence);
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref item(PySequence_GetItem(sequence, i));
    if (!item)
      return false;
    operands.emplace_back();
    if (PyFloat_Check(item.get()) || PyLong_Check(item.get())) {
      if (!makeNumber(builder, item.get(), operands.back()))
        return false;
      continue;
    }
    Ref value(PyObject_GetAttrString(item.get(), "_value"));
    if (value ? !readValue(value.get(), operands.back())
              : (PyErr_Clear(),
                 !makeNumber(builder, item.get(), operands.back())))
      return false;
  }
  return count >= 0;
}

static bool hasFloat(PyObject *sequence) {
  Py_ssize_t count = PySequence_Size(sequence);
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref item(PySequence_GetItem(sequence, i));
    // Of NumPy's numbers float64 alone is a float of Python's.
    if (item && !PyIndex_Check(item.get()) && PyNumber_Check(item.get()) &&
        !isNumpyBool(item.get()))
      return true;
  }
  PyErr_Clear();
  return false;
}

/// Reads a list of numbers: floats if one of them is.
static bool readList(PyObject *sequence, Attributes &attributes,
                     FuserAttribute &attribute) {
  if (!hasFloat(sequence)) {
    Integers integers;
    if (!parseIntegers(sequence, &integers))
      return false;
    attributes.integers.push_back(std::move(integers.values));
    attribute.kind = FUSER_ATTRIBUTE_INTS;
    attribute.integers = attributes.integers.back().data();
    attribute.count = attributes.integers.back().size();
    return true;
  }
  std::vector<double> &floats = attributes.floats.emplace_back();
  for (Py_ssize_t i = 0, count = PySequence_Size(sequence); i < count; ++i) {
    Ref item(PySequence_GetItem(sequence, i));
    floats.push_back(item ? PyFloat_AsDouble(item.get()) : 0);
  }
  attribute.kind = FUSER_ATTRIBUTE_FLOATS;
  attribute.floats = floats.data();
  attribute.count = floats.size();
  return !PyErr_Occurred();
}

static bool readAttribute(PyObject *name, PyObject *value,
                          Attributes &attributes) {
  FuserAttribute attribute{};
  attribute.name = readText(name);
  if (!attribute.name)
    return false;
  if (value == Py_None) {
    PyErr_Format(PyExc_TypeError, "expected a value as '%s', got None",
                 attribute.name);
    return false;
  }
  if (PyUnicode_Check(value)) {
    attribute.kind = FUSER_ATTRIBUTE_STRING;
    attribute.string = readText(value);
  } else if (PyIndex_Check(value)) {
    Ref number(PyNumber_Index(value));
    attribute.kind = FUSER_ATTRIBUTE_INT;
    attribute.integer = number ? PyLong_AsLongLong(number.get()) : 0;
  } else if (!readList(value, attributes, attribute)) {
    return false;
  }
  attributes.list.push_back(attribute);
  return !PyErr_Occurred();
}

static bool readAttributes(PyObject *mapping, Attributes &attributes) {
  Ref items(PyMapping_Items(mapping));
  Py_ssize_t count = items ? PySequence_Size(items.get()) : -1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref item(PySequence_GetItem(items.get(), i));
    PyObject *name, *value;
    // The mapping keeps both alive.
    if (!item || !PyArg_ParseTuple(item.get(), "OO", &name, &value) ||
        !readAttribute(name, value, attributes))
      return false;
  }
  return count >= 0;
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

static PyObject *create(PyTypeObject *type, PyObject *args, PyObject *) {
  const char *name;
  if (!PyArg_ParseTuple(args, "z:Builder", &name))
    return nullptr;
  FuserBuilder *builder = nullptr;
  if (FuserStatus *status = fuser_builder_create(name, &builder))
    return raise(status);
  // How many there are follows from arguments, which have no flags beside them.
  if (FuserStatus *status = fuser_builder_set_lists_operands(builder, 0)) {
    fuser_builder_destroy(builder);
    return raise(status);
  }
  PyObject *self = PyType_GenericAlloc(type, 0);
  if (self)
    reinterpret_cast<BuilderObject *>(self)->handle = builder;
  else
    fuser_builder_destroy(builder);
  return self;
}

static void destroy(PyObject *self) {
  fuser_builder_destroy(as(self));
  Py_XDECREF(reinterpret_cast<BuilderObject *>(self)->program);
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/// Sets where in the user's program the rest of a call stands.
static bool setLocation(PyObject *self, const char *file, unsigned line) {
  FuserStatus *status =
      fuser_builder_set_location(as(self), file, line, /*column=*/0);
  return !status || raise(status);
}

static PyObject *addInput(PyObject *self, PyObject *args) {
  const char *file, *name, *element;
  unsigned line;
  Integers sizes, order;
  if (!PyArg_ParseTuple(args, "zIzsO&O&:input", &file, &line, &name, &element,
                        parseIntegers, &sizes, parseIntegers, &order) ||
      !setLocation(self, file, line))
    return nullptr;
  if (order.isGiven && order.values.size() != sizes.values.size()) {
    PyErr_Format(PyExc_ValueError,
                 "expected a stride order of %zu dimensions, got %zu",
                 sizes.values.size(), order.values.size());
    return nullptr;
  }
  FuserInputSpec spec = {name, element, sizes.get(), sizes.values.size(),
                         order.get()};
  FuserValue value;
  FuserStatus *status =
      sizes.isGiven
          ? fuser_builder_input(as(self), &spec, &value)
          : fuser_builder_scalar_input(as(self), name, element, &value);
  return status ? raise(status) : makeValue(value);
}

static PyObject *addNumber(PyObject *self, PyObject *args) {
  const char *file;
  unsigned line;
  PyObject *object;
  FuserValue value;
  if (!PyArg_ParseTuple(args, "zIO:number", &file, &line, &object) ||
      !setLocation(self, file, line) || !makeNumber(as(self), object, value))
    return nullptr;
  return makeValue(value);
}

static PyObject *addOp(PyObject *self, PyObject *args) {
  const char *file, *name;
  unsigned line;
  PyObject *sequence, *mapping;
  std::vector<FuserValue> operands;
  Attributes attributes;
  if (!PyArg_ParseTuple(args, "zIsOO:op", &file, &line, &name, &sequence,
                        &mapping) ||
      !setLocation(self, file, line) ||
      !readOperands(as(self), sequence, operands) ||
      !readAttributes(mapping, attributes))
    return nullptr;
  FuserOpSpec spec = {name, operands.data(), operands.size(),
                      attributes.list.data(), attributes.list.size()};
  std::vector<FuserValue> results(8);
  size_t count = 0;
  if (FuserStatus *status = fuser_builder_op(as(self), &spec, results.data(),
                                             results.size(), &count))
    return raise(status);
  if (count > results.size()) {
    results.resize(count);
    if (FuserStatus *status =
            fuser_builder_last_results(as(self), results.data(), count, &count))
      return raise(status);
  }
  Ref tuple(PyTuple_New(Py_ssize_t(count)));
  for (size_t i = 0; tuple && i < count; ++i) {
    PyObject *value = makeValue(results[i]);
    if (!value || PyTuple_SetItem(tuple.get(), Py_ssize_t(i), value) < 0)
      return nullptr;
  }
  return tuple.release();
}

static PyObject *addOutput(PyObject *self, PyObject *args) {
  const char *file, *name;
  unsigned line;
  PyObject *object, *alias;
  Integers order;
  if (!PyArg_ParseTuple(args, "zIOzO&O:output", &file, &line, &object, &name,
                        parseIntegers, &order, &alias) ||
      !setLocation(self, file, line))
    return nullptr;
  FuserValue value;
  FuserOutputSpec spec = {name, nullptr, {0, 0}};
  if (!readValue(object, value) ||
      (alias != Py_None && !readValue(alias, spec.alias)))
    return nullptr;
  FuserValueType type;
  if (FuserStatus *status = fuser_builder_value_type(as(self), value, &type))
    return raise(status);
  if (order.isGiven && order.values.size() != type.rank) {
    PyErr_Format(PyExc_ValueError,
                 "expected a stride order of %zu dimensions, got %zu",
                 type.rank, order.values.size());
    return nullptr;
  }
  spec.stride_order = order.get();
  if (FuserStatus *status = fuser_builder_output(as(self), value, &spec))
    return raise(status);
  Py_RETURN_NONE;
}

static PyObject *getType(PyObject *self, PyObject *object) {
  FuserValue value;
  FuserValueType type;
  if (!readValue(object, value))
    return nullptr;
  if (FuserStatus *status = fuser_builder_value_type(as(self), value, &type))
    return raise(status);
  if (type.is_scalar)
    return Py_BuildValue("sO", type.element, Py_None);
  Ref sizes(PyTuple_New(Py_ssize_t(type.rank)));
  for (size_t i = 0; sizes && i < type.rank; ++i) {
    bool isOpen = type.sizes[i] == FUSER_DYNAMIC;
    PyObject *size = isOpen ? Py_None : PyLong_FromLongLong(type.sizes[i]);
    if (isOpen)
      Py_INCREF(size);
    if (!size || PyTuple_SetItem(sizes.get(), Py_ssize_t(i), size) < 0)
      return nullptr;
  }
  return sizes ? Py_BuildValue("sO", type.element, sizes.get()) : nullptr;
}

static PyObject *finish(PyObject *self, PyObject *) {
  PyObject *&program = reinterpret_cast<BuilderObject *>(self)->program;
  if (program)
    return Py_NewRef(program);
  FuserBytes *bytes = nullptr;
  if (FuserStatus *status = fuser_builder_finish(as(self), &bytes))
    return raise(status);
  program = PyBytes_FromStringAndSize(
      static_cast<const char *>(fuser_bytes_data(bytes)),
      Py_ssize_t(fuser_bytes_size(bytes)));
  fuser_bytes_destroy(bytes);
  return Py_XNewRef(program);
}

static PyObject *getProgramText(PyObject *self, PyObject *) {
  FuserBytes *bytes = nullptr;
  if (FuserStatus *status = fuser_builder_text(as(self), &bytes))
    return raise(status);
  PyObject *result =
      makeText(std::string(static_cast<const char *>(fuser_bytes_data(bytes)),
                           fuser_bytes_size(bytes)));
  fuser_bytes_destroy(bytes);
  return result;
}

bool fuser::python::addBuilderType(PyObject *module) {
  static PyMethodDef methods[] = {
      {"input", addInput, METH_VARARGS,
       "input(file, line, name, element, sizes, stride_order): a tensor, or a "
       "scalar if sizes is None."},
      {"number", addNumber, METH_VARARGS,
       "number(file, line, number): a bool, an int of 64 bits, or a float."},
      {"op", addOp, METH_VARARGS,
       "op(file, line, name, operands, attributes): its results."},
      {"output", addOutput, METH_VARARGS,
       "output(file, line, value, name, stride_order, alias)"},
      {"type", getType, METH_O,
       "(element, sizes) of a value, sizes None for a scalar."},
      {"finish", finish, METH_NOARGS, "The program, to be compiled."},
      {"text", getProgramText, METH_NOARGS,
       "The text of a program that is finished."},
      {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(create)},
      {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char *>("Builder(name)\n\nA program that is built "
                                     "op by op: fuser-c/Builder.h.")},
      {0, nullptr}};
  static PyType_Spec spec = {"fuser._fuser.Builder", sizeof(BuilderObject), 0,
                             Py_TPFLAGS_DEFAULT, slots};
  Ref type(PyType_FromSpec(&spec));
  return type && PyModule_AddObjectRef(module, "Builder", type.get()) == 0;
}
