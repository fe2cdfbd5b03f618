//===- ReferenceRun.cpp - Evaluation of a function ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceJIT.h"
#include "ReferenceMemory.h"
#include "fuser/Analysis/ArgumentNames.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Fusion/Transforms/Passes.h"
#include "fuser/Reference/Jumps.h"
#include "fuser/Reference/Reference.h"
#include "fuser/Support/PowersOfTwo.h"
#include "fuser/Transforms/RingArithmetic.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <cstdlib>
#include <cstring>

using namespace fuser;
using llvm::APFloat;

namespace {
/// A memref descriptor, and what a dense input is kept in.
struct Buffer {
  /// Allocated and aligned pointer, offset, sizes, strides.
  SmallVector<int64_t> descriptor;
  std::unique_ptr<char, decltype(&std::free)> storage{nullptr, std::free};

  void setDescriptor(ArrayRef<int64_t> sizes) {
    auto address = reinterpret_cast<intptr_t>(storage.get());
    descriptor.assign({address, address, 0});
    llvm::append_range(descriptor, sizes);
    SmallVector<int64_t> strides(sizes.size(), 1);
    for (int64_t dim = static_cast<int64_t>(sizes.size()) - 2; dim >= 0; --dim)
      strides[dim] = strides[dim + 1] * sizes[dim + 1];
    llvm::append_range(descriptor, strides);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <typename T>
static T read(const char *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

template <typename T>
static void write(char *data, T value) {
  std::memcpy(data, &value, sizeof(T));
}

static int64_t getStorageBytes(Type element) {
  if (element.isIndex())
    return 8;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// Bytes of an element in the reference's buffers.
static int64_t getBufferBytes(Type element, Arithmetic arithmetic) {
  return isa<FloatType>(element) && arithmetic == Arithmetic::Floats
             ? 8
             : getStorageBytes(element);
}

/// The numbers of a float type of at most 16 bits, by their bits.
static std::vector<double> decodeNumbers(FloatType type) {
  std::vector<double> numbers(size_t(1) << type.getWidth());
  for (size_t bits = 0; bits < numbers.size(); ++bits) {
    APFloat number(type.getFloatSemantics(),
                   llvm::APInt(type.getWidth(), bits));
    numbers[bits] = toDouble(FloatAttr::get(type, number));
  }
  return numbers;
}

static int64_t readInteger(Type element, const char *data) {
  int64_t bytes = getStorageBytes(element);
  uint64_t bits = 0; // x86 and its like: the low bytes first.
  std::memcpy(&bits, data, bytes);
  // A true is any byte but 0.
  if (element.isInteger(1))
    return bits != 0;
  return element.isUnsignedInteger()
             ? static_cast<int64_t>(bits)
             : llvm::SignExtend64(bits, 8 * static_cast<unsigned>(bytes));
}

static int64_t getCount(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

/// Calls `visit(row-major position, offset in elements)` for every element.
template <typename Visit>
static void forEachElement(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                           Visit visit) {
  int64_t count = getCount(sizes);
  int64_t length = sizes.empty() ? 1 : sizes.back();
  int64_t step = sizes.empty() ? 0 : strides.back();
  SmallVector<int64_t> index(sizes.size(), 0);
  int64_t offset = 0;
  for (int64_t position = 0; position < count; position += length) {
    for (int64_t i = 0; i < length; ++i)
      visit(position + i, offset + i * step);
    for (int64_t dim = static_cast<int64_t>(sizes.size()) - 2; dim >= 0;
         --dim) {
      offset += strides[dim];
      if (++index[dim] < sizes[dim])
        break;
      offset -= strides[dim] * sizes[dim];
      index[dim] = 0;
    }
  }
}

/// A dense copy with floats in f64 or, in the ring, their bits. Returns the
/// bytes that there is no memory for; 0 if there is.
static uint64_t fillBuffer(const ReferenceInput &input, Buffer &buffer,
                           Arithmetic arithmetic) {
  Type element = input.elementType;
  int64_t from = getStorageBytes(element),
          to = getBufferBytes(element, arithmetic);
  // Elements that share memory do so no longer.
  uint64_t bytes =
      llvm::SaturatingMultiply<uint64_t>(getCount(input.sizes), to);
  buffer.storage.reset(
      static_cast<char *>(std::malloc(std::max<uint64_t>(bytes, 1))));
  if (!buffer.storage)
    return bytes;
  const char *source = static_cast<const char *>(input.data);
  char *target = buffer.storage.get();
  auto fill = [&](auto convert) {
    forEachElement(
        input.sizes, input.strides, [&](int64_t position, int64_t offset) {
          write(target + position * to, convert(source + offset * from));
        });
  };
  bool isBool = element.isInteger(1);
  bool isCopied = isa<FloatType>(element)
                      ? arithmetic == Arithmetic::Ring || element.isF64()
                      : !isBool;
  if (isCopied) {
    forEachElement(
        input.sizes, input.strides, [&](int64_t position, int64_t offset) {
          std::memcpy(target + position * to, source + offset * from, to);
        });
  } else if (isNarrowFloat(element)) {
    std::vector<double> numbers = decodeNumbers(cast<FloatType>(element));
    fill([&](const char *in) {
      return numbers[from == 1 ? read<uint8_t>(in) : read<uint16_t>(in)];
    });
  } else if (element.isF32()) {
    fill([](const char *in) -> double { return read<float>(in); });
  } else {
    fill([](const char *in) -> int8_t { return *in != 0; });
  }
  buffer.setDescriptor(input.sizes);
  return 0;
}

/// The f64 elements at `descriptor`, whose buffer `memory` owns from here on.
static ArrayRef<double> takeFloats(const int64_t *descriptor, int64_t count,
                                   std::shared_ptr<void> &memory) {
  memory.reset(reinterpret_cast<void *>(descriptor[0]), std::free);
  return {reinterpret_cast<const double *>(descriptor[1]),
          static_cast<size_t>(count)};
}

/// Takes the result whose descriptor is at `descriptor`.
static void takeOutput(ReferenceOutput &output, const int64_t *descriptor,
                       Arithmetic arithmetic) {
  int64_t rank = output.sizes.size();
  output.sizes.assign(descriptor + 3, descriptor + 3 + rank);
  int64_t count = getCount(output.sizes);
  Type element = output.elementType;
  output.floats = takeFloats(descriptor, count, output.memory);
  if (isa<FloatType>(element) && arithmetic == Arithmetic::Floats)
    return;
  output.floats = {};
  const char *data = reinterpret_cast<const char *>(descriptor[1]);
  int64_t bytes = getBufferBytes(element, arithmetic);
  output.integers.reserve(count);
  for (int64_t position = 0; position < count; ++position)
    output.integers.push_back(readInteger(element, data + position * bytes));
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static LogicalResult verifyInput(func::FuncOp function, unsigned number,
                                 const ReferenceInput &input) {
  Type type = function.getArgumentTypes()[number];
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  auto emitError = [&]() {
    return function.emitError() << describeArgument(function, number) << ": ";
  };
  if (input.elementType != element)
    return emitError() << "expected elements of type " << element << ", got "
                       << input.elementType;
  int64_t rank = tensor ? tensor.getRank() : 0;
  if (static_cast<int64_t>(input.sizes.size()) != rank ||
      input.strides.size() != input.sizes.size())
    return emitError() << "expected " << rank << " sizes and strides for "
                       << type << ", got " << input.sizes.size() << " and "
                       << input.strides.size();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (input.sizes[dim] < 0 || (!tensor.isDynamicDim(dim) &&
                                 tensor.getDimSize(dim) != input.sizes[dim]))
      return emitError() << "expected the sizes of " << type << ", got size "
                         << input.sizes[dim] << " in dimension " << dim;
  return success();
}

/// The types of the results before they are lowered.
static SmallVector<ReferenceOutput> makeOutputs(func::FuncOp function) {
  SmallVector<ReferenceOutput> outputs;
  for (Type type : function.getResultTypes()) {
    ReferenceOutput &output = outputs.emplace_back();
    auto tensor = dyn_cast<RankedTensorType>(type);
    output.elementType = tensor ? tensor.getElementType() : type;
    output.sizes.resize(tensor ? tensor.getRank() : 0);
  }
  return outputs;
}

namespace {
/// The slots of the compiled function's entry and what they point to.
struct CallFrame {
  std::vector<Buffer> buffers;
  SmallVector<int64_t> results; ///< Descriptors.
  SmallVector<void *> slots;
  int64_t status = 0;
  int64_t statusDescriptor[3] = {reinterpret_cast<intptr_t>(&status),
                                 reinterpret_cast<intptr_t>(&status), 0};
};
} // namespace

static LogicalResult
fillFrame(CallFrame &frame, ArrayRef<ReferenceInput> inputs,
          func::FuncOp function, ArrayRef<ReferenceOutput> outputs,
          ArrayRef<bool> hasBounds, Arithmetic arithmetic) {
  frame.buffers.resize(inputs.size());
  for (const ReferenceOutput &output : outputs)
    frame.results.append(3 + 2 * output.sizes.size(), 0);
  for (auto [output, has] : llvm::zip(outputs, hasBounds))
    frame.results.append(has ? 3 + 2 * output.sizes.size() : 0, 0);
  frame.slots = {frame.results.data()};
  for (auto [number, input] : llvm::enumerate(inputs)) {
    if (!isa<RankedTensorType>(function.getArgumentTypes()[number])) {
      frame.slots.push_back(const_cast<void *>(input.data));
      continue;
    }
    if (uint64_t missing = fillBuffer(input, frame.buffers[number], arithmetic))
      return function.emitError()
             << "out of memory: the reference expected " << missing
             << " bytes for its copy of " << describeArgument(function, number)
             << ", in which each element has its own place, got none";
    frame.slots.push_back(frame.buffers[number].descriptor.data());
  }
  frame.slots.push_back(frame.statusDescriptor);
  return success();
}

static void takeOutputs(const CallFrame &frame,
                        MutableArrayRef<ReferenceOutput> outputs,
                        ArrayRef<bool> hasBounds, Arithmetic arithmetic) {
  const int64_t *next = frame.results.data();
  for (ReferenceOutput &output : outputs) {
    takeOutput(output, next, arithmetic);
    next += 3 + 2 * output.sizes.size();
  }
  for (auto [output, has] : llvm::zip(outputs, hasBounds)) {
    if (!has)
      continue;
    output.bounds =
        takeFloats(next, getCount(output.sizes), output.boundsMemory);
    next += 3 + 2 * output.sizes.size();
  }
}

/// Whether the code would run for less time than it takes to be optimised, as
/// far as inputs and types tell.
static bool isShort(func::FuncOp function, ArrayRef<ReferenceInput> inputs) {
  constexpr uint64_t kFew = 1 << 16;
  auto isLarge = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return false;
    uint64_t count = 1;
    for (int64_t size : tensor.getShape())
      count = llvm::SaturatingMultiply<uint64_t>(count, size);
    return count > kFew;
  };
  uint64_t count = 0;
  for (const ReferenceInput &input : inputs)
    count += getCount(input.sizes);
  if (count > kFew)
    return false;
  return !function
              .walk([&](Operation *op) {
                return llvm::any_of(op->getResultTypes(), isLarge)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Complex and packed tensors
//===----------------------------------------------------------------------===//

/// Complex numbers as pairs of real ones along one more dimension.
static ReferenceInput makePairs(ReferenceInput input) {
  input.elementType = getPartType(input.elementType);
  for (int64_t &stride : input.strides)
    stride *= 2;
  input.sizes.push_back(2);
  input.strides.push_back(1);
  return input;
}

/// Two numbers in a byte, as a call has them.
static ReferenceInput makeBytes(const ReferenceInput &input,
                                std::vector<uint8_t> &bytes) {
  ReferenceInput packed = input;
  packed.elementType = IntegerType::get(input.elementType.getContext(), 8,
                                        IntegerType::Unsigned);
  bytes.assign(llvm::divideCeil(getCount(input.sizes), 2), 0);
  const auto *codes = static_cast<const uint8_t *>(input.data);
  forEachElement(input.sizes, input.strides,
                 [&](int64_t position, int64_t offset) {
                   bytes[position / 2] |= codes[offset] << position % 2 * 4;
                 });
  if (!packed.sizes.empty())
    packed.sizes.back() /= 2;
  int64_t stride = 1;
  for (size_t dim = packed.sizes.size(); dim-- > 0;) {
    packed.strides[dim] = stride;
    stride *= packed.sizes[dim];
  }
  packed.data = bytes.data();
  return packed;
}

static void takeBytes(ReferenceOutput &output, Type element) {
  std::vector<int64_t> codes;
  codes.reserve(2 * output.integers.size());
  for (int64_t byte : output.integers)
    llvm::append_values(codes, byte & 15, byte >> 4 & 15);
  output.integers = std::move(codes);
  output.sizes.back() *= 2;
  output.elementType = element;
}

/// Whether bytes of packed elements, or pairs of real numbers for complex ones,
/// are arguments or results of `function`.
static bool hasParts(func::FuncOp function) {
  for (StringRef name : {fusion::FusionDialect::getPackedAttrName(),
                         fusion::FusionDialect::getComplexAttrName()}) {
    for (unsigned number : llvm::seq(function.getNumArguments()))
      if (function.getArgAttr(number, name))
        return true;
    for (unsigned number : llvm::seq(function.getNumResults()))
      if (function.getResultAttr(number, name))
        return true;
  }
  return false;
}

/// Whether `function` has other tensors after its decomposition, or has been
/// decomposed: in the ring, where no number is rounded, also packed ones.
static bool isDecomposed(func::FuncOp function, ArrayRef<ReferenceInput> inputs,
                         Arithmetic arithmetic) {
  auto isOther = [&](Type type) {
    Type element = getElementTypeOrSelf(type);
    return isComplexElement(element) ||
           (arithmetic == Arithmetic::Ring && isPackedElement(element));
  };
  return hasParts(function) ||
         llvm::any_of(
             inputs,
             [&](const ReferenceInput &i) { return isOther(i.elementType); }) ||
         function
             .walk([&](Operation *op) {
               return llvm::any_of(op->getResultTypes(), isOther)
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted();
}

/// The attribute of this name of each result, null where there is none.
/// Afterwards these, and arguments, are bytes or pairs and nothing else.
static SmallVector<Attribute> takeMarks(func::FuncOp function, StringRef name) {
  StringAttr attr = StringAttr::get(function.getContext(), name);
  for (unsigned number : llvm::seq(function.getNumArguments()))
    function.removeArgAttr(number, attr);
  SmallVector<Attribute> marks;
  for (unsigned number : llvm::seq(function.getNumResults())) {
    marks.push_back(function.getResultAttr(number, name));
    function.removeResultAttr(number, attr);
  }
  return marks;
}

/// Evaluates a copy of `function` that has real tensors for complex ones and,
/// in the ring or where it had them before, bytes for packed ones.
static FailureOr<SmallVector<ReferenceOutput>>
runDecomposed(func::FuncOp function, ArrayRef<ReferenceInput> inputs,
              bool withBounds, Arithmetic arithmetic) {
  bool inRing = arithmetic == Arithmetic::Ring;
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  auto copy = cast<func::FuncOp>(function->clone());
  module->push_back(copy);
  if (failed(fusion::decomposeComplex(copy)) ||
      (inRing && failed(fusion::decomposePacked(copy))))
    return failure();
  SmallVector<ReferenceInput> others;
  std::vector<std::vector<uint8_t>> bytes(inputs.size());
  for (auto [input, memory, type] :
       llvm::zip(inputs, bytes, copy.getArgumentTypes())) {
    bool isOfBytes = isPackedElement(input.elementType) &&
                     !isPackedElement(getElementTypeOrSelf(type));
    others.push_back(isComplexElement(input.elementType) ? makePairs(input)
                     : isOfBytes ? makeBytes(input, memory)
                                 : input);
  }
  auto packed = takeMarks(copy, fusion::FusionDialect::getPackedAttrName()),
       pairs = takeMarks(copy, fusion::FusionDialect::getComplexAttrName());
  FailureOr<SmallVector<ReferenceOutput>> outputs =
      runReference(copy, others, withBounds, arithmetic);
  if (failed(outputs))
    return failure();
  for (auto [number, output] : llvm::enumerate(*outputs)) {
    if (pairs[number]) {
      output.sizes.pop_back();
      output.elementType = ComplexType::get(output.elementType);
    }
    if (packed[number])
      takeBytes(output, cast<TypeAttr>(packed[number]).getValue());
  }
  return outputs;
}

/// `status` is the number of the op that failed, from 1 on; negative if a size
/// was the fault. 0: none did.
static LogicalResult verifyStatus(int64_t status,
                                  ArrayRef<Location> locations) {
  if (status < 0)
    return emitError(locations[-status - 1])
           << "expected a result whose sizes are at least 0 and, those of 0 "
              "left out, multiply to at most 2^40 (what the reference has room "
              "for), got others";
  if (status != 0)
    return emitError(locations[status - 1])
           << "expected sizes that agree at run time; those of this op's "
              "operands do not, or it reads beyond one of them, or divides by "
              "0";
  return success();
}

/// Two elements of a packed result lie in a byte.
static LogicalResult verifyPairs(func::FuncOp function,
                                 ArrayRef<ReferenceOutput> outputs) {
  for (auto [number, output] : llvm::enumerate(outputs))
    if (isPackedElement(output.elementType) &&
        (output.sizes.empty() || output.sizes.back() % 2 != 0))
      return function.emitError()
             << "result " << number
             << ": expected an even last dimension, of which two elements lie "
                "in a byte, got sizes ["
             << output.sizes << "]";
  return success();
}

FailureOr<SmallVector<ReferenceOutput>>
fuser::runReference(func::FuncOp function, ArrayRef<ReferenceInput> inputs,
                    bool withBounds, Arithmetic arithmetic) {
  if (inputs.size() != function.getNumArguments())
    return function.emitError()
           << "expected " << function.getNumArguments()
           << " inputs for the reference, got " << inputs.size();
  if (isDecomposed(function, inputs, arithmetic))
    return runDecomposed(function, inputs, withBounds, arithmetic);
  for (auto [number, input] : llvm::enumerate(inputs))
    if (failed(verifyInput(function, number, input)))
      return failure();
  MLIRContext *context = function.getContext();
  context->loadDialect<arith::ArithDialect, math::MathDialect,
                       memref::MemRefDialect, scf::SCFDialect,
                       LLVM::LLVMDialect>();
  DialectRegistry registry;
  registerJumps(registry);
  context->appendDialectRegistry(registry);
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  auto copy = cast<func::FuncOp>(function->clone());
  module->push_back(copy);
  copy.setName("fuser_reference");
  SmallVector<ReferenceOutput> outputs = makeOutputs(function);
  SmallVector<Location> locations;
  SmallVector<bool> hasBounds;
  bool inRing = arithmetic == Arithmetic::Ring;
  if (inRing)
    (*module)->setAttr(fusion::FusionDialect::getRingAttrName(),
                       UnitAttr::get(context));
  if (failed(lowerToReference(copy, locations,
                              withBounds && !inRing ? &hasBounds : nullptr,
                              arithmetic)) ||
      (inRing && failed(replaceFloatsByRing(*module))))
    return failure();
  FailureOr<reference::CompiledFunction> compiled =
      reference::compile(*module, copy, isShort(function, inputs));
  if (failed(compiled))
    return failure();
  CallFrame frame;
  if (failed(
          fillFrame(frame, inputs, function, outputs, hasBounds, arithmetic)))
    return failure();
  if (uint64_t missing = reference::runWithinMemory(
          [&] { compiled->entry(frame.slots.data()); }))
    return function.emitError() << "out of memory: the reference expected "
                                << missing << " bytes for a buffer, got none";
  takeOutputs(frame, outputs, hasBounds, arithmetic);
  if (failed(verifyStatus(frame.status, locations)) ||
      failed(verifyPairs(function, outputs)))
    return failure();
  return outputs;
}
