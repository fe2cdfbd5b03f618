//===- SourceText.cpp - Whether a text can be parsed ----------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Frontend/SourceText.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <utility>

using namespace fuser;
using llvm::StringRef;

StringRef fuser::dropByteOrderMark(StringRef text) {
  text.consume_front("\xef\xbb\xbf");
  return text;
}

//===----------------------------------------------------------------------===//
// Nesting
//===----------------------------------------------------------------------===//

static bool isOfName(char c) {
  return llvm::isAlnum(c) || StringRef("_$.-").contains(c);
}

namespace {
/// How deep brackets are nested, and what stands behind a sign in an affine
/// expression, "-d0" or "d0 + d1"; those in strings and comments are none.
/// What an alias ("!t = tuple<!s>") stands for is nested where it is named.
class NestingScan {
public:
  NestingScan(StringRef text, size_t bound) : text(text), bound(bound) {}
  void run();

  size_t most = 0;
  /// Where the bound is passed first.
  size_t offset = 0;

private:
  void skipComment();
  void skipString();
  /// Of `text[at]`, which is not in a string or a comment.
  void visit(char c);
  void close();
  void deepen();
  /// What is at `at` is nested so deep.
  void note(size_t reached);
  void visitAlias();
  void visitNewline();
  char before() const { return at > 0 ? text[at - 1] : '\0'; }
  char after() const { return at + 1 < text.size() ? text[at + 1] : '\0'; }

  StringRef text;
  size_t bound, at = 0, depth = 0;
  /// Signs in the expression at `at`, and in that around each open bracket.
  size_t signs = 0;
  llvm::SmallVector<size_t> outerSigns;
  /// How deep what each alias stands for is nested, and the one whose
  /// definition this is, or null.
  llvm::StringMap<size_t> aliases;
  size_t *defined = nullptr;
  /// What comes before `at`, but for white space and comments.
  char last = '\0';
};
} // namespace

void NestingScan::skipComment() {
  // The newline is not part of it.
  at = std::min(text.find('\n', at), text.size()) - 1;
}

void NestingScan::skipString() {
  depth -= std::exchange(signs, 0);
  for (++at; at < text.size() && text[at] != '"'; ++at)
    at += text[at] == '\\';
  last = '"';
}

void NestingScan::note(size_t reached) {
  if (reached > bound && most <= bound)
    offset = at;
  most = std::max(most, reached);
  if (defined)
    *defined = std::max(*defined, reached);
}

void NestingScan::deepen() { note(++depth); }

/// "!t" or "#a". One that is not known here has a name of a dialect, or an
/// error.
void NestingScan::visitAlias() {
  size_t size = text.substr(at + 1).take_while(isOfName).size();
  StringRef name = text.substr(at, 1 + size);
  StringRef rest = text.substr(at + name.size()).ltrim();
  if (outerSigns.empty() && rest.starts_with("=")) {
    depth = signs = 0;
    defined = &aliases[name];
    last = '=';
    at = rest.data() - text.data();
    return;
  }
  auto alias = aliases.find(name);
  if (alias != aliases.end())
    note(depth + alias->second);
  at += size;
}

/// A definition goes on where no op and no other definition can begin.
void NestingScan::visitNewline() {
  if (!defined || !outerSigns.empty())
    return;
  StringRef rest = text.substr(at);
  size_t space = rest.take_while(llvm::isSpace).size();
  bool goesOn = space < rest.size() && StringRef("-<(:").contains(rest[space]);
  if (!goesOn && last != '=')
    defined = nullptr;
  else
    at += space - 1;
}

void NestingScan::close() {
  depth -= std::exchange(signs, 0);
  if (outerSigns.empty())
    return;
  signs = outerSigns.pop_back_val();
  --depth;
}

void NestingScan::visit(char c) {
  if (!llvm::isSpace(c))
    last = c;
  if (c == '!' || c == '#') {
    visitAlias();
  } else if (c == '\n') {
    visitNewline();
  } else if (c == '+' || (c == '-' && after() != '>')) {
    ++signs;
    deepen();
  } else if (StringRef("([{").contains(c) || (c == '<' && after() != '=')) {
    outerSigns.push_back(std::exchange(signs, 0));
    deepen();
  } else if (StringRef(")]}").contains(c) ||
             (c == '>' && before() != '-' && after() != '=')) {
    close();
  } else if (StringRef(",=:").contains(c)) {
    // An expression ends.
    depth -= std::exchange(signs, 0);
  }
}

void NestingScan::run() {
  for (; at < text.size(); ++at) {
    if (text.substr(at).starts_with("//"))
      skipComment();
    else if (text[at] == '"')
      skipString();
    else
      visit(text[at]);
  }
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// Text is read as UTF-8, in names and strings too.
static std::optional<SourceTextError> checkUtf8(StringRef text) {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  const llvm::UTF8 *at = begin;
  if (llvm::isLegalUTF8String(&at, end))
    return std::nullopt;
  SourceTextError error{size_t(at - begin), ""};
  llvm::raw_string_ostream os(error.message);
  os << "expected a text in UTF-8, got byte " << llvm::format_hex(*at, 4);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    os << ", as UTF-16 begins";
  return error;
}

std::optional<SourceTextError> fuser::checkSourceText(StringRef text,
                                                      size_t mostNesting) {
  if (text.starts_with("ML\xefR"))
    return std::nullopt;
  if (auto error = checkUtf8(text))
    return error;
  NestingScan scan(text, mostNesting);
  scan.run();
  if (scan.most <= mostNesting)
    return std::nullopt;
  return SourceTextError{
      scan.offset,
      llvm::formatv("expected a program whose brackets and signs are nested at "
                    "most {0} deep, got {1}",
                    mostNesting, scan.most)
          .str()};
}
