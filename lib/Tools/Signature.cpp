//===- Signature.cpp - What a program takes, and how to run it ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signature.h"
#include "CommandLine.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fuser;
using namespace fuser::run;
using fuser_rt::TensorSpec;
using llvm::StringRef;

std::string run::describeCount(StringRef what,
                               llvm::ArrayRef<std::string> names, size_t got) {
  constexpr size_t kMaxNames = 8;
  std::string text = "expected " + std::to_string(names.size()) + " " +
                     what.str() + (names.size() == 1 ? "" : "s");
  if (!names.empty())
    text += " ('" + llvm::join(names.take_front(kMaxNames), "', '") +
            (names.size() > kMaxNames ? "', ...)" : "')");
  return text + ", got " + std::to_string(got);
}

llvm::Error run::checkCounts(const RunOptions &options, StringRef name,
                             llvm::ArrayRef<fuser_rt::TensorSpec> inputs,
                             llvm::ArrayRef<fuser_rt::ScalarSpec> scalars) {
  auto check = [&](StringRef what, const auto &specs,
                   size_t got) -> llvm::Error {
    if (specs.size() == got)
      return llvm::Error::success();
    std::vector<std::string> names;
    for (const auto &spec : specs)
      names.push_back(spec.name);
    return usageError("program '" + name +
                      "': " + describeCount(what, names, got));
  };
  if (llvm::Error error = check("input tensor", inputs, options.inputs.size()))
    return error;
  return check("scalar input", scalars, options.scalars.size());
}

//===----------------------------------------------------------------------===//
// A command that works
//===----------------------------------------------------------------------===//

namespace {
/// What stands for every size that a type leaves open, and every scalar.
struct Guess {
  int64_t size;
  const char *scalar;
};
} // namespace

/// In this order: sizes that are as good as others, then those that fit where
/// sizes are also products, scalars, or ends of slices.
static constexpr Guess kGuesses[] = {{16, "1"},    {16, "16"}, {1, "1"},
                                     {1024, "1"},  {1, "0"},   {16, "0"},
                                     {16384, "1"}, {2, "1"}};

static llvm::SmallVector<int64_t> getSizes(const TensorSpec &spec,
                                           int64_t guess) {
  return llvm::map_to_vector(
      spec.dims, [&](int64_t dim) { return dim < 0 ? guess : dim; });
}

/// Strides in the order that the program asks for; none if it asks for nothing
/// that row-major tensors do not have.
static llvm::SmallVector<int64_t> getStrides(const TensorSpec &spec,
                                             llvm::ArrayRef<int64_t> sizes) {
  if (!spec.strideOrderRequired || llvm::is_sorted(spec.strideOrder))
    return {};
  llvm::SmallVector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (int64_t dim : llvm::reverse(spec.strideOrder)) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(sizes[dim], 1);
  }
  return strides;
}

/// An error if the program refuses tensors and scalars of this guess.
static llvm::Error tryGuess(const Signature &signature, const Guess &guess) {
  llvm::SmallVector<HostTensor> tensors;
  for (const TensorSpec &spec : signature.inputs) {
    llvm::SmallVector<int64_t> sizes = getSizes(spec, guess.size);
    auto tensor = allocate(spec.element, sizes, getStrides(spec, sizes));
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  Session session(signature.context, signature.program);
  std::vector<std::string> scalars(signature.scalars.size(), guess.scalar);
  if (llvm::Error error = session.bindInputs(tensors))
    return error;
  if (llvm::Error error = session.bindScalars(scalars, signature.scalars))
    return error;
  if (llvm::Error error = session.run())
    return error;
  return session.synchronize();
}

static std::string joinSizes(llvm::ArrayRef<int64_t> sizes) {
  return llvm::join(
      llvm::map_range(sizes, [](int64_t size) { return std::to_string(size); }),
      "x");
}

/// `arg` as one word of a shell.
static std::string quote(StringRef arg) {
  auto isPlain = [](char c) {
    return llvm::isAlnum(c) || StringRef("_@%+=:,./-").contains(c);
  };
  if (!arg.empty() && llvm::all_of(arg, isPlain))
    return arg.str();
  std::string quoted = "'";
  for (char c : arg)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// The least size of an input, which indices are less than whatever they are
/// of; 0 if there is none.
static int64_t getLeastSize(const Signature &signature, int64_t guess) {
  int64_t least = 0;
  for (const TensorSpec &spec : signature.inputs)
    for (int64_t size : getSizes(spec, guess))
      if (size > 0 && (least == 0 || size < least))
        least = size;
  return least;
}

static std::string makeCommand(const Signature &signature,
                               const RunOptions &options, const Guess &guess) {
  std::string command =
      llvm::join(llvm::map_range(options.command, quote), " ");
  unsigned seed = 0;
  int64_t least = getLeastSize(signature, guess.size);
  for (const TensorSpec &spec : signature.inputs) {
    llvm::SmallVector<int64_t> sizes = getSizes(spec, guess.size);
    llvm::SmallVector<int64_t> columns = sizes;
    if (fuser_rt::getInfo(spec.element).isPacked())
      columns.back() *= 2;
    std::string shape = joinSizes(columns);
    command +=
        llvm::formatv(" --input={0}{1}{2}=random:{3}", shape,
                      shape.empty() ? "" : "x", getName(spec.element), ++seed)
            .str();
    // They may be indices.
    bool isIndex =
        spec.element == ElementType::I32 || spec.element == ElementType::I64;
    if (isIndex && least > 0)
      command += ",below=" + std::to_string(least);
    llvm::SmallVector<int64_t> strides = getStrides(spec, sizes);
    if (!strides.empty())
      command += ",strides=" + joinSizes(strides);
  }
  for (size_t i = 0; i < signature.scalars.size(); ++i)
    command += std::string(" --scalar=") + guess.scalar;
  return command;
}

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

namespace {
struct Row {
  std::string place, name, type;
};
} // namespace

/// What the program asks of a tensor besides its type.
static std::string describeRest(const TensorSpec &spec,
                                const Signature &signature) {
  std::string text;
  if (spec.strideOrderRequired) {
    text += ", dimensions from the slowest to the fastest: ";
    text += llvm::join(
        llvm::map_range(spec.strideOrder,
                        [](int64_t dim) { return std::to_string(dim); }),
        " ");
  }
  if (spec.alignmentRequired)
    text += ", aligned to " + std::to_string(spec.alignment) + " bytes";
  if (spec.written)
    text += ", written into";
  if (spec.alias == TensorSpec::Alias::New)
    return text;
  bool isView = spec.alias == TensorSpec::Alias::View;
  return text + (isView ? ", a view of " : ", written into ") +
         signature.inputs[spec.aliasInput].name;
}

static std::vector<Row> makeRows(const Signature &signature) {
  std::vector<Row> rows;
  for (auto [index, spec] : llvm::enumerate(signature.inputs))
    rows.push_back({"input " + std::to_string(index), spec.name,
                    fuser_program_input_type(signature.program, index) +
                        describeRest(spec, signature)});
  for (auto [index, spec] : llvm::enumerate(signature.scalars))
    rows.push_back({"scalar " + std::to_string(index), spec.name,
                    getName(spec.element).str()});
  for (auto [index, spec] : llvm::enumerate(signature.outputs))
    rows.push_back({"result " + std::to_string(index), spec.name,
                    fuser_program_output_type(signature.program, index) +
                        describeRest(spec, signature)});
  return rows;
}

/// Which open sizes of inputs are one.
static void printEqualSizes(llvm::raw_ostream &os, const Signature &signature) {
  llvm::MapVector<int64_t, std::vector<std::string>> places;
  for (const TensorSpec &spec : signature.inputs)
    for (auto [dim, size] : llvm::enumerate(spec.dims))
      if (size < 0)
        places[size].push_back("dimension " + std::to_string(dim) + " of " +
                               spec.name);
  for (auto &[symbol, equal] : places)
    if (equal.size() > 1)
      os << "  equal: " << llvm::join(equal, ", ") << "\n";
}

void Signature::print(llvm::raw_ostream &os, const RunOptions &options) const {
  os << "program '" << fuser_program_name(program) << "'\n";
  std::vector<Row> rows = makeRows(*this);
  size_t place = 0, name = 0;
  for (const Row &row : rows) {
    place = std::max(place, row.place.size());
    name = std::max(name, row.name.size());
  }
  for (const Row &row : rows)
    os << "  " << llvm::left_justify(row.place, place) << "  "
       << llvm::left_justify(row.name, name) << "  " << row.type << "\n";
  printEqualSizes(os, *this);
  std::string problem;
  for (const Guess &guess : kGuesses) {
    llvm::Error error = tryGuess(*this, guess);
    if (!error) {
      os << "for example:\n  " << makeCommand(*this, options, guess) << "\n";
      os.flush();
      return;
    }
    std::string text = llvm::toString(std::move(error));
    if (problem.empty())
      problem = text;
  }
  os << "as here, with other sizes or scalars, for these do not fit ("
     << problem << "):\n  " << makeCommand(*this, options, kGuesses[0]) << "\n";
  os.flush();
}
