//===- IndexMapOps.cpp - Ops that move elements ---------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpFamilies.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace fuser;
using namespace fuser::fuzz;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Permutations and repetitions
//===----------------------------------------------------------------------===//

static Tensor permute(GrowingProgram &program, const Tensor &tensor,
                      ArrayRef<int64_t> order) {
  Dims dims;
  for (int64_t dim : order)
    dims.push_back(tensor.dims[dim]);
  Value value =
      PermuteOp::create(program.builder, program.getType(dims, tensor.element),
                        tensor.value, order);
  return program.add(value, dims, tensor.range);
}

void fuzz::addPermute(GrowingProgram &program, const Tensor &tensor) {
  permute(program, tensor, program.random.permute(tensor.getRank()));
}

/// New dimensions of size 1 at `places` of the result.
static Tensor broadcast(GrowingProgram &program, const Tensor &tensor,
                        ArrayRef<int64_t> places) {
  Dims dims = tensor.dims;
  for (int64_t place : places)
    dims.insert(dims.begin() + place, program.makeDim(1, false));
  Value value = BroadcastOp::create(program.builder,
                                    program.getType(dims, tensor.element),
                                    tensor.value, places);
  return program.add(value, dims, tensor.range);
}

Tensor fuzz::expandSome(GrowingProgram &program, const Tensor &tensor) {
  Dims dims = tensor.dims;
  for (Dim &dim : dims) {
    if (dim.isOpen || dim.size != 1 || program.random.chance(25))
      continue;
    Dim before = dim;
    dim = program.pickDim();
    if (!isSmall(dims))
      dim = before;
  }
  return expandTo(program, tensor, dims);
}

void fuzz::addBroadcastInDim(GrowingProgram &program, const Tensor &tensor) {
  int64_t rank = tensor.getRank();
  int64_t wanted =
      program.random.between(rank, std::min<int64_t>(kMaxRank, rank + 2));
  SmallVector<int64_t> places = program.random.choose(wanted, rank);
  Dims dims(wanted, program.makeDim(1, false));
  for (auto [place, dim] : llvm::zip(places, tensor.dims))
    dims[place] = dim;
  SmallVector<Value> sizes;
  for (Dim &dim : dims) {
    if (dim.isOpen || dim.size != 1)
      continue;
    Dim before = dim;
    dim = program.pickDim();
    if (!isSmall(dims))
      dim = before;
    else if (dim.isOpen)
      sizes.push_back(program.getSize(dim));
  }
  Value value = BroadcastInDimOp::create(program.builder,
                                         program.getType(dims, tensor.element),
                                         tensor.value, places, sizes);
  program.add(value, dims, tensor.range);
}

void fuzz::addExpand(GrowingProgram &program, const Tensor &tensor) {
  int64_t rank = tensor.getRank();
  Tensor small = tensor;
  if (rank < kMaxRank) {
    int64_t most = std::min<int64_t>(kMaxRank, rank + 2);
    int64_t wanted = program.random.between(rank + 1, most);
    small = broadcast(program, tensor,
                      program.random.choose(wanted, wanted - rank));
  }
  if (program.random.chance(80))
    expandSome(program, small);
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// A size that is the product or the quotient of others.
template <typename OpT>
static Dim compute(GrowingProgram &program, Dim a, Dim b, int64_t size) {
  if (!a.isOpen && !b.isOpen && program.random.chance(80))
    return program.makeDim(size, false);
  Value lhs = program.getSize(a);
  Value rhs = program.getSize(b);
  return program.makeDim(size, a.isOpen || b.isOpen,
                         OpT::create(program.builder, lhs, rhs));
}

static Dims merge(GrowingProgram &program, const Tensor &tensor) {
  Dims dims = tensor.dims;
  uint64_t at = program.random.below(dims.size() - 1);
  Dim a = dims[at], b = dims[at + 1];
  dims[at] = compute<arith::MulIOp>(program, a, b, a.size * b.size);
  dims.erase(dims.begin() + at + 1);
  return dims;
}

static int64_t pickDivisor(Random &random, int64_t number) {
  SmallVector<int64_t> divisors;
  for (int64_t n = 1; n <= std::min<int64_t>(number, 256); ++n)
    if (number % n == 0)
      divisors.push_back(n);
  return random.pick(ArrayRef<int64_t>(divisors));
}

static Dims split(GrowingProgram &program, const Tensor &tensor) {
  Dims dims = tensor.dims;
  uint64_t at = program.random.below(dims.size());
  Dim whole = dims[at];
  if (whole.size == 0)
    return dims;
  int64_t size = pickDivisor(program.random, whole.size);
  bool isOpen = program.random.chance(30);
  Dim inner = program.makeDim(size, isOpen);
  dims[at] = compute<arith::DivUIOp>(program, whole, inner, whole.size / size);
  dims.insert(dims.begin() + at + 1, inner);
  return dims;
}

/// Any dimensions of so many elements.
static Dims factor(GrowingProgram &program, int64_t count) {
  Dims dims;
  int64_t rank = program.random.between(count == 1 ? 0 : 1, kMaxRank);
  int64_t rest = count;
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isLast = dim == rank - 1;
    int64_t size = rest;
    if (count == 0)
      size = program.random.pick<int64_t>({1, 2, 3, 8});
    else if (!isLast)
      size = pickDivisor(program.random, rest);
    rest = count == 0 ? 0 : rest / size;
    bool isOpen = program.random.chance(40);
    dims.push_back(program.makeDim(size, isOpen));
  }
  if (count == 0)
    dims[program.random.below(rank)].size = 0;
  for (uint64_t from : program.random.permute(rank))
    std::swap(dims[from], dims[0]);
  return dims;
}

/// The sizes that a reshape is told: a single one may follow from the others.
static SmallVector<Value> getReshapeSizes(GrowingProgram &program,
                                          ArrayRef<Dim> dims) {
  bool isSingle = llvm::count_if(dims, [](Dim d) { return d.isOpen; }) == 1;
  bool isClear =
      llvm::none_of(dims, [](Dim dim) { return !dim.isOpen && dim.size == 0; });
  if (isSingle && isClear && program.random.chance(50))
    return {};
  return program.getOpenSizes(dims);
}

void fuzz::addReshape(GrowingProgram &program, const Tensor &tensor) {
  unsigned kind = program.random.below(10);
  Dims dims;
  if (kind < 4 && tensor.getRank() > 1)
    dims = merge(program, tensor);
  else if (kind < 8 && tensor.getRank() > 0 && tensor.getRank() < kMaxRank)
    dims = split(program, tensor);
  else
    dims = factor(program, countElements(tensor.dims));
  Value value =
      ReshapeOp::create(program.builder, program.getType(dims, tensor.element),
                        tensor.value, getReshapeSizes(program, dims));
  program.add(value, dims, tensor.range);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
/// Offsets, sizes and steps of a slice.
struct Cut {
  SmallVector<OpFoldResult> offsets, steps;
  Dims dims;

  void add(OpFoldResult offset, Dim dim, OpFoldResult step) {
    offsets.push_back(offset);
    dims.push_back(dim);
    steps.push_back(step);
  }
};
} // namespace

static Tensor slice(GrowingProgram &program, const Tensor &tensor,
                    const Cut &cut) {
  SmallVector<OpFoldResult> sizes;
  for (Dim dim : cut.dims)
    sizes.push_back(program.getMixedSize(dim));
  Value value = SliceOp::create(program.builder,
                                program.getType(cut.dims, tensor.element),
                                tensor.value, cut.offsets, sizes, cut.steps);
  return program.add(value, cut.dims, tensor.range);
}

/// A number of the program's text, or one that it gets.
static OpFoldResult mixIndex(GrowingProgram &program, int64_t number) {
  if (program.random.chance(70))
    return program.builder.getIndexAttr(number);
  return program.makeIndex(number);
}

static Tensor sliceAnyhow(GrowingProgram &program, const Tensor &tensor) {
  Cut cut;
  OpFoldResult zero = program.builder.getIndexAttr(0),
               one = program.builder.getIndexAttr(1);
  for (Dim dim : tensor.dims) {
    if (program.random.chance(50)) {
      cut.add(zero, dim, one);
      continue;
    }
    int64_t step = program.random.pick<int64_t>({1, 1, 2, 3});
    int64_t offset = dim.size ? program.random.below(dim.size) : 0;
    int64_t most = (dim.size - offset + step - 1) / step;
    int64_t least = most == 0 || program.random.chance(5) ? 0 : 1;
    int64_t size = program.random.between(least, most);
    bool isOpen = program.random.chance(40);
    OpFoldResult first = mixIndex(program, offset);
    OpFoldResult stride = mixIndex(program, step);
    cut.add(first, program.makeDim(size, isOpen), stride);
  }
  return slice(program, tensor, cut);
}

void fuzz::addSlice(GrowingProgram &program, const Tensor &tensor) {
  if (!tensor.dims.empty())
    sliceAnyhow(program, tensor);
}

/// `size` elements of dimension `dim` from `offset` on, all of the others.
static Tensor sliceDim(GrowingProgram &program, const Tensor &tensor,
                       int64_t dim, std::pair<int64_t, int64_t> part) {
  Cut cut;
  OpFoldResult zero = program.builder.getIndexAttr(0),
               one = program.builder.getIndexAttr(1);
  for (auto [index, whole] : llvm::enumerate(tensor.dims)) {
    if (static_cast<int64_t>(index) != dim)
      cut.add(zero, whole, one);
    else
      cut.add(program.builder.getIndexAttr(part.first),
              program.makeDim(part.second, program.random.chance(20)), one);
  }
  return slice(program, tensor, cut);
}

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

static Tensor cat(GrowingProgram &program, ArrayRef<Tensor> parts,
                  int64_t dim) {
  Dims dims = parts.front().dims;
  Magnitude range = parts.front().range;
  SmallVector<Value> values{parts.front().value};
  for (const Tensor &part : parts.drop_front()) {
    Dim a = dims[dim], b = part.dims[dim];
    dims[dim] = compute<arith::AddIOp>(program, a, b, a.size + b.size);
    dims[dim].isOpen = a.isOpen || b.isOpen;
    range.limit = std::max(range.limit, part.range.limit);
    range.isExact &= part.range.isExact;
    values.push_back(part.value);
  }
  Value value =
      CatOp::create(program.builder,
                    program.getType(dims, parts.front().element), values, dim);
  return program.add(value, dims, range);
}

void fuzz::addRotation(GrowingProgram &program, const Tensor &tensor) {
  if (tensor.dims.empty())
    return;
  int64_t dim = program.random.chance(70)
                    ? tensor.getRank() - 1
                    : program.random.below(tensor.getRank());
  int64_t size = tensor.dims[dim].size, half = size / 2;
  if (size < 2)
    return;
  Tensor low = sliceDim(program, tensor, dim, {0, half});
  Tensor high = sliceDim(program, tensor, dim, {half, size - half});
  if (program.random.chance(50)) {
    addSimpleUnary(program, high);
    if (areAlike(program.getTensors().back().dims, high.dims))
      high = program.getTensors().back();
  }
  cat(program, {high, low}, dim);
}

/// What can stand beside `tensor` along `dim`: an input, a constant, or another
/// tensor that is there.
static Tensor pickNeighbour(GrowingProgram &program, const Tensor &tensor,
                            int64_t dim) {
  SmallVector<Tensor> alike;
  for (const Tensor &other : program.getTensors()) {
    if (other.element != tensor.element || other.getRank() != tensor.getRank())
      continue;
    Dims dims = other.dims;
    dims[dim] = tensor.dims[dim];
    if (areAlike(dims, tensor.dims))
      alike.push_back(other);
  }
  if (program.random.chance(50))
    return program.random.pick(ArrayRef<Tensor>(alike));
  Dims dims = tensor.dims;
  int64_t size = program.random.pick<int64_t>({0, 1, 2, 5});
  bool isOpen = program.random.chance(30);
  dims[dim] = program.makeDim(size, isOpen);
  return program.pickLike(dims, tensor.element);
}

void fuzz::addCat(GrowingProgram &program, const Tensor &tensor) {
  if (tensor.dims.empty())
    return;
  auto dim = static_cast<int64_t>(program.random.below(tensor.getRank()));
  SmallVector<Tensor> parts{tensor};
  for (unsigned more = program.random.below(3); more > 0; --more)
    parts.push_back(pickNeighbour(program, tensor, dim));
  Dims dims = tensor.dims;
  dims[dim].size = 0;
  for (const Tensor &part : parts)
    dims[dim].size += part.dims[dim].size;
  if (!isSmall(dims))
    return;
  std::swap(parts.front(), parts[program.random.below(parts.size())]);
  cat(program, parts, dim);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

Tensor fuzz::addView(GrowingProgram &program, const Input &input) {
  Tensor tensor = input.tensor;
  for (unsigned steps = program.random.below(4); steps > 0; --steps) {
    switch (program.random.below(4)) {
    case 0:
      tensor =
          permute(program, tensor, program.random.permute(tensor.getRank()));
      break;
    case 1:
      if (!tensor.dims.empty())
        tensor = sliceAnyhow(program, tensor);
      break;
    case 2:
      if (tensor.getRank() < kMaxRank)
        tensor = broadcast(
            program, tensor,
            {static_cast<int64_t>(program.random.below(tensor.getRank() + 1))});
      break;
    default:
      tensor = expandSome(program, tensor);
      break;
    }
  }
  return tensor;
}
