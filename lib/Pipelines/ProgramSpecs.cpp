//===- ProgramSpecs.cpp - What a program says of itself -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramSpecs.h"
#include "fuser/Analysis/ArgumentNames.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Dialect/Host/IR/Host.h"
#include "fuser/Dialect/Host/Transforms/ProgramRules.h"
#include "fuser/Support/ElementTypes.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include <numeric>

using namespace fuser;
using fuser_rt::ElementType;
using fuser_rt::TensorMapElement;
using fuser_rt::TensorMapSpec;
using fuser_rt::TensorSpec;

using fusion::FusionDialect;

/// Sets the alignment of an argument or result that has none of the program's
/// own, and marks it.
static void specialize(func::FuncOp func, unsigned number, bool isResult,
                       int64_t alignment) {
  Builder b(func.getContext());
  StringRef name = FusionDialect::getAlignmentAttrName();
  StringRef mark = FusionDialect::getSpecializedAttrName();
  auto get = [&](StringRef name) {
    return isResult ? func.getResultAttr(number, name)
                    : func.getArgAttr(number, name);
  };
  auto set = [&](StringRef name, Attribute attr) {
    if (attr && isResult)
      func.setResultAttr(number, name, attr);
    else if (attr)
      func.setArgAttr(number, name, attr);
    else if (isResult)
      func.removeResultAttr(number, b.getStringAttr(name));
    else
      func.removeArgAttr(number, name);
  };
  if (get(name) && !get(mark))
    return;
  bool isAligned = alignment > 1;
  set(name, isAligned ? b.getI64IntegerAttr(alignment) : Attribute());
  set(mark, isAligned ? b.getUnitAttr() : Attribute());
}

void fuser::applyInputClasses(func::FuncOp func,
                              const CompileOptions &options) {
  Builder b(func.getContext());
  size_t number = 0;
  for (BlockArgument arg : func.getArguments()) {
    if (!isa<RankedTensorType>(arg.getType()))
      continue;
    InputClass inputClass =
        number < options.inputs.size() ? options.inputs[number] : InputClass();
    ++number;
    unsigned index = arg.getArgNumber();
    if (options.isForOtherInputs)
      for (StringRef name : {FusionDialect::getClassStrideOrderAttrName(),
                             FusionDialect::getClassDivisorsAttrName(),
                             FusionDialect::getClassBoundsAttrName(),
                             FusionDialect::getClassLowerBoundsAttrName()})
        func.removeArgAttr(index, name);
    // A stride order that the program requires stays required.
    bool isRequired =
        func.getArgAttr(index, FusionDialect::getStrideOrderAttrName()) !=
        nullptr;
    if (inputClass.anyStrides && !isRequired) {
      func.setArgAttr(index, FusionDialect::getLayoutAttrName(),
                      b.getStringAttr("any"));
      // Parts of complex numbers are the last dimension, once there is one.
      auto order = llvm::to_vector(inputClass.strideOrder);
      if (func.getArgAttr(index, FusionDialect::getComplexAttrName()))
        order.push_back(static_cast<int64_t>(order.size()));
      if (!inputClass.strideOrder.empty())
        func.setArgAttr(index, FusionDialect::getClassStrideOrderAttrName(),
                        b.getDenseI64ArrayAttr(order));
    }
    specialize(func, index, /*isResult=*/false, inputClass.alignment);
  }
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    specialize(func, i, /*isResult=*/true, options.outputAlignment);
}

/// An index comes as an i64.
static std::optional<ElementType> convertElementType(Type type) {
  if (type.isIndex())
    return ElementType::I64;
  const ElementInfo *info = findElement(type);
  return info ? std::optional(info->type) : std::nullopt;
}

static InFlightDiagnostic emitElementTypeError(Location loc, Type got) {
  return emitError(loc) << "expected an element type that programs can take ("
                        << listElementTypes(/*ofTensors=*/false) << "), got "
                        << got;
}

/// What a saved program has room for.
static LogicalResult checkRank(Location loc, RankedTensorType type) {
  constexpr int64_t kMaxRank = 64;
  if (type.getRank() <= kMaxRank)
    return success();
  return emitError(loc) << "expected at most " << kMaxRank
                        << " dimensions of an argument or a result, got "
                        << type.getRank();
}

LogicalResult fuser::checkSignature(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitError("expected a body of one block, got ")
           << func.getBody().getBlocks().size();
  for (BlockArgument arg : func.getArguments()) {
    auto tensor = dyn_cast<RankedTensorType>(arg.getType());
    if (tensor && failed(checkRank(arg.getLoc(), tensor)))
      return failure();
    Type element = tensor ? tensor.getElementType() : arg.getType();
    if (!tensor && isPackedElement(element))
      return emitError(arg.getLoc())
             << "expected no packed scalar as an argument, got "
             << arg.getType() << ": pass f32, or a tensor";
    if (convertElementType(element) && (tensor || !isComplexElement(element)))
      continue;
    if (!tensor && isComplexElement(element))
      return emitError(arg.getLoc())
             << "expected no complex scalar as an argument, got "
             << arg.getType() << ": pass its parts, or a tensor";
    if (!tensor)
      return emitError(arg.getLoc())
             << "expected a ranked tensor or a scalar as an argument, got "
             << arg.getType();
    return emitElementTypeError(arg.getLoc(), element);
  }
  Operation *terminator = func.getBody().front().getTerminator();
  for (OpOperand &returned : terminator->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(returned.get().getType());
    if (!type)
      return emitError(terminator->getLoc())
             << "expected ranked tensors as results, got "
             << returned.get().getType() << " as result "
             << returned.getOperandNumber();
    if (failed(checkRank(returned.get().getLoc(), type)))
      return failure();
    if (!convertElementType(type.getElementType()))
      return emitElementTypeError(returned.get().getLoc(),
                                  type.getElementType());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// From the host program
//===----------------------------------------------------------------------===//

namespace {
/// Describes the tensors of one host program.
class SignatureReader {
public:
  SignatureReader(func::FuncOp program, fuser_rt::Variant &variant)
      : program(program), variant(variant) {}

  LogicalResult read();

private:
  LogicalResult addInput(BlockArgument arg);
  FailureOr<TensorSpec> readTensor(Location loc, MemRefType type,
                                   DictionaryAttr attrs);
  FailureOr<TensorSpec> readBuffer(Location loc, MemRefType type);
  void readMaker(Operation *op);
  void readSizes();

  func::FuncOp program;
  fuser_rt::Variant &variant;
  /// The next symbol that no attribute names.
  int64_t numSymbols = 0;
};
} // namespace

/// The dimensions from the slowest to the fastest, if elements are dense in
/// some order as far as the type says.
static std::optional<std::vector<int64_t>> findOrder(MemRefType type) {
  std::vector<int64_t> order(type.getRank());
  std::iota(order.begin(), order.end(), 0);
  if (type.getLayout().isIdentity())
    return order;
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  if (llvm::is_contained(strides, ShapedType::kDynamic))
    return std::nullopt;
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(-strides[a], a) < std::pair(-strides[b], b);
  });
  SmallVector<int64_t> dense = host::getDenseStrides(type.getShape(), order);
  for (auto [stride, expected, size] :
       llvm::zip_equal(strides, dense, type.getShape()))
    if (size != 1 && stride != expected)
      return std::nullopt;
  return order;
}

/// What the type of a buffer says, where no attribute says more.
FailureOr<TensorSpec> SignatureReader::readBuffer(Location loc,
                                                  MemRefType type) {
  TensorSpec spec;
  for (int64_t size : type.getShape())
    spec.dims.push_back(ShapedType::isDynamic(size) ? -1 - numSymbols++ : size);
  auto order = findOrder(type);
  auto strides = type.getStridesAndOffset().first;
  if (!order && !llvm::all_of(strides, ShapedType::isDynamic))
    return emitError(loc) << "expected a buffer that is dense in some order of "
                             "its dimensions, or all of whose strides are "
                             "dynamic, got "
                          << type;
  spec.anyStrides = !order;
  spec.strideOrder = order.value_or(std::vector<int64_t>());
  spec.strideOrderRequired = true;
  return spec;
}

/// Of pairs of parts, complex numbers.
static void pairParts(TensorSpec &spec) {
  spec.dims.pop_back();
  llvm::erase(spec.strideOrder, static_cast<int64_t>(spec.dims.size()));
  spec.element =
      spec.element == ElementType::F32 ? ElementType::C64 : ElementType::C128;
}

FailureOr<TensorSpec> SignatureReader::readTensor(Location loc, MemRefType type,
                                                  DictionaryAttr attrs) {
  auto attr = attrs ? attrs.getAs<host::TensorAttr>(host::kTensorAttrName)
                    : host::TensorAttr();
  TensorSpec spec;
  if (attr) {
    spec.dims.assign(attr.getSizes().begin(), attr.getSizes().end());
    spec.strideOrder.assign(attr.getOrder().begin(), attr.getOrder().end());
    spec.anyStrides = attr.takesAnyStrides();
    spec.strideOrderRequired = attr.getOrderRequired();
    spec.alignmentRequired = attr.getAlignmentRequired();
    spec.alias = static_cast<TensorSpec::Alias>(attr.getAlias());
    spec.aliasInput = attr.getInput();
  } else {
    FailureOr<TensorSpec> buffer = readBuffer(loc, type);
    if (failed(buffer))
      return failure();
    spec = std::move(*buffer);
  }
  Type elementType = attr ? attr.getElement() : type.getElementType();
  std::optional<ElementType> element = convertElementType(elementType);
  if (!element || isComplexElement(elementType) || isPackedElement(elementType))
    return emitElementTypeError(loc, elementType);
  spec.element = *element;
  spec.alignment =
      attr ? attr.getAlignment() : fuser_rt::elementBytes(*element);
  if (attrs && attrs.contains(host::kComplexAttrName))
    pairParts(spec);
  if (auto packed =
          attrs ? attrs.getAs<TypeAttr>(host::kPackedAttrName) : TypeAttr())
    spec.element = *convertElementType(packed.getValue());
  return spec;
}

static std::string getName(Attribute attr, const Twine &other) {
  auto name = dyn_cast_if_present<StringAttr>(attr);
  return name ? name.str() : other.str();
}

LogicalResult SignatureReader::addInput(BlockArgument arg) {
  unsigned index = arg.getArgNumber();
  std::string name = getName(program.getArgAttr(index, host::kNameAttrName),
                             getArgumentName(program, index));
  auto type = dyn_cast<MemRefType>(arg.getType());
  if (!type) {
    std::optional<ElementType> element = convertElementType(arg.getType());
    if (!element)
      return emitElementTypeError(arg.getLoc(), arg.getType());
    variant.scalars.push_back({name, *element});
    return success();
  }
  FailureOr<TensorSpec> spec =
      readTensor(arg.getLoc(), type, program.getArgAttrDict(index));
  if (failed(spec))
    return failure();
  spec->name = std::move(name);
  spec->written = host::mayBeWritten(arg);
  if (auto users =
          program.getArgAttrOfType<ArrayAttr>(index, host::kUsersAttrName))
    for (auto user : users.getAsRange<StringAttr>())
      spec->users.push_back(user.str());
  // Of pairs of parts, which are no dimension of a caller's.
  spec->users.resize(spec->users.empty() ? 0 : spec->dims.size());
  variant.inputs.push_back(std::move(*spec));
  return success();
}

/// What makes an output says where its memory comes from.
void SignatureReader::readMaker(Operation *op) {
  auto view = dyn_cast<host::OutputViewOp>(op);
  if (!view || !view.getInput())
    return;
  TensorSpec &output = variant.outputs[view.getIndex()];
  if (output.alias == TensorSpec::Alias::New)
    output.alias = TensorSpec::Alias::View;
  output.aliasInput = *view.getInput();
}

void SignatureReader::readSizes() {
  auto sizes = program->getAttrOfType<ArrayAttr>(host::kSizesAttrName);
  if (!sizes)
    return;
  for (auto size : sizes.getAsRange<host::SizeAttr>())
    variant.sizes.push_back({static_cast<uint32_t>(size.getSymbol()),
                             size.getDivisor(), size.getBound(),
                             size.getRequiredDivisor(), size.getRequiredBound(),
                             size.getLowerBound()});
}

LogicalResult SignatureReader::read() {
  auto noteSymbols = [&](Attribute attr) {
    if (auto tensor = dyn_cast_if_present<host::TensorAttr>(attr))
      for (int64_t size : tensor.getSizes())
        numSymbols = std::max(numSymbols, -size);
  };
  for (unsigned i = 0, e = program.getNumArguments(); i < e; ++i)
    noteSymbols(program.getArgAttr(i, host::kTensorAttrName));
  for (unsigned i = 0, e = program.getNumResults(); i < e; ++i)
    noteSymbols(program.getResultAttr(i, host::kTensorAttrName));
  for (BlockArgument arg : program.getArguments())
    if (failed(addInput(arg)))
      return failure();
  for (auto [i, type] : llvm::enumerate(program.getResultTypes())) {
    FailureOr<TensorSpec> spec = readTensor(
        program.getLoc(), cast<MemRefType>(type), program.getResultAttrDict(i));
    if (failed(spec))
      return failure();
    spec->name = getName(program.getResultAttr(i, host::kNameAttrName),
                         getResultName(program, i));
    spec->anyStrides = false;
    variant.outputs.push_back(std::move(*spec));
  }
  program.walk([&](Operation *op) { readMaker(op); });
  readSizes();
  return success();
}

LogicalResult fuser::describeSignature(func::FuncOp program,
                                       fuser_rt::Variant &variant) {
  return SignatureReader(program, variant).read();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// `param_c4` says which types there are.
static TensorMapElement convertTensorMapElement(Type type) {
  if (type.isF16())
    return TensorMapElement::F16;
  if (type.isBF16())
    return TensorMapElement::BF16;
  if (type.isF32())
    return TensorMapElement::F32;
  if (type.isF64())
    return TensorMapElement::F64;
  // The sign says how a reduction into the tensor compares.
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 16:
    return TensorMapElement::U16;
  case 32:
    return isUnsigned ? TensorMapElement::U32 : TensorMapElement::I32;
  case 64:
    return isUnsigned ? TensorMapElement::U64 : TensorMapElement::I64;
  }
  return TensorMapElement::U8;
}

/// Those of the parameters that are tensor maps. The numbers of nvgpu's enums
/// are the driver's.
static std::vector<TensorMapSpec> describeTensorMaps(host::KernelOp op) {
  std::vector<TensorMapSpec> specs;
  for (auto [i, param] : llvm::enumerate(op.getParamAttrs())) {
    if (param.getKind() != host::ParamKind::TensorMap)
      continue;
    auto map = cast<nvgpu::TensorMapDescriptorType>(param.getDescriptor());
    ArrayRef<int64_t> box = map.getTensor().getShape();
    TensorMapSpec spec;
    spec.param = i;
    spec.argument = param.getArgument();
    spec.element = convertTensorMapElement(map.getTensor().getElementType());
    spec.box.assign(box.begin(), box.end());
    spec.interleave = static_cast<uint32_t>(map.getInterleave());
    spec.swizzle = static_cast<uint32_t>(map.getSwizzle());
    spec.l2Promotion = static_cast<uint32_t>(map.getL2promo());
    spec.fillsNan = map.getOob() == nvgpu::TensorMapOOBKind::OOB_NAN;
    specs.push_back(std::move(spec));
  }
  return specs;
}

LogicalResult fuser::takeKernels(ModuleOp module, bool hasImages,
                                 fuser_rt::Variant &variant) {
  llvm::DenseMap<Attribute, uint32_t> images;
  for (auto op : llvm::make_early_inc_range(module.getOps<host::KernelOp>())) {
    if (hasImages != static_cast<bool>(op.getImageAttr()))
      return emitError(op.getLoc())
             << "expected a kernel " << (hasImages ? "with" : "without")
             << " an image for the target, got one "
             << (hasImages ? "without" : "with one");
    fuser_rt::KernelSpec kernel;
    kernel.name = op.getEntryName().str();
    kernel.numParams = op.getParams().size();
    kernel.tensorMaps = describeTensorMaps(op);
    kernel.scratchBytes = op.getScratch().value_or(0);
    if (StringAttr image = op.getImageAttr()) {
      auto [it, isNew] = images.try_emplace(image, variant.images.size());
      if (isNew)
        variant.images.push_back(image.str());
      kernel.image = it->second;
    }
    variant.kernels.push_back(std::move(kernel));
    op.erase();
  }
  return success();
}
