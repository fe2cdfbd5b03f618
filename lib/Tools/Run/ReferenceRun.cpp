//===- ReferenceRun.cpp - The reference on host tensors -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceRun.h"
#include "OutputFile.h"
#include "fuser/Pipelines/Compile.h"
#include "fuser/Reference/Reference.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace fuser;
using namespace fuser::run;

/// The inputs in the order of the function's arguments, tensors and scalars.
static llvm::Expected<SmallVector<ReferenceInput>>
gatherInputs(func::FuncOp func, const RunOptions &options,
             ArrayRef<HostTensor> tensors, std::vector<int64_t> &slots) {
  SmallVector<ReferenceInput> inputs;
  slots.resize(options.scalars.size());
  size_t nextTensor = 0, nextScalar = 0;
  for (Type type : func.getArgumentTypes()) {
    ReferenceInput input;
    if (isa<RankedTensorType>(type)) {
      if (nextTensor == tensors.size())
        return llvm::createStringError("expected an --input for each tensor");
      const HostTensor &tensor = tensors[nextTensor++];
      input.elementType = parseType(getName(tensor.element), func.getContext());
      input.sizes = tensor.sizes;
      input.strides = tensor.strides;
      input.data = tensor.getData();
    } else {
      if (nextScalar == options.scalars.size())
        return llvm::createStringError("expected a --scalar for each scalar");
      StringRef text = options.scalars[nextScalar];
      input.elementType = type;
      input.data = &slots[nextScalar++];
      std::string name;
      llvm::raw_string_ostream(name) << type;
      ElementType element = parseElementType(name).value_or(ElementType::I64);
      double value = 0;
      int64_t integer = 0;
      if (!text.getAsInteger(0, integer))
        storeInt(element, &slots[nextScalar - 1], integer);
      else if (!text.getAsDouble(value))
        storeFloat(element, &slots[nextScalar - 1], value);
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

llvm::Expected<HostTensor> run::toHostTensor(const ReferenceOutput &output) {
  bool isFloatType = isa<FloatType>(output.elementType);
  llvm::Expected<HostTensor> tensor =
      allocate(isFloatType ? ElementType::F64 : ElementType::I64, output.sizes);
  if (!tensor)
    return tensor.takeError();
  const void *data = isFloatType
                         ? static_cast<const void *>(output.floats.data())
                         : static_cast<const void *>(output.integers.data());
  if (uint64_t count = tensor->getNumElements())
    std::memcpy(tensor->getData(), data, count * 8);
  return tensor;
}

llvm::Expected<SmallVector<ReferenceOutput>>
run::runReferenceOn(ModuleOp module, const RunOptions &options,
                    ArrayRef<HostTensor> inputs) {
  FailureOr<Operation *> entry = findEntry(module, options.entry);
  if (failed(entry))
    return llvm::createStringError("there is nothing to run");
  auto func = cast<func::FuncOp>(*entry);
  std::vector<int64_t> slots;
  auto arguments = gatherInputs(func, options, inputs, slots);
  if (!arguments)
    return arguments.takeError();
  FailureOr<SmallVector<ReferenceOutput>> outputs =
      runReference(func, *arguments, /*withBounds=*/options.check);
  if (failed(outputs))
    return llvm::createStringError("the reference failed");
  return std::move(*outputs);
}

llvm::Error run::writeProgram(const fuser_rt::Program &program,
                              StringRef path) {
  return writeFile(
      path, [&](llvm::raw_ostream &os) { os << fuser_rt::serialize(program); });
}
