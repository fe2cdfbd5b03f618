//===- Describe.cpp - The words for tensors that do not fit ---------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/Checks.h"
#include "Status.h"

#include <cinttypes>

using namespace fuser_rt;

/// Of packed floats with how many a byte has.
static std::string itemText(const ElementInfo &info) {
  return info.isPacked() ? format("%sx%d", info.name, info.dl.lanes)
                         : info.name;
}

std::string fuser_rt::typeText(const TensorSpec &spec) {
  std::string text = "tensor<";
  for (Dim dim : spec.dims)
    text += dim < 0 ? "?x" : format("%" PRId64 "x", dim);
  return text + itemText(getInfo(spec.element)) + ">";
}

std::string fuser_rt::listText(const int64_t *values, size_t count) {
  std::string text = "[";
  for (size_t i = 0; i < count; ++i)
    text += format(i ? ", %" PRId64 : "%" PRId64, values[i]);
  return text + "]";
}

static std::string dlTypeText(DLDataType type) {
  if (const ElementInfo *known = findElement(type))
    return itemText(*known);
  if (type.code == kDLUInt && type.lanes == 1)
    return format("u%d", type.bits);
  return format("a type with DLPack code %d, %d bits, %d lanes", type.code,
                type.bits, type.lanes);
}

static std::string deviceText(DLDevice device) {
  if (device.device_type == kDLCPU)
    return "the CPU";
  if (device.device_type == kDLCUDA)
    return format("cuda:%d", device.device_id);
  return format("a device with DLPack type %d, number %d",
                int(device.device_type), device.device_id);
}

std::string fuser_rt::tensorText(const char *kind, size_t index,
                                 const std::string &name) {
  std::string text = format("%s %zu", kind, index);
  return name.empty() ? text : text + " '" + name + "'";
}

static std::string whichTensor(const CallTensors &call, bool isOutput,
                               size_t index) {
  return isOutput
             ? tensorText("output", index, call.variant.outputs[index].name)
             : tensorText("input", index, call.variant.inputs[index].name);
}

static constexpr char requiredText[] = " because the program requires it";

static std::string stridesText(const TensorSpec &spec, const DLTensor &tensor) {
  std::vector<int64_t> expected(spec.dims.size()), got(spec.dims.size());
  int64_t next = 1;
  for (size_t i = spec.strideOrder.size(); i-- > 0;) {
    expected[spec.strideOrder[i]] = next;
    next *= tensor.shape[spec.strideOrder[i]];
  }
  if (!tensor.strides)
    rowMajorStrides(tensor.ndim, tensor.shape, got.data());
  return format(
      "expected strides %s (dense, dimensions from slowest to fastest %s)%s, "
      "got %s",
      listText(expected.data(), expected.size()).c_str(),
      listText(spec.strideOrder.data(), spec.strideOrder.size()).c_str(),
      spec.strideOrderRequired ? requiredText : "",
      listText(tensor.strides ? tensor.strides : got.data(), got.size())
          .c_str());
}

static std::string addressText(const TensorSpec &spec, const DLTensor &tensor) {
  auto address = reinterpret_cast<uintptr_t>(dataOf(tensor));
  uint64_t aligned = address & -address;
  // Whoever allocates aligns elements, as NumPy does.
  bool isOfCopies = aligned * 8 < uint64_t(tensor.dtype.bits);
  return format(
      "expected data aligned to %" PRIu64 " bytes%s, got address 0x%" PRIxPTR
      ", aligned to %" PRIu64 "%s",
      spec.alignment, spec.alignmentRequired ? requiredText : "", address,
      aligned, isOfCopies ? ": pass a copy (x.copy() of NumPy's arrays)" : "");
}

static std::string sizeText(const Mismatch &mismatch, const CallTensors &call,
                            const DLTensor &tensor) {
  std::string got = format("got %" PRId64, tensor.shape[mismatch.dim]);
  if (mismatch.kind == Mismatch::NegativeSize)
    return format("expected dimension %zu to be 0 or more, %s", mismatch.dim,
                  got.c_str());
  if (mismatch.kind == Mismatch::Size)
    return format("expected dimension %zu to be %" PRId64 ", %s", mismatch.dim,
                  mismatch.expected, got.c_str());
  if (mismatch.isSizeClass()) {
    const char *how = mismatch.kind == Mismatch::Divisor ? "a multiple of"
                      : mismatch.kind == Mismatch::Bound ? "at most"
                                                         : "at least";
    return format("expected dimension %zu to be %s %" PRId64 "%s, %s",
                  mismatch.dim, how, mismatch.expected,
                  mismatch.isRequired ? requiredText : "", got.c_str());
  }
  return format("expected dimension %zu to be %" PRId64
                " because %s dimension %" PRIu32 " is %" PRId64 ", %s",
                mismatch.dim, mismatch.symbol.size,
                whichTensor(call, false, mismatch.symbol.input).c_str(),
                mismatch.symbol.dim, mismatch.symbol.size, got.c_str());
}

static std::string overlapText(const Mismatch &mismatch,
                               const CallTensors &call) {
  bool isInput = !mismatch.isOutput && mismatch.otherIsOutput;
  return format(
      "expected memory apart from %s because the program writes that, got "
      "memory that overlaps it%s",
      whichTensor(call, mismatch.otherIsOutput, mismatch.other).c_str(),
      isInput ? ": a result is written over an input where the program says "
                "that it is its alias"
              : "");
}

static std::string faultText(const Mismatch &mismatch, const CallTensors &call,
                             const Device &device) {
  size_t index = mismatch.index;
  const TensorSpec &spec = mismatch.isOutput ? call.variant.outputs[index]
                                             : call.variant.inputs[index];
  const DLTensor *given =
      mismatch.isOutput ? call.outputs[index].preallocated : call.inputs[index];
  if (!given)
    return "expected a tensor, got null";
  const DLTensor &tensor = *given;
  switch (mismatch.kind) {
  case Mismatch::None:
  case Mismatch::Missing:
    return "expected a tensor, got null";
  case Mismatch::Rank:
    if (tensor.ndim == static_cast<int64_t>(spec.dims.size()))
      return format("expected %d sizes, got a null shape", tensor.ndim);
    return format("expected %s of rank %zu, got rank %d",
                  typeText(spec).c_str(), spec.dims.size(), tensor.ndim);
  case Mismatch::Type:
    return format("expected element type %s, got %s",
                  itemText(getInfo(spec.element)).c_str(),
                  dlTypeText(tensor.dtype).c_str());
  case Mismatch::WrongDevice:
    return format(
        "expected a tensor on %s because the program runs there, got one on %s",
        deviceText(device.dlDevice()).c_str(),
        deviceText(tensor.device).c_str());
  case Mismatch::Size:
  case Mismatch::SymbolSize:
  case Mismatch::NegativeSize:
  case Mismatch::Divisor:
  case Mismatch::Bound:
  case Mismatch::LowerBound:
    return sizeText(mismatch, call, tensor);
  case Mismatch::TooLarge:
    return format("expected less than 2^63 bytes, got sizes %s",
                  listText(tensor.shape, tensor.ndim).c_str());
  case Mismatch::NoData:
    return "expected data because the tensor is not empty, got null";
  case Mismatch::Strides:
    return stridesText(spec, tensor);
  case Mismatch::Alignment:
    return addressText(spec, tensor);
  case Mismatch::Overlap:
    return overlapText(mismatch, call);
  case Mismatch::OverlapsItself:
    return format("expected elements apart from each other because the program "
                  "writes them, got sizes %s and strides %s",
                  listText(tensor.shape, tensor.ndim).c_str(),
                  listText(tensor.strides, tensor.ndim).c_str());
  }
  return {};
}

const std::string &fuser_rt::findUser(const Mismatch &mismatch,
                                      const CallTensors &call) {
  static const std::string none;
  bool isEquality =
      mismatch.kind == Mismatch::Size || mismatch.kind == Mismatch::SymbolSize;
  if (!isEquality || mismatch.isOutput)
    return none;
  const std::vector<std::string> &users =
      call.variant.inputs[mismatch.index].users;
  return users.empty() ? none : users[mismatch.dim];
}

std::string fuser_rt::describe(const Mismatch &mismatch,
                               const CallTensors &call, const Device &device) {
  return whichTensor(call, mismatch.isOutput, mismatch.index) + ": " +
         faultText(mismatch, call, device);
}
