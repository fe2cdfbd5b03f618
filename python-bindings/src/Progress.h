//===- Progress.h - What compilations are at -------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_PYTHON_PROGRESS_H
#define FUSER_PYTHON_PROGRESS_H

#include "Common.h"
#include "fuser-c/Compile.h"

namespace fuser::python {

/// Options of a compilation that is seen here. False with an exception set.
bool initializeOptions(FuserCompileOptions &options);

/// Functions of the module.
PyObject *setProgress(PyObject *module, PyObject *function);
PyObject *getCompilations(PyObject *module, PyObject *);

} // namespace fuser::python

#endif // FUSER_PYTHON_PROGRESS_H
