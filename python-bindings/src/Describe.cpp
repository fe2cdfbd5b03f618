//===- Describe.cpp - Calls of traced functions ---------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of one key run one program. A key may tell more apart than the package
// does (fuser/_jit/_structure.py), which is asked at a key that is new, but not
// less: what may be equal with other bits is left to the package, as is all
// that is rare. A call of a known key runs no Python code: the tensors that the
// key was made of are passed on.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include <cstring>
#include <unordered_map>

using namespace fuser::python;

/// Whether a tensor's elements are those in memory with the other sign, of
/// which DLPack knows nothing: -1 with an exception set.
static int isNegated(PyObject *object, const Framework &framework) {
  if (!framework.isNegated)
    return 0;
  Ref answer(
      PyObject_CallFunctionObjArgs(framework.isNegated.get(), object, nullptr));
  return answer ? PyObject_IsTrue(answer.get()) : -1;
}

/// Element type, number of dimensions and which sizes are 1, as one number.
static uint64_t describeType(const DLTensor &view) {
  static_assert(Argument::maxRank <= 8, "a bit for each size");
  uint64_t ones = 0;
  for (int32_t i = 0; i < view.ndim; ++i)
    ones |= uint64_t(view.shape[i] == 1) << i;
  return ones | uint64_t(view.ndim) << 8 | uint64_t(view.dtype.code) << 16 |
         uint64_t(view.dtype.bits) << 24 | uint64_t(view.dtype.lanes) << 32;
}

static Ref hold(PyObject *object) {
  Py_INCREF(object);
  return Ref(object);
}

/// A new tuple, to which the references go.
static Ref makeTuple(std::vector<Ref> items) {
  Ref tuple(PyTuple_New(Py_ssize_t(items.size())));
  for (size_t i = 0; tuple && i < items.size(); ++i)
    PyTuple_SetItem(tuple.get(), Py_ssize_t(i), items[i].release());
  return tuple;
}

/// Whether a type has an attribute.
static bool has(PyTypeObject *type, const char *name) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject *>(type), name) != 0;
}

namespace {
/// What is known of a type of values that are none of Python's own.
struct Kind {
  Ref type; ///< A weak reference: another type may follow at its address.
  bool isTensor = false;
  /// Whether the package has to look at them.
  bool isLeft = false;
  /// Whether they are equal to themselves alone.
  bool isIdentity = false;
};
} // namespace

/// False with an exception set.
static bool readKind(PyTypeObject *type, Kind &kind) {
  static PyObject *name = PyUnicode_InternFromString("__eq__");
  static PyObject *own =
      PyObject_GetAttr(reinterpret_cast<PyObject *>(&PyBaseObject_Type), name);
  Ref found(PyObject_GetAttr(reinterpret_cast<PyObject *>(type), name));
  kind.type =
      Ref(PyWeakref_NewRef(reinterpret_cast<PyObject *>(type), nullptr));
  kind.isTensor = hasDLPack(type);
  kind.isIdentity = found.get() == own;
  // Equal ones of these may be others to a program, as 0.0 and -0.0 are, and
  // ranges with other ends.
  for (PyTypeObject *base :
       {&PyFloat_Type, &PyComplex_Type, &PyTuple_Type, &PyList_Type,
        &PyDict_Type, &PySet_Type, &PyFrozenSet_Type, &PyRange_Type})
    kind.isLeft |= PyType_IsSubtype(type, base) != 0;
  for (const char *attribute :
       {"__dataclass_fields__", "__attrs_attrs__", "dtype", "as_tuple"})
    kind.isLeft |= has(type, attribute);
  return found && kind.type;
}

/// What is known of a type, which is asked for once: to find that a type lacks
/// an attribute takes as long as all else of a call. Null with an exception
/// set.
static const Kind *getKind(PyTypeObject *type) {
  static auto &kinds = *new std::unordered_map<PyTypeObject *, Kind>();
  auto found = kinds.find(type);
  if (found != kinds.end()) {
    Ref known(PyObject_CallNoArgs(found->second.type.get()));
    if (known.get() == reinterpret_cast<PyObject *>(type))
      return &found->second;
  }
  Kind kind;
  return readKind(type, kind) ? &(kinds[type] = std::move(kind)) : nullptr;
}

/// What stands for an object in a key: a weak reference if it is equal to
/// itself alone and allows one, as the package drops the key when the object
/// goes; else the object. Null with an exception set.
static Ref holdAsKey(PyObject *object, const Kind &kind) {
  // One reference for all calls: it has the hash of the object.
  Ref weak(kind.isIdentity ? PyWeakref_NewRef(object, nullptr) : nullptr);
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_TypeError))
    PyErr_Clear();
  return weak || PyErr_Occurred() ? std::move(weak) : hold(object);
}

/// The type of NumPy's numbers; null as long as nobody has imported it. Kept
/// for ever.
static PyTypeObject *findNumberType() {
  static PyTypeObject *type = nullptr;
  PyObject *modules = type ? nullptr : PyImport_GetModuleDict();
  PyObject *numpy = modules ? PyDict_GetItemString(modules, "numpy") : nullptr;
  if (numpy)
    type = reinterpret_cast<PyTypeObject *>(
        PyObject_GetAttrString(numpy, "generic"));
  PyErr_Clear();
  return type;
}

/// Whether it is one of NumPy's numbers that a program takes as it is: one with
/// a sign, of up to 64 bits, or a bool.
static bool isPlainNumber(PyObject *object) {
  PyTypeObject *type = findNumberType();
  if (!type || !PyObject_TypeCheck(object, type))
    return false;
  Ref dtype(PyObject_GetAttrString(object, "dtype"));
  Ref kind(dtype ? PyObject_GetAttrString(dtype.get(), "char") : nullptr);
  PyErr_Clear();
  if (!kind || !PyUnicode_Check(kind.get()) ||
      PyUnicode_GetLength(kind.get()) != 1)
    return false;
  Py_UCS4 letter = PyUnicode_ReadChar(kind.get(), 0);
  return letter < 128 && std::strchr("?bhilqefd", int(letter)) != nullptr;
}

namespace {
/// What of tensors a key has beside element types, numbers of dimensions, sizes
/// of 1 and the device: nothing, their types in Python, these and their sizes.
enum class Detail : uint8_t { Least, Types, Sizes };

/// The key of a call, and the tensors and numbers in it that change from call
/// to call.
class Description {
public:
  /// Of `count` arguments.
  Description(Detail detail, Py_ssize_t count) : detail(detail) {
    words.reserve(size_t(2 * count + 2));
    leaves.reserve(size_t(count));
  }

  /// Adds a value of any structure. False if the package has to look at it, or
  /// with an exception set.
  bool add(PyObject *value);
  bool addKeywords(PyObject *kwargs) { return addDict(kwargs, Mark::Keywords); }
  /// Ends it. Null with an exception set.
  Ref takeKey();
  std::vector<Leaf> &getLeaves() { return leaves; }

  /// Before what differs from a tuple of tensors.
  enum class Mark : uint8_t {
    None = 1,
    False,
    True,
    Integer,
    Float,
    Text,
    Object,
    Number,
    Tuple,
    List,
    Dict,
    Keywords,
  };
  void mark(Mark mark, uint64_t count = 0) {
    // The types of tensors leave the upper bits free.
    words.push_back(uint64_t(mark) << 56 | count);
  }

private:
  bool addTensor(PyObject *object, PyTypeObject *type, bool &isTensor);
  bool addInteger(PyObject *object);
  bool addAll(PyObject *sequence, Mark kind);
  bool addDict(PyObject *dict, Mark kind);
  bool addObject(PyObject *object, PyTypeObject *type);

  std::vector<uint64_t> words;
  std::vector<Ref> objects;
  std::vector<Leaf> leaves;
  Detail detail;
  bool hasDevice = false;
};
} // namespace

/// Null for a type that is none of tensors, or with an exception set. The table
/// of frameworks keeps types, so it gets none of those.
static const Framework *findTensors(PyTypeObject *type) {
  if (const Framework *framework = findFramework(type))
    return framework;
  const Kind *kind = getKind(type);
  return kind && kind->isTensor ? getFramework(type) : nullptr;
}

/// False where it cannot be borrowed, or with an exception set. `isTensor` is
/// false, and nothing is added, if the type has none.
bool Description::addTensor(PyObject *object, PyTypeObject *type,
                            bool &isTensor) {
  const Framework *framework = findTensors(type);
  isTensor = framework != nullptr || PyErr_Occurred();
  // What is wrong with it the call says, which knows its name.
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_TypeError))
    PyErr_Clear();
  Argument argument;
  // Of matrices products are others, which the package refuses.
  if (!framework || !framework->isTensor || framework->isMatrix ||
      !argument.borrow(object, *framework))
    return false;
  // The package says which one it is.
  if (isNegated(object, *framework) != 0)
    return false;
  const DLTensor &view = *argument.getView();
  if (!hasDevice)
    words.push_back(uint64_t(view.device.device_type) << 32 |
                    uint32_t(view.device.device_id));
  hasDevice = true;
  words.push_back(describeType(view));
  if (detail == Detail::Sizes)
    words.insert(words.end(), view.shape, view.shape + view.ndim);
  if (detail != Detail::Least)
    objects.push_back(hold(reinterpret_cast<PyObject *>(type)));
  leaves.emplace_back(hold(object), std::move(argument));
  return true;
}

bool Description::addInteger(PyObject *object) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0)
    return false;
  mark(Mark::Integer);
  words.push_back(uint64_t(value));
  return true;
}

// Lists and dicts may change while Python runs, and what they held may go.

bool Description::addAll(PyObject *sequence, Mark kind) {
  if (Py_EnterRecursiveCall(" in an argument of a compiled function"))
    return false;
  Py_ssize_t count = PySequence_Size(sequence);
  mark(kind, uint64_t(count));
  bool isAdded = true;
  for (Py_ssize_t i = 0; isAdded && i < count; ++i) {
    Ref item(PySequence_GetItem(sequence, i));
    isAdded = item && add(item.get());
  }
  Py_LeaveRecursiveCall();
  return isAdded;
}

bool Description::addDict(PyObject *dict, Mark kind) {
  if (Py_EnterRecursiveCall(" in an argument of a compiled function"))
    return false;
  mark(kind, uint64_t(PyDict_Size(dict)));
  bool isAdded = true;
  Py_ssize_t position = 0;
  PyObject *name = nullptr, *value = nullptr;
  while (isAdded && PyDict_Next(dict, &position, &name, &value)) {
    isAdded = PyUnicode_CheckExact(name);
    if (!isAdded)
      break;
    objects.push_back(hold(name));
    Ref held = hold(value);
    isAdded = add(held.get());
  }
  Py_LeaveRecursiveCall();
  return isAdded;
}

/// Any other value, which is compared as its class says.
bool Description::addObject(PyObject *object, PyTypeObject *type) {
  if (isPlainNumber(object)) {
    mark(Mark::Number);
    objects.push_back(hold(reinterpret_cast<PyObject *>(type)));
    leaves.emplace_back(hold(object));
    return true;
  }
  const Kind *kind = getKind(type);
  Ref key = kind && !kind->isLeft ? holdAsKey(object, *kind) : Ref();
  if (!key)
    return false;
  mark(Mark::Object);
  objects.push_back(hold(reinterpret_cast<PyObject *>(type)));
  objects.push_back(std::move(key));
  return true;
}

bool Description::add(PyObject *value) {
  PyTypeObject *type = Py_TYPE(value);
  if (value == Py_None || PyBool_Check(value)) {
    mark(value == Py_None   ? Mark::None
         : value == Py_True ? Mark::True
                            : Mark::False);
    return true;
  }
  if (PyLong_CheckExact(value))
    return addInteger(value);
  if (PyFloat_CheckExact(value)) {
    double number = PyFloat_AsDouble(value);
    mark(Mark::Float);
    words.emplace_back();
    std::memcpy(&words.back(), &number, sizeof(number));
    return true;
  }
  if (PyUnicode_CheckExact(value)) {
    mark(Mark::Text);
    objects.push_back(hold(value));
    return true;
  }
  if (PyTuple_CheckExact(value) || PyList_CheckExact(value))
    return addAll(value, PyList_CheckExact(value) ? Mark::List : Mark::Tuple);
  if (PyDict_CheckExact(value))
    return addDict(value, Mark::Dict);
  bool isTensor = false;
  if (addTensor(value, type, isTensor))
    return true;
  return !isTensor && addObject(value, type);
}

Ref Description::takeKey() {
  Ref key(
      PyBytes_FromStringAndSize(reinterpret_cast<const char *>(words.data()),
                                Py_ssize_t(words.size() * sizeof(uint64_t))));
  if (!key || objects.empty())
    return key;
  objects.push_back(std::move(key));
  return makeTuple(std::move(objects));
}

/// Places of what the package holds of a program.
static constexpr Py_ssize_t kExecutable = 0, kCaptured = 2, kSources = 3;

/// The program of a key, unless what it used beside its arguments is no longer
/// there. Null if there is none, or with an exception set.
static Ref findProgram(PyObject *known, const Ref &key, PyObject *differs) {
  PyObject *found = PyDict_GetItemWithError(known, key.get());
  // Of an argument that cannot be hashed, which the package names.
  if (PyErr_Occurred() && (PyErr_ExceptionMatches(PyExc_TypeError) ||
                           PyErr_ExceptionMatches(PyExc_ValueError)))
    PyErr_Clear();
  if (!found)
    return Ref();
  Ref program = hold(found);
  PyObject *sources = PyTuple_GetItem(found, kSources);
  return sources && haveChanged(sources, differs) == 0 ? std::move(program)
                                                       : Ref();
}

static PyObject *run(PyObject *program, std::vector<Leaf> &leaves) {
  // Python code that looked at what the program used may have changed a tensor.
  if (PySequence_Size(PyTuple_GetItem(program, kSources)) != 0)
    for (Leaf &leaf : leaves)
      leaf.argument.reset();
  Call call(getExecutable(PyTuple_GetItem(program, kExecutable)));
  if (!call.readLeaves(leaves, PyTuple_GetItem(program, kCaptured)) ||
      !call.readOutputs(nullptr))
    return nullptr;
  return call.run();
}

PyObject *fuser::python::callKnown(PyObject *, PyObject *const *arguments,
                                   Py_ssize_t given) {
  if (given != 5 || !PyDict_Check(arguments[0]) ||
      !PyTuple_Check(arguments[3]) || !PyDict_Check(arguments[4])) {
    PyErr_SetString(PyExc_TypeError, "_call_known: expected a dict, a number, "
                                     "a function, a tuple and a dict");
    return nullptr;
  }
  PyObject *known = arguments[0], *differs = arguments[2], *args = arguments[3],
           *kwargs = arguments[4];
  long detail = PyLong_AsLong(arguments[1]);
  Py_ssize_t count = PyTuple_Size(args);
  Description description(Detail(detail), count);
  bool isAdded = true;
  for (Py_ssize_t i = 0; isAdded && i < count; ++i)
    isAdded = description.add(PyTuple_GetItem(args, i));
  if (isAdded && PyDict_Size(kwargs) != 0)
    isAdded = description.addKeywords(kwargs);
  Ref key = isAdded ? description.takeKey() : Ref();
  Ref program = key ? findProgram(known, key, differs) : Ref();
  if (PyErr_Occurred())
    return nullptr;
  if (!program)
    return PyTuple_Pack(2, Py_None, key ? key.get() : Py_None);
  Ref results(run(program.get(), description.getLeaves()));
  return results ? PyTuple_Pack(2, program.get(), results.get()) : nullptr;
}

PyObject *fuser::python::findDevice(PyObject *, PyObject *arguments) {
  Py_ssize_t count = PySequence_Size(arguments);
  if (count < 0)
    return nullptr;
  DLDevice device = {kDLCPU, 0};
  for (Py_ssize_t i = 0; i < count && device.device_type != kDLCUDA; ++i) {
    Ref object(PySequence_GetItem(arguments, i));
    if (!object)
      return nullptr;
    const Framework *framework = findTensors(Py_TYPE(object.get()));
    // What is wrong with it the call says, which knows its name.
    if (PyErr_Occurred()) {
      if (!PyErr_ExceptionMatches(PyExc_TypeError))
        return nullptr;
      PyErr_Clear();
      Py_RETURN_NONE;
    }
    if (!framework || !framework->isTensor)
      continue;
    Argument argument;
    if (!argument.borrow(object.get(), *framework))
      Py_RETURN_NONE;
    device = argument.getView()->device;
  }
  return Py_BuildValue("ii", int(device.device_type), int(device.device_id));
}
