//===- SourceText.h - Whether a text can be parsed --------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What MLIR's parser takes for granted of a text, and does not check.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_FRONTEND_SOURCETEXT_H
#define FUSER_FRONTEND_SOURCETEXT_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace fuser {

/// How deep brackets and signs may be nested in a file of a tool, those that
/// aliases stand for among them. The parser, or what looks at types and
/// attributes behind it, calls itself for each, and takes up to 2.4 KiB of the
/// stack, which has 8 MiB in a main thread.
inline constexpr size_t kMostNesting = 3000;

/// The same of a text in memory: the stack is that of anybody's thread.
inline constexpr size_t kMostNestingInThreads = 500;

/// What is wrong with a text, and where.
struct SourceTextError {
  size_t offset;
  std::string message;
};

/// Without the mark by which editors know UTF-8.
llvm::StringRef dropByteOrderMark(llvm::StringRef text);

/// Whether MLIR's parser can read `text`, which has no mark: it is UTF-8, and
/// is not nested too deep. Bytecode is no text, and nothing is wrong with it.
std::optional<SourceTextError> checkSourceText(llvm::StringRef text,
                                               size_t mostNesting);

} // namespace fuser

#endif // FUSER_FRONTEND_SOURCETEXT_H
