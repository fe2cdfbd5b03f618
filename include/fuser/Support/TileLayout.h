//===- TileLayout.h - Who has which element of a tile ----------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is a box of elements that a thread block, or a cluster of blocks, has
// in its registers at a time: a power of two of them along each of its axes. A
// layout says who has which: each bit of a coordinate is a bit of the number of
// a register of the thread, of the lane in the warp, of the warp in the block,
// or of the block in the cluster. From the lowest bit of a coordinate on,
//
//   [[w2], [r3, l5]]
//
// is a tile of 4 x 256 elements: along the last axis a thread has 8 neighbours,
// and the 32 lanes of a warp follow each other; each of 4 warps has a row.
//
// The bits of a place are numbered from the last axis to the first, within an
// axis from its lowest bit on: [[l1, w2], [r3, l4]] gives bits 0 to 3 of the
// lane to the last axis and bit 4 to the first. Other bits are named by their
// first one: [[l4:0], [l1:4]].
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_TILELAYOUT_H
#define FUSER_SUPPORT_TILELAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace fuser {

/// Twice the registers of a thread: what is more spills, and takes long to
/// compile, for the code has all of them one after the other.
constexpr int64_t kMaxElementsPerThread = 512;

/// Where a bit of a coordinate is: of the register of a thread, the lane of a
/// warp, the warp of a block, the block of a cluster.
enum class Place : uint8_t { Register, Lane, Warp, Block };

constexpr Place kPlaces[] = {Place::Register, Place::Lane, Place::Warp,
                             Place::Block};

/// As layouts are written: r, l, w, b.
char getPlaceLetter(Place place);

/// Neighbouring bits of a coordinate that are neighbouring bits of a place.
struct LayoutRun {
  int64_t axis;
  Place place;
  int64_t bits;
  /// The first of the place's bits; -1: what follows from the order.
  int64_t first = -1;

  bool operator==(const LayoutRun &other) const {
    return axis == other.axis && place == other.place && bits == other.bits &&
           first == other.first;
  }
};

inline llvm::hash_code hash_value(const LayoutRun &run) {
  return llvm::hash_combine(run.axis, static_cast<uint8_t>(run.place), run.bits,
                            run.first);
}

/// The first bit of the place of `runs[number]` that follows from the order.
int64_t getFirstInOrder(llvm::ArrayRef<LayoutRun> runs, size_t number);

/// See above. Any number of axes, none too.
class TileLayout {
public:
  /// Bits of the number of a thread or a register, and of a coordinate.
  struct Field {
    int64_t first;  ///< The lowest bit, in the number.
    int64_t offset; ///< The lowest bit, in the coordinate.
    int64_t bits;
  };

  TileLayout() = default;
  /// `runs` along one axis from its lowest bit on, those of the first axis
  /// first.
  TileLayout(int64_t numAxes, llvm::ArrayRef<LayoutRun> runs);

  int64_t getNumAxes() const { return numAxes; }
  llvm::ArrayRef<LayoutRun> getRuns() const { return runs; }

  /// All bits of a place, or of an axis.
  int64_t countBits(Place place) const;
  int64_t countAxisBits(int64_t axis) const;
  /// Threads of a block, and blocks of a cluster.
  int64_t getThreads() const;
  int64_t getBlocks() const { return int64_t(1) << countBits(Place::Block); }
  int64_t getRegisters() const {
    return int64_t(1) << countBits(Place::Register);
  }
  /// Elements of the tile along an axis.
  int64_t getExtent(int64_t axis) const {
    return int64_t(1) << countAxisBits(axis);
  }
  /// How many neighbours along the axis a register and those behind it have.
  int64_t getVector(int64_t axis) const;

  /// From this bit on the number of a thread has that of its block in the
  /// cluster; below, those of the warp and of the lane.
  static constexpr int64_t kFirstBlockBit = 32;

  /// What of the number of a thread and of a register is of an axis: as few
  /// fields as there can be, none of which has bits of thread and block.
  llvm::SmallVector<Field> getThreadFields(int64_t axis) const;
  llvm::SmallVector<Field> getRegisterFields(int64_t axis) const;

  bool operator==(const TileLayout &other) const {
    return numAxes == other.numAxes && runs == other.runs;
  }

private:
  llvm::SmallVector<Field>
  getFields(int64_t axis, llvm::function_ref<bool(Place)> isOf) const;

  int64_t numAxes = 0;
  llvm::SmallVector<LayoutRun, 6> runs;
};

/// Where the elements of a tile lie in shared memory that threads write in one
/// layout and read in another, vectors of neighbours along the last axis as a
/// whole: no two lanes that access it at a time meet in a bank, in neither
/// layout. Linear over bits: a position is the exclusive or of what the bits of
/// the coordinates have.
class SharedTile {
public:
  /// Of elements of so many bytes. The first bits of the last axis are those
  /// of a vector, a power of two of at most 16 bytes.
  SharedTile(const TileLayout &first, const TileLayout &second, int64_t vector,
             int64_t bytes);

  /// In elements.
  int64_t getPosition(llvm::ArrayRef<int64_t> coordinates) const;
  /// What each bit of a thread's number has.
  llvm::SmallVector<int64_t> getThreadBits(const TileLayout &layout) const;

private:
  /// Of each axis what each bit of the coordinate has.
  llvm::SmallVector<llvm::SmallVector<int64_t>, 3> bits;
};

} // namespace fuser

#endif // FUSER_SUPPORT_TILELAYOUT_H
