//===- Program.h - A compiled program as a value --------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only form of a compiled program is this value and its bytes
// (`serialize`): the compiler makes it, the runtime loads it, a file (`.fx`)
// holds it. It is a list of variants. A variant fits inputs of one class
// (element types, static sizes, contiguity, alignment, what open sizes are a
// multiple of and at most); the first that fits is run.
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_PROGRAM_H
#define FUSER_RT_PROGRAM_H

#include "fuser_rt/ElementTypes.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fuser_rt {

enum class Target : uint32_t { Cpu = 0, Cuda = 1, Sim = 2 };

/// A size: static (>= 0), or a symbol: -1-s for symbol s. The same symbol
/// stands for the same size in all inputs.
using Dim = int64_t;

/// A tensor that enters or leaves a program.
struct TensorSpec {
  std::string name;
  ElementType element = ElementType::F32;
  std::vector<Dim> dims;
  /// Dimensions from the slowest to the fastest, e.g. {0, 1} for row major.
  /// Inputs: the order in which the memory is dense. Outputs: the strides that
  /// a new output gets.
  std::vector<int64_t> strideOrder;
  /// Inputs: any strides are accepted (strideOrder then means nothing).
  /// Outputs: false.
  bool anyStrides = false;
  /// Inputs and preallocated outputs: the alignment of the data pointer that is
  /// needed, in bytes.
  uint64_t alignment = 1;
  /// Whether the program itself asks for the stride order, or the alignment:
  /// then no variant takes another one.
  bool strideOrderRequired = false;
  bool alignmentRequired = false;
  /// Outputs: where their memory comes from. New: allocated, or the caller's.
  /// Reuse: input `aliasInput`'s buffer, written. View: a view of input
  /// `aliasInput`, made without a kernel.
  enum class Alias : uint32_t { New, Reuse, View } alias = Alias::New;
  uint32_t aliasInput = 0;
  /// Inputs: whether the program may write into them.
  bool written = false;
  /// Inputs: of each dimension which op needs its size to be a static one, or
  /// that of an input before, as messages begin ("model.py:3: fusion.add: ").
  /// Empty where none does, or nothing is known of it; no elements: nowhere.
  std::vector<std::string> users;
};

/// What a variant asks of the size that a symbol of its inputs stands for.
/// Bounds are inclusive; -1: there is none.
struct SizeSpec {
  uint32_t symbol = 0;
  /// The code counts on it: the size is a multiple of it, and at most so large.
  int64_t divisor = 1;
  int64_t bound = -1;
  /// The program itself asks for it: then no variant takes another size.
  int64_t requiredDivisor = 1;
  int64_t requiredBound = -1;
  /// The code counts on it: the size is at least so large.
  int64_t lowerBound = 0;
  /// Another variant would make use of it: whether the size is a multiple of
  /// this, or of a part of it (down to `wantedLeastDivisor`), and which of 1,
  /// 2, 4, 8, 16, 20, 24, 28, 32, 40... from `wantedLeast` up to `wantedBound`
  /// it is not above, or is.
  int64_t wantedDivisor = 1;
  int64_t wantedBound = -1;
  int64_t wantedLeast = 16;
  /// The same of whether it is above `wantedBound`.
  bool wantsLowerBound = false;
  int64_t wantedLeastDivisor = 8;
};

/// The largest divisor that the dialect has (`fusion.divisors`).
constexpr int64_t largestDivisor = int64_t(1) << 20;

/// What a variant that is compiled for a size may count on.
struct SizeClass {
  int64_t divisor = 1;
  int64_t bound = -1;
  int64_t lowerBound = 0;
};

/// The class of a size that is not negative, of those that `wanted` tells
/// apart.
SizeClass classifySize(const SizeSpec &wanted, int64_t size);

/// A program has at most so many variants for classes of sizes: calls of more
/// classes run what there is.
constexpr unsigned maxSizeVariants = 64;

/// A scalar that enters a program.
struct ScalarSpec {
  std::string name;
  ElementType element = ElementType::I64; // index comes as I64
};

/// Elements of a tensor map, numbered for the file format and as the CUDA
/// driver numbers them.
enum class TensorMapElement : uint32_t {
  U8,
  U16,
  U32,
  I32,
  U64,
  I64,
  F16,
  F32,
  F64,
  BF16
};

unsigned elementBytes(TensorMapElement type);

/// The largest rank of a tensor map.
constexpr uint32_t maxTensorMapRank = 5;

/// A parameter of a kernel that is an encoded tensor map (CUtensorMap): what
/// all launches have in common. The rest is the tensor that a launch gives.
struct TensorMapSpec {
  uint32_t param = 0;    ///< Which parameter it is.
  uint32_t argument = 0; ///< The launch's argument, for messages.
  TensorMapElement element = TensorMapElement::F32;
  /// The elements of a box, in the order of the tensor's dimensions.
  std::vector<uint32_t> box;
  uint32_t interleave = 0;  ///< 0 to 2: none, 16, 32 bytes.
  uint32_t swizzle = 0;     ///< 0 to 3: none, 32, 64, 128 bytes.
  uint32_t l2Promotion = 0; ///< 0 to 3: none, 64, 128, 256 bytes.
  bool fillsNan = false;    ///< What is out of bounds reads as NaN, else as 0.
};

struct KernelSpec {
  std::string name;
  /// Cuda: PTX of the kernel's module (shared by kernels with the same index
  /// into `images`).
  uint32_t image = 0;
  /// Cpu: memory of each thread. Sim: static shared memory of each block.
  uint64_t scratchBytes = 0;
  uint32_t numParams = 0;
  /// Cuda: those of the parameters that are tensor maps.
  std::vector<TensorMapSpec> tensorMaps = {};
};

struct Variant {
  Target target = Target::Cpu;
  /// Cuda: sm_90 and so on. Cpu, Sim: an LLVM CPU name, for the record.
  std::string arch;
  /// Cpu, Sim: CPU features that the code needs (as in /proc/cpuinfo: avx2,
  /// avx512bf16...).
  std::vector<std::string> features;
  std::vector<TensorSpec> inputs;
  std::vector<ScalarSpec> scalars;
  std::vector<TensorSpec> outputs;
  std::vector<SizeSpec> sizes; ///< Of symbols, each once.
  std::vector<KernelSpec> kernels;
  std::vector<std::string> images; ///< Cuda: PTX texts.
  /// An ELF shared object with the host entry (and kernels, but of Cuda).
  std::string object;
};

struct Program {
  std::string name;
  /// How many segments it was cut into.
  uint32_t numSegments = 0;
  /// Whether a run communicates with other ranks: one that fails, wherever it
  /// does, ends their waiting for it.
  bool communicates = false;
  std::vector<Variant> variants;
};

/// Bytes: a magic number, a format version, a checksum, the value.
std::string serialize(const Program &program);

/// Whether bytes begin with the magic number.
bool isProgram(const char *data, size_t size);

/// Reads what `serialize` wrote. On damage, or a newer format, returns false
/// and says in `error` what was expected, what was found and where.
bool deserialize(const char *data, size_t size, Program &program,
                 std::string &error);

} // namespace fuser_rt

#endif // FUSER_RT_PROGRAM_H
