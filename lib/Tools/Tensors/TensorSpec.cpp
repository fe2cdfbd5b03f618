//===- TensorSpec.cpp - Tensors from command-line descriptions ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CommandLine.h"
#include "Number.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <cstring>

using namespace fuser;
using namespace fuser::run;
using llvm::StringRef;

static llvm::Error fail(StringRef spec, const llvm::Twine &message) {
  return usageError("--input '" + spec + "': " + message);
}

/// A counter-based generator (splitmix64): the same numbers whatever the order
/// of the elements.
static uint64_t hash(uint64_t seed, uint64_t counter) {
  uint64_t z = seed * 0x9E3779B97F4A7C15ull + counter + 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

static double uniform(uint64_t seed, uint64_t counter) {
  return static_cast<double>(hash(seed, counter) >> 11) * 0x1p-53;
}

/// Box and Muller's, in f32: tails to 5.8 standard deviations.
static double normal(uint64_t seed, uint64_t counter) {
  uint64_t bits = hash(seed, counter);
  float u = (static_cast<float>(bits >> 40) + 0.5f) * 0x1p-24f;
  float v = static_cast<float>(bits & 0xFFFFFF) * 0x1p-24f;
  return std::sqrt(-2.0f * std::log(u)) * std::cos(6.2831853f * v);
}

/// Calls `fill(address, number)` for each element that is stored: the number is
/// its row-major position or, where elements share memory, its place in memory,
/// so that it does not depend on which of them comes last, nor does the time on
/// how many share it.
template <typename Fill>
static void fillWith(HostTensor &tensor, Fill fill) {
  HostTensor stored = tensor;
  if (tensor.mayShareElements()) {
    unsigned bytes = fuser_rt::elementBytes(tensor.element);
    stored.sizes = {static_cast<int64_t>(tensor.storageBytes / bytes) -
                    tensor.offset};
    stored.strides = {1};
  }
  stored.forEachElement([&](HostTensor::Run run) {
    for (uint64_t i = 0; i < run.count; ++i)
      fill(run.data + static_cast<int64_t>(i) * run.step, run.position + i);
  });
}

/// Integers of [0, below), or of [-8, 8] without it: [0, 16] if unsigned.
static void fillIntegers(HostTensor &tensor, uint64_t seed,
                         std::optional<uint64_t> below) {
  ElementType type = tensor.element;
  ElementKind kind = fuser_rt::getInfo(type).kind;
  fillWith(tensor, [&](char *at, uint64_t i) {
    auto value = static_cast<int64_t>(hash(seed, i) % below.value_or(17));
    if (!below && kind != ElementKind::Unsigned)
      value -= 8;
    storeInt(type, at, kind == ElementKind::Bool ? value & 1 : value);
  });
}

static void fillRandom(HostTensor &tensor, uint64_t seed, bool isNormal) {
  ElementType type = tensor.element;
  if (isFloat(type))
    fillWith(tensor, [&](char *at, uint64_t i) {
      storeFloat(type, at,
                 isNormal ? normal(seed, i) : 4.0 * uniform(seed, i) - 2.0);
    });
  else
    fillIntegers(tensor, seed, std::nullopt);
}

/// Every pattern of bits is as likely as any other.
static void fillBits(HostTensor &tensor, uint64_t seed) {
  unsigned bytes = fuser_rt::elementBytes(tensor.element);
  uint64_t mask = tensor.element == ElementType::I1 ? 1 : ~uint64_t(0);
  fillWith(tensor, [&](char *at, uint64_t i) {
    uint64_t bits = hash(seed, i) & mask;
    std::memcpy(at, &bits, bytes);
  });
}

/// Fills by name: random:SEED, normal:SEED, bits:SEED, value:V, iota.
static llvm::Error fill(HostTensor &tensor, StringRef spec, StringRef how,
                        std::optional<uint64_t> below) {
  auto [kind, argument] = how.split(':');
  ElementType type = tensor.element;
  if (below && (kind != "random" || isFloat(type) || type == ElementType::I1))
    return fail(spec, "expected below=N behind random:SEED of integers");
  unsigned bits = 8 * fuser_rt::elementBytes(type) -
                  (fuser_rt::getInfo(type).kind != ElementKind::Unsigned);
  if (below && bits < 63 && *below > uint64_t(1) << bits)
    return fail(spec, "expected below=N of at most " +
                          llvm::Twine(uint64_t(1) << bits) + " for " +
                          getName(type) + ", got " + llvm::Twine(*below));
  if (kind == "random" || kind == "normal" || kind == "bits") {
    uint64_t seed = 0;
    if (argument.getAsInteger(10, seed))
      return fail(spec, "expected an integer seed of 0 to 2^64 - 1, as in " +
                            kind + ":1, got '" + argument + "'");
    if (kind == "bits")
      fillBits(tensor, seed);
    else if (below)
      fillIntegers(tensor, seed, below);
    else
      fillRandom(tensor, seed, kind == "normal");
    return llvm::Error::success();
  }
  if (kind == "value") {
    llvm::Expected<Number> number = parseNumber(argument, type, getName(type));
    if (!number)
      return fail(spec, llvm::toString(number.takeError()));
    char element[8];
    storeNumber(type, element, *number);
    unsigned bytes = fuser_rt::elementBytes(type);
    fillWith(tensor,
             [&](char *at, uint64_t) { std::memcpy(at, element, bytes); });
    return llvm::Error::success();
  }
  if (how == "iota") {
    fillWith(tensor, [&](char *at, uint64_t i) {
      storeInt(type, at, static_cast<int64_t>(i));
    });
    return llvm::Error::success();
  }
  return fail(spec,
              "expected random:SEED, normal:SEED, bits:SEED, value:V, iota "
              "or a .npy file, got '" +
                  how + "'");
}

/// Of complex numbers the parts: a value is the real one.
static llvm::Error fillParts(HostTensor &tensor, StringRef spec, StringRef how,
                             std::optional<uint64_t> below) {
  HostTensor pairs = tensor.getPairs();
  if (llvm::Error error = fill(pairs, spec, how, below))
    return error;
  if (how.starts_with("value:") && pairs.element != tensor.element)
    fillWith(pairs, [&](char *at, uint64_t i) {
      if (i % 2 == 1)
        storeFloat(pairs.element, at, 0);
    });
  return llvm::Error::success();
}

/// Of packed floats each number.
static llvm::Error fillNumbers(HostTensor &tensor, StringRef spec,
                               StringRef how, std::optional<uint64_t> below) {
  if (!fuser_rt::getInfo(tensor.element).isPacked())
    return fillParts(tensor, spec, how, below);
  llvm::Expected<HostTensor> numbers = tensor.unpack();
  if (!numbers)
    return numbers.takeError();
  if (llvm::Error error = fill(*numbers, spec, how, below))
    return error;
  tensor.pack(*numbers);
  return llvm::Error::success();
}

/// Copies the elements of `from` into `to`, of the same type and sizes.
static void copyElements(const HostTensor &from, HostTensor &to) {
  unsigned bytes = fuser_rt::elementBytes(from.element);
  for (uint64_t i = 0, n = from.getNumElements(); i < n; ++i)
    std::memcpy(to.getElement(i), from.getElement(i), bytes);
}

namespace {
struct Placement {
  llvm::SmallVector<int64_t> strides;
  std::optional<int64_t> offset;
  /// Random integers are less than this; no part of the place.
  std::optional<uint64_t> below;
  bool isGiven() const { return !strides.empty() || offset; }
};

/// A description in parts: SHAPExTYPE=HOW,PLACEMENT or FILE.npy,PLACEMENT.
struct Description {
  StringRef shape; ///< With the type.
  bool hasShape = false;
  StringRef how; ///< A fill or a file.
  /// With the comma that it begins with.
  StringRef placement;
  bool isFile() const { return how.ends_with(".npy"); }
};
} // namespace

/// Whether `text` before a '=' is meant as a shape, and not as the beginning of
/// a file's path.
static bool looksLikeShape(StringRef text) {
  return findElement(text) || text.empty() || llvm::isDigit(text.front()) ||
         text.front() == '-';
}

static Description split(StringRef spec) {
  Description result;
  // A path may have commas; what stands behind a file's name has no '.'.
  size_t file = spec.rfind(".npy");
  StringRef rest = file == StringRef::npos ? "" : spec.substr(file + 4);
  bool isFile = file != StringRef::npos && (rest.empty() || rest[0] == ',');
  size_t end = isFile ? file + 4 : spec.find(',');
  result.how = spec.take_front(end);
  result.placement = spec.drop_front(result.how.size());
  auto [shape, how] = result.how.split('=');
  if (result.how.contains('=') && (!isFile || looksLikeShape(shape))) {
    result.hasShape = true;
    result.shape = shape;
    result.how = how;
  }
  return result;
}

static bool parseStrides(StringRef text, llvm::SmallVectorImpl<int64_t> &dims) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, 'x');
  for (StringRef part : parts) {
    int64_t dim;
    if (part.getAsInteger(10, dim) || dim < 0)
      return false;
    dims.push_back(dim);
  }
  return true;
}

/// `,strides=AxB`, `,offset=N` and `,below=N`, in any order.
static llvm::Error parsePlacement(StringRef spec, StringRef text,
                                  Placement &placement) {
  llvm::SmallVector<StringRef> parts;
  if (text.consume_front(","))
    text.split(parts, ',');
  for (StringRef part : parts) {
    auto [key, value] = part.split('=');
    if ((key == "strides" && !placement.strides.empty()) ||
        (key == "offset" && placement.offset) ||
        (key == "below" && placement.below))
      return fail(spec, "expected " + key + " once, got '" + part +
                            "' behind another");
    int64_t offset = 0, below = 0;
    if (key == "below" && !value.getAsInteger(10, below) && below > 0)
      placement.below = below;
    else if (key == "offset" && !value.getAsInteger(10, offset) && offset >= 0)
      placement.offset = offset;
    else if (key != "strides" || !parseStrides(value, placement.strides))
      return fail(spec,
                  "expected strides=AxB..., offset=N or below=N with N > 0, "
                  "got '" +
                      part + "'");
  }
  return llvm::Error::success();
}

/// What is wrong with one size of a shape; empty: nothing.
static std::string parseSize(StringRef text, int64_t &size) {
  StringRef digits = text;
  bool isNegative = digits.consume_front("-");
  if (digits.empty() || !llvm::all_of(digits, llvm::isDigit))
    return ("'" + text + "' is no size").str();
  if (isNegative)
    return ("the size " + text + " is negative").str();
  if (text.getAsInteger(10, size))
    return ("the size " + text + " is too large").str();
  return "";
}

static llvm::Error parseShape(StringRef spec, StringRef shape,
                              HostTensor &tensor) {
  auto refuse = [&](const llvm::Twine &why) {
    return fail(spec, "expected a shape such as 2048x4096xbf16, got '" + shape +
                          "': " + why);
  };
  // The one name with an 'x'.
  StringRef typeName = shape.substr(shape.find("complex<"));
  llvm::SmallVector<StringRef> parts;
  shape.drop_back(typeName.size()).split(parts, 'x');
  StringRef last = parts.pop_back_val();
  if (typeName.empty())
    typeName = last;
  for (StringRef part : parts) {
    std::string why = parseSize(part, tensor.sizes.emplace_back());
    if (!why.empty())
      return refuse(why);
  }
  const ElementInfo *element = findElement(typeName);
  if (!element)
    return refuse("the type '" + typeName + "' is none of " +
                  listElementTypes(/*ofTensors=*/false));
  tensor.element = element->type;
  if (!element->isPacked())
    return llvm::Error::success();
  if (tensor.sizes.empty() || tensor.sizes.back() % 2 != 0)
    return refuse("two elements of " + typeName +
                  " lie in a byte, so that the last size is even");
  tensor.sizes.back() /= 2;
  return llvm::Error::success();
}

/// A tensor of the type and sizes of `like`, its elements not set.
static llvm::Expected<HostTensor> place(StringRef spec, const HostTensor &like,
                                        const Placement &placement) {
  if (!placement.strides.empty() &&
      placement.strides.size() != like.sizes.size())
    return fail(spec, "expected " + llvm::Twine(like.sizes.size()) +
                          " strides, one a dimension, got " +
                          llvm::Twine(placement.strides.size()));
  llvm::ArrayRef<int64_t> strides = placement.strides;
  if (strides.empty())
    strides = like.strides;
  llvm::Expected<HostTensor> made =
      allocate(like.element, like.sizes, strides, placement.offset.value_or(0));
  if (!made)
    return llvm::createStringError("--input '" + spec +
                                   "': " + llvm::toString(made.takeError()));
  return made;
}

static llvm::Expected<HostTensor> readFile(StringRef spec,
                                           const Description &description,
                                           const HostTensor &shape,
                                           const Placement &placement) {
  std::optional<ElementType> element;
  if (description.hasShape)
    element = shape.element;
  llvm::Expected<HostTensor> file = readNpy(description.how, element);
  if (!file)
    return file;
  if (description.hasShape && file->sizes != shape.sizes)
    return fail(spec,
                "expected a file of this shape, got one of " +
                    llvm::join(llvm::map_range(file->sizes,
                                               [](int64_t size) {
                                                 return std::to_string(size);
                                               }),
                               "x"));
  if (!placement.isGiven())
    return file;
  llvm::Expected<HostTensor> tensor = place(spec, *file, placement);
  if (tensor)
    copyElements(*file, *tensor);
  return tensor;
}

llvm::Expected<HostTensor> run::makeTensor(StringRef spec) {
  Description description = split(spec);
  if (!description.hasShape && !description.isFile())
    return fail(spec, "expected a shape, a type and a fill, such as "
                      "8x8xf32=random:1, or a .npy file");
  HostTensor shape;
  if (description.hasShape)
    if (llvm::Error error = parseShape(spec, description.shape, shape))
      return error;
  Placement placement;
  if (llvm::Error error =
          parsePlacement(spec, description.placement, placement))
    return error;
  if (description.isFile() && placement.below)
    return fail(spec, "expected below=N behind random:SEED of integers");
  if (description.isFile())
    return readFile(spec, description, shape, placement);
  llvm::Expected<HostTensor> tensor = place(spec, shape, placement);
  if (tensor)
    if (llvm::Error error =
            fillNumbers(*tensor, spec, description.how, placement.below))
      return error;
  return tensor;
}

llvm::Expected<llvm::SmallVector<HostTensor>>
run::makeTensors(llvm::ArrayRef<std::string> specs) {
  llvm::SmallVector<HostTensor> tensors;
  for (llvm::StringRef spec : specs) {
    auto tensor = makeTensor(spec);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}
