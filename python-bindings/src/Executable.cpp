//===- Executable.cpp - fuser.Executable: a program that runs -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Progress.h"
#include <string>
#include <string_view>

using namespace fuser::python;

namespace {
struct ExecutableObject {
  PyObject_HEAD std::shared_ptr<Executable> executable;
  /// The bytes that it was loaded from: it has no module to make others of.
  /// Null if it was compiled.
  PyObject *bytes;
};
} // namespace

static ExecutableObject *asObject(PyObject *self) {
  return reinterpret_cast<ExecutableObject *>(self);
}

static std::shared_ptr<Executable> &getSlot(PyObject *self) {
  return asObject(self)->executable;
}

/// What the object holds now. Whoever uses it holds it, too: another thread may
/// set schedules meanwhile, which puts another one in its place.
static std::shared_ptr<Executable> as(PyObject *self) { return getSlot(self); }

std::shared_ptr<Executable> fuser::python::getExecutable(PyObject *object) {
  return as(object);
}

Executable::~Executable() {
  if (!program)
    return;
  Locked locked(*context);
  if (compiled)
    fuser_executable_destroy(compiled);
  else
    fuser_program_destroy(program);
}

/// Compiles `text`, or loads it if it is bytes.
static FuserStatus *load(Executable &executable, const char *data,
                         Py_ssize_t size, const FuserCompileOptions *options) {
  FuserContext *context = executable.context->handle;
  if (!options) {
    Locked locked(*executable.context);
    return fuser_program_load(context, data, size_t(size), &executable.program);
  }
  // What it compiles takes the context's lock in the end.
  WithoutGIL released;
  FuserStatus *status = fuser_executable_create(context, data, size_t(size),
                                                options, &executable.compiled);
  if (!status)
    executable.program = fuser_executable_program(executable.compiled);
  return status;
}

/// Whether these are the bytes of a builder, or bytecode without its checksum,
/// which the compiler refuses.
static bool isBytecode(const char *data, Py_ssize_t size) {
  std::string_view bytes(data, size_t(size));
  return bytes.substr(0, 8) == "FUSERBP1" || bytes.substr(0, 4) == "ML\xefR";
}

/// Whether none of these options of the compiler is given; else an exception.
static bool
checkNoneGiven(std::initializer_list<std::pair<const char *, bool>> options) {
  for (const auto &[name, isGiven] : options)
    if (isGiven) {
      PyErr_Format(PyExc_ValueError,
                   "%s: expected no option of the compiler for a program that "
                   "is compiled already",
                   name);
      return false;
    }
  return true;
}

/// An object of `type` for what was made; null for null.
static PyObject *wrap(PyTypeObject *type,
                      std::unique_ptr<Executable> executable) {
  if (!executable)
    return nullptr;
  PyObject *self = PyType_GenericAlloc(type, 0);
  if (self)
    new (&getSlot(self)) std::shared_ptr<Executable>(std::move(executable));
  return self;
}

/// `program` compiled, or loaded if it is `isText` no source. Null with an
/// exception set.
static std::unique_ptr<Executable> make(std::shared_ptr<Context> context,
                                        PyObject *program,
                                        FuserCompileOptions &options,
                                        bool isText) {
  auto executable = std::make_unique<Executable>();
  executable->context = std::move(context);
  executable->usesCache = options.use_cache != 0;
  options.check_kernels = executable->context->checksKernels;
  Py_ssize_t size = 0;
  const char *data = nullptr;
  if (!readProgram(program, data, size))
    return nullptr;
  if (FuserStatus *status =
          load(*executable, data, size, isText ? &options : nullptr)) {
    raise(status);
    return nullptr;
  }
  executable->describe();
  return executable;
}

/// Another executable of the program, with these schedules. Null with an
/// exception set.
static std::unique_ptr<Executable>
makeWithSchedules(Executable &executable, PyObject *schedules,
                  FuserCompileOptions &options) {
  Ref program(replaceSchedules(executable, schedules));
  std::string name = fuser_program_name(executable.program);
  options.entry = name.c_str();
  options.use_cache = executable.usesCache;
  return program ? make(executable.context, program.get(), options,
                        /*isText=*/true)
                 : nullptr;
}

static PyObject *create(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"context",   "program", "entry", "file_name",
                                "schedules", "cache",   nullptr};
  PyObject *context, *program, *schedules = Py_None, *cache = nullptr;
  FuserCompileOptions options;
  if (!initializeOptions(options) ||
      !PyArg_ParseTupleAndKeywords(args, kwargs, "OO|zzOO:Executable",
                                   const_cast<char **>(names), &context,
                                   &program, &options.entry, &options.file_name,
                                   &schedules, &cache))
    return nullptr;
  if (cache)
    options.use_cache = PyObject_IsTrue(cache);
  if (options.use_cache < 0)
    return nullptr;
  Py_ssize_t size = 0;
  const char *data = nullptr;
  if (!readProgram(program, data, size))
    return nullptr;
  // What a builder makes is a program to compile, as text is.
  bool isText = PyUnicode_Check(program) || isBytecode(data, size);
  if (!isText && !checkNoneGiven({{"entry", options.entry},
                                  {"file_name", options.file_name},
                                  {"schedules", schedules != Py_None},
                                  {"cache", cache}}))
    return nullptr;
  std::shared_ptr<Context> shared = getContext(context);
  std::unique_ptr<Executable> made;
  if (shared)
    made = make(std::move(shared), program, options, isText);
  if (made && schedules != Py_None)
    made = makeWithSchedules(*made, schedules, options);
  PyObject *self = wrap(type, std::move(made));
  if (self && !isText)
    asObject(self)->bytes = Py_NewRef(program);
  return self;
}

static void destroy(PyObject *self) {
  getSlot(self).~shared_ptr();
  Py_XDECREF(asObject(self)->bytes);
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/// The keyword `out`; null for None. False with an exception set.
static bool readKeywords(PyObject *kwargs, PyObject *&out) {
  static PyObject *name = PyUnicode_InternFromString("out");
  out = nullptr;
  if (!kwargs || PyDict_Size(kwargs) == 0)
    return true;
  out = PyDict_GetItemWithError(kwargs, name);
  if (!out || PyDict_Size(kwargs) > 1) {
    if (!PyErr_Occurred()) {
      Ref given(PyDict_Keys(kwargs));
      PyErr_Format(PyExc_TypeError,
                   "expected inputs by their places, in the order of "
                   "'input_names', and no keyword but 'out', got keywords %R",
                   given.get());
    }
    return false;
  }
  if (out == Py_None)
    out = nullptr;
  return true;
}

/// exe(*inputs, out=None)
static PyObject *call(PyObject *self, PyObject *args, PyObject *kwargs) {
  PyObject *out;
  if (!readKeywords(kwargs, out))
    return nullptr;
  Call call(as(self));
  if (!call.readArguments(args) || !call.readOutputs(out))
    return nullptr;
  return call.run();
}

/// exe._time_runs(count, *inputs, out=None)
static PyObject *timeRuns(PyObject *self, PyObject *args, PyObject *kwargs) {
  PyObject *out;
  PyObject *number =
      PyTuple_Size(args) > 0 ? PyTuple_GetItem(args, 0) : nullptr;
  long count = number ? PyLong_AsLong(number) : 0;
  if (PyErr_Occurred() || !readKeywords(kwargs, out))
    return nullptr;
  if (count <= 0) {
    PyErr_SetString(PyExc_ValueError, "expected a count of at least 1 first");
    return nullptr;
  }
  Call call(as(self));
  if (!call.readArguments(args, 1) || !call.readOutputs(out))
    return nullptr;
  return call.time(count);
}

/// exe._report(*inputs, out=None)
static PyObject *getReport(PyObject *self, PyObject *args, PyObject *kwargs) {
  PyObject *out;
  Call call(as(self));
  if (!readKeywords(kwargs, out) || !call.readArguments(args) ||
      !call.readOutputs(out))
    return nullptr;
  return call.report();
}

static PyObject *getName(PyObject *self, void *) {
  return makeText(fuser_program_name(as(self)->program));
}

static PyObject *getTypes(PyObject *self, void *inputs) {
  std::shared_ptr<Executable> executable = as(self);
  FuserProgram *program = executable->program;
  size_t count = inputs ? fuser_program_num_inputs(program)
                        : fuser_program_num_outputs(program);
  PyObject *tuple = PyTuple_New(Py_ssize_t(count));
  for (size_t i = 0; tuple && i < count; ++i)
    PyTuple_SetItem(
        tuple, Py_ssize_t(i),
        PyUnicode_FromString(inputs ? fuser_program_input_type(program, i)
                                    : fuser_program_output_type(program, i)));
  return tuple;
}

namespace {
/// How one kind of names is asked for.
struct Names {
  size_t (*count)(const FuserProgram *);
  const char *(*name)(const FuserProgram *, size_t);
};
} // namespace

static PyObject *getNames(PyObject *self, void *closure) {
  const auto &names = *static_cast<const Names *>(closure);
  std::shared_ptr<Executable> executable = as(self);
  FuserProgram *program = executable->program;
  size_t count = names.count(program);
  Ref tuple(PyTuple_New(Py_ssize_t(count)));
  for (size_t i = 0; tuple && i < count; ++i) {
    PyObject *name = makeText(names.name(program, i));
    if (!name || PyTuple_SetItem(tuple.get(), Py_ssize_t(i), name) < 0)
      return nullptr;
  }
  return tuple.release();
}

/// <fuser.Executable softmax(tensor<?x8xf32>) -> (tensor<?x8xf32>)>
static PyObject *repr(PyObject *self) {
  std::shared_ptr<Executable> executable = as(self);
  FuserProgram *program = executable->program;
  auto join = [](size_t count, auto getType) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text.append(i ? ", " : "").append(getType(i));
    return "(" + text + ")";
  };
  std::string text =
      std::string("<fuser.Executable ") + fuser_program_name(program);
  text += join(fuser_program_num_inputs(program),
               [&](size_t i) { return fuser_program_input_type(program, i); });
  text += " -> " + join(fuser_program_num_outputs(program), [&](size_t i) {
            return fuser_program_output_type(program, i);
          });
  text += ">";
  return makeText(text);
}

static PyObject *getIr(PyObject *self, PyObject *stage) {
  return printStage(*as(self), stage);
}

static PyObject *getExplanation(PyObject *self, PyObject *) {
  return explain(*as(self));
}

static PyObject *getDescription(PyObject *self, PyObject *) {
  return describeAsJson(*as(self));
}

static PyObject *getPtxText(PyObject *self, void *) {
  return getPtx(*as(self));
}

/// What the package makes of the texts: fuser/_inspect.py.
static PyObject *callPackage(const char *name, PyObject *self, PyObject *args,
                             PyObject *kwargs) {
  Ref module(PyImport_ImportModule("fuser._inspect"));
  Ref function(module ? PyObject_GetAttrString(module.get(), name) : nullptr);
  Ref first(function ? PyTuple_Pack(1, self) : nullptr);
  Ref all(first ? (args ? PySequence_Concat(first.get(), args)
                        : PySequence_Tuple(first.get()))
                : nullptr);
  return all ? PyObject_Call(function.get(), all.get(), kwargs) : nullptr;
}

static PyObject *getSchedules(PyObject *self, void *) {
  return callPackage("get_schedules", self, nullptr, nullptr);
}

/// Puts the program with these schedules in the place of what the object holds.
/// Calls that began before, in other threads, hold what they run until they
/// return.
static int setSchedules(PyObject *self, PyObject *schedules, void *) {
  FuserCompileOptions options;
  if (!schedules) {
    PyErr_SetString(PyExc_AttributeError,
                    "schedules: expected a schedule, or None, for each "
                    "segment, got del");
    return -1;
  }
  if (!initializeOptions(options))
    return -1;
  std::shared_ptr<Executable> made =
      makeWithSchedules(*as(self), schedules, options);
  if (!made)
    return -1;
  // What was there goes with `made`, once the other one is in its place.
  getSlot(self).swap(made);
  return 0;
}

static PyObject *withSchedules(PyObject *self, PyObject *schedules) {
  FuserCompileOptions options;
  return initializeOptions(options)
             ? wrap(Py_TYPE(self),
                    makeWithSchedules(*as(self), schedules, options))
             : nullptr;
}

static PyObject *specialize(PyObject *self, PyObject *args) {
  Call call(as(self));
  if (!call.readArguments(args))
    return nullptr;
  auto executable = std::make_unique<Executable>();
  executable->context = as(self)->context;
  executable->usesCache = as(self)->usesCache;
  executable->compiled = call.specialize();
  if (!executable->compiled)
    return nullptr;
  executable->program = fuser_executable_program(executable->compiled);
  executable->describe();
  return wrap(Py_TYPE(self), std::move(executable));
}

static PyObject *makeGraph(PyObject *self, PyObject *) {
  return callPackage("make_graph", self, nullptr, nullptr);
}

static PyObject *makeBytes(PyObject *self, PyObject *) {
  if (PyObject *bytes = asObject(self)->bytes)
    return Py_NewRef(bytes);
  std::shared_ptr<Executable> executable = as(self);
  FuserCompileOptions options;
  if (!initializeOptions(options))
    return nullptr;
  options.use_cache = executable->usesCache;
  FuserBytes *bytes = nullptr;
  FuserStatus *status;
  {
    WithoutGIL released;
    status = fuser_executable_save(executable->compiled, &options, &bytes);
  }
  return status ? raise(status) : takeBytes(bytes);
}

static PyObject *makeRepro(PyObject *self, PyObject *args, PyObject *kwargs) {
  return callPackage("make_repro", self, args, kwargs);
}

static PyObject *makeReport(PyObject *self, PyObject *args, PyObject *kwargs) {
  return callPackage("make_report", self, args, kwargs);
}

static PyObject *getArch(PyObject *self, void *) {
  return makeText(fuser_context_arch(as(self)->context->handle));
}

static PyObject *getTarget(PyObject *self, void *) {
  uint32_t target = fuser_context_target(as(self)->context->handle);
  const char *name = fuser_target_name(static_cast<FuserTarget>(target));
  return makeText(name ? name : "");
}

static PyObject *getIsFromCache(PyObject *self, void *) {
  std::shared_ptr<Executable> executable = as(self);
  const FuserExecutable *compiled = executable->compiled;
  return PyBool_FromLong(compiled && fuser_executable_is_from_cache(compiled));
}

static PyObject *getNumScalars(PyObject *self, void *) {
  return PyLong_FromSize_t(fuser_program_num_scalars(as(self)->program));
}

static PyObject *getNumVariants(PyObject *self, void *) {
  size_t count;
  std::shared_ptr<Executable> executable = as(self);
  {
    Locked locked(*executable->context);
    count = fuser_program_num_variants(executable->program);
  }
  return PyLong_FromSize_t(count);
}

static PyObject *getNumSegments(PyObject *self, void *) {
  return PyLong_FromSize_t(fuser_program_num_segments(as(self)->program));
}

static PyMethodDef methods[] = {
    {"_time_runs",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(timeRuns)),
     METH_VARARGS | METH_KEYWORDS,
     "_time_runs(count, *inputs, out=None)\n\nThe seconds that a run without "
     "Python takes on the host: the mean of `count` in a row, without the wait "
     "for a GPU after them."},
    {"ir", getIr, METH_O,
     "ir(stage)\n\nThe text of the program after a stage: 'program', "
     "'segments', 'schedules', 'kernels', 'host', or the name of a pass."},
    {"explain", getExplanation, METH_NOARGS,
     "explain()\n\nWhere the program is cut and why, which limits bound its "
     "schedules, and what could be changed."},
    {"_describe", getDescription, METH_NOARGS,
     "Segments and schedules as JSON (fuser-c/Inspect.h)."},
    {"specialize", specialize, METH_VARARGS,
     "specialize(*inputs)\n\nThe same program, compiled for the strides, the "
     "alignment and, on a GPU, the classes of the sizes of these inputs. What "
     "`explain`, `ir`, `ptx`, `graph`, `schedules` and `num_segments` of an "
     "executable tell is of the code that is compiled first, for inputs of any "
     "sizes; of this one it is of what runs for such inputs. It takes others, "
     "too."},
    {"with_schedules", withSchedules, METH_O,
     "with_schedules(schedules)\n\nAnother executable of the same program, "
     "with a schedule for each segment, such as those of `schedules`; None: "
     "the one that it has. One that does not fit is an error."},
    {"graph", makeGraph, METH_NOARGS,
     "graph()\n\nThe segments and what they pass on, as a Graph: a picture "
     "in a notebook, `svg` and `dot` elsewhere."},
    {"to_bytes", makeBytes, METH_NOARGS,
     "to_bytes()\n\nThe content of a .fx file, which fuser.load takes: the "
     "program is compiled once more, for inputs of any strides and any "
     "sizes that it takes. Names and schedules are kept, and the places that "
     "errors of calls show (file and line); neither the text nor the code that "
     "was compiled for the inputs of calls is. Of one that was loaded they are "
     "those that it was loaded from."},
    {"repro",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(makeRepro)),
     METH_VARARGS | METH_KEYWORDS,
     "repro(*inputs)\n\nA script that compiles this program and, if inputs "
     "are given, calls it with random ones of their sizes, strides and "
     "types."},
    {"_report",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(getReport)),
     METH_VARARGS | METH_KEYWORDS,
     "_report(*inputs, out=None)\n\nWhat a call takes, as JSON "
     "(fuser-c/Inspect.h)."},
    {"report",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(makeReport)),
     METH_VARARGS | METH_KEYWORDS,
     "report(*inputs, out=None)\n\nWhat a call takes, as a Report: for each "
     "kernel its time, bytes, share of a copy's speed, registers, shared "
     "memory, occupancy and schedule. The program is compiled anew and run "
     "with these arguments some 20 times; what it writes into inputs is "
     "written as often."},
    {nullptr, nullptr, 0, nullptr}};

/// Its attributes.
static PyGetSetDef *getGetters() {
  static char isInput;
  static Names inputs{fuser_program_num_inputs, fuser_program_input_name};
  static Names scalars{fuser_program_num_scalars, fuser_program_scalar_name};
  static Names outputs{fuser_program_num_outputs, fuser_program_output_name};
  static PyGetSetDef getters[] = {
      {"name", getName, nullptr, "The function's name.", nullptr},
      {"input_types", getTypes, nullptr, "Such as tensor<?x4096xbf16>.",
       &isInput},
      {"output_types", getTypes, nullptr, "Such as tensor<?x4096xbf16>.",
       nullptr},
      {"input_names", getNames, nullptr,
       "The names of the tensors that it takes.", &inputs},
      {"scalar_names", getNames, nullptr,
       "The names of the numbers that it takes.", &scalars},
      {"output_names", getNames, nullptr, "The names of its results.",
       &outputs},
      {"ptx", getPtxText, nullptr,
       "The PTX of its kernels, for a GPU or a simulated one.", nullptr},
      {"schedules", getSchedules, setSchedules,
       "The schedule of each segment, as with_schedules and "
       "compile(schedules=...) take them. Set, they are those of later calls, "
       "where None keeps the one that there is, and the program is compiled "
       "with them; a call that another thread began before ends as it began. "
       "Whoever shares the executable, such as a function of fuser.jit, shares "
       "its schedules.",
       nullptr},
      {"target", getTarget, nullptr, "Such as cpu.", nullptr},
      {"arch", getArch, nullptr, "Such as sm_90.", nullptr},
      {"is_from_cache", getIsFromCache, nullptr,
       "Whether it was compiled before, and taken from the cache.", nullptr},
      {"num_scalars", getNumScalars, nullptr, "How many scalars it takes.",
       nullptr},
      {"num_variants", getNumVariants, nullptr,
       "For how many classes of inputs there is code.", nullptr},
      {"num_segments", getNumSegments, nullptr,
       "How many segments it was cut into.", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  return getters;
}

bool fuser::python::addExecutableType(PyObject *module) {
  static PyType_Slot slots[] = {
      {Py_tp_methods, methods},
      {Py_tp_new, reinterpret_cast<void *>(create)},
      {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
      {Py_tp_call, reinterpret_cast<void *>(call)},
      {Py_tp_repr, reinterpret_cast<void *>(repr)},
      {Py_tp_getset, getGetters()},
      {Py_tp_doc,
       const_cast<char *>(
           "Executable(context, program, entry=None, file_name=None, "
           "schedules=None, cache=True)\n\nA "
           "program on a device: from text or what a builder made, which is "
           "compiled, or from bytes of compile_to_bytes.\nCall it with tensors "
           "and numbers; out is a "
           "tensor or a sequence of tensors and None, to be written.")},
      {0, nullptr}};
  static PyType_Spec spec = {"fuser.Executable", sizeof(ExecutableObject), 0,
                             Py_TPFLAGS_DEFAULT, slots};
  Ref type(PyType_FromSpec(&spec));
  return type && PyModule_AddObjectRef(module, "Executable", type.get()) == 0;
}
