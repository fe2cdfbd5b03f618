//===- HostTensor.h - Tensors in host memory for fuser-run ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors that fuser-run makes, reads and writes: element types of the dialect
// in their storage form, any strides, any offset from alignment. Files are
// NumPy's .npy; bf16, which NumPy lacks, is stored as its raw 16 bits (dtype
// <u2), f16 as <f2, i1 as |b1. Of packed floats, two in a byte, sizes, strides
// and offset are those of bytes, of which files have |u1.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_TOOLS_TENSORS_HOSTTENSOR_H
#define FUSER_LIB_TOOLS_TENSORS_HOSTTENSOR_H

#include "dlpack/dlpack.h"
#include "fuser/Support/ElementTypes.h"
#include "fuser_rt/Program.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>

namespace fuser::run {

inline llvm::StringRef getName(ElementType type) {
  return fuser_rt::elementText(type);
}
inline bool isFloat(ElementType type) {
  return fuser_rt::getInfo(type).kind == ElementKind::Float;
}

/// One element between memory and a number. Floats are rounded to nearest even;
/// integers come through `int64_t` so that none of their bits are lost.
double loadFloat(ElementType type, const void *data);
void storeFloat(ElementType type, void *data, double value);
/// Of ui64 its bits.
int64_t loadInt(ElementType type, const void *data);
/// What an integer that was loaded is.
double toNumber(ElementType type, int64_t integer);
void storeInt(ElementType type, void *data, int64_t value);

/// The largest finite number of a floating-point type.
double getLargestFloat(ElementType type);

/// The distance between neighbours of `value` in floating-point type `type`, a
/// power of two.
double getUlp(ElementType type, double value);

struct HostTensor {
  ElementType element = ElementType::F32;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<int64_t> strides; ///< In elements.
  int64_t offset = 0; ///< Of element 0 from an aligned address, in elements.
  std::shared_ptr<char> storage; ///< 256-byte aligned.
  uint64_t storageBytes = 0;

  uint64_t getNumElements() const;
  char *getData() const;
  /// The address of an element by its row-major position.
  char *getElement(uint64_t position) const;
  /// Elements that are next to each other in row-major order.
  struct Run {
    char *data;        ///< The first one.
    int64_t step;      ///< From one to the next, in bytes.
    uint64_t position; ///< Of the first one, row-major.
    uint64_t count;
  };
  /// Calls `visit` for all elements in runs, from several threads.
  void forEachElement(llvm::function_ref<void(Run)> visit) const;
  bool isRowMajor() const;
  /// Complex numbers as pairs of real ones along one more dimension, in the
  /// same memory; of others the tensor itself.
  HostTensor getPairs() const;
  /// Of packed floats, a tensor with a byte for each number, and twice as many
  /// columns; of others the tensor itself.
  llvm::Expected<HostTensor> unpack() const;
  /// Takes the numbers of a tensor of bytes that was made by `unpack`.
  void pack(const HostTensor &numbers);
  /// Whether elements may lie at one address: with a stride of 0, or strides
  /// that let dimensions overlap.
  bool mayShareElements() const;
  /// Points into this tensor, which must outlive it.
  DLTensor getDLTensor(DLDevice device, void *data);
};

/// A tensor with memory for its strides (row major if empty) and offset.
llvm::Expected<HostTensor> allocate(ElementType element,
                                    llvm::ArrayRef<int64_t> sizes,
                                    llvm::ArrayRef<int64_t> strides = {},
                                    int64_t offset = 0);

/// The tensor that an option such as
/// `2048x4096xbf16=random:7,strides=8192x1,offset=1` describes. Fills:
/// random:SEED (uniform in [-2, 2); integers in [-8, 8]), normal:SEED,
/// random:SEED,below=N (integers in [0, N)), bits:SEED (any bits, NaN among
/// them), value:V, iota, FILE.npy (complex numbers: of their parts, in the
/// order of memory; value:V is V and 0); `FILE.npy,strides=8192x1` takes shape
/// and type from the file. Elements that share memory are filled in the order
/// of memory. Sizes of f4E2M1FN are those of a program, strides and the offset
/// those of bytes, and so are a file's.
llvm::Expected<HostTensor> makeTensor(llvm::StringRef spec);
/// One for each.
llvm::Expected<llvm::SmallVector<HostTensor>>
makeTensors(llvm::ArrayRef<std::string> specs);

/// In the file's order: row major, or column major (Fortran order). Without
/// `element` its type is the file's.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path,
                                   std::optional<ElementType> element);
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

} // namespace fuser::run

#endif // FUSER_LIB_TOOLS_TENSORS_HOSTTENSOR_H
