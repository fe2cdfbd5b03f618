//===- Progress.cpp - What compilations are at ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

using namespace fuser::python;
using Clock = std::chrono::steady_clock;

namespace {
struct Compilation {
  Clock::time_point start;
  std::string step;
};
} // namespace

/// Those under way, by their threads. A compiler that tells its steps may hold
/// other locks, so that it must not wait for the interpreter's: it writes them
/// down here.
static std::mutex mutex;
static std::map<std::thread::id, Compilation> &getActive() {
  static auto *active = new std::map<std::thread::id, Compilation>;
  return *active;
}

/// Called before each compilation; null: nothing is.
static PyObject *progress;

static void onStep(void *, const char *step) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!step) {
    getActive().erase(std::this_thread::get_id());
    return;
  }
  auto [entry, isNew] =
      getActive().try_emplace(std::this_thread::get_id(), Compilation());
  if (isNew)
    entry->second.start = Clock::now();
  entry->second.step = step;
}

bool fuser::python::initializeOptions(FuserCompileOptions &options) {
  fuser_compile_options_init(&options);
  options.on_step = onStep;
  if (!progress)
    return true;
  Ref function(Py_NewRef(progress));
  return bool(Ref(PyObject_CallNoArgs(function.get())));
}

PyObject *fuser::python::setProgress(PyObject *, PyObject *function) {
  PyObject *old = progress;
  progress = function == Py_None ? nullptr : Py_NewRef(function);
  Py_XDECREF(old);
  Py_RETURN_NONE;
}

PyObject *fuser::python::getCompilations(PyObject *, PyObject *) {
  std::vector<Compilation> active;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto &[thread, compilation] : getActive())
      active.push_back(compilation);
  }
  Ref list(PyList_New(0));
  for (const Compilation &compilation : active) {
    std::chrono::duration<double> seconds = Clock::now() - compilation.start;
    Ref entry(Py_BuildValue("(ds)", seconds.count(), compilation.step.c_str()));
    if (!list || !entry || PyList_Append(list.get(), entry.get()) < 0)
      return nullptr;
  }
  return list.release();
}
