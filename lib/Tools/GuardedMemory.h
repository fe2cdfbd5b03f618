//===- GuardedMemory.h - Tensors beside pages that fault -------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each piece of memory lies between two pages that nothing can access, and a
// tensor in it at its end or its beginning: there, an access outside of the
// tensor ends the process with a message. On the other side, what is left of
// the tensor's own pages is filled and looked at later: writes show there.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_GUARDEDMEMORY_H
#define FUSER_LIB_TOOLS_GUARDEDMEMORY_H

#include "fuser_rt/fuser_rt.h"
#include "llvm/Support/Error.h"
#include <csignal>
#include <string>
#include <vector>

namespace fuser {

/// At which page a tensor lies.
enum class GuardSide { Begin, End };

/// There is one at a time. It outlives the context whose allocator it is.
class GuardedMemory {
public:
  explicit GuardedMemory(GuardSide side);
  GuardedMemory(const GuardedMemory &) = delete;
  ~GuardedMemory();

  FuserAllocator getAllocator();
  /// Moves a tensor that begins where its memory does to the guarded side of
  /// it, as near as `alignment` lets it, by its byte offset; and forgets its
  /// content. `name` is for messages.
  void place(DLTensor &tensor, uint64_t alignment, std::string name);
  /// An error if something was written beside a tensor.
  llvm::Error check();

private:
  struct Piece {
    char *pages;        ///< The first one faults.
    size_t pagesBytes;  ///< With those that fault.
    char *data;         ///< Of the tensor in it.
    size_t bytes, room; ///< Of the tensor; of what was asked for, rounded up.
    std::string name;
  };

  static void onFault(int signal, siginfo_t *info, void *context);
  static void *allocate(void *self, size_t bytes, void *stream);
  static void release(void *self, void *data, void *stream);
  static size_t getPage();
  char *getRoom(const Piece &piece) const;
  void fill(const Piece &piece);
  void look(const Piece &piece);

  GuardSide side;
  std::vector<Piece> pieces;
  std::string fault; ///< What check() will say.
  struct sigaction before = {};
};

} // namespace fuser

#endif // FUSER_LIB_TOOLS_GUARDEDMEMORY_H
