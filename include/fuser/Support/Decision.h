//===- Decision.h - Yes, or no with a reason ------------------ -*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_DECISION_H
#define FUSER_SUPPORT_DECISION_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace fuser {

/// Yes, or no with a reason (for people: remarks show it).
class Decision {
public:
  static Decision yes() { return {}; }
  /// A literal, which costs nothing.
  template <size_t size>
  static Decision no(const char (&reason)[size]) {
    Decision decision;
    decision.literal = reason;
    return decision;
  }
  static Decision no(std::string reason) {
    Decision decision;
    decision.literal = "";
    decision.text = std::move(reason);
    return decision;
  }
  /// With what could be changed in the program.
  template <typename Reason, size_t size>
  static Decision no(Reason &&reason, const char (&remedy)[size]) {
    Decision decision = no(std::forward<Reason>(reason));
    decision.remedy = remedy;
    return decision;
  }
  /// No, since this is the business of others: their reason is told if they
  /// refuse, too.
  template <size_t size>
  static Decision notMine(const char (&reason)[size]) {
    Decision decision = no(reason);
    decision.isForOthers = true;
    return decision;
  }

  explicit operator bool() const { return !literal; }
  bool isNotMine() const { return isForOthers; }
  /// Empty if it is yes.
  llvm::StringRef getReason() const {
    return text.empty() ? llvm::StringRef(literal ? literal : "")
                        : llvm::StringRef(text);
  }
  /// Empty if there is none, or none is known.
  llvm::StringRef getRemedy() const { return remedy; }

private:
  const char *remedy = "";
  const char *literal = nullptr;
  std::string text;
  bool isForOthers = false;
};

} // namespace fuser

#endif // FUSER_SUPPORT_DECISION_H
