//===- KernelNeighbourOps.cpp - Vectors at any address on NVIDIA GPUs -----===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction accesses up to 16 bytes at a multiple of their number: a
// chunk. A vector that begins inside of a chunk is in one chunk more than it is
// long, of which it takes the bytes from its first one on: words are selected,
// and bytes of two words shifted into one.
//
//   load   the chunks are read as they are; that of the last element stands for
//          those behind it, in which no byte of the vector is
//   store  a lane turns its chunks, so that each byte has its place within an
//          aligned chunk; what comes before its first byte is in the lane
//          before, which a shuffle fetches; of the parts of chunks at both
//          ends of what lanes store together each lane stores an element, if
//          no row ends there
//   copy   a lane copies the chunk that its vector begins in, and the last lane
//          the one that it ends in, to shared memory, where all of them are
//          read as by a load
//
// Where a vector begins within a chunk is computed of the low bits of each
// index alone: of those that threads and registers differ in they are known to
// be zero, so that LLVM finds one number for a row.
//
//===----------------------------------------------------------------------===//

#include "KernelOps.h"
#include "fuser/Dialect/Kernel/IR/Kernel.h"
#include "fuser/Support/GpuTarget.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace fuser {

constexpr int64_t kWordBytes = 4;
constexpr int64_t kMaxChunkBytes = 16;

namespace {
using Words = SmallVector<Value>;

/// Elements to be stored one by one: those from number `begin` on, below `end`,
/// of `words`, which begin at `address`.
struct Part {
  Words words;
  Value address, begin, end;
  Value exists; ///< Whether there are any.
};

/// A vector in memory and in words of 32 bits.
class NeighbourAccess {
public:
  NeighbourAccess(ConversionPatternRewriter &b, Location loc, VectorType type,
                  int64_t alignment)
      : b(b), loc(loc), type(type),
        elementBytes(type.getElementTypeBitWidth() / 8),
        numElements(type.getNumElements()),
        chunkBytes(
            std::clamp(elementBytes * numElements, kWordBytes, kMaxChunkBytes)),
        numChunks(
            std::max<int64_t>(elementBytes * numElements / chunkBytes, 1)),
        unit(std::max(alignment, elementBytes)) {}

  bool isAligned() const { return unit >= chunkBytes; }
  /// Less than a word is no chunk of its own.
  bool isTiny() const { return elementBytes * numElements < kWordBytes; }

  /// `first` is the address of the first element.
  void setPlace(Value first, MemRefType memref, Value descriptor,
                ValueRange indices);
  /// The words are turned where `user` is, if there is one.
  Value load(Value count, Operation *user);
  void store(Value value, Value count, int64_t lanes);
  /// Copies a vector of one chunk to shared memory, where this lane has its
  /// place at `target`.
  void copy(Value target, Value count, Value condition, int64_t lanes);
  Value loadCopied(Value target);

private:
  Value integer(int64_t value) { return createI32(b, loc, value); }
  Value getTrue() {
    return LLVM::ConstantOp::create(b, loc, b.getBoolAttr(true));
  }
  int64_t chunkElements() const { return chunkBytes / elementBytes; }
  Value compare(LLVM::ICmpPredicate predicate, Value lhs, Value rhs) {
    return LLVM::ICmpOp::create(b, loc, predicate, lhs, rhs);
  }
  Value add(Value value, int64_t summand) {
    return LLVM::AddOp::create(b, loc, value, integer(summand));
  }
  Value both(Value lhs, Value rhs) {
    return LLVM::AndOp::create(b, loc, lhs, rhs);
  }

  Value emitShift(MemRefType memref, Value descriptor, ValueRange indices);
  Value emitAddress(Value base, Value bytes);
  Value emitClamped(Value count, int64_t least);
  Value emitLane(int64_t lanes);
  Words fetchBefore(const Words &words);
  Type getChunkType();
  Words toWords(Value value, int64_t bytes);
  Value fromWords(const Words &words, Type result);
  Words skip(Words words, Value elements, int64_t count);
  Words merge(const Words &before, const Words &words);
  Value emitElement(const Words &words, Value index);
  void emitIf(Value condition, function_ref<void()> body);
  void storeElements(const Part &part);
  void storeEnds(const Words &words, int64_t lanes);
  void storeAll(const Words &words, int64_t lanes);
  void addTail(Part &part, const Words &words, Value isLast);
  void storeChunks(const Words &words, Value reach, int64_t lanes);

  ConversionPatternRewriter &b;
  Location loc;
  VectorType type;
  int64_t elementBytes, numElements, chunkBytes, numChunks;
  int64_t unit; ///< Addresses are multiples of so many bytes.
  Value first;  ///< The address of the first element.
  Value start;  ///< That of the chunk it is in.
  Value shift;  ///< So many elements are before it there; null: none.
};
} // namespace

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// How many elements are between the begin of its chunk and the first one.
Value NeighbourAccess::emitShift(MemRefType memref, Value descriptor,
                                 ValueRange indices) {
  MemRefDescriptor view(descriptor);
  auto [strides, offset] = memref.getStridesAndOffset();
  Type i32 = b.getI32Type();
  Value mask = integer(chunkElements() - 1);
  auto low = [&](Value value) -> Value {
    return LLVM::AndOp::create(b, loc,
                               LLVM::TruncOp::create(b, loc, i32, value), mask);
  };
  Value address =
      LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), view.alignedPtr(b, loc));
  Value elements = low(LLVM::LShrOp::create(
      b, loc, address,
      LLVM::ConstantOp::create(
          b, loc, b.getI64IntegerAttr(llvm::Log2_64(elementBytes)))));
  if (offset != 0)
    elements = LLVM::AddOp::create(b, loc, elements, low(view.offset(b, loc)));
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value term = low(index);
    if (strides[dim] == ShapedType::kDynamic)
      term = LLVM::MulOp::create(b, loc, term, low(view.stride(b, loc, dim)));
    else if (strides[dim] % chunkElements() == 0)
      continue;
    else if (strides[dim] != 1)
      term = LLVM::MulOp::create(b, loc, term,
                                 integer(strides[dim] % chunkElements()));
    elements = LLVM::AddOp::create(b, loc, elements, term);
  }
  return LLVM::AndOp::create(b, loc, elements, mask);
}

/// `bytes` (an i32 or i64) behind `base`. It may be before what `base` is in.
Value NeighbourAccess::emitAddress(Value base, Value bytes) {
  if (bytes.getType() != b.getI64Type())
    bytes = LLVM::SExtOp::create(b, loc, b.getI64Type(), bytes);
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

void NeighbourAccess::setPlace(Value address, MemRefType memref,
                               Value descriptor, ValueRange indices) {
  first = start = address;
  if (isAligned())
    return;
  shift = emitShift(memref, descriptor, indices);
  start = emitAddress(
      first, LLVM::MulOp::create(b, loc, shift, integer(-elementBytes)));
}

/// A count of elements of the vector in 32 bits: `least` and its length stand
/// for what is beyond them.
Value NeighbourAccess::emitClamped(Value count, int64_t least) {
  auto limit = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  count = LLVM::SMinOp::create(b, loc, count, limit(numElements));
  count = LLVM::SMaxOp::create(b, loc, count, limit(least));
  return LLVM::TruncOp::create(b, loc, b.getI32Type(), count);
}

/// The number of this one among so many lanes.
Value NeighbourAccess::emitLane(int64_t lanes) {
  return LLVM::AndOp::create(b, loc,
                             NVVM::LaneIdOp::create(b, loc, b.getI32Type()),
                             integer(lanes - 1));
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Type NeighbourAccess::getChunkType() {
  Type word = b.getI32Type();
  return chunkBytes == kWordBytes
             ? word
             : VectorType::get({chunkBytes / kWordBytes}, word);
}

/// The words of `value`, which has so many bytes.
Words NeighbourAccess::toWords(Value value, int64_t bytes) {
  int64_t count = bytes / kWordBytes;
  if (count == 1)
    return {LLVM::BitcastOp::create(b, loc, b.getI32Type(), value)};
  value = LLVM::BitcastOp::create(
      b, loc, VectorType::get({count}, b.getI32Type()), value);
  Words words;
  for (int64_t i = 0; i < count; ++i)
    words.push_back(LLVM::ExtractElementOp::create(b, loc, value, integer(i)));
  return words;
}

Value NeighbourAccess::fromWords(const Words &words, Type result) {
  int64_t count = words.size();
  Value all = words.front();
  if (count > 1) {
    all = LLVM::PoisonOp::create(b, loc,
                                 VectorType::get({count}, b.getI32Type()));
    for (auto [i, word] : llvm::enumerate(words))
      all = LLVM::InsertElementOp::create(b, loc, all, word, integer(i));
  }
  if (auto vector = dyn_cast<VectorType>(result);
      vector && vector == type && isTiny())
    all = LLVM::TruncOp::create(
        b, loc, b.getIntegerType(8 * elementBytes * numElements), all);
  if (all.getType() == result)
    return all;
  return LLVM::BitcastOp::create(b, loc, result, all);
}

/// `count` words of `words` without the first `elements`, which are fewer than
/// a chunk has.
Words NeighbourAccess::skip(Words words, Value elements, int64_t count) {
  for (int64_t step = chunkBytes / 2; step >= std::max(unit, kWordBytes);
       step /= 2) {
    Value bit =
        LLVM::AndOp::create(b, loc, elements, integer(step / elementBytes));
    Value skips = compare(LLVM::ICmpPredicate::ne, bit, integer(0));
    int64_t distance = step / kWordBytes;
    for (size_t i = 0; i + distance < words.size(); ++i)
      words[i] =
          LLVM::SelectOp::create(b, loc, skips, words[i + distance], words[i]);
    words.pop_back_n(distance);
  }
  if (unit < kWordBytes) {
    Value rest = LLVM::AndOp::create(b, loc, elements,
                                     integer(kWordBytes / elementBytes - 1));
    Value bits = LLVM::MulOp::create(b, loc, rest, integer(8 * elementBytes));
    for (size_t i = 0; i + 1 < words.size(); ++i)
      words[i] = LLVM::FshrOp::create(b, loc, words[i + 1], words[i], bits);
    words.pop_back();
  }
  words.truncate(count);
  return words;
}

/// A chunk whose first `shift` elements are those of `before`.
Words NeighbourAccess::merge(const Words &before, const Words &words) {
  Words merged;
  Type i64 = b.getI64Type();
  for (auto [i, pair] : llvm::enumerate(llvm::zip(before, words))) {
    auto [old, word] = pair;
    int64_t skipped = static_cast<int64_t>(i) * kWordBytes / elementBytes;
    if (unit >= kWordBytes) {
      Value isOld = compare(LLVM::ICmpPredicate::sgt, shift, integer(skipped));
      merged.push_back(LLVM::SelectOp::create(b, loc, isOld, old, word));
      continue;
    }
    int64_t perWord = kWordBytes / elementBytes;
    Value elements = LLVM::SMinOp::create(
        b, loc, LLVM::SMaxOp::create(b, loc, add(shift, -skipped), integer(0)),
        integer(perWord));
    Value bits = LLVM::ZExtOp::create(
        b, loc, i64,
        LLVM::MulOp::create(b, loc, elements, integer(8 * elementBytes)));
    Value one = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
    Value mask = LLVM::TruncOp::create(
        b, loc, b.getI32Type(),
        LLVM::SubOp::create(b, loc, LLVM::ShlOp::create(b, loc, one, bits),
                            one));
    Value inverse = LLVM::XOrOp::create(b, loc, mask, integer(-1));
    merged.push_back(
        LLVM::OrOp::create(b, loc, LLVM::AndOp::create(b, loc, old, mask),
                           LLVM::AndOp::create(b, loc, word, inverse)));
  }
  return merged;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

Value NeighbourAccess::load(Value count, Operation *user) {
  Value last = integer(numElements - 1);
  if (count)
    last = add(emitClamped(count, 1), -1);
  if (shift)
    last = LLVM::AddOp::create(b, loc, shift, last);
  Value lastChunk = LLVM::LShrOp::create(
      b, loc, last, integer(llvm::Log2_64(chunkElements())));
  Words words;
  for (int64_t i = 0; i < numChunks + (shift ? 1 : 0); ++i) {
    Value number = integer(i);
    if (i == numChunks)
      number = lastChunk;
    else if (i > 0 && count)
      number = LLVM::SMinOp::create(b, loc, number, lastChunk);
    Value address = start;
    if (i > 0)
      address = emitAddress(
          start, LLVM::MulOp::create(b, loc, number, integer(chunkBytes)));
    Value loaded =
        LLVM::LoadOp::create(b, loc, getChunkType(), address, chunkBytes);
    llvm::append_range(words, toWords(loaded, chunkBytes));
  }
  if (user)
    b.setInsertionPoint(user);
  if (shift)
    words = skip(std::move(words), shift, numChunks * chunkBytes / kWordBytes);
  return fromWords(words, type);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void NeighbourAccess::emitIf(Value condition, function_ref<void()> body) {
  Block *before = b.getInsertionBlock();
  Block *after = b.splitBlock(before, b.getInsertionPoint());
  Block *then = b.createBlock(after);
  b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(b, loc, condition, then, after);
  b.setInsertionPointToEnd(then);
  body();
  LLVM::BrOp::create(b, loc, after);
  b.setInsertionPointToStart(after);
}

void NeighbourAccess::storeElements(const Part &part) {
  Type element = b.getIntegerType(8 * elementBytes);
  int64_t count = part.words.size() * kWordBytes / elementBytes;
  bool isVector = count > 1;
  Value elements = fromWords(
      part.words, isVector ? VectorType::get({count}, element) : element);
  for (int64_t i = 0; i < std::min(count, numElements); ++i) {
    Value stores =
        both(compare(LLVM::ICmpPredicate::slt, integer(i), part.end),
             compare(LLVM::ICmpPredicate::sge, integer(i), part.begin));
    emitIf(stores, [&] {
      Value value = isVector ? LLVM::ExtractElementOp::create(b, loc, elements,
                                                              integer(i))
                             : elements;
      LLVM::StoreOp::create(
          b, loc, value, emitAddress(part.address, integer(i * elementBytes)),
          elementBytes);
    });
  }
}

/// For a lane whose vector ends behind the last chunk that it stores as a
/// whole: adds the part of the next chunk, the first elements of `words`.
void NeighbourAccess::addTail(Part &part, const Words &words, Value isLast) {
  Value rest = add(part.end, -chunkElements());
  Value isTail =
      both(isLast, compare(LLVM::ICmpPredicate::sgt, rest, integer(0)));
  auto select = [&](Value tail, Value other) -> Value {
    return LLVM::SelectOp::create(b, loc, isTail, tail, other);
  };
  part.exists = LLVM::OrOp::create(b, loc, part.exists, isTail);
  for (auto [word, tail] : llvm::zip(part.words, words))
    word = select(tail, word);
  part.begin = select(integer(0), part.begin);
  part.end = select(rest, part.end);
  part.address =
      select(emitAddress(part.address, integer(chunkBytes)), part.address);
}

/// Those of the lane before.
Words NeighbourAccess::fetchBefore(const Words &words) {
  return llvm::map_to_vector(words, [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, loc, b.getI32Type(), integer(-1), word,
                                integer(1), integer(0), NVVM::ShflKind::up,
                                UnitAttr());
  });
}

/// That of number `index`, of so many words as have it, or of one that has
/// several.
Value NeighbourAccess::emitElement(const Words &words, Value index) {
  Type element = b.getIntegerType(8 * elementBytes);
  if (elementBytes >= kWordBytes)
    return fromWords(words, element);
  Value number = LLVM::AndOp::create(b, loc, index,
                                     integer(kWordBytes / elementBytes - 1));
  Value bits = LLVM::MulOp::create(b, loc, number, integer(8 * elementBytes));
  return LLVM::TruncOp::create(
      b, loc, element, LLVM::LShrOp::create(b, loc, words.front(), bits));
}

/// What is of a part of a chunk at both ends of what all lanes have: in `words`
/// of the first lane behind `shift`, in those of the last one before it. So
/// many lanes as two chunks have elements get one each.
void NeighbourAccess::storeEnds(const Words &words, int64_t lanes) {
  int64_t perChunk = chunkBytes / kWordBytes,
          perElement = std::max<int64_t>(elementBytes / kWordBytes, 1);
  Value lane = emitLane(lanes);
  auto hasBit = [&](int64_t bit) {
    return compare(LLVM::ICmpPredicate::ne,
                   LLVM::AndOp::create(b, loc, lane, integer(bit)), integer(0));
  };
  Value isLast = compare(LLVM::ICmpPredicate::eq, lane, integer(lanes - 1));
  Value isEnd = hasBit(chunkElements());
  // Of all lanes, of which there may be several groups in a warp.
  Value source = LLVM::AndOp::create(
      b, loc, NVVM::LaneIdOp::create(b, loc, b.getI32Type()), integer(-lanes));
  source =
      LLVM::SelectOp::create(b, loc, isEnd, add(source, lanes - 1), source);
  Words fetched;
  for (int64_t i = 0; i < perChunk; ++i) {
    Value word = LLVM::SelectOp::create(
        b, loc, isLast, words[(numChunks - 1) * perChunk + i], words[i]);
    fetched.push_back(NVVM::ShflOp::create(b, loc, b.getI32Type(), integer(-1),
                                           word, source, integer(kWarpSize - 1),
                                           NVVM::ShflKind::idx, UnitAttr()));
  }
  for (int64_t distance = perChunk / 2; distance >= perElement; distance /= 2) {
    Value skips = hasBit(distance * kWordBytes / elementBytes);
    for (int64_t i = 0; i < distance; ++i)
      fetched[i] = LLVM::SelectOp::create(b, loc, skips, fetched[i + distance],
                                          fetched[i]);
  }
  Value place = LLVM::AndOp::create(b, loc, lane, integer(chunkElements() - 1));
  Value isBehind = compare(LLVM::ICmpPredicate::sge, place, shift);
  Value stores = both(
      LLVM::XOrOp::create(b, loc, isBehind, isEnd),
      compare(LLVM::ICmpPredicate::slt, lane, integer(2 * chunkElements())));
  stores = both(stores, compare(LLVM::ICmpPredicate::ne, shift, integer(0)));
  emitIf(stores, [&] {
    fetched.truncate(perElement);
    Value element = emitElement(fetched, lane);
    // From the lane's own chunk to the first one, or behind the last one.
    int64_t bytes = numChunks * chunkBytes;
    Value distance = LLVM::SelectOp::create(b, loc, isEnd,
                                            integer(lanes * bytes), integer(0));
    distance = LLVM::SubOp::create(
        b, loc, distance, LLVM::MulOp::create(b, loc, lane, integer(bytes)));
    distance = LLVM::AddOp::create(
        b, loc, distance,
        LLVM::MulOp::create(b, loc, place, integer(elementBytes)));
    LLVM::StoreOp::create(b, loc, element, emitAddress(start, distance),
                          elementBytes);
  });
}

/// The same as storeChunks where no row ends.
void NeighbourAccess::storeAll(const Words &words, int64_t lanes) {
  int64_t perChunk = chunkBytes / kWordBytes;
  Words before = fetchBefore(Words(ArrayRef(words).take_back(perChunk)));
  Value isFirst = compare(LLVM::ICmpPredicate::eq, emitLane(lanes), integer(0));
  Value hasAll = LLVM::OrOp::create(
      b, loc, LLVM::XOrOp::create(b, loc, isFirst, getTrue()),
      compare(LLVM::ICmpPredicate::eq, shift, integer(0)));
  for (int64_t i = 0; i < numChunks; ++i) {
    Words own(ArrayRef(words).slice(i * perChunk, perChunk));
    Value chunk = fromWords(merge(before, own), getChunkType());
    auto storeChunk = [&] {
      LLVM::StoreOp::create(b, loc, chunk,
                            emitAddress(start, integer(i * chunkBytes)),
                            chunkBytes);
    };
    if (i == 0)
      emitIf(hasAll, storeChunk);
    else
      storeChunk();
    before = std::move(own);
  }
  storeEnds(words, lanes);
}

/// `words` are the vector's, turned to their places in chunks. Below `reach`,
/// counted from `start` on, there are elements.
void NeighbourAccess::storeChunks(const Words &words, Value reach,
                                  int64_t lanes) {
  int64_t perChunk = chunkBytes / kWordBytes;
  auto getChunk = [&](int64_t i) {
    return Words(ArrayRef(words).slice(i * perChunk, perChunk));
  };
  Value begin = integer(0), isLast;
  Words before;
  if (shift) {
    Value lane = emitLane(lanes);
    Value isFirst = compare(LLVM::ICmpPredicate::eq, lane, integer(0));
    isLast = compare(LLVM::ICmpPredicate::eq, lane, integer(lanes - 1));
    begin = LLVM::SelectOp::create(b, loc, isFirst, shift, begin);
    before = fetchBefore(getChunk(numChunks - 1));
  }
  for (int64_t i = 0; i < numChunks; ++i) {
    Words own = getChunk(i);
    Part part;
    part.words = shift ? merge(before, own) : own;
    part.begin = i == 0 ? begin : integer(0);
    part.end = add(reach, -i * chunkElements());
    part.address = emitAddress(start, integer(i * chunkBytes));
    Value isWhole = both(
        compare(LLVM::ICmpPredicate::sge, part.end, integer(chunkElements())),
        compare(LLVM::ICmpPredicate::eq, part.begin, integer(0)));
    emitIf(isWhole, [&] {
      LLVM::StoreOp::create(b, loc, fromWords(part.words, getChunkType()),
                            part.address, chunkBytes);
    });
    part.exists = both(compare(LLVM::ICmpPredicate::sgt, part.end, integer(0)),
                       LLVM::XOrOp::create(b, loc, isWhole, getTrue()));
    if (shift && i + 1 == numChunks)
      addTail(part, own, isLast);
    emitIf(part.exists, [&] { storeElements(part); });
    before = own;
  }
}

void NeighbourAccess::store(Value value, Value count, int64_t lanes) {
  Value end = count ? emitClamped(count, -numElements) : integer(numElements);
  int64_t bytes = elementBytes * numElements;
  if (isTiny()) {
    value = LLVM::BitcastOp::create(b, loc, b.getIntegerType(8 * bytes), value);
    value = LLVM::ZExtOp::create(b, loc, b.getI32Type(), value);
    return storeElements({{value}, first, integer(0), end, Value()});
  }
  Words words = toWords(value, bytes);
  if (!shift)
    return storeChunks(words, end, lanes);
  if (lanes == 1)
    return storeElements({words, first, integer(0), end, Value()});
  // To the left by `shift` is to the right by what is left of a chunk.
  Value skipped = LLVM::AndOp::create(
      b, loc, LLVM::SubOp::create(b, loc, integer(0), shift),
      integer(chunkElements() - 1));
  Words turned;
  int64_t perChunk = chunkBytes / kWordBytes;
  for (int64_t i = 0; i < numChunks; ++i) {
    Words twice;
    for (int64_t word = 0; word < 2 * perChunk; ++word)
      twice.push_back(words[i * perChunk + word % perChunk]);
    llvm::append_range(turned, skip(std::move(twice), skipped, perChunk));
  }
  if (!count && lanes >= 2 * chunkElements())
    return storeAll(turned, lanes);
  storeChunks(turned, LLVM::AddOp::create(b, loc, end, shift), lanes);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void NeighbourAccess::copy(Value target, Value count, Value condition,
                           int64_t lanes) {
  assert(numChunks == 1 && "expected a vector of one chunk");
  auto copyChunk = [&](int64_t number) {
    Value distance = integer(number * chunkBytes);
    createCopyAsync(b, loc, emitAddress(target, distance),
                    emitAddress(start, distance), chunkBytes, Value());
  };
  Value end = count ? emitClamped(count, -numElements) : integer(numElements);
  if (condition)
    end = LLVM::SelectOp::create(b, loc, condition, end, integer(-numElements));
  if (shift)
    end = LLVM::AddOp::create(b, loc, end, shift);
  auto copyAll = [&] {
    copyChunk(0);
    if (!shift)
      return;
    Value isLast =
        compare(LLVM::ICmpPredicate::eq, emitLane(lanes), integer(lanes - 1));
    Value hasNext =
        compare(LLVM::ICmpPredicate::sgt, end, integer(chunkElements()));
    emitIf(both(isLast, hasNext), [&] { copyChunk(1); });
  };
  if (!count && !condition)
    return copyAll();
  emitIf(compare(LLVM::ICmpPredicate::sgt, end, integer(0)), copyAll);
}

Value NeighbourAccess::loadCopied(Value target) {
  Words words;
  for (int64_t i = 0; i < (shift ? 2 : 1); ++i) {
    Value address = emitAddress(target, integer(i * chunkBytes));
    Value loaded =
        LLVM::LoadOp::create(b, loc, getChunkType(), address, chunkBytes);
    llvm::append_range(words, toWords(loaded, chunkBytes));
  }
  if (shift)
    words = skip(std::move(words), shift, chunkBytes / kWordBytes);
  return fromWords(words, type);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
template <typename OpTy>
struct NeighboursPattern : ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;

  /// The access to the vector of type `value` at `indices` of `base`, whose
  /// converted value is `descriptor`.
  NeighbourAccess getAccess(OpTy op, Type value, Value base, Value descriptor,
                            ValueRange indices,
                            ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto memref = cast<MemRefType>(base.getType());
    auto type = cast<VectorType>(this->getTypeConverter()->convertType(value));
    NeighbourAccess access(rewriter, loc, type, op.getAlignment());
    Value address =
        this->getStridedElementPtr(rewriter, loc, memref, descriptor, indices);
    access.setPlace(
        castPointer(rewriter, loc, address, NVVM::NVVMMemorySpace::Global),
        memref, descriptor, indices);
    return access;
  }
};

struct LoadPattern : NeighboursPattern<kernel::LoadNeighboursOp> {
  using NeighboursPattern::NeighboursPattern;

  LogicalResult
  matchAndRewrite(kernel::LoadNeighboursOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NeighbourAccess access =
        getAccess(op, op.getType(), op.getBase(), adaptor.getBase(),
                  adaptor.getIndices(), rewriter);
    // What is read for the next step of a loop is not waited for in this one.
    Operation *user = op->hasOneUse() ? *op->user_begin() : nullptr;
    if (user && !user->hasTrait<OpTrait::IsTerminator>())
      user = nullptr;
    rewriter.replaceOp(op, access.load(adaptor.getCount(), user));
    return success();
  }
};

struct StorePattern : NeighboursPattern<kernel::StoreNeighboursOp> {
  using NeighboursPattern::NeighboursPattern;

  LogicalResult
  matchAndRewrite(kernel::StoreNeighboursOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NeighbourAccess access =
        getAccess(op, op.getValue().getType(), op.getBase(), adaptor.getBase(),
                  adaptor.getIndices(), rewriter);
    access.store(adaptor.getValue(), adaptor.getCount(), op.getLanes());
    rewriter.eraseOp(op);
    return success();
  }
};

struct CopyPattern : NeighboursPattern<kernel::CopyAsyncNeighboursOp> {
  using NeighboursPattern::NeighboursPattern;

  LogicalResult
  matchAndRewrite(kernel::CopyAsyncNeighboursOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto target = cast<MemRefType>(op.getTarget().getType());
    auto type = VectorType::get({op.getWidth()}, target.getElementType());
    NeighbourAccess access =
        getAccess(op, type, op.getSource(), adaptor.getSource(),
                  adaptor.getSourceIndices(), rewriter);
    access.copy(getStridedElementPtr(rewriter, op.getLoc(), target,
                                     adaptor.getTarget(),
                                     adaptor.getTargetIndices()),
                adaptor.getCount(), adaptor.getCondition(), op.getLanes());
    rewriter.eraseOp(op);
    return success();
  }
};

struct LoadCopiedPattern : NeighboursPattern<kernel::LoadCopiedOp> {
  using NeighboursPattern::NeighboursPattern;

  LogicalResult
  matchAndRewrite(kernel::LoadCopiedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NeighbourAccess access =
        getAccess(op, op.getType(), op.getSource(), adaptor.getSource(),
                  adaptor.getSourceIndices(), rewriter);
    Value target = getStridedElementPtr(
        rewriter, op.getLoc(), cast<MemRefType>(op.getTarget().getType()),
        adaptor.getTarget(), adaptor.getTargetIndices());
    rewriter.replaceOp(op, access.loadCopied(target));
    return success();
  }
};
} // namespace

void populateKernelNeighbourPatterns(const LLVMTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<CopyPattern, LoadCopiedPattern, LoadPattern, StorePattern>(
      converter);
}

} // namespace fuser
