//===- GuardedMemory.cpp - Tensors beside pages that fault ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace fuser;

/// What the runtime wants of an allocator's memory.
static constexpr size_t kRoomAlignment = 256;
/// In memory that nothing has written to. As a float no likely result.
static constexpr char kFilling = '\xa5';

/// For the signal's handler.
static GuardedMemory *active = nullptr;

GuardedMemory::GuardedMemory(GuardSide side) : side(side) {
  active = this;
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &before);
}

GuardedMemory::~GuardedMemory() {
  sigaction(SIGSEGV, &before, nullptr);
  active = nullptr;
}

size_t GuardedMemory::getPage() {
  return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

FuserAllocator GuardedMemory::getAllocator() {
  return {this, allocate, release};
}

/// Of what was asked for.
char *GuardedMemory::getRoom(const Piece &piece) const {
  return side == GuardSide::Begin
             ? piece.pages + getPage()
             : piece.pages + piece.pagesBytes - getPage() - piece.room;
}

void GuardedMemory::fill(const Piece &piece) {
  std::memset(piece.pages + getPage(), kFilling,
              piece.pagesBytes - 2 * getPage());
}

void *GuardedMemory::allocate(void *self, size_t bytes, void *) {
  auto *memory = static_cast<GuardedMemory *>(self);
  size_t room = llvm::alignTo(bytes, kRoomAlignment), page = getPage();
  size_t pagesBytes = llvm::alignTo(room, page) + 2 * page;
  void *pages =
      mmap(nullptr, pagesBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    return nullptr;
  auto *first = static_cast<char *>(pages);
  if (mprotect(first + page, pagesBytes - 2 * page, PROT_READ | PROT_WRITE)) {
    munmap(pages, pagesBytes);
    return nullptr;
  }
  Piece piece{first, pagesBytes, nullptr, bytes, room, "an intermediate"};
  piece.data = memory->getRoom(piece);
  memory->fill(piece);
  memory->pieces.push_back(piece);
  return piece.data;
}

void GuardedMemory::release(void *self, void *data, void *) {
  auto *memory = static_cast<GuardedMemory *>(self);
  auto found = llvm::find_if(memory->pieces, [&](const Piece &piece) {
    return memory->getRoom(piece) == data;
  });
  memory->look(*found);
  munmap(found->pages, found->pagesBytes);
  memory->pieces.erase(found);
}

void GuardedMemory::place(DLTensor &tensor, uint64_t alignment,
                          std::string name) {
  auto found = llvm::find_if(pieces, [&](const Piece &piece) {
    return getRoom(piece) == tensor.data;
  });
  if (found == pieces.end())
    return; // It has no elements.
  found->name = std::move(name);
  tensor.byte_offset =
      side == GuardSide::Begin
          ? 0
          : llvm::alignDown(found->room - found->bytes, alignment);
  found->data = getRoom(*found) + tensor.byte_offset;
  fill(*found);
}

/// Notes what was written beside the tensor in `piece`.
void GuardedMemory::look(const Piece &piece) {
  char *begin = piece.pages + getPage();
  char *end = piece.pages + piece.pagesBytes - getPage();
  auto isFilling = [](char byte) { return byte == kFilling; };
  bool isClean = std::all_of(begin, piece.data, isFilling) &&
                 std::all_of(piece.data + piece.bytes, end, isFilling);
  if (!isClean && fault.empty())
    fault = "--guard: expected no access outside of a tensor, got a write "
            "beside " +
            piece.name;
}

llvm::Error GuardedMemory::check() {
  for (const Piece &piece : pieces)
    look(piece);
  return fault.empty() ? llvm::Error::success()
                       : llvm::createStringError(fault);
}

/// Code in a kernel has touched a page: nothing else can go on.
void GuardedMemory::onFault(int signal, siginfo_t *info, void *) {
  auto *address = static_cast<char *>(info->si_addr);
  for (const Piece &piece : active->pieces) {
    if (address < piece.pages || address >= piece.pages + piece.pagesBytes)
      continue;
    char text[256];
    int length = std::snprintf(
        text, sizeof(text),
        "fuser-run: --guard: expected no access outside of a tensor, got one "
        "at byte %td of %s, which has %zu\n",
        address - piece.data, piece.name.c_str(), piece.bytes);
    (void)!write(STDERR_FILENO, text, length);
    _exit(1);
  }
  // Another fault: as if there were no guards.
  sigaction(signal, &active->before, nullptr);
}
