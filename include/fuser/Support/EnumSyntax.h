//===- EnumSyntax.h - Enumerations in text ---------------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `custom<EnumKeyword>($value)` of an attribute. What upstream makes of
// `$value` names classes of C++ in its errors.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_ENUMSYNTAX_H
#define FUSER_SUPPORT_ENUMSYNTAX_H

#include "fuser/Support/LLVM.h"
#include "mlir/IR/OpImplementation.h"

namespace fuser {

/// The number of the keyword that stands here among `keywords`; an error, which
/// lists them, if there is none.
FailureOr<unsigned> parseKeywordOf(AsmParser &parser,
                                   ArrayRef<StringRef> keywords);

/// Cases are numbered from 0.
template <typename EnumT>
ParseResult parseEnumKeyword(AsmParser &parser, EnumT &value) {
  SmallVector<StringRef> keywords;
  while (true) {
    StringRef keyword =
        stringifyEnum(static_cast<EnumT>(unsigned(keywords.size())));
    if (keyword.empty())
      break;
    keywords.push_back(keyword);
  }
  FailureOr<unsigned> number = parseKeywordOf(parser, keywords);
  if (failed(number))
    return failure();
  value = static_cast<EnumT>(*number);
  return success();
}

template <typename EnumT>
void printEnumKeyword(AsmPrinter &printer, EnumT value) {
  printer << stringifyEnum(value);
}

} // namespace fuser

#endif // FUSER_SUPPORT_ENUMSYNTAX_H
