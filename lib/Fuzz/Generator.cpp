//===- Generator.cpp - Random programs ------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Fuzz/Generator.h"
#include "OpFamilies.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Support/ElementTypes.h"
#include "fuser/Support/PowersOfTwo.h"

using namespace fuser;
using namespace fuser::fuzz;
using namespace fuser::fusion;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

namespace {
/// A family of ops, and how often it comes.
struct Family {
  void (*add)(GrowingProgram &program, const Tensor &tensor);
  unsigned weight;
};

/// What a topic is made of.
struct Recipe {
  Topic topic;
  ArrayRef<Family> families;
  int64_t fewestOps, mostOps;
};
} // namespace

static constexpr Family kEverything[] = {
    {addSimpleUnary, 2}, {addFunction, 4},    {addBinary, 5},
    {addDivision, 1},    {addChoice, 2},      {addCast, 3},
    {addCopy, 2},        {addConstant, 2},    {addReduction, 5},
    {addPermute, 2},     {addReshape, 3},     {addNormalisation, 1},
    {addSlice, 3},       {addCat, 2},         {addExpand, 2},
    {addRotation, 1},    {addContraction, 2}, {addRandom, 1}};

static constexpr Family kFunctions[] = {
    {addFunction, 7}, {addNarrowing, 2},     {addDivision, 3}, {addBinary, 2},
    {addChoice, 1},   {addReduction, 2},     {addPermute, 1},  {addRotation, 1},
    {addConstant, 2}, {addNormalisation, 2}, {addCast, 1}};

static constexpr Family kRows[] = {
    {addReduction, 6}, {addNormalisation, 3}, {addBinary, 4}, {addFunction, 3},
    {addCast, 1},      {addChoice, 1},        {addCopy, 1},   {addConstant, 1}};

static constexpr Family kProducts[] = {{addContraction, 6},  {addFunction, 1},
                                       {addBinary, 2},       {addReduction, 1},
                                       {addPermute, 2},      {addReshape, 1},
                                       {addNormalisation, 1}};

static constexpr Family kElements[] = {
    {addSampled, 10},      {addSimpleUnary, 1}, {addFunction, 1},
    {addBinary, 2},        {addChoice, 2},      {addCast, 3},
    {addConstant, 1},      {addReduction, 2},   {addPermute, 1},
    {addReshape, 1},       {addSlice, 1},       {addExpand, 1},
    {addNormalisation, 1}, {addRandom, 1}};

static constexpr Family kGathers[] = {
    {addTake, 4},          {addTakeAlongAxis, 4}, {addPad, 4},
    {addBinary, 3},        {addFunction, 1},      {addReduction, 3},
    {addPermute, 1},       {addReshape, 1},       {addSlice, 1},
    {addCat, 1},           {addExpand, 1},        {addCast, 1},
    {addNormalisation, 2}, {addSampled, 1}};

static constexpr Family kFibres[] = {
    {addScan, 4},          {addOrder, 4},     {addScatter, 4}, {addBinary, 3},
    {addFunction, 1},      {addReduction, 2}, {addPermute, 2}, {addReshape, 1},
    {addSlice, 1},         {addCat, 1},       {addExpand, 1},  {addCast, 2},
    {addTakeAlongAxis, 1}, {addConstant, 1},  {addSampled, 1}};

static constexpr Family kComplex[] = {
    {addComplex, 6}, {addBinary, 3},  {addReduction, 2}, {addPermute, 2},
    {addReshape, 1}, {addSlice, 1},   {addCat, 1},       {addExpand, 1},
    {addCast, 2},    {addSampled, 1}, {addPad, 1}};

static constexpr Family kReplaced[] = {
    {addComposite, 8},      {addCompositeCall, 8}, {addDense, 2},
    {addBroadcastInDim, 2}, {addBinary, 3},        {addReduction, 2},
    {addPermute, 1},        {addReshape, 1},       {addSlice, 1},
    {addCast, 1},           {addChoice, 1},        {addTake, 1},
    {addNormalisation, 1}};

static constexpr Family kImages[] = {{addReductionAround, 5},
                                     {addExpand, 4},
                                     {addReshape, 5},
                                     {addPermute, 2},
                                     {addBinary, 4},
                                     {addNormalisation, 2},
                                     {addSimpleUnary, 1},
                                     {addSlice, 1},
                                     {addCast, 1},
                                     {addPad, 1},
                                     {addConstant, 1},
                                     {addCat, 1}};

static constexpr Recipe kImagesRecipe = {Topic::Images, kImages, 1, 10};

static constexpr Recipe kReplacedRecipe = {Topic::Composites, kReplaced, 1, 12};

static constexpr Recipe kComplexRecipe = {Topic::Complex, kComplex, 2, 12};

static constexpr Recipe kFibresRecipe = {Topic::Fibres, kFibres, 1, 10};

static constexpr Recipe kGathersRecipe = {Topic::Gathers, kGathers, 1, 12};

static constexpr Recipe kElementsRecipe = {Topic::Elements, kElements, 1, 14};

static constexpr Recipe kRecipes[] = {{Topic::Everything, kEverything, 1, 22},
                                      {Topic::Everything, kEverything, 1, 6},
                                      {Topic::Functions, kFunctions, 2, 14},
                                      {Topic::Rows, kRows, 1, 8},
                                      {Topic::Products, kProducts, 1, 4}};

/// Every fourth program without a topic is of elements, by a number of its own:
/// the others are what their seeds gave before there were such.
static bool isOfElements(uint64_t seed, Topic topic) {
  return topic == Topic::Elements ||
         (topic == Topic::Any && Random(seed ^ 0x656c656d).chance(25));
}

/// Every fifth of the rest, in the same way.
static bool isOfGathers(uint64_t seed, Topic topic) {
  return topic == Topic::Gathers ||
         (topic == Topic::Any && Random(seed ^ 0x67617468).chance(20));
}

/// Some of those with large seeds: the others are what they were.
static bool isOfFibres(uint64_t seed, Topic topic) {
  return topic == Topic::Fibres || (topic == Topic::Any && seed >> 32 != 0 &&
                                    Random(seed ^ 0x66696272).chance(12));
}

static bool isOfComplex(uint64_t seed, Topic topic) {
  return topic == Topic::Complex || (topic == Topic::Any && seed >> 32 != 0 &&
                                     Random(seed ^ 0x636f6d70).chance(8));
}

static bool isOfComposites(uint64_t seed, Topic topic) {
  return topic == Topic::Composites ||
         (topic == Topic::Any && seed >> 32 != 0 &&
          Random(seed ^ 0x636f6d6f).chance(12));
}

static bool isOfImages(uint64_t seed, Topic topic) {
  return topic == Topic::Images || (topic == Topic::Any && seed >> 32 != 0 &&
                                    Random(seed ^ 0x696d6167).chance(12));
}

static const Recipe &chooseRecipe(uint64_t seed, Random &random, Topic topic) {
  if (isOfComposites(seed, topic))
    return kReplacedRecipe;
  if (isOfComplex(seed, topic))
    return kComplexRecipe;
  if (isOfFibres(seed, topic))
    return kFibresRecipe;
  if (isOfImages(seed, topic))
    return kImagesRecipe;
  if (isOfElements(seed, topic))
    return kElementsRecipe;
  if (isOfGathers(seed, topic))
    return kGathersRecipe;
  SmallVector<const Recipe *> fitting;
  for (const Recipe &recipe : kRecipes)
    if (topic == Topic::Any || topic == recipe.topic)
      fitting.push_back(&recipe);
  return *random.pick(ArrayRef<const Recipe *>(fitting));
}

/// What moves elements, compares them and casts.
static constexpr Family kScales[] = {
    {addCast, 6},    {addCopy, 1},  {addChoice, 2},        {addPermute, 1},
    {addReshape, 1}, {addSlice, 1}, {addCat, 1},           {addExpand, 2},
    {addTake, 1},    {addPad, 1},   {addTakeAlongAxis, 1}, {addOrder, 1}};

static const Family &choose(Random &random, ArrayRef<Family> families) {
  uint64_t total = 0;
  for (const Family &family : families)
    total += family.weight;
  uint64_t chosen = random.below(total);
  while (chosen >= families.front().weight) {
    chosen -= families.front().weight;
    families = families.drop_front();
  }
  return families.front();
}

static void addOp(GrowingProgram &program, ArrayRef<Family> families,
                  const GeneratorOptions &options) {
  const Family &family = choose(program.random, families);
  if (family.add == addContraction && !options.products)
    return;
  Tensor tensor = program.pick();
  bool isScale = isPowersOfTwo(tensor.element);
  (isScale ? choose(program.random, kScales) : family).add(program, tensor);
}

//===----------------------------------------------------------------------===//
// Inputs and results
//===----------------------------------------------------------------------===//

static Dims chooseDims(GrowingProgram &program) {
  Random &random = program.random;
  Dims dims;
  int64_t rank = random.pick<int64_t>({0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5});
  for (int64_t dim = 0; dim < rank; ++dim) {
    dims.push_back(program.pickDim());
    if (!isSmall(dims))
      dims.pop_back();
    else if (random.chance(10))
      dims.back() = program.reopen(dims.back());
  }
  return dims;
}

/// Of an image: many, and a third of them of size 1.
static Dims chooseImageDims(GrowingProgram &program) {
  Random &random = program.random;
  Dims dims;
  int64_t rank = random.pick<int64_t>({3, 4, 4, 5, 5});
  for (int64_t dim = 0; dim < rank; ++dim) {
    Dim one = program.makeDim(1, random.chance(20));
    dims.push_back(random.chance(30) ? one : program.pickDim());
    if (!isSmall(dims))
      dims.back() = one;
  }
  return dims;
}

static void addInputs(GrowingProgram &program, bool areImages) {
  Random &random = program.random;
  for (unsigned count = random.between(1, 3); count > 0; --count) {
    Dims dims = areImages ? chooseImageDims(program) : chooseDims(program);
    Type element = program.pickElement();
    // Programs of one type have more of what is alike.
    if (!program.getInputs().empty() && random.chance(60))
      element = program.getTensors().front().element;
    program.addInput(dims, element);
  }
}

namespace {
/// The results of a program, and where they go.
class Results {
public:
  explicit Results(GrowingProgram &program) : program(program) {}
  void choose();
  /// Sometimes, a part of an input.
  void chooseView();
  GeneratedProgram finish() { return program.finish(values, attributes); }

private:
  void add(const Tensor &tensor, DictionaryAttr attribute) {
    values.push_back(tensor.value);
    attributes.push_back(attribute);
  }
  DictionaryAttr getAlias(AliasKind kind, unsigned argument);
  DictionaryAttr chooseAttribute(const Tensor &tensor);
  std::optional<unsigned> findReusable(const Tensor &tensor);

  GrowingProgram &program;
  SmallVector<Value> values;
  SmallVector<DictionaryAttr> attributes;
  SmallVector<unsigned> reused;
};
} // namespace

DictionaryAttr Results::getAlias(AliasKind kind, unsigned argument) {
  Builder &builder = program.builder;
  return builder.getDictionaryAttr(builder.getNamedAttr(
      FusionDialect::getAliasAttrName(),
      AliasAttr::get(builder.getContext(), kind, argument)));
}

/// Whether a segment makes `value`, also behind views, which may turn out to
/// change nothing.
static bool isOfSegment(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<PermuteOp, ReshapeOp, ExpandOp, SliceOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<SegmentOp>(op);
}

/// An input that a result can be written to.
std::optional<unsigned> Results::findReusable(const Tensor &tensor) {
  // A segment by hand gets no copy: it may not read what it writes to.
  if (isOfSegment(tensor.value))
    return std::nullopt;
  for (const Input &input : program.getInputs())
    if (input.isWritable && input.tensor.element == tensor.element &&
        areAlike(input.tensor.dims, tensor.dims) &&
        !llvm::is_contained(reused, input.argument))
      return input.argument;
  return std::nullopt;
}

DictionaryAttr Results::chooseAttribute(const Tensor &tensor) {
  Builder &builder = program.builder;
  unsigned kind = program.random.below(10);
  if (kind < 2)
    if (std::optional<unsigned> argument = findReusable(tensor)) {
      reused.push_back(*argument);
      return getAlias(AliasKind::Reuse, *argument);
    }
  if (kind >= 5)
    return builder.getDictionaryAttr({});
  StringRef name = kind == 4 ? FusionDialect::getStrideOrderHintAttrName()
                             : FusionDialect::getStrideOrderAttrName();
  auto order = program.pickOrder(tensor);
  return builder.getDictionaryAttr(
      builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(order)));
}

void Results::choose() {
  // What was computed last is there; inputs are few among the others.
  SmallVector<Tensor> computed;
  for (const Tensor &tensor : program.getTensors())
    if (tensor.value.getDefiningOp())
      computed.push_back(tensor);
  if (computed.empty() || program.random.chance(5))
    llvm::append_range(computed, program.getTensors());
  for (unsigned count = program.random.below(4); count > 0; --count) {
    const Tensor &tensor = program.random.pick(ArrayRef<Tensor>(computed));
    add(tensor, chooseAttribute(tensor));
  }
  add(computed.back(), chooseAttribute(computed.back()));
  ArrayRef<Tensor> apart = program.getApart();
  if (!apart.empty() && program.random.chance(60)) {
    const Tensor &tensor = program.random.pick(apart);
    add(tensor, chooseAttribute(tensor));
  }
}

void Results::chooseView() {
  // What is viewed stays as it is.
  const Input &input = program.random.pick(program.getInputs());
  if (!program.random.chance(15) ||
      llvm::is_contained(reused, input.argument) ||
      isPackedElement(input.tensor.element))
    return;
  add(addView(program, input), getAlias(AliasKind::Evaluate, input.argument));
}

GeneratedProgram fuzz::generateProgram(uint64_t seed,
                                       const GeneratorOptions &options,
                                       MLIRContext *context) {
  GrowingProgram program(seed, options, context);
  addInputs(program, isOfImages(seed, options.topic));
  const Recipe &recipe = chooseRecipe(seed, program.random, options.topic);
  int64_t count = program.random.between(recipe.fewestOps, recipe.mostOps);
  for (int64_t op = 0; op < count; ++op)
    addOp(program, recipe.families, options);
  Results results(program);
  results.choose();
  if (options.views)
    results.chooseView();
  return results.finish();
}
