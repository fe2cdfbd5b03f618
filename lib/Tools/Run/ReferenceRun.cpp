//===- ReferenceRun.cpp - The reference on host tensors -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceRun.h"
#include "../CommandLine.h"
#include "../OutputFile.h"
#include "../Signature.h"
#include "../Tensors/Number.h"
#include "fuser/Analysis/ArgumentNames.h"
#include "fuser/Dialect/Fusion/Transforms/Partition.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Pipelines/Calls.h"
#include "fuser/Pipelines/Compile.h"
#include "fuser/Reference/Reference.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace fuser;
using namespace fuser::run;

/// An error if there are not as many inputs as arguments of their kinds.
static llvm::Error checkCounts(func::FuncOp func, const RunOptions &options) {
  std::vector<std::string> tensors, scalars;
  for (auto [number, type] : llvm::enumerate(func.getArgumentTypes()))
    (isa<RankedTensorType>(type) ? tensors : scalars)
        .push_back(getArgumentName(func, number));
  size_t numTensors = tensors.size(), numScalars = scalars.size();
  size_t gotTensors = options.inputs.size(),
         gotScalars = options.scalars.size();
  if (gotTensors == numTensors && gotScalars == numScalars)
    return llvm::Error::success();
  // The program has run with these inputs: its source is another one's.
  if (options.check && !options.source.empty())
    return llvm::createStringError(
        "--source: expected a function of " + Twine(gotTensors) +
        " tensors and " + Twine(gotScalars) +
        " scalars, as the program has, got '" + func.getName() + "' of " +
        Twine(numTensors) + " and " + Twine(numScalars));
  bool isTensor = gotTensors != numTensors;
  return usageError("program '" + func.getName() + "': " +
                    (isTensor
                         ? describeCount("input tensor", tensors, gotTensors)
                         : describeCount("scalar input", scalars, gotScalars)));
}

/// Stores the scalar `text` of type `type` at `slot`.
static llvm::Error storeScalar(StringRef text, Type type, StringRef what,
                               int64_t &slot) {
  const ElementInfo *info = findElement(type);
  ElementType element = info ? info->type : ElementType::I64;
  llvm::Expected<Number> number = parseScalar(text, element);
  if (!number)
    return llvm::createStringError(what + ": " +
                                   llvm::toString(number.takeError()));
  storeNumber(element, &slot, *number);
  return llvm::Error::success();
}

/// The inputs in the order of the function's arguments, tensors and scalars.
/// `unpacked` keeps the memory of tensors.
static llvm::Expected<SmallVector<ReferenceInput>>
gatherInputs(func::FuncOp func, const RunOptions &options,
             ArrayRef<HostTensor> tensors, std::vector<int64_t> &slots,
             SmallVectorImpl<HostTensor> &unpacked) {
  if (llvm::Error error = checkCounts(func, options))
    return error;
  SmallVector<ReferenceInput> inputs;
  slots.resize(options.scalars.size());
  size_t nextTensor = 0, nextScalar = 0;
  for (BlockArgument arg : func.getArguments()) {
    Type type = arg.getType();
    ReferenceInput input;
    if (isa<RankedTensorType>(type)) {
      llvm::Expected<HostTensor> numbers = tensors[nextTensor++].unpack();
      if (!numbers)
        return numbers.takeError();
      const HostTensor &tensor = unpacked.emplace_back(std::move(*numbers));
      input.elementType = getElementType(func.getContext(), tensor.element);
      input.sizes = tensor.sizes;
      input.strides = tensor.strides;
      input.data = tensor.getData();
    } else {
      size_t index = nextScalar++;
      if (llvm::Error error = storeScalar(
              options.scalars[index], type,
              describeArgument(func, arg.getArgNumber()), slots[index]))
        return error;
      input.elementType = type;
      input.data = &slots[index];
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

llvm::Expected<HostTensor> run::toHostTensor(const ReferenceOutput &output) {
  // In the ring there are bits.
  bool isComplex = isComplexElement(output.elementType);
  bool isFloatType = (isa<FloatType>(output.elementType) || isComplex) &&
                     output.integers.empty();
  ElementType kept = isComplex     ? ElementType::C128
                     : isFloatType ? ElementType::F64
                     : output.elementType.isUnsignedInteger()
                         ? ElementType::UI64
                         : ElementType::I64;
  llvm::Expected<HostTensor> tensor = allocate(kept, output.sizes);
  if (!tensor)
    return tensor.takeError();
  const void *data = isFloatType
                         ? static_cast<const void *>(output.floats.data())
                         : static_cast<const void *>(output.integers.data());
  if (uint64_t count = tensor->getNumElements())
    std::memcpy(tensor->getData(), data, count * (isComplex ? 16 : 8));
  return tensor;
}

llvm::Expected<SmallVector<ReferenceOutput>>
run::runReferenceOn(ModuleOp module, const RunOptions &options,
                    ArrayRef<HostTensor> inputs) {
  FailureOr<Operation *> entry = findEntry(module, options.entry);
  if (failed(entry))
    return llvm::createStringError("there is nothing to run");
  auto func = cast<func::FuncOp>(*entry);
  if (func->hasAttr(host::kProgramAttrName))
    return llvm::createStringError(
        "expected a program of tensors for the reference, got the host "
        "program '" +
        func.getName() + "'");
  if (failed(verifyCalls(func)))
    return llvm::createStringError("the reference failed");
  // Of whole tensors.
  OwningOpRef<ModuleOp> whole;
  if (fusion::hasShardings(func)) {
    whole = module.clone();
    func = whole->lookupSymbol<func::FuncOp>(func.getSymName());
    fusion::dropShardings(func);
  }
  std::vector<int64_t> slots;
  SmallVector<HostTensor> unpacked;
  auto arguments = gatherInputs(func, options, inputs, slots, unpacked);
  if (!arguments)
    return arguments.takeError();
  FailureOr<SmallVector<ReferenceOutput>> outputs = runReference(
      func, *arguments, /*withBounds=*/options.check, options.arithmetic);
  if (failed(outputs))
    return llvm::createStringError("the reference failed");
  return std::move(*outputs);
}

llvm::Error run::writeProgram(const fuser_rt::Program &program,
                              StringRef path) {
  return writeFile(
      path, [&](llvm::raw_ostream &os) { os << fuser_rt::serialize(program); });
}
