//===- CpuMatmul.cpp - Matrix products on a CPU ---------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every type and every stride. A work item is a block of the result, in one
// of three ways:
//
//   tiles    Parts of both matrices are packed, as the innermost loop reads
//            them: some rows of the left one, an element of each at a time, and
//            vectors of the right one. That loop has its sums in registers.
//   streams  Of few rows, which would use what is packed but once: vectors of
//            the right matrix as they lie, with sums in the nearest cache.
//   dots     Of one column: vectors along the rows of the left matrix, or
//   across
//            them if it lies so.
//
// Terms of an element are added in the order of k; of one column to the sum of
// number k mod 64, and these by halves. So bits depend neither on how blocks
// are shared, nor on the number of rows or on strides, but on the processor:
// one that can rounds a product and its sum once. (The build says so for this
// file: -ffp-contract=fast.)
//
//===----------------------------------------------------------------------===//

#include "Cpu/CpuMatmul.h"

#include "Elements.h"
#include "fuser_rt/Program.h"

#include <algorithm>

using namespace fuser_rt;
using namespace fuser_rt::elements;

// What is compiled once for each kind of processor.
#define FUSER_INLINE inline __attribute__((always_inline))

/// The most rows and columns of a block of tiles, and terms that are packed at
/// a time.
static constexpr int64_t kRows = 120, kColumns = 256, kDepth = 256;
/// Fewer rows are streams, of so many columns and terms at a time.
static constexpr int64_t kFewRows = 4, kStreamColumns = 1024, kStreamDepth = 4;
/// Rows of a block of dots, sums of each, and terms at a time where lanes are
/// terms and where they are rows.
static constexpr int64_t kDotRows = 16, kDotSums = 64;
static constexpr int64_t kDotDepth = 16384, kAcrossDepth = 1024;
/// Vectors of a row of a tile.
static constexpr int64_t kTileVectors = 2;

/// Few rows, and vectors of the right matrix lie along its rows.
static bool isStream(const FuserMatmul &op) {
  return op.m < kFewRows && op.b_strides[2] == 1;
}

namespace {
/// How the result is cut into work items: `rows` by `columns` each.
struct Blocks {
  explicit Blocks(const FuserMatmul &op) {
    bool isNarrow = op.n == 1, isFlat = isStream(op);
    int64_t mostRows = isNarrow ? kDotRows : kRows;
    columns = isNarrow ? 1 : isFlat ? kStreamColumns : kColumns;
    rowBlocks = (op.m + mostRows - 1) / mostRows;
    columnBlocks = (op.n + columns - 1) / columns;
    // Of one size, but for the last.
    rows = rowBlocks ? (op.m + rowBlocks - 1) / rowBlocks : 1;
  }
  int64_t rows, columns, rowBlocks, columnBlocks;
};

/// Memory of a thread for one block.
template <typename Sum>
struct Memory {
  Sum sums[kRows * kColumns];
  Sum left[kRows * kDepth];
  Sum right[kColumns * kDepth];
};

/// One block: its first elements, and how much of it there is.
template <typename In, typename Out>
struct Block {
  const FuserMatmul &op;
  const typename In::Stored *a, *b;
  typename Out::Stored *out;
  int64_t rows, columns;

  using Sum = typename In::Sum;
};

/// Of a matrix: element (i, j) lies i * depthStep + j * step from the first.
struct Part {
  int64_t depth, depthStep, count, step;
};

/// `bytes` of vector registers.
template <typename Sum, int64_t bytes>
struct Vector {
  static constexpr int64_t lanes = bytes / sizeof(Sum);
  typedef Sum Type __attribute__((vector_size(bytes)));
};
} // namespace

/// packed[i][j], with `width` places for j: what is not there is 0.
template <typename In>
static FUSER_INLINE void pack(typename In::Sum *packed,
                              const typename In::Stored *from, const Part &part,
                              int64_t width) {
  for (int64_t i = 0; i < part.depth; ++i, packed += width) {
    const auto *row = from + i * part.depthStep;
    if (part.step == 1)
      for (int64_t j = 0; j < part.count; ++j)
        packed[j] = In::load(row[j]);
    else
      for (int64_t j = 0; j < part.count; ++j)
        packed[j] = In::load(row[j * part.step]);
    std::fill(packed + part.count, packed + width, 0);
  }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Adds `depth` terms to `rows` rows of sums, which are kColumns apart.
template <typename Sum, int64_t bytes, int64_t rows>
static FUSER_INLINE void addTile(Sum *sums, const Sum *left, const Sum *right,
                                 int64_t depth) {
  using V = typename Vector<Sum, bytes>::Type;
  constexpr int64_t lanes = Vector<Sum, bytes>::lanes;
  V tile[rows][kTileVectors];
  for (int64_t i = 0; i < rows; ++i)
    std::memcpy(tile[i], sums + i * kColumns, sizeof(tile[i]));
  for (int64_t k = 0; k < depth; ++k) {
    V terms[kTileVectors];
    std::memcpy(terms, right + k * kTileVectors * lanes, sizeof(terms));
#pragma GCC unroll 12
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < kTileVectors; ++j)
        tile[i][j] += left[k * rows + i] * terms[j];
  }
  for (int64_t i = 0; i < rows; ++i)
    std::memcpy(sums + i * kColumns, tile[i], sizeof(tile[i]));
}

/// As many times `rows` rows from `first` on as there are, with all columns of
/// what is packed of the right matrix. Gives the first row that is left.
template <typename In, typename Out, int64_t bytes, int64_t rows>
static FUSER_INLINE int64_t addTiles(const Block<In, Out> &block,
                                     Memory<typename In::Sum> &memory,
                                     int64_t first, int64_t k, int64_t depth) {
  using Sum = typename In::Sum;
  constexpr int64_t width = kTileVectors * Vector<Sum, bytes>::lanes;
  const FuserMatmul &op = block.op;
  for (; first + rows <= block.rows; first += rows) {
    pack<In>(memory.left,
             block.a + first * op.a_strides[1] + k * op.a_strides[2],
             {depth, op.a_strides[2], rows, op.a_strides[1]}, rows);
    for (int64_t j = 0; j < block.columns; j += width)
      addTile<Sum, bytes, rows>(memory.sums + first * kColumns + j, memory.left,
                                memory.right + j * depth, depth);
  }
  return first;
}

template <typename In, typename Out, int64_t bytes>
static FUSER_INLINE void computeTiles(const Block<In, Out> &block,
                                      Memory<typename In::Sum> &memory) {
  constexpr int64_t width =
      kTileVectors * Vector<typename In::Sum, bytes>::lanes;
  // As many sums as there are registers for.
  constexpr int64_t rows = bytes == 64 ? 12 : 4;
  const FuserMatmul &op = block.op;
  std::fill(memory.sums, memory.sums + block.rows * kColumns, 0);
  for (int64_t k = 0; k < op.k; k += kDepth) {
    int64_t depth = std::min(kDepth, op.k - k);
    for (int64_t j = 0; j < block.columns; j += width)
      pack<In>(memory.right + j * depth,
               block.b + k * op.b_strides[1] + j * op.b_strides[2],
               {depth, op.b_strides[1], std::min(width, block.columns - j),
                op.b_strides[2]},
               width);
    int64_t done = addTiles<In, Out, bytes, rows>(block, memory, 0, k, depth);
    done = addTiles<In, Out, bytes, 4>(block, memory, done, k, depth);
    addTiles<In, Out, bytes, 1>(block, memory, done, k, depth);
  }
  for (int64_t i = 0; i < block.rows; ++i)
    for (int64_t j = 0; j < block.columns; ++j)
      block.out[i * op.out_strides[1] + j * op.out_strides[2]] =
          Out::store(memory.sums[i * kColumns + j]);
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

template <typename In, typename Out>
static FUSER_INLINE void computeStreams(const Block<In, Out> &block,
                                        Memory<typename In::Sum> &memory) {
  using Sum = typename In::Sum;
  const FuserMatmul &op = block.op;
  std::fill(memory.sums, memory.sums + block.rows * kStreamColumns, 0);
  for (int64_t k = 0; k < op.k; k += kStreamDepth) {
    int64_t depth = std::min(kStreamDepth, op.k - k);
    for (int64_t i = 0; i < block.rows; ++i) {
      const auto *left = block.a + i * op.a_strides[1] + k * op.a_strides[2];
      const auto *right = block.b + k * op.b_strides[1];
      Sum *__restrict sums = memory.sums + i * kStreamColumns;
      if (depth == kStreamDepth) {
        Sum factors[kStreamDepth];
        for (int64_t d = 0; d < kStreamDepth; ++d)
          factors[d] = In::load(left[d * op.a_strides[2]]);
        for (int64_t j = 0; j < block.columns; ++j) {
          Sum sum = sums[j];
          for (int64_t d = 0; d < kStreamDepth; ++d)
            sum += factors[d] * In::load(right[d * op.b_strides[1] + j]);
          sums[j] = sum;
        }
        continue;
      }
      for (int64_t d = 0; d < depth; ++d) {
        Sum factor = In::load(left[d * op.a_strides[2]]);
        for (int64_t j = 0; j < block.columns; ++j)
          sums[j] += factor * In::load(right[d * op.b_strides[1] + j]);
      }
    }
  }
  for (int64_t i = 0; i < block.rows; ++i)
    for (int64_t j = 0; j < block.columns; ++j)
      block.out[i * op.out_strides[1] + j * op.out_strides[2]] =
          Out::store(memory.sums[i * kStreamColumns + j]);
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

/// Adds the terms of one row, which lie side by side.
template <typename In, int64_t bytes>
static FUSER_INLINE void addDot(typename In::Sum *sums,
                                const typename In::Stored *left,
                                const typename In::Sum *right, int64_t depth) {
  using Sum = typename In::Sum;
  using V = typename Vector<Sum, bytes>::Type;
  constexpr int64_t lanes = Vector<Sum, bytes>::lanes;
  V own[kDotSums / lanes];
  std::memcpy(own, sums, sizeof(own));
  int64_t whole = depth / kDotSums * kDotSums;
  for (int64_t k = 0; k < whole; k += kDotSums)
    for (int64_t j = 0; j < kDotSums; j += lanes) {
      Sum terms[lanes];
      for (int64_t lane = 0; lane < lanes; ++lane)
        terms[lane] = In::load(left[k + j + lane]);
      V x, y;
      std::memcpy(&x, terms, sizeof(x));
      std::memcpy(&y, right + k + j, sizeof(y));
      own[j / lanes] += x * y;
    }
  std::memcpy(sums, own, sizeof(own));
  for (int64_t k = whole; k < depth; ++k)
    sums[k - whole] += In::load(left[k]) * right[k];
}

/// Adds the terms of kDotRows rows, which are the lanes: sums[k % 64][row].
template <typename Sum>
static FUSER_INLINE void addDotsAcross(Sum *__restrict sums, const Sum *left,
                                       const Sum *right, int64_t depth) {
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t i = 0; i < kDotRows; ++i)
      sums[k % kDotSums * kDotRows + i] += left[k * kDotRows + i] * right[k];
}

template <typename In, typename Out, int64_t bytes>
static FUSER_INLINE void computeDots(const Block<In, Out> &block,
                                     Memory<typename In::Sum> &memory) {
  using Sum = typename In::Sum;
  const FuserMatmul &op = block.op;
  bool liesAlong = op.a_strides[2] == 1;
  Sum *sums = memory.sums;
  std::fill(sums, sums + kDotRows * kDotSums, 0);
  int64_t most = liesAlong ? kDotDepth : kAcrossDepth;
  for (int64_t k = 0; k < op.k; k += most) {
    int64_t depth = std::min(most, op.k - k);
    pack<In>(memory.right, block.b + k * op.b_strides[1],
             {1, 0, depth, op.b_strides[1]}, depth);
    const auto *left = block.a + k * op.a_strides[2];
    if (liesAlong) {
      for (int64_t i = 0; i < block.rows; ++i)
        addDot<In, bytes>(sums + i * kDotSums, left + i * op.a_strides[1],
                          memory.right, depth);
      continue;
    }
    pack<In>(memory.left, left,
             {depth, op.a_strides[2], block.rows, op.a_strides[1]}, kDotRows);
    addDotsAcross<Sum>(sums, memory.left, memory.right, depth);
  }
  int64_t ofRow = liesAlong ? kDotSums : 1, ofSum = liesAlong ? 1 : kDotRows;
  for (int64_t i = 0; i < block.rows; ++i) {
    Sum *first = sums + i * ofRow;
    for (int64_t half = kDotSums / 2; half > 0; half /= 2)
      for (int64_t j = 0; j < half; ++j)
        first[j * ofSum] += first[(j + half) * ofSum];
    block.out[i * op.out_strides[1]] = Out::store(*first);
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

template <typename In, typename Out, int64_t bytes>
static FUSER_INLINE void computeBlocks(const FuserMatmul &op, int64_t begin,
                                       int64_t end, void *scratch) {
  Blocks blocks(op);
  auto &memory = *static_cast<Memory<typename In::Sum> *>(scratch);
  for (int64_t item = begin; item < end; ++item) {
    int64_t j = item % blocks.columnBlocks * blocks.columns;
    int64_t rest = item / blocks.columnBlocks;
    int64_t i = rest % blocks.rowBlocks * blocks.rows;
    int64_t batch = rest / blocks.rowBlocks;
    Block<In, Out> block{op,
                         static_cast<const typename In::Stored *>(op.a) +
                             batch * op.a_strides[0] + i * op.a_strides[1],
                         static_cast<const typename In::Stored *>(op.b) +
                             batch * op.b_strides[0] + j * op.b_strides[2],
                         static_cast<typename Out::Stored *>(op.out) +
                             batch * op.out_strides[0] + i * op.out_strides[1] +
                             j * op.out_strides[2],
                         std::min(blocks.rows, op.m - i),
                         std::min(blocks.columns, op.n - j)};
    if (op.n == 1)
      computeDots<In, Out, bytes>(block, memory);
    else if (isStream(op))
      computeStreams<In, Out>(block, memory);
    else
      computeTiles<In, Out, bytes>(block, memory);
  }
}

template <int64_t bytes>
static FUSER_INLINE void compute(const FuserMatmul &op, int64_t begin,
                                 int64_t end, void *scratch) {
  bool toF32 = static_cast<ElementType>(op.out_type) == ElementType::F32;
  switch (static_cast<ElementType>(op.type)) {
  case ElementType::F64:
    return computeBlocks<F64, F64, bytes>(op, begin, end, scratch);
  case ElementType::F16:
    return toF32 ? computeBlocks<F16, F32, bytes>(op, begin, end, scratch)
                 : computeBlocks<F16, F16, bytes>(op, begin, end, scratch);
  case ElementType::BF16:
    return toF32 ? computeBlocks<BF16, F32, bytes>(op, begin, end, scratch)
                 : computeBlocks<BF16, BF16, bytes>(op, begin, end, scratch);
  default:
    return computeBlocks<F32, F32, bytes>(op, begin, end, scratch);
  }
}

static void computePlain(const FuserMatmul &op, int64_t begin, int64_t end,
                         void *scratch) {
  compute<16>(op, begin, end, scratch);
}
#ifdef __x86_64__
__attribute__((target("avx2,fma"))) static void
computeAVX2(const FuserMatmul &op, int64_t begin, int64_t end, void *scratch) {
  compute<32>(op, begin, end, scratch);
}
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma"))) static void
computeAVX512(const FuserMatmul &op, int64_t begin, int64_t end,
              void *scratch) {
  compute<64>(op, begin, end, scratch);
}
#endif

using ComputeFn = void (*)(const FuserMatmul &, int64_t, int64_t, void *);

static ComputeFn chooseCompute() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return computeAVX512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return computeAVX2;
#endif
  return computePlain;
}

int64_t fuser_rt::countMatmulBlocks(const FuserMatmul &op) {
  Blocks blocks(op);
  return op.batch * blocks.rowBlocks * blocks.columnBlocks;
}

size_t fuser_rt::getMatmulScratch(const FuserMatmul &op) {
  return static_cast<ElementType>(op.type) == ElementType::F64
             ? sizeof(Memory<double>)
             : sizeof(Memory<float>);
}

void fuser_rt::matmulBlocks(const FuserMatmul &op, int64_t begin, int64_t end,
                            void *scratch) {
  static const ComputeFn function = chooseCompute();
  function(op, begin, end, scratch);
}
