//===- Call.cpp - One call of a program from Python -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include <string>

using namespace fuser::python;

static PyObject *frameworks = nullptr;

void fuser::python::setFrameworks(PyObject *mapping) {
  Py_INCREF(mapping);
  Py_XDECREF(frameworks);
  frameworks = mapping;
}

namespace {
enum class Kind { Input, Scalar, Output };
} // namespace

/// "program 'f': input 1 'y'", as the runtime calls it.
static std::string describe(const FuserProgram *program, Kind kind,
                            size_t index) {
  static constexpr struct {
    const char *kind;
    const char *(*name)(const FuserProgram *, size_t);
  } kinds[] = {{"input", fuser_program_input_name},
               {"scalar", fuser_program_scalar_name},
               {"output", fuser_program_output_name}};
  const auto &entry = kinds[size_t(kind)];
  return std::string("program '") + fuser_program_name(program) +
         "': " + entry.kind + " " + std::to_string(index) + " '" +
         entry.name(program, index) + "'";
}

/// Raises a ValueError; false.
static bool refuse(const std::string &why) {
  if (Ref text(makeText(why)); text)
    PyErr_SetObject(PyExc_ValueError, text.get());
  return false;
}

bool Call::chooseFramework(PyObject *tensor) {
  Ref entry(PyObject_GetItem(frameworks,
                             reinterpret_cast<PyObject *>(Py_TYPE(tensor))));
  if (!entry)
    return false;
  PyObject *convert, *current;
  if (!PyArg_ParseTuple(entry.get(), "OO", &convert, &current))
    return false;
  Py_INCREF(convert);
  wrap = Ref(convert);
  if (current == Py_None || !executable.context->onGPU())
    return true;
  int device = fuser_context_device(executable.context->handle).device_id;
  Ref handle(PyObject_CallFunction(current, "i", device));
  sharesStream = true;
  stream = handle ? PyLong_AsVoidPtr(handle.get()) : nullptr;
  return !PyErr_Occurred();
}

bool Call::readTensor(PyObject *object) {
  if (inputs.empty() && !chooseFramework(object))
    return false;
  inputs.emplace_back();
  inputObjects.push_back(object);
  return importTensor(object, *executable.context, stream, inputs.back());
}

/// True for a numpy.bool_, which is no integer to Python.
static bool isNumpyBool(PyObject *object) {
  Ref dtype(PyObject_GetAttrString(object, "dtype"));
  Ref kind(dtype ? PyObject_GetAttrString(dtype.get(), "kind") : nullptr);
  bool result = kind && PyUnicode_Check(kind.get()) &&
                PyUnicode_CompareWithASCIIString(kind.get(), "b") == 0;
  PyErr_Clear();
  return result;
}

/// An integer of 64 bits. 0 with an exception set if it is none.
int64_t Call::readInteger(PyObject *object) {
  Ref number(PyNumber_Index(object));
  if (!number)
    return 0;
  int64_t value = PyLong_AsLongLong(number.get());
  if (!PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_OverflowError))
    return value;
  PyErr_Clear();
  Ref where(
      makeText(describe(executable.program, Kind::Scalar, scalars.size())));
  if (where)
    PyErr_Format(PyExc_ValueError,
                 "%U: expected an integer of -2**63 to 2**63 - 1, or a float, "
                 "got %R",
                 where.get(), number.get());
  return 0;
}

bool Call::readNumber(PyObject *object) {
  FuserScalar scalar;
  if (PyIndex_Check(object)) {
    scalar.kind = FuserScalar::FUSER_SCALAR_INT;
    scalar.value.i = readInteger(object);
  } else if (isNumpyBool(object)) {
    scalar.kind = FuserScalar::FUSER_SCALAR_INT;
    scalar.value.i = PyObject_IsTrue(object);
  } else {
    scalar.kind = FuserScalar::FUSER_SCALAR_FLOAT;
    scalar.value.f = PyFloat_AsDouble(object);
  }
  if (PyErr_Occurred())
    return false;
  scalars.push_back(scalar);
  return true;
}

bool Call::readArguments(PyObject *args) {
  Py_ssize_t count = PyTuple_Size(args);
  inputs.reserve(size_t(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *object = PyTuple_GetItem(args, i);
    bool isTensor = PyObject_HasAttrString(object, "__dlpack__");
    bool isNumber =
        PyLong_Check(object) || PyFloat_Check(object) ||
        (!isTensor && (PyIndex_Check(object) ||
                       PyObject_HasAttrString(object, "__float__")));
    if (!isNumber && !isTensor) {
      Ref name(PyObject_GetAttrString(
          reinterpret_cast<PyObject *>(Py_TYPE(object)), "__name__"));
      PyErr_Format(PyExc_TypeError,
                   "argument %zd: expected a number or a tensor with "
                   "__dlpack__, got %S",
                   i, name.get());
      return false;
    }
    if (!(isNumber ? readNumber(object) : readTensor(object)))
      return false;
  }
  return checkKinds();
}

bool Call::checkKinds() {
  size_t tensors = fuser_program_num_inputs(executable.program),
         numbers = fuser_program_num_scalars(executable.program);
  bool isTensorMissing = inputs.size() < tensors && scalars.size() > numbers;
  bool isNumberMissing = inputs.size() > tensors && scalars.size() < numbers;
  if (!isTensorMissing && !isNumberMissing)
    return true;
  std::string text =
      std::string("program '") + fuser_program_name(executable.program) +
      "': expected " + std::to_string(tensors) + " tensors and " +
      std::to_string(numbers) + " numbers, got " +
      std::to_string(inputs.size()) + " and " + std::to_string(scalars.size()) +
      (isTensorMissing ? ": a number is no tensor, but numpy.asarray(number) is"
                       : ": a tensor is no number, but tensor.item() is");
  raise(fuser_status_create(FUSER_INVALID_ARGUMENT, text.c_str()));
  return false;
}

bool Call::readOutput(PyObject *object, size_t index) {
  if (object == Py_None)
    return true;
  Tensor &tensor = preallocated[index];
  if (!importTensor(object, *executable.context, stream, tensor))
    return false;
  if (tensor.readOnly)
    return refuse(describe(executable.program, Kind::Output, index) +
                  ": expected a writable tensor, got a read-only one");
  outputs[index].preallocated = &tensor.view;
  outputObjects[index] = object;
  return true;
}

bool Call::readOutputs(PyObject *out) {
  size_t count = fuser_program_num_outputs(executable.program);
  outputs.assign(count, FuserOutput{nullptr, nullptr});
  outputObjects.assign(count, nullptr);
  preallocated.resize(count);
  if (!out)
    return true;
  if (!PyTuple_Check(out) && !PyList_Check(out)) {
    if (count == 1)
      return readOutput(out, 0);
    PyErr_Format(PyExc_TypeError,
                 "expected out to be a sequence of %zu tensors or None", count);
    return false;
  }
  Py_ssize_t given = PySequence_Size(out);
  if (size_t(given) != count) {
    PyErr_Format(PyExc_ValueError, "expected %zu outputs in out, got %zd",
                 count, given);
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    // The sequence keeps its item alive.
    Ref item(PySequence_GetItem(out, Py_ssize_t(i)));
    if (!item || !readOutput(item.get(), i))
      return false;
  }
  return true;
}

bool Call::checkWritable() {
  for (size_t i = 0; i < outputs.size(); ++i) {
    size_t input = 0;
    if (fuser_program_output_alias(executable.program, i, &input) ==
            FUSER_OUTPUT_REUSE &&
        input < inputs.size() && inputs[input].readOnly)
      return refuse(describe(executable.program, Kind::Input, input) +
                    ": expected a writable tensor because output " +
                    std::to_string(i) + " '" +
                    fuser_program_output_name(executable.program, i) +
                    "' is written into it, got a read-only one");
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].readOnly && fuser_program_writes_input(executable.program, i))
      return refuse(describe(executable.program, Kind::Input, i) +
                    ": expected a writable tensor because the program may "
                    "write into it, got a read-only one");
  return true;
}

namespace {
/// A tensor that the runtime made.
struct Made {
  DLManagedTensorVersioned *managed;
  /// The input whose memory it is a view of.
  std::shared_ptr<void> base;

  explicit Made(DLManagedTensorVersioned *managed) : managed(managed) {}
  Made(const Made &) = delete;
  ~Made() {
    WithoutGIL released;
    if (managed->deleter)
      managed->deleter(managed);
  }
};
} // namespace

/// An output that the runtime made, as what Python gets.
PyObject *Call::getResult(size_t index) {
  if (outputObjects[index]) {
    Py_INCREF(outputObjects[index]);
    return outputObjects[index];
  }
  auto made = std::make_shared<Made>(outputs[index].tensor);
  outputs[index].tensor = nullptr;
  size_t input = 0;
  FuserOutputAlias alias =
      fuser_program_output_alias(executable.program, index, &input);
  if (alias == FUSER_OUTPUT_REUSE) {
    Py_INCREF(inputObjects[input]);
    return inputObjects[input];
  }
  Tensor tensor;
  tensor.view = made->managed->dl_tensor;
  tensor.stream = stream;
  if (alias == FUSER_OUTPUT_VIEW) {
    made->base = inputs[input].owner;
    tensor.readOnly = inputs[input].readOnly;
  }
  tensor.owner = std::move(made);
  Ref result(makeTensor(executable.context, std::move(tensor)));
  if (!result || !wrap || wrap.get() == Py_None)
    return result.release();
  return PyObject_CallFunctionObjArgs(wrap.get(), result.get(), nullptr);
}

Call::~Call() {
  // Outputs that were made before something else failed.
  for (FuserOutput &output : outputs)
    if (output.tensor)
      Made dropped(output.tensor);
}

FuserStatus *Call::execute() {
  std::vector<const DLTensor *> pointers;
  for (const Tensor &input : inputs)
    pointers.push_back(&input.view);
  FuserContext *context = executable.context->handle;
  Locked locked(*executable.context);
  if (FuserStatus *status = fuser_context_set_stream(context, stream))
    return status;
  if (FuserStatus *status = fuser_program_run(
          executable.program, pointers.data(), pointers.size(), scalars.data(),
          scalars.size(), outputs.data(), outputs.size()))
    return status;
  // The inputs' memory may be reused by other streams as soon as this returns.
  return executable.context->onGPU() && !sharesStream
             ? fuser_context_synchronize(context)
             : nullptr;
}

PyObject *Call::run() {
  if (!checkWritable())
    return nullptr;
  if (FuserStatus *status = execute())
    return raise(status);
  if (outputs.size() == 1)
    return getResult(0);
  Ref tuple(PyTuple_New(Py_ssize_t(outputs.size())));
  for (size_t i = 0; tuple && i < outputs.size(); ++i) {
    PyObject *result = getResult(i);
    if (!result || PyTuple_SetItem(tuple.get(), Py_ssize_t(i), result) < 0)
      return nullptr;
  }
  return tuple.release();
}
