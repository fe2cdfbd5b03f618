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
//          before, which a shuffle fetches
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

private:
  Value integer(int64_t value) { return createI32(b, loc, value); }
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
  Words toWords(Value value, int64_t bytes);
  Value fromWords(const Words &words, Type result);
  Words skip(Words words, Value elements, int64_t count);
  Words merge(const Words &before, const Words &words);
  void emitIf(Value condition, function_ref<void()> body);
  void storeElements(const Part &part);
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

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// Of `value`, which has so many bytes.
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

/// So many words from the byte on before which `words` has `elements`, fewer
/// than a chunk has.
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
  int64_t wordsPerChunk = chunkBytes / kWordBytes;
  Type chunk = b.getI32Type();
  if (wordsPerChunk > 1)
    chunk = VectorType::get({wordsPerChunk}, chunk);
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
    Value loaded = LLVM::LoadOp::create(b, loc, chunk, address, chunkBytes);
    llvm::append_range(words, toWords(loaded, chunkBytes));
  }
  if (user)
    b.setInsertionPoint(user);
  if (shift)
    words = skip(std::move(words), shift, numChunks * wordsPerChunk);
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

/// Of a lane whose vector goes beyond its last chunk, which it has stored as a
/// whole: what is in the next one, the first elements of `words`.
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
    Value lane = LLVM::AndOp::create(
        b, loc, NVVM::LaneIdOp::create(b, loc, b.getI32Type()),
        integer(lanes - 1));
    Value isFirst = compare(LLVM::ICmpPredicate::eq, lane, integer(0));
    isLast = compare(LLVM::ICmpPredicate::eq, lane, integer(lanes - 1));
    begin = LLVM::SelectOp::create(b, loc, isFirst, shift, begin);
    for (Value word : getChunk(numChunks - 1))
      before.push_back(NVVM::ShflOp::create(b, loc, b.getI32Type(), integer(-1),
                                            word, integer(1), integer(0),
                                            NVVM::ShflKind::up, UnitAttr()));
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
      Type type = b.getI32Type();
      if (perChunk > 1)
        type = VectorType::get({perChunk}, type);
      LLVM::StoreOp::create(b, loc, fromWords(part.words, type), part.address,
                            chunkBytes);
    });
    Value yes = LLVM::ConstantOp::create(b, loc, b.getBoolAttr(true));
    part.exists = both(compare(LLVM::ICmpPredicate::sgt, part.end, integer(0)),
                       LLVM::XOrOp::create(b, loc, isWhole, yes));
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
  storeChunks(turned, LLVM::AddOp::create(b, loc, end, shift), lanes);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
template <typename OpTy>
struct NeighboursPattern : ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;

  NeighbourAccess getAccess(OpTy op, typename OpTy::Adaptor adaptor, Type value,
                            ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    auto memref = cast<MemRefType>(op.getBase().getType());
    auto type = cast<VectorType>(this->getTypeConverter()->convertType(value));
    NeighbourAccess access(rewriter, loc, type, op.getAlignment());
    Value address = this->getStridedElementPtr(
        rewriter, loc, memref, adaptor.getBase(), adaptor.getIndices());
    access.setPlace(
        castPointer(rewriter, loc, address, NVVM::NVVMMemorySpace::Global),
        memref, adaptor.getBase(), adaptor.getIndices());
    return access;
  }
};

struct LoadPattern : NeighboursPattern<kernel::LoadNeighboursOp> {
  using NeighboursPattern::NeighboursPattern;

  LogicalResult
  matchAndRewrite(kernel::LoadNeighboursOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NeighbourAccess access = getAccess(op, adaptor, op.getType(), rewriter);
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
        getAccess(op, adaptor, op.getValue().getType(), rewriter);
    access.store(adaptor.getValue(), adaptor.getCount(), op.getLanes());
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void populateKernelNeighbourPatterns(const LLVMTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern>(converter);
}

} // namespace fuser
