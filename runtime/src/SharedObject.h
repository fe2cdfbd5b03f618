//===- SharedObject.h - Native code from bytes ----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_SHAREDOBJECT_H
#define FUSER_RT_SHAREDOBJECT_H

#include "Status.h"

namespace fuser_rt {

/// An ELF shared object that was loaded from memory.
class SharedObject {
public:
  SharedObject() = default;
  ~SharedObject();
  SharedObject(const SharedObject &) = delete;
  SharedObject &operator=(const SharedObject &) = delete;

  /// Loads it from an anonymous file, or where there is none from a temporary
  /// one.
  FuserStatus *load(const std::string &bytes);
  void *handle() const { return library; }
  /// Null if it does not define the symbol.
  void *find(const char *symbol) const;

private:
  void *library = nullptr;
  // Stays open as long as the library: the loader knows a library by its path,
  // which holds this number.
  int file = -1;
};

} // namespace fuser_rt

#endif // FUSER_RT_SHAREDOBJECT_H
