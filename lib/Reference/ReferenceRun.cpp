//===- ReferenceRun.cpp - Evaluation of a function ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceJIT.h"
#include "fuser/Reference/Reference.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/APFloat.h"
#include <cstdlib>
#include <cstring>

using namespace fuser;
using llvm::APFloat;

namespace {
/// A memref descriptor, and what a dense input is kept in.
struct Buffer {
  /// Allocated and aligned pointer, offset, sizes, strides.
  SmallVector<int64_t> descriptor;
  std::vector<char> storage;

  void setDescriptor(ArrayRef<int64_t> sizes) {
    auto address = reinterpret_cast<intptr_t>(storage.data());
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
static int64_t getBufferBytes(Type element) {
  return isa<FloatType>(element) ? 8 : getStorageBytes(element);
}

static double readFloat(Type element, const char *data) {
  if (element.isF64())
    return read<double>(data);
  if (element.isF32())
    return read<float>(data);
  APFloat number(cast<FloatType>(element).getFloatSemantics(),
                 llvm::APInt(16, read<uint16_t>(data)));
  bool losesInfo = false;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

static int64_t readInteger(Type element, const char *data) {
  switch (getStorageBytes(element)) {
  case 1:
    // A true is any byte but 0.
    return element.isInteger(1) ? read<int8_t>(data) != 0 : read<int8_t>(data);
  case 4:
    return read<int32_t>(data);
  default:
    return read<int64_t>(data);
  }
}

static int64_t getCount(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

/// Calls `visit(row-major position, offset in elements)` for every element.
static void forEachElement(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                           function_ref<void(int64_t, int64_t)> visit) {
  int64_t count = getCount(sizes);
  SmallVector<int64_t> index(sizes.size(), 0);
  int64_t offset = 0;
  for (int64_t position = 0; position < count; ++position) {
    visit(position, offset);
    for (int64_t dim = static_cast<int64_t>(sizes.size()) - 1; dim >= 0;
         --dim) {
      offset += strides[dim];
      if (++index[dim] < sizes[dim])
        break;
      offset -= strides[dim] * sizes[dim];
      index[dim] = 0;
    }
  }
}

/// A dense copy with floats in f64.
static void fillBuffer(const ReferenceInput &input, Buffer &buffer) {
  Type element = input.elementType;
  int64_t from = getStorageBytes(element), to = getBufferBytes(element);
  buffer.storage.resize(std::max<int64_t>(getCount(input.sizes) * to, 1));
  const char *source = static_cast<const char *>(input.data);
  char *target = buffer.storage.data();
  forEachElement(input.sizes, input.strides,
                 [&](int64_t position, int64_t offset) {
                   const char *in = source + offset * from;
                   char *out = target + position * to;
                   if (isa<FloatType>(element))
                     write(out, readFloat(element, in));
                   else if (element.isInteger(1))
                     write<int8_t>(out, *in != 0);
                   else
                     std::memcpy(out, in, to);
                 });
  buffer.setDescriptor(input.sizes);
}

/// Takes the result whose descriptor is at `descriptor`, and frees its buffer.
static void takeOutput(ReferenceOutput &output, const int64_t *descriptor,
                       int64_t rank) {
  void *allocated = reinterpret_cast<void *>(descriptor[0]);
  const char *data = reinterpret_cast<const char *>(descriptor[1]);
  output.sizes.assign(descriptor + 3, descriptor + 3 + rank);
  int64_t count = getCount(output.sizes);
  Type element = output.elementType;
  int64_t bytes = getBufferBytes(element);
  for (int64_t position = 0; position < count; ++position) {
    if (isa<FloatType>(element))
      output.floats.push_back(read<double>(data + position * bytes));
    else
      output.integers.push_back(readInteger(element, data + position * bytes));
  }
  std::free(allocated);
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
    return function.emitError() << "input " << number << " of the reference: ";
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

/// Calls the function; `status` is what it leaves there.
static void call(reference::CompiledFunction &compiled,
                 ArrayRef<ReferenceInput> inputs, func::FuncOp function,
                 MutableArrayRef<ReferenceOutput> outputs, int64_t &status) {
  std::vector<Buffer> buffers(inputs.size());
  SmallVector<int64_t> results;
  for (const ReferenceOutput &output : outputs)
    results.append(3 + 2 * output.sizes.size(), 0);
  SmallVector<void *> slots = {results.data()};
  for (auto [number, input] : llvm::enumerate(inputs)) {
    if (!isa<RankedTensorType>(function.getArgumentTypes()[number])) {
      slots.push_back(const_cast<void *>(input.data));
      continue;
    }
    fillBuffer(input, buffers[number]);
    slots.push_back(buffers[number].descriptor.data());
  }
  auto statusAddress = reinterpret_cast<intptr_t>(&status);
  int64_t statusDescriptor[] = {statusAddress, statusAddress, 0};
  slots.push_back(statusDescriptor);
  compiled.entry(slots.data());
  const int64_t *next = results.data();
  for (ReferenceOutput &output : outputs) {
    int64_t rank = output.sizes.size();
    takeOutput(output, next, rank);
    next += 3 + 2 * rank;
  }
}

FailureOr<SmallVector<ReferenceOutput>>
fuser::runReference(func::FuncOp function, ArrayRef<ReferenceInput> inputs) {
  if (inputs.size() != function.getNumArguments())
    return function.emitError()
           << "expected " << function.getNumArguments()
           << " inputs for the reference, got " << inputs.size();
  for (auto [number, input] : llvm::enumerate(inputs))
    if (failed(verifyInput(function, number, input)))
      return failure();
  MLIRContext *context = function.getContext();
  context->loadDialect<arith::ArithDialect, math::MathDialect,
                       memref::MemRefDialect, scf::SCFDialect,
                       LLVM::LLVMDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  auto copy = cast<func::FuncOp>(function->clone());
  module->push_back(copy);
  copy.setName("fuser_reference");
  SmallVector<ReferenceOutput> outputs = makeOutputs(function);
  SmallVector<Location> locations;
  if (failed(lowerToReference(copy, locations)))
    return failure();
  FailureOr<reference::CompiledFunction> compiled =
      reference::compile(*module, copy);
  if (failed(compiled))
    return failure();
  int64_t status = 0;
  call(*compiled, inputs, function, outputs, status);
  if (status != 0)
    return emitError(locations[status - 1])
           << "expected sizes that agree at run time; those of this op's "
              "operands do not, or it reads beyond one of them";
  return outputs;
}
