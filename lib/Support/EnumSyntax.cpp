//===- EnumSyntax.cpp - Enumerations in text ------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Support/EnumSyntax.h"

using namespace fuser;

FailureOr<unsigned> fuser::parseKeywordOf(AsmParser &parser,
                                          ArrayRef<StringRef> keywords) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word))) {
    const auto *it = llvm::find(keywords, word);
    if (it != keywords.end())
      return unsigned(it - keywords.begin());
  }
  InFlightDiagnostic diag = parser.emitError(loc, "expected ");
  llvm::interleave(
      keywords.drop_back(), [&](StringRef keyword) { diag << keyword; },
      [&] { diag << ", "; });
  diag << " or " << keywords.back();
  if (!word.empty())
    diag << ", got '" << word << "'";
  return failure();
}
