//===- Builder.cpp - Programs built op by op, in C ------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser-c/Builder.h"
#include "Bytes.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Frontend/ProgramBuilder.h"
#include "fuser/Pipelines/Compile.h"
#include "fuser/Pipelines/CompilerUse.h"
#include "fuser_rt/ElementTypes.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <atomic>

using namespace fuser;
using frontend::ProgramBuilder;

static_assert(ShapedType::kDynamic == FUSER_DYNAMIC,
              "open sizes are the same number in C and in MLIR");

struct FuserBuilder {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::optional<ProgramBuilder> program;
  std::optional<Location> location;
  SmallVector<unsigned> lastResults; ///< Of the op that was added last.
  uint32_t number = 0;
};

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// What is wrong with a name, which may be null, that is no element type's.
static std::string describeUnknown(const char *name) {
  return "expected an element type (" + listElementTypes(/*ofTensors=*/true) +
         "), got " + (name ? "'" + std::string(name) + "'" : "null");
}

namespace {
/// One call on a builder: what it says is what the status says.
class Call {
public:
  /// `mutates`: not for a program that is finished.
  Call(FuserBuilder *builder, bool mutates) : builder(builder) {
    status = use.check();
    if (status)
      return;
    if (!builder)
      status = invalid("expected a builder, got null");
    else if (mutates && builder->program->isFinished())
      error() << "expected a builder whose program is not finished, got one "
                 "that is";
  }
  ~Call() { fuser_status_destroy(status); }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  /// True if the call can go on.
  explicit operator bool() const { return !status && text.empty(); }
  /// For what is no diagnostic of the compiler.
  InFlightDiagnostic error() {
    collect();
    return emitError(*builder->location);
  }
  /// From here on diagnostics are the status.
  ProgramBuilder &program() {
    collect();
    return *builder->program;
  }
  FuserStatus *finish() {
    // The handler that was set last goes first.
    rest.reset();
    collector.reset();
    FuserStatus *result = status ? status : nullptr;
    status = nullptr;
    if (!result && !text.empty())
      result = invalid(text);
    return result;
  }

  /// The number of a value of this builder; none with an error.
  std::optional<unsigned> find(FuserValue value, StringRef what) {
    if (value.builder == 0)
      error() << "expected " << what << ", got no value";
    else if (value.builder != builder->number)
      error() << "expected " << what
              << " to be a value of this builder, got one of another";
    else if (value.index >= builder->program->getNumValues())
      error() << "expected " << what
              << " to be a value that was made, got number " << value.index;
    else
      return value.index;
    return std::nullopt;
  }
  /// An element type by name; null with an error.
  Type findElement(const char *name, bool ofScalar = false) {
    Type type =
        name ? frontend::parseElementType(&builder->context, name) : Type();
    if (type &&
        (!ofScalar || (getScalarType(type) == type && !isComplexElement(type))))
      return type;
    if (type) {
      error() << "expected the type of a scalar, which has no unsigned and no "
                 "complex ones, got '"
              << name << "'";
      return {};
    }
    error() << describeUnknown(name);
    return {};
  }
  FuserValue makeValue(unsigned index) { return {builder->number, index}; }

private:
  void collect() {
    if (collector)
      return;
    collector.emplace(&builder->context, text);
    // Ops that one is made of may each find the same fault.
    rest.emplace(&builder->context, [this](Diagnostic &diagnostic) {
      bool isFirst = text.empty();
      bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
      return success(isError && !isFirst);
    });
  }

  CompilerUse use;
  FuserBuilder *builder;
  FuserStatus *status = nullptr;
  std::string text;
  std::optional<ErrorCollector> collector;
  std::optional<ScopedDiagnosticHandler> rest;
};
} // namespace

static StringRef orEmpty(const char *text) { return text ? text : ""; }

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

template <ElementKind kind, FuserElementKind ofC>
static constexpr bool areSame = static_cast<uint32_t>(kind) == ofC;
static_assert(areSame<ElementKind::Float, FUSER_ELEMENT_FLOAT> &&
                  areSame<ElementKind::Signed, FUSER_ELEMENT_SIGNED> &&
                  areSame<ElementKind::Unsigned, FUSER_ELEMENT_UNSIGNED> &&
                  areSame<ElementKind::Bool, FUSER_ELEMENT_BOOL> &&
                  areSame<ElementKind::Complex, FUSER_ELEMENT_COMPLEX>,
              "kinds are the same numbers in C and in the table");

FuserStatus *fuser_element_info(const char *element, FuserElementInfo *info) {
  if (!info)
    return invalid("expected room for what is known of a type, got null");
  const ElementInfo *found = findElement(orEmpty(element));
  if (!found || !found->isOfTensors)
    return invalid(describeUnknown(element));
  *info = {static_cast<FuserElementKind>(found->kind), found->bits};
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> makeArray(const int64_t *data, size_t size) {
  return data ? ArrayRef(data, size) : ArrayRef<int64_t>();
}

FuserStatus *fuser_builder_create(const char *name, FuserBuilder **builder) {
  if (!builder)
    return invalid("expected room for a builder, got null");
  CompilerUse use;
  *builder = nullptr;
  if (FuserStatus *status = use.check())
    return status;
  // Builders of a process have numbers, from 1 on, so that values know theirs.
  static std::atomic<uint32_t> last{0};
  auto result = std::make_unique<FuserBuilder>();
  result->context.printOpOnDiagnostic(false);
  result->context.loadDialect<fusion::FusionDialect, func::FuncDialect>();
  StringRef own = orEmpty(name);
  result->program.emplace(&result->context, own.empty() ? "fusion" : own);
  result->location = UnknownLoc::get(&result->context);
  while (result->number == 0)
    result->number = ++last;
  *builder = result.release();
  return nullptr;
}

void fuser_builder_destroy(FuserBuilder *builder) {
  CompilerUse use;
  if (use.isPossible())
    delete builder;
}

FuserStatus *fuser_builder_set_location(FuserBuilder *builder, const char *file,
                                        uint32_t line, uint32_t column) {
  Call call(builder, /*mutates=*/false);
  if (!call)
    return call.finish();
  if (file && line)
    builder->location =
        FileLineColLoc::get(&builder->context, file, line, column);
  else
    builder->location = UnknownLoc::get(&builder->context);
  return nullptr;
}

FuserStatus *fuser_builder_set_lists_operands(FuserBuilder *builder,
                                              int32_t lists) {
  Call call(builder, /*mutates=*/false);
  if (call)
    builder->program->setListsOperands(lists != 0);
  return call.finish();
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

FuserStatus *fuser_builder_input(FuserBuilder *builder,
                                 const FuserInputSpec *spec,
                                 FuserValue *value) {
  Call call(builder, /*mutates=*/true);
  if (!call)
    return call.finish();
  if (!spec || !value || (spec->rank && !spec->sizes)) {
    call.error() << "expected a description of the input, its sizes and room "
                    "for the value, got null";
    return call.finish();
  }
  Type element = call.findElement(spec->element);
  if (!element)
    return call.finish();
  for (int64_t size : ArrayRef(spec->sizes, spec->rank))
    if (size < 0 && size != FUSER_DYNAMIC) {
      call.error() << "expected sizes that are not negative, or FUSER_DYNAMIC, "
                      "got "
                   << size;
      return call.finish();
    }
  frontend::InputSpec input{
      RankedTensorType::get(ArrayRef(spec->sizes, spec->rank), element),
      orEmpty(spec->name).str()};
  input.strideOrder = makeArray(spec->stride_order, spec->rank);
  FailureOr<unsigned> made =
      call.program().addInput(*builder->location, std::move(input));
  if (succeeded(made))
    *value = call.makeValue(*made);
  return call.finish();
}

FuserStatus *fuser_builder_scalar_input(FuserBuilder *builder, const char *name,
                                        const char *element,
                                        FuserValue *value) {
  Call call(builder, /*mutates=*/true);
  if (!call)
    return call.finish();
  if (!element || !value) {
    call.error() << "expected an element type and room for the value, got null";
    return call.finish();
  }
  Type type = call.findElement(element, /*ofScalar=*/true);
  if (!type)
    return call.finish();
  FailureOr<unsigned> made =
      call.program().addInput(*builder->location, {type, orEmpty(name).str()});
  if (succeeded(made))
    *value = call.makeValue(*made);
  return call.finish();
}

FuserStatus *fuser_builder_number(FuserBuilder *builder,
                                  const FuserScalar *number,
                                  const char *element, FuserValue *value) {
  Call call(builder, /*mutates=*/true);
  if (!call)
    return call.finish();
  if (!number || !value) {
    call.error() << "expected a number and room for the value, got null";
    return call.finish();
  }
  bool isFloat = number->kind == FuserScalar::FUSER_SCALAR_FLOAT;
  StringRef name = element ? element : isFloat ? "f64" : "i64";
  Builder b(&builder->context);
  TypedAttr attr;
  if (name == "f64")
    attr = b.getF64FloatAttr(isFloat ? number->value.f
                                     : static_cast<double>(number->value.i));
  else if (name == "i64" && !isFloat)
    attr = b.getI64IntegerAttr(number->value.i);
  else if (name == "i1" && !isFloat)
    attr = b.getBoolAttr(number->value.i != 0);
  if (!attr) {
    call.error() << "expected 'f64', or 'i64' or 'i1' for an integer, as the "
                    "type of a number, got '"
                 << name << "'";
    return call.finish();
  }
  *value = call.makeValue(call.program().addNumber(*builder->location, attr));
  return call.finish();
}

//===----------------------------------------------------------------------===//
// Ops and outputs
//===----------------------------------------------------------------------===//

/// Null for an attribute of no kind, or without its data.
static Attribute convert(Builder &b, const FuserAttribute &attribute) {
  switch (attribute.kind) {
  case FUSER_ATTRIBUTE_INT:
    return b.getI64IntegerAttr(attribute.integer);
  case FUSER_ATTRIBUTE_STRING:
    return attribute.string ? b.getStringAttr(attribute.string) : nullptr;
  case FUSER_ATTRIBUTE_INTS:
    if (attribute.count && !attribute.integers)
      return nullptr;
    return b.getDenseI64ArrayAttr(
        makeArray(attribute.integers, attribute.count));
  case FUSER_ATTRIBUTE_FLOATS:
    if (attribute.count && !attribute.floats)
      return nullptr;
    return DenseF64ArrayAttr::get(
        b.getContext(), attribute.count
                            ? ArrayRef(attribute.floats, attribute.count)
                            : ArrayRef<double>());
  }
  return nullptr;
}

/// Reads operands and attributes; false with an error.
static bool readOp(Call &call, FuserBuilder *builder, const FuserOpSpec &spec,
                   SmallVectorImpl<unsigned> &operands,
                   NamedAttrList &attributes) {
  Builder b(&builder->context);
  for (size_t i = 0; i < spec.num_operands; ++i) {
    std::optional<unsigned> operand =
        call.find(spec.operands[i],
                  ("operand " + Twine(i) + " of '" + spec.name + "'").str());
    if (!operand)
      return false;
    operands.push_back(*operand);
  }
  for (size_t i = 0; i < spec.num_attributes; ++i) {
    const FuserAttribute &attribute = spec.attributes[i];
    Attribute converted =
        attribute.name && *attribute.name ? convert(b, attribute) : nullptr;
    if (!converted || attributes.get(attribute.name)) {
      call.error() << "expected a name, a kind and data of that kind, and each "
                      "name once, got something else as attribute "
                   << i << " of '" << spec.name << "'";
      return false;
    }
    attributes.set(attribute.name, converted);
  }
  return true;
}

/// As many as there is room for.
static void writeResults(Call &call, ArrayRef<unsigned> made,
                         FuserValue *results, size_t capacity,
                         size_t *numResults) {
  for (auto [number, index] : llvm::enumerate(made.take_front(capacity)))
    results[number] = call.makeValue(index);
  if (numResults)
    *numResults = made.size();
}

FuserStatus *fuser_builder_op(FuserBuilder *builder, const FuserOpSpec *spec,
                              FuserValue *results, size_t capacity,
                              size_t *numResults) {
  Call call(builder, /*mutates=*/true);
  if (!call)
    return call.finish();
  bool isWhole = spec && spec->name && results &&
                 (spec->operands || !spec->num_operands) &&
                 (spec->attributes || !spec->num_attributes);
  if (!isWhole || capacity == 0) {
    call.error() << "expected the name of an op, its operands, its attributes "
                    "and room for results, got null";
    return call.finish();
  }
  SmallVector<unsigned> operands;
  NamedAttrList attributes;
  if (!readOp(call, builder, *spec, operands, attributes))
    return call.finish();
  FailureOr<SmallVector<unsigned>> made =
      call.program().addOp(*builder->location, spec->name, operands,
                           attributes.getDictionary(&builder->context));
  if (failed(made))
    return call.finish();
  if (made->size() > capacity && !numResults) {
    call.error() << "expected room for " << made->size() << " results of '"
                 << spec->name << "', or where to say how many there are, got "
                 << capacity;
    return call.finish();
  }
  builder->lastResults = *made;
  writeResults(call, *made, results, capacity, numResults);
  return call.finish();
}

FuserStatus *fuser_builder_last_results(FuserBuilder *builder,
                                        FuserValue *results, size_t capacity,
                                        size_t *numResults) {
  Call call(builder, /*mutates=*/false);
  if (!call)
    return call.finish();
  if (!results && capacity != 0) {
    call.error() << "expected room for results, got null";
    return call.finish();
  }
  writeResults(call, builder->lastResults, results, capacity, numResults);
  return call.finish();
}

const char *fuser_builder_op_names(void) {
  static const std::string names = llvm::join(frontend::getOpNames(), " ");
  return names.c_str();
}

const char *fuser_builder_elementwise_names(size_t numOperands) {
  auto join = [](unsigned count) {
    return llvm::join(frontend::getElementwiseNames(count), " ");
  };
  static const std::string names[] = {join(0), join(1), join(2)};
  return numOperands < std::size(names) ? names[numOperands].c_str() : "";
}

const char *fuser_builder_other_names(const char *library, size_t numOperands) {
  static const llvm::StringMap<std::string> names = [] {
    llvm::StringMap<std::string> lists;
    for (const frontend::OtherName &name : frontend::getOtherNames()) {
      std::string &list = lists[(name.library + Twine(name.numOperands)).str()];
      list += (list.empty() ? "" : " ") + (name.other + " " + name.own).str();
    }
    return lists;
  }();
  auto found = names.find((orEmpty(library) + Twine(numOperands)).str());
  return found == names.end() ? "" : found->second.c_str();
}

FuserStatus *fuser_builder_output(FuserBuilder *builder, FuserValue value,
                                  const FuserOutputSpec *spec) {
  Call call(builder, /*mutates=*/true);
  if (!call)
    return call.finish();
  std::optional<unsigned> index = call.find(value, "the output");
  if (!index)
    return call.finish();
  frontend::OutputSpec output;
  ProgramBuilder &program = call.program();
  if (spec) {
    output.name = orEmpty(spec->name).str();
    auto type = dyn_cast<RankedTensorType>(program.getType(*index));
    output.strideOrder =
        makeArray(spec->stride_order, type ? type.getRank() : 0);
  }
  if (spec && spec->alias.builder != 0) {
    std::optional<unsigned> alias = call.find(spec->alias, "the alias");
    if (!alias)
      return call.finish();
    output.alias = program.getInputOf(*alias);
    if (!output.alias || !isa<RankedTensorType>(program.getType(*alias))) {
      call.error() << "expected a tensor that is an input as the alias, got a "
                      "value of "
                   << program.getType(*alias);
      return call.finish();
    }
  }
  (void)program.addOutput(*builder->location, *index, std::move(output));
  return call.finish();
}

//===----------------------------------------------------------------------===//
// What was built
//===----------------------------------------------------------------------===//

FuserStatus *fuser_builder_value_type(FuserBuilder *builder, FuserValue value,
                                      FuserValueType *type) {
  Call call(builder, /*mutates=*/false);
  if (!call)
    return call.finish();
  if (!type) {
    call.error() << "expected room for the type, got null";
    return call.finish();
  }
  std::optional<unsigned> index = call.find(value, "what is asked about");
  if (!index)
    return call.finish();
  Type known = builder->program->getType(*index);
  auto tensor = dyn_cast<RankedTensorType>(known);
  StringRef element = frontend::getElementTypeName(getElementTypeOrSelf(known));
  *type = {element.data(), !tensor, 0, nullptr};
  if (tensor) {
    type->rank = tensor.getRank();
    type->sizes = tensor.getShape().data();
  }
  return call.finish();
}

FuserStatus *fuser_builder_finish(FuserBuilder *builder, FuserBytes **program) {
  if (!program)
    return invalid("expected room for a program, got null");
  *program = nullptr;
  Call call(builder, /*mutates=*/true);
  if (!call || failed(call.program().finish()))
    return call.finish();
  std::string bytecode;
  llvm::raw_string_ostream os(bytecode);
  if (succeeded(writeBytecodeToFile(call.program().getModule(), os)))
    *program = new FuserBytes{sealBytecode(bytecode)};
  return call.finish();
}

FuserStatus *fuser_builder_text(FuserBuilder *builder, FuserBytes **text) {
  if (!text)
    return invalid("expected room for a text, got null");
  *text = nullptr;
  Call call(builder, /*mutates=*/false);
  if (!call)
    return call.finish();
  if (!builder->program->isFinished()) {
    call.error() << "expected a builder whose program is finished, got one "
                    "that is not";
    return call.finish();
  }
  auto bytes = std::make_unique<FuserBytes>();
  llvm::raw_string_ostream os(bytes->data);
  builder->program->getModule().print(os);
  *text = bytes.release();
  return call.finish();
}
