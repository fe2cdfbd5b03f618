//===- Format.h - The bytes of a program file -----------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program file is a header of 32 bytes and a payload; numbers are little
// endian.
//
//   0   8 bytes  magic "FUSERFX\n"
//   8   u32      format version
//   12  u32      version of the host ABI that the objects were compiled for
//   16  u64      size of the payload in bytes
//   24  u64      FNV-1a hash of the payload
//   32           payload: the fields of Program.h in their order
//
// In the payload, a string is a u64 length and its bytes, a list a u64 count
// and its elements, an enum a u32, a bool a u32 that is 0 or 1.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_FORMAT_H
#define FUSER_RT_FORMAT_H

#include <cstddef>
#include <cstdint>

namespace fuser_rt {

constexpr char formatMagic[8] = {'F', 'U', 'S', 'E', 'R', 'F', 'X', '\n'};
constexpr uint32_t formatVersion = 11;
constexpr size_t formatHeaderBytes = 32;

/// Limits that keep what is derived from a file (tables of symbols, checks of
/// all dimensions) small.
constexpr uint64_t maxRank = 64;
constexpr int64_t maxSymbols = 65536;
constexpr uint32_t maxTensorMapBox = 256;

/// FNV-1a, 64 bits. Each step is a bijection of the state, so that a change of
/// one byte is always seen.
inline uint64_t hashBytes(const char *data, size_t size) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<unsigned char>(data[i])) * 0x100000001b3ull;
  return hash;
}

} // namespace fuser_rt

#endif // FUSER_RT_FORMAT_H
