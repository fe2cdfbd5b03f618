//===- Call.cpp - One call of a program from Python -----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "fuser-c/Inspect.h"
#include <chrono>
#include <string>

using namespace fuser::python;

void CallLists::clear() {
  inputObjects.clear();
  outputObjects.clear();
  inputs.clear();
  preallocated.clear();
  views.clear();
  scalars.clear();
  outputs.clear();
}

void Executable::describe() {
  inputs.resize(fuser_program_num_inputs(program));
  numScalars = fuser_program_num_scalars(program);
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs[i].isWritten = fuser_program_writes_input(program, i) != 0;
  for (size_t i = 0; i < fuser_program_num_outputs(program); ++i) {
    Output output{FUSER_OUTPUT_NEW, 0};
    output.alias = fuser_program_output_alias(program, i, &output.input);
    if (output.alias == FUSER_OUTPUT_VIEW)
      inputs[output.input].isViewed = true;
    outputs.push_back(output);
  }
}

static std::unique_ptr<CallLists> takeLists(Executable &executable) {
  if (executable.idle.empty())
    return std::make_unique<CallLists>();
  auto lists = std::move(executable.idle.back());
  executable.idle.pop_back();
  return lists;
}

Call::Call(std::shared_ptr<Executable> called)
    : held(std::move(called)), executable(*held), owned(takeLists(executable)),
      lists(*owned), stream(executable.context->ownStream) {}

Call::~Call() {
  // Outputs that were made before something else failed.
  dropOutputs();
  lists.clear();
  executable.idle.push_back(std::move(owned));
}

using Place = Call::Place;
using Kind = Place::Kind;

/// "program 'f': input 1 'y'", as the runtime calls it.
static std::string describe(const FuserProgram *program, Place place) {
  auto [kind, index] = place;
  if (kind == Kind::Input && index >= fuser_program_num_inputs(program))
    return std::string("program '") + fuser_program_name(program) +
           "': argument " + std::to_string(index);
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

bool Call::chooseFramework(const Framework &chosen) {
  framework = &chosen;
  if (!executable.context->onGPU() || (!chosen.exchange && !chosen.stream))
    return true;
  int device = fuser_context_device(executable.context->handle).device_id;
  sharesStream = true;
  stream = nullptr;
  if (chosen.exchange)
    return chosen.exchange->current_work_stream(kDLCUDA, device, &stream) == 0;
  Ref handle(PyObject_CallFunction(chosen.stream.get(), "i", device));
  if (handle)
    stream = PyLong_AsVoidPtr(handle.get());
  return !PyErr_Occurred();
}

const Executable::Input &Call::getUse(Place place) const {
  static constexpr Executable::Input surplus, written{true, false};
  if (place.kind == Kind::Output)
    return written;
  return place.index < executable.inputs.size() ? executable.inputs[place.index]
                                                : surplus;
}

/// Whether a tensor can be of imaginary parts, which are every other number in
/// memory. Of PyTorch's tensors these alone have the negative bit, but for
/// those of torch._neg_view and as_strided; to ask each would cost as much as
/// all else of a call (docs/rationale/frontend.md). Complex tensors are asked:
/// any may have the conjugate bit.
static bool mayBeNegated(const DLTensor &tensor) {
  if (tensor.dtype.code == kDLComplex)
    return true;
  for (int dim = 0; dim < tensor.ndim; ++dim)
    if (tensor.shape[dim] > 1 &&
        (!tensor.strides || tensor.strides[dim] % 2 != 0))
      return false;
  return true;
}

/// Refuses a tensor whose elements are those in memory with the other sign, of
/// which DLPack knows nothing. False with an exception set.
bool Call::checkSign(PyObject *object, const Framework &own, Place place) {
  const std::pair<const Ref *, const char *> bits[] = {
      {&own.isNegated, "negative bit, got one with it: pass "
                       "tensor.resolve_neg()"},
      {&own.isConjugated, "conjugate bit, got one with it: pass "
                          "tensor.resolve_conj()"}};
  for (auto [question, name] : bits) {
    if (!*question)
      continue;
    Ref answer(PyObject_CallFunctionObjArgs(question->get(), object, nullptr));
    if (answer.get() != Py_False)
      return answer && refuse(describe(executable.program, place) +
                              ": expected a tensor without the " + name);
  }
  return true;
}

bool Call::readTensorAs(PyObject *object, const Framework &own,
                        Argument &argument, Place place) {
  const Executable::Input &use = getUse(place);
  // What is borrowed waits for no stream.
  bool isOrdered = !executable.context->onGPU() ||
                   (own.exchange && own.exchange == framework->exchange);
  // A view needs an owner, and what is borrowed by the table does not say
  // whether it is read-only.
  bool isBorrowable =
      !use.isViewed && (!use.isWritten || own.isWritable || own.hasBuffers);
  bool isBorrowed =
      isOrdered && (argument.isBorrowed || argument.borrow(object, own));
  if (isBorrowed && isBorrowable)
    return !mayBeNegated(argument.tensor.view) || checkSign(object, own, place);
  if (!checkSign(object, own, place))
    return false;
  bool isInTable = isBorrowed && own.exchange;
  argument.isBorrowed = false;
  bool isRead =
      isInTable
          ? importByTable(object, *own.exchange, argument.tensor)
          : importTensor(object, *executable.context, stream, argument.tensor);
  return isRead || refuseTensor(object, place);
}

/// Says of the exception that is set which argument it is about; false.
bool Call::refuseTensor(PyObject *object, Place place) {
  bool isOfTensor = PyErr_ExceptionMatches(PyExc_BufferError) ||
                    PyErr_ExceptionMatches(PyExc_TypeError) ||
                    PyErr_ExceptionMatches(PyExc_RuntimeError);
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  Ref where(makeText(describe(executable.program, place)));
  PyErr_Restore(type, value, traceback);
  if (isOfTensor && where)
    explainRefused(where.get(), object);
  return false;
}

bool Call::readTensor(PyObject *object, std::optional<Argument> read) {
  const Framework *own = getFramework(Py_TYPE(object));
  size_t index = lists.inputs.size();
  if (!own)
    return refuseTensor(object, {Kind::Input, index});
  if (!framework && !chooseFramework(*own))
    return false;
  lists.inputObjects.push_back(object);
  if (read)
    lists.inputs.push_back(std::move(*read));
  else
    lists.inputs.emplace_back();
  return readTensorAs(object, *own, lists.inputs.back(), {Kind::Input, index});
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
  Ref where(makeText(
      describe(executable.program, {Kind::Scalar, lists.scalars.size()})));
  if (where)
    PyErr_Format(PyExc_ValueError,
                 "%U: expected an integer of -2**63 to 2**63 - 1, or a float, "
                 "got %R",
                 where.get(), number.get());
  return 0;
}

bool Call::readNumber(PyObject *object) {
  FuserScalar scalar;
  if (PyFloat_CheckExact(object)) {
    scalar.kind = FuserScalar::FUSER_SCALAR_FLOAT;
    scalar.value.f = PyFloat_AsDouble(object);
  } else if (PyIndex_Check(object)) {
    scalar.kind = FuserScalar::FUSER_SCALAR_INT;
    scalar.value.i = readInteger(object);
  } else if (isNumpyBool(object)) {
    scalar.kind = FuserScalar::FUSER_SCALAR_INT;
    scalar.value.i = PyObject_IsTrue(object);
  } else if (isComplex(object)) {
    Ref where(makeText(
        describe(executable.program, {Kind::Scalar, lists.scalars.size()})));
    if (where)
      PyErr_Format(PyExc_TypeError, "%U: expected a real number, got %R",
                   where.get(), object);
  } else {
    scalar.kind = FuserScalar::FUSER_SCALAR_FLOAT;
    scalar.value.f = PyFloat_AsDouble(object);
  }
  if (PyErr_Occurred())
    return false;
  lists.scalars.push_back(scalar);
  return true;
}

bool Call::readArgument(PyObject *object, Py_ssize_t index) {
  if (findFramework(Py_TYPE(object)))
    return readTensor(object);
  bool isTensor = PyObject_HasAttrString(object, "__dlpack__");
  bool isNumber = PyLong_Check(object) || PyFloat_Check(object) ||
                  (!isTensor && (PyIndex_Check(object) ||
                                 PyObject_HasAttrString(object, "__float__")));
  if (isNumber || isTensor)
    return isNumber ? readNumber(object) : readTensor(object);
  Ref name(PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)),
                                  "__name__"));
  if (name)
    PyErr_Format(PyExc_TypeError,
                 "argument %zd: expected a number or a tensor with "
                 "__dlpack__, got %S",
                 index, name.get());
  return false;
}

bool Call::readArguments(PyObject *args, Py_ssize_t first) {
  Py_ssize_t count = PyTuple_Size(args);
  lists.inputs.reserve(size_t(count));
  for (Py_ssize_t i = first; i < count; ++i) {
    PyObject *object = PyTuple_GetItem(args, i);
    bool isPlain = PyFloat_CheckExact(object) || PyLong_CheckExact(object);
    if (!(isPlain ? readNumber(object) : readArgument(object, i - first)))
      return false;
  }
  return areKindsRight() || refuseKinds([&](Py_ssize_t i) {
           return first + i < count ? PyTuple_GetItem(args, first + i)
                                    : nullptr;
         });
}

bool Call::readLeaves(std::vector<Leaf> &leaves, PyObject *captured) {
  Py_ssize_t index = 0, count = PyList_Size(captured);
  lists.inputs.reserve(leaves.size() + size_t(count));
  for (Leaf &leaf : leaves) {
    PyObject *object = leaf.object.get();
    bool isRead = leaf.argument ? readTensor(object, std::move(leaf.argument))
                                : readArgument(object, index);
    if (!isRead)
      return false;
    ++index;
  }
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!readArgument(PyList_GetItem(captured, i), index + i))
      return false;
  return areKindsRight() || refuseKinds([&](Py_ssize_t i) -> PyObject * {
           if (i < index)
             return leaves[size_t(i)].object.get();
           return i - index < count ? PyList_GetItem(captured, i - index)
                                    : nullptr;
         });
}

/// "1 tensor", "2 tensors".
static std::string countOf(size_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Which arguments are of the kind of which there are too many, "argument 0 is
/// a number". `tensors`: those that were read, in order.
static std::string nameArguments(const Call::Arguments &get,
                                 const std::vector<PyObject *> &tensors,
                                 bool areTensors) {
  std::string places;
  size_t numFound = 0, numTensors = 0;
  for (Py_ssize_t i = 0; PyObject *object = get(i); ++i) {
    bool isTensor =
        numTensors < tensors.size() && tensors[numTensors] == object;
    numTensors += isTensor;
    if (isTensor != areTensors)
      continue;
    places += (numFound++ ? ", " : " ") + std::to_string(i);
  }
  const char *kind = areTensors ? "tensor" : "number";
  return numFound == 1 ? "argument" + places + " is a " + kind
                       : "arguments" + places + " are " + kind + "s";
}

bool Call::areKindsRight() const {
  size_t tensors = executable.inputs.size(), numbers = executable.numScalars;
  size_t numTensors = lists.inputs.size(), numNumbers = lists.scalars.size();
  return (numTensors >= tensors || numNumbers <= numbers) &&
         (numTensors <= tensors || numNumbers >= numbers);
}

bool Call::refuseKinds(const Arguments &get) {
  size_t tensors = executable.inputs.size(), numbers = executable.numScalars;
  const auto &inputs = lists.inputs;
  const auto &scalars = lists.scalars;
  bool isTensorMissing = inputs.size() < tensors;
  std::string text =
      std::string("program '") + fuser_program_name(executable.program) +
      "': expected " + countOf(tensors, "tensor") + " and " +
      countOf(numbers, "number") + ", got " + std::to_string(inputs.size()) +
      " and " + std::to_string(scalars.size()) + "; " +
      nameArguments(get, lists.inputObjects, !isTensorMissing) +
      (isTensorMissing ? ": numpy.asarray(number) is a tensor"
                       : ": tensor.item() is a number");
  raise(fuser_status_create(FUSER_INVALID_ARGUMENT, text.c_str()));
  return false;
}

bool Call::readOutput(PyObject *object, size_t index) {
  if (object == Py_None)
    return true;
  const Framework *own = getFramework(Py_TYPE(object));
  if (!own)
    return refuseTensor(object, {Kind::Output, index});
  if (!framework && !chooseFramework(*own))
    return false;
  Py_INCREF(object);
  lists.outputObjects[index] = Ref(object);
  Argument &argument = lists.preallocated[index];
  if (!readTensorAs(object, *own, argument, {Kind::Output, index}))
    return false;
  if (argument.tensor.readOnly)
    return refuse(describe(executable.program, {Kind::Output, index}) +
                  ": expected a writable tensor, got a read-only one");
  lists.outputs[index].preallocated = &argument.tensor.view;
  return true;
}

bool Call::readOutputs(PyObject *out) {
  size_t count = executable.outputs.size();
  lists.outputs.assign(count, FuserOutput{nullptr, nullptr});
  lists.outputObjects.resize(count);
  lists.preallocated.resize(out ? count : 0);
  if (!out)
    return true;
  if (!PyTuple_Check(out) && !PyList_Check(out)) {
    if (count == 1)
      return readOutput(out, 0);
    PyErr_Format(PyExc_TypeError,
                 "expected out to be a list or a tuple of %zu tensors or "
                 "None, got %R",
                 count, out);
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
  const auto &inputs = lists.inputs;
  for (size_t i = 0; i < executable.outputs.size(); ++i) {
    const auto &[alias, input] = executable.outputs[i];
    if (alias == FUSER_OUTPUT_REUSE && input < inputs.size() &&
        inputs[input].tensor.readOnly)
      return refuse(describe(executable.program, {Kind::Input, input}) +
                    ": expected a writable tensor because output " +
                    std::to_string(i) + " '" +
                    fuser_program_output_name(executable.program, i) +
                    "' is written into it, got a read-only one");
  }
  for (size_t i = 0; i < inputs.size() && i < executable.inputs.size(); ++i)
    if (inputs[i].tensor.readOnly && executable.inputs[i].isWritten)
      return refuse(describe(executable.program, {Kind::Input, i}) +
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

void Call::dropOutputs() {
  for (FuserOutput &output : lists.outputs)
    if (output.tensor) {
      Made dropped(output.tensor);
      output.tensor = nullptr;
    }
}

/// A tensor of the framework over what its DLPack functions cannot take.
PyObject *Call::makeView(size_t index, DLManagedTensorVersioned *managed) {
  auto made = std::make_shared<Made>(managed);
  const auto &[alias, input] = executable.outputs[index];
  Tensor tensor;
  tensor.view = managed->dl_tensor;
  tensor.stream = stream;
  if (alias == FUSER_OUTPUT_VIEW) {
    made->base = lists.inputs[input].tensor.owner;
    tensor.readOnly = lists.inputs[input].tensor.readOnly;
  }
  tensor.owner = std::move(made);
  if (framework && framework->exchange) {
    void *result = nullptr;
    framework->exchange->managed_tensor_to_py_object_no_sync(
        exportTensor(tensor), &result);
    return static_cast<PyObject *>(result);
  }
  bool isBits = isForeign(tensor.view.dtype);
  Ref result(makeTensor(executable.context, std::move(tensor)));
  if (!result || !framework || !framework->wrap)
    return result.release();
  const Ref &wrap =
      isBits && framework->wrapBits ? framework->wrapBits : framework->wrap;
  return PyObject_CallFunctionObjArgs(wrap.get(), result.get(), nullptr);
}

/// An output that the runtime made, as what Python gets.
PyObject *Call::getResult(size_t index) {
  PyObject *given = lists.outputObjects[index].get();
  const auto &[alias, input] = executable.outputs[index];
  if (!given && alias == FUSER_OUTPUT_REUSE)
    given = lists.inputObjects[input];
  if (given) {
    Py_INCREF(given);
    return given;
  }
  DLManagedTensorVersioned *made = lists.outputs[index].tensor;
  lists.outputs[index].tensor = nullptr;
  if (alias == FUSER_OUTPUT_VIEW || !framework || !framework->exchange)
    return makeView(index, made);
  void *result = nullptr;
  framework->exchange->managed_tensor_to_py_object_no_sync(made, &result);
  return static_cast<PyObject *>(result);
}

/// For fuser_context_set_output_allocator: the framework makes the tensor. It
/// runs without the interpreter's lock.
static FuserStatus *allocateByTable(void *user, const DLTensor *prototype,
                                    DLManagedTensorVersioned **tensor) {
  auto *exchange = static_cast<const DLPackExchangeAPI *>(user);
  std::string message;
  auto note = [](void *context, const char *, const char *text) {
    *static_cast<std::string *>(context) = text;
  };
  if (exchange->managed_tensor_allocator(const_cast<DLTensor *>(prototype),
                                         tensor, &message, note) == 0)
    return nullptr;
  *tensor = nullptr;
  return fuser_status_create(FUSER_OUT_OF_MEMORY, message.c_str());
}

/// Makes the context ready for the call, whose lock is held.
FuserStatus *Call::prepare() {
  for (Argument &input : lists.inputs)
    lists.views.push_back(input.getView());
  for (Argument &given : lists.preallocated)
    given.getView();
  FuserContext *context = executable.context->handle;
  FuserOutputAllocator allocator{nullptr, allocateByTable};
  if (framework && framework->exchange)
    allocator.user = const_cast<DLPackExchangeAPI *>(framework->exchange);
  fuser_context_set_output_allocator(context,
                                     allocator.user ? &allocator : nullptr);
  return fuser_context_set_stream(context, stream);
}

FuserStatus *Call::execute() {
  return fuser_program_run(executable.program, lists.views.data(),
                           lists.views.size(), lists.scalars.data(),
                           lists.scalars.size(), lists.outputs.data(),
                           lists.outputs.size());
}

/// The inputs' memory may be reused by other streams as soon as the call
/// returns.
FuserStatus *Call::finish() {
  if (!executable.context->onGPU() || sharesStream)
    return nullptr;
  return fuser_context_synchronize(executable.context->handle);
}

PyObject *Call::run() {
  if (!checkWritable())
    return nullptr;
  FuserStatus *status;
  {
    LockedByCall locked(*executable.context);
    status = prepare();
    if (!status)
      status = execute();
    if (!status)
      status = finish();
  }
  if (status)
    return raise(status);
  if (lists.outputs.size() == 1)
    return getResult(0);
  Ref tuple(PyTuple_New(Py_ssize_t(lists.outputs.size())));
  for (size_t i = 0; tuple && i < lists.outputs.size(); ++i) {
    PyObject *result = getResult(i);
    if (!result || PyTuple_SetItem(tuple.get(), Py_ssize_t(i), result) < 0)
      return nullptr;
  }
  return tuple.release();
}

PyObject *Call::time(long count) {
  if (!checkWritable())
    return nullptr;
  FuserStatus *status;
  std::chrono::duration<double> seconds{};
  {
    LockedByCall locked(*executable.context);
    status = prepare();
    fuser_context_set_output_allocator(executable.context->handle, nullptr);
    auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < count && !status; ++i) {
      status = execute();
      for (FuserOutput &output : lists.outputs)
        if (output.tensor) {
          output.tensor->deleter(output.tensor);
          output.tensor = nullptr;
        }
    }
    seconds = std::chrono::steady_clock::now() - start;
    if (!status)
      status = finish();
  }
  return status ? raise(status)
                : PyFloat_FromDouble(seconds.count() / double(count));
}

FuserExecutable *Call::specialize() {
  if (!checkCompiled(executable))
    return nullptr;
  FuserStatus *status;
  FuserExecutable *specialized = nullptr;
  for (Argument &input : lists.inputs)
    lists.views.push_back(input.getView());
  {
    // What it compiles takes the context's lock in the end.
    WithoutGIL released;
    status = fuser_executable_specialize(
        executable.compiled, executable.context->handle, lists.views.data(),
        lists.views.size(), &specialized);
  }
  if (status)
    raise(status);
  return specialized;
}

PyObject *Call::report() {
  if (!checkCompiled(executable) || !checkWritable())
    return nullptr;
  FuserStatus *status;
  FuserBytes *json = nullptr;
  {
    LockedByCall locked(*executable.context);
    status = prepare();
    FuserContext *context = executable.context->handle;
    fuser_context_set_output_allocator(context, nullptr);
    FuserCall call{lists.views.data(),   lists.views.size(),
                   lists.scalars.data(), lists.scalars.size(),
                   lists.outputs.data(), lists.outputs.size()};
    if (!status)
      status =
          fuser_executable_report(executable.compiled, context, &call, &json);
  }
  return status ? raise(status) : takeText(json);
}
