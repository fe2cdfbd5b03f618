//===- Call.h - One call of a program from Python -------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PYTHON_CALL_H
#define FUSER_PYTHON_CALL_H

#include "Framework.h"
#include <functional>
#include <optional>

namespace fuser::python {

/// A tensor or a number of a call, and the tensor as it was read, if it was.
struct Leaf {
  Ref object;
  std::optional<Argument> argument;

  explicit Leaf(Ref object) : object(std::move(object)) {}
  Leaf(Ref object, Argument argument)
      : object(std::move(object)), argument(std::move(argument)) {}
};

/// The lists of a call.
struct CallLists {
  std::vector<PyObject *> inputObjects; ///< Borrowed from the caller.
  std::vector<Ref> outputObjects;
  std::vector<Argument> inputs, preallocated;
  std::vector<const DLTensor *> views;
  std::vector<FuserScalar> scalars;
  std::vector<FuserOutput> outputs;

  void clear();
};

/// What a fuser.Executable holds: another one after its schedules were set.
struct Executable {
  Executable() = default;
  Executable(const Executable &) = delete;
  ~Executable();

  /// Once the program is there: what calls ask of it.
  void describe();

  std::shared_ptr<Context> context;
  /// Null for a program that was loaded: then there is no compiler behind it.
  FuserExecutable *compiled = nullptr;
  FuserProgram *program = nullptr;
  /// Whether what is compiled of it is kept on disk.
  bool usesCache = true;

  struct Input {
    bool isWritten = false;
    /// Whether an output is a view of it.
    bool isViewed = false;
  };
  struct Output {
    FuserOutputAlias alias;
    size_t input;
  };
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  size_t numScalars = 0;
  /// Lists of calls that have returned, so that the next one takes nothing from
  /// the heap.
  std::vector<std::unique_ptr<CallLists>> idle;
};

/// What a fuser.Executable holds now.
std::shared_ptr<Executable> getExecutable(PyObject *object);

// Texts about a program (fuser-c/Inspect.h). Null with an exception set.
PyObject *takeText(FuserBytes *bytes);
/// Whether the program was compiled here. False with an exception set.
bool checkCompiled(const Executable &executable);
PyObject *printStage(Executable &executable, PyObject *stage);
PyObject *explain(Executable &executable);
PyObject *describeAsJson(Executable &executable);
PyObject *getPtx(Executable &executable);
/// The text of the program with these schedules.
PyObject *replaceSchedules(Executable &executable, PyObject *schedules);

/// One call: its arguments as the runtime wants them.
class Call {
public:
  /// What an argument is for.
  struct Place {
    enum class Kind { Input, Scalar, Output } kind;
    size_t index;
  };
  /// The arguments by their numbers; null behind the last one.
  using Arguments = std::function<PyObject *(Py_ssize_t)>;

  explicit Call(std::shared_ptr<Executable> called);
  Call(const Call &) = delete;
  ~Call();

  /// Tensors and numbers, each in their order. False with an exception set.
  bool readArguments(PyObject *args, Py_ssize_t first = 0);
  /// The same of leaves, which keep their tensors, and after them of a list.
  bool readLeaves(std::vector<Leaf> &leaves, PyObject *captured);
  /// `out`: null, a tensor, or a sequence of tensors and None.
  bool readOutputs(PyObject *out);
  /// Runs and returns the outputs: one, or a tuple.
  PyObject *run();
  /// Runs `count` times, dropping outputs that are made: the seconds of a run
  /// on the host, without what a GPU still has to do after them.
  PyObject *time(long count);
  /// What it takes, as JSON (fuser-c/Inspect.h).
  PyObject *report();
  /// The program compiled for its inputs. Null with an exception set.
  FuserExecutable *specialize();

private:
  bool readArgument(PyObject *object, Py_ssize_t index);
  bool readTensor(PyObject *object, std::optional<Argument> read = {});
  bool readTensorAs(PyObject *object, const Framework &own, Argument &argument,
                    Place place);
  bool refuseTensor(PyObject *object, Place place);
  bool checkSign(PyObject *object, const Framework &own, Place place);
  const Executable::Input &getUse(Place place) const;
  bool readNumber(PyObject *object);
  int64_t readInteger(PyObject *object);
  /// Whether no numbers were given for tensors, nor the other way around; what
  /// else is wrong with the counts, the runtime says.
  bool areKindsRight() const;
  /// Raises an error that says what to pass in their place; false.
  bool refuseKinds(const Arguments &get);
  /// The framework of the first tensor decides the stream that is used and what
  /// outputs become.
  bool chooseFramework(const Framework &chosen);
  bool readOutput(PyObject *object, size_t index);
  bool checkWritable();
  FuserStatus *prepare();
  FuserStatus *execute();
  FuserStatus *finish();
  void dropOutputs();
  PyObject *getResult(size_t index);
  PyObject *makeView(size_t index, DLManagedTensorVersioned *made);

  std::shared_ptr<Executable> held;
  Executable &executable;
  std::unique_ptr<CallLists> owned;
  CallLists &lists;
  void *stream;
  /// Whether `stream` is the framework's, whose allocator then orders the reuse
  /// of memory with it.
  bool sharesStream = false;
  const Framework *framework = nullptr;
};

} // namespace fuser::python

#endif // FUSER_PYTHON_CALL_H
