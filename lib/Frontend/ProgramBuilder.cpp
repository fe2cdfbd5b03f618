//===- ProgramBuilder.cpp - A program, built op by op ---------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Frontend/ProgramBuilder.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Support/Places.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace fuser;
using namespace fuser::frontend;
using fusion::FusionDialect;

static func::FuncOp getFunction(ModuleOp module) {
  return *module.getOps<func::FuncOp>().begin();
}

ProgramBuilder::ProgramBuilder(MLIRContext *context, StringRef name)
    : context(context), module(ModuleOp::create(UnknownLoc::get(context))),
      name(name) {
  makeFunction();
}

void ProgramBuilder::makeFunction() {
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto func = func::FuncOp::create(builder, module->getLoc(), name,
                                   builder.getFunctionType({}, {}));
  func.addEntryBlock();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static void addInputArgument(func::FuncOp func, const InputSpec &spec,
                             Location loc) {
  Builder builder(func.getContext());
  SmallVector<NamedAttribute> attributes;
  if (!spec.name.empty())
    attributes.push_back(builder.getNamedAttr(
        FusionDialect::getNameAttrName(), builder.getStringAttr(spec.name)));
  if (!spec.strideOrder.empty())
    attributes.push_back(
        builder.getNamedAttr(FusionDialect::getStrideOrderAttrName(),
                             builder.getDenseI64ArrayAttr(spec.strideOrder)));
  (void)func.insertArgument(func.getNumArguments(), spec.type,
                            builder.getDictionaryAttr(attributes), loc);
}

LogicalResult ProgramBuilder::emit(const Step &step,
                                   std::optional<SizeDemand> &demand) {
  func::FuncOp func = getFunction(*module);
  Block &body = func.getBody().front();
  Operation *last = body.empty() ? nullptr : &body.back();
  emitted.push_back({last, values.size()});
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  auto add = [&](Value value) {
    values.push_back(value);
    types.push_back(value.getType());
  };
  if (step.input) {
    const InputSpec &input = inputs[*step.input];
    addInputArgument(func, input, input.loc.value_or(step.loc));
    add(body.getArguments().back());
    return success();
  }
  if (step.number) {
    add(arith::ConstantOp::create(builder, step.loc, step.number));
    return success();
  }
  auto operands = llvm::map_to_vector(
      step.operands, [&](unsigned value) { return values[value]; });
  FailureOr<SmallVector<Value>> results = emitOp(
      builder, step.loc, {step.name, operands, step.attributes, listsOperands},
      demand, &sizes);
  if (succeeded(results)) {
    llvm::for_each(*results, add);
    return success();
  }
  takeBack(emitted.size() - 1);
  return failure();
}

void ProgramBuilder::takeBack(size_t first) {
  sizes.clear();
  func::FuncOp func = getFunction(*module);
  Block &body = func.getBody().front();
  for (; emitted.size() > first; emitted.pop_back()) {
    Emitted &step = emitted.back();
    while (!body.empty() && &body.back() != step.before)
      body.back().erase();
    values.resize(step.firstValue);
    types.resize(step.firstValue);
    if (steps[emitted.size() - 1].input)
      (void)func.eraseArgument(func.getNumArguments() - 1);
  }
}

size_t ProgramBuilder::narrow(const SizeDemand &demand) {
  BlockArgument argument = demand.argument;
  InputSpec &input = inputs[argument.getArgNumber()];
  auto type = cast<RankedTensorType>(input.type);
  SmallVector<int64_t> shape(type.getShape());
  shape[demand.dim] = demand.size;
  input.type = RankedTensorType::get(shape, type.getElementType());
  argument.setType(input.type);
  // The step that was to be emitted.
  Location place = steps[emitted.size()].loc;
  if (demand.isOfReduction)
    place = addReduced(place);
  input.loc = addSizeUser(argument.getLoc(), demand.dim, place);
  argument.setLoc(*input.loc);
  func::FuncOp func = getFunction(*module);
  func.setType(Builder(context).getFunctionType(
      func.getBody().front().getArgumentTypes(), {}));
  types[llvm::find(values, argument) - values.begin()] = input.type;
  Operation *user = nullptr;
  for (Operation *each : argument.getUsers())
    if (!user || each->isBeforeInBlock(user))
      user = each;
  // Of the steps that begin before its first user, the last one.
  size_t first = emitted.size();
  while (user && first > 0 && emitted[first - 1].before &&
         !emitted[first - 1].before->isBeforeInBlock(user))
    --first;
  return user ? first - 1 : first;
}

LogicalResult ProgramBuilder::emitFrom(size_t first) {
  while (true) {
    takeBack(first);
    std::optional<SizeDemand> demand;
    bool isComplete =
        llvm::all_of(ArrayRef(steps).drop_front(first), [&](const Step &step) {
          return succeeded(emit(step, demand));
        });
    if (isComplete)
      return success();
    if (!demand)
      return failure();
    // There are as many rounds as open sizes of inputs at most.
    first = narrow(*demand);
  }
}

LogicalResult ProgramBuilder::emitWith(const SizeDemand &demand) {
  std::string text;
  std::optional<Location> loc;
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diag) {
      text = diag.str();
      loc = diag.getLocation();
    });
    if (succeeded(emitFrom(narrow(demand))))
      return success();
  }
  const Step &last = steps.back();
  if (*loc == last.loc || *loc == addReduced(last.loc))
    return emitError(*loc) << text;
  // An op before this one does not admit the size that this one needs.
  InFlightDiagnostic diag = emitError(last.loc)
                            << "'" << last.name.getValue()
                            << "': expected sizes that ops before it admit, "
                               "got one that an op does not";
  diag.attachNote(*loc) << text;
  return diag;
}

LogicalResult ProgramBuilder::add(Step step) {
  size_t numValues = values.size();
  std::vector<InputSpec> before = inputs;
  std::optional<SizeDemand> demand;
  steps.push_back(std::move(step));
  if (succeeded(emit(steps.back(), demand)) ||
      (demand && succeeded(emitWith(*demand))))
    return success();
  if (demand) {
    takeBack(0);
    inputs = std::move(before);
  }
  steps.pop_back();
  if (demand)
    (void)emitFrom(0);
  assert(values.size() == numValues && "what was emitted before is again");
  (void)numValues;
  return failure();
}

//===----------------------------------------------------------------------===//
// Inputs, ops, outputs
//===----------------------------------------------------------------------===//

LogicalResult ProgramBuilder::checkStrideOrder(Location loc, Type type,
                                               ArrayRef<int64_t> order) {
  if (order.empty())
    return success();
  return fusion::verifyStrideOrder(DenseI64ArrayAttr::get(context, order), type,
                                   [&] { return emitError(loc); });
}

FailureOr<unsigned> ProgramBuilder::addInput(Location loc, InputSpec spec) {
  if (auto tensor = dyn_cast<RankedTensorType>(spec.type);
      tensor && !fusion::fitsMemory(tensor))
    return emitError(loc) << "expected a tensor of at most 2^48 elements, got "
                          << tensor;
  if (failed(checkStrideOrder(loc, spec.type, spec.strideOrder)))
    return failure();
  unsigned number = inputs.size(), value = values.size();
  inputs.push_back(std::move(spec));
  if (failed(add({loc, {}, {}, {}, {}, number})))
    return failure();
  return value;
}

unsigned ProgramBuilder::addNumber(Location loc, TypedAttr number) {
  unsigned value = values.size();
  (void)add({loc, {}, {}, {}, number, {}});
  return value;
}

FailureOr<SmallVector<unsigned>>
ProgramBuilder::addOp(Location loc, StringRef op, ArrayRef<unsigned> operands,
                      DictionaryAttr attributes) {
  unsigned first = values.size();
  if (failed(add({addRequest(loc, op),
                  StringAttr::get(context, op),
                  SmallVector<unsigned>(operands),
                  attributes,
                  {},
                  {}})))
    return failure();
  return llvm::to_vector(llvm::seq<unsigned>(first, values.size()));
}

std::optional<unsigned> ProgramBuilder::getInputOf(unsigned value) const {
  auto argument = dyn_cast<BlockArgument>(values[value]);
  return argument ? std::optional<unsigned>(argument.getArgNumber())
                  : std::nullopt;
}

LogicalResult ProgramBuilder::addOutput(Location loc, unsigned value,
                                        OutputSpec spec) {
  Builder builder(context);
  StringRef convert;
  SmallVector<NamedAttribute> attributes;
  Type element = getElementTypeOrSelf(types[value]);
  if (!isa<RankedTensorType>(types[value])) {
    convert = "full";
    attributes.push_back(
        builder.getNamedAttr("shape", builder.getDenseI64ArrayAttr({})));
  }
  if (spec.alias) {
    Type reused = getElementTypeOrSelf(inputs[*spec.alias].type);
    if (reused != element && convert.empty())
      convert = "cast";
    element = reused;
  }
  attributes.push_back(builder.getNamedAttr(
      "type", builder.getStringAttr(getElementTypeName(element))));
  if (!convert.empty()) {
    FailureOr<SmallVector<unsigned>> converted =
        addOp(loc, convert, value, builder.getDictionaryAttr(attributes));
    if (failed(converted))
      return failure();
    value = converted->front();
  }
  if (spec.alias && inputs[*spec.alias].type != types[value])
    return emitError(loc) << "expected an output of type "
                          << inputs[*spec.alias].type
                          << ", as the input has that it is written over, got "
                          << types[value];
  if (failed(checkStrideOrder(loc, types[value], spec.strideOrder)))
    return failure();
  outputs.push_back({loc, value, std::move(spec)});
  return success();
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

void ProgramBuilder::removeUnused() {
  Block &body = getFunction(*module).getBody().front();
  for (Operation *op = &body.back(); op;) {
    Operation *before = op->getPrevNode();
    if (isOpTriviallyDead(op))
      op->erase();
    op = before;
  }
  values.clear();
}

/// What an output says of its result.
static void describeResult(func::FuncOp func, unsigned number,
                           const OutputSpec &spec) {
  Builder builder(func.getContext());
  if (!spec.name.empty())
    func.setResultAttr(number, FusionDialect::getNameAttrName(),
                       builder.getStringAttr(spec.name));
  if (!spec.strideOrder.empty())
    func.setResultAttr(number, FusionDialect::getStrideOrderAttrName(),
                       builder.getDenseI64ArrayAttr(spec.strideOrder));
  if (spec.alias)
    func.setResultAttr(number, FusionDialect::getAliasAttrName(),
                       fusion::AliasAttr::get(func.getContext(),
                                              fusion::AliasKind::Reuse,
                                              *spec.alias));
}

LogicalResult ProgramBuilder::finish() {
  if (outputs.empty())
    return emitError(module->getLoc()) << "expected a program with at least "
                                          "one output, got none";
  func::FuncOp func = getFunction(*module);
  // Errors about results are where the last one was added.
  func->setLoc(outputs.back().loc);
  OpBuilder builder = OpBuilder::atBlockEnd(&func.getBody().front());
  auto returned = llvm::map_to_vector(
      outputs, [&](const Output &output) { return values[output.value]; });
  auto op = func::ReturnOp::create(builder, outputs.back().loc, returned);
  func.setType(builder.getFunctionType(func.getArgumentTypes(),
                                       ValueRange(returned).getTypes()));
  for (auto [number, output] : llvm::enumerate(outputs))
    describeResult(func, number, output.spec);
  if (succeeded(verify(*module))) {
    finished = true;
    removeUnused();
    return success();
  }
  // As it was: more can be added.
  op.erase();
  func.setResAttrsAttr({});
  func.setType(builder.getFunctionType(func.getArgumentTypes(), {}));
  return failure();
}
