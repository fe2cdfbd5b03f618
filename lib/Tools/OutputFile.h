//===- OutputFile.h - Files and streams that fuser-run writes -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_OUTPUTFILE_H
#define FUSER_LIB_TOOLS_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace fuser::run {

/// An error if `path` ("-": standard output) cannot be written, as far as can
/// be known without writing. `flag` is the option that names it.
llvm::Error checkWritable(llvm::StringRef flag, llvm::StringRef path);

/// Makes the file `path` ("-": standard output) of what `write` writes.
llvm::Error writeFile(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> write);

/// Flushes standard output and says whether all of it was written.
llvm::Error flushOutput();

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_OUTPUTFILE_H
