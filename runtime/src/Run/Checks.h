//===- Checks.h - Whether tensors fit a program ---------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checking is on the path of every call, wording a refusal is not: a check
// fills in a Mismatch, a few numbers, and `describe` makes the message of it
// when it is wanted.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_CHECKS_H
#define FUSER_RT_CHECKS_H

#include "Device.h"
#include "Run/InlineBuffer.h"

namespace fuser_rt {

/// The size that a symbol stands for in this call, and where it was seen first.
struct Symbol {
  int64_t size;   // -1: not seen
  uint32_t input; // tensor
  uint32_t dim;
};

/// How a tensor does not fit.
struct Mismatch {
  enum Kind {
    None,
    Missing,      // a null pointer
    Rank,         //
    Type,         //
    WrongDevice,  //
    Size,         // dimension `dim` is not `expected`
    SymbolSize,   // dimension `dim` is not the size of symbol `other`
    NegativeSize, // dimension `dim`
    Divisor,      // dimension `dim` is not a multiple of `expected`
    Bound,        // dimension `dim` is more than `expected`
    LowerBound,   // dimension `dim` is less than `expected`
    TooLarge,     // more than 2^63 bytes
    NoData,       // null data, not empty
    Strides,      //
    Alignment,    //
    Overlap,      // with `other`
    OverlapsItself,
  };
  Kind kind = None;
  bool isOutput = false;
  size_t index = 0;
  size_t dim = 0;
  int64_t expected = 0;
  /// Overlap: the written tensor; `otherIsOutput` says of which list.
  size_t other = 0;
  bool otherIsOutput = false;
  Symbol symbol{};
  /// Divisor, Bound, Strides, Alignment: the program itself asks for them.
  bool isRequired = false;

  bool isSizeClass() const {
    return kind == Divisor || kind == Bound || kind == LowerBound;
  }
  /// True if another variant, compiled for another class of inputs, can fit.
  bool isOfClass() const {
    return !isRequired && (isSizeClass() || kind == Alignment ||
                           (kind == Strides && !isOutput));
  }
};

/// Whether a tensor with these sizes and strides (null: row major) is dense in
/// `order`, from slowest to fastest. Dimensions of size 1 and empty tensors
/// have any strides.
bool isDense(const int64_t *sizes, const int64_t *strides,
             const std::vector<int64_t> &order);
/// Row-major strides.
void rowMajorStrides(int32_t rank, const int64_t *sizes, int64_t *strides);

/// Where the first element lies. A wild offset may wrap around, and data may be
/// null.
void *dataOf(const DLTensor &tensor);

/// Checks one tensor against its description. Inputs bind symbols that were not
/// seen, and what `sizes` asks of these is checked; outputs do not.
struct TensorCheck {
  const TensorSpec &spec;
  const DLTensor *tensor;
  const Device &device;
  Symbol *symbols;
  /// By symbol; null where nothing is asked.
  const SizeSpec *const *sizes;
  bool isOutput;
  size_t index;

  /// False, with `mismatch` filled in, if it does not fit.
  bool run(Mismatch &mismatch) const;

private:
  Mismatch::Kind findMismatch(Mismatch &mismatch) const;
  Mismatch::Kind checkSizes(Mismatch &mismatch, bool &empty) const;
  Mismatch::Kind checkSize(size_t dim, Mismatch &mismatch) const;
};

/// The addresses that a tensor lies between; nothing for an empty one.
struct Extent {
  uintptr_t begin = 0, end = 0;
  bool overlaps(const Extent &other) const {
    return begin < other.end && other.begin < end;
  }
};
Extent extentOf(const DLTensor &tensor);

/// The tensors of a call.
struct CallTensors {
  const Variant &variant;
  const DLTensor *const *inputs;
  const FuserOutput *outputs;
};

/// Whether what the program writes (inputs marked in `writtenInputs`,
/// preallocated outputs) is apart from all inputs and from each other. Tensors
/// that interleave count as overlapping.
bool checkOverlap(const CallTensors &call,
                  const std::vector<bool> &writtenInputs, Mismatch &mismatch);

/// "input 1 'y': expected dimension 0 to be 128 because input 0 'x' dimension 0
/// is 128, got 64".
std::string describe(const Mismatch &mismatch, const CallTensors &call,
                     const Device &device);

/// The op because of which the size of an input is wrong, "model.py:3:
/// fusion.add: "; empty if that is not known, or there is none.
const std::string &findUser(const Mismatch &mismatch, const CallTensors &call);

/// "input 1 'y'".
std::string tensorText(const char *kind, size_t index, const std::string &name);

/// "tensor<?x4096xbf16>".
std::string typeText(const TensorSpec &spec);
std::string listText(const int64_t *values, size_t count);

} // namespace fuser_rt

#endif // FUSER_RT_CHECKS_H
