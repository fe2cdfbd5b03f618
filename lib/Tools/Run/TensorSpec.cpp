//===- TensorSpec.cpp - Tensors from command-line descriptions ------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTensor.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace fuser;
using namespace fuser::run;
using llvm::StringRef;

static llvm::Error fail(StringRef spec, const llvm::Twine &message) {
  return llvm::createStringError("input '" + spec + "': " + message);
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

template <typename Fill>
static void fillWith(HostTensor &tensor, Fill fill) {
  tensor.forEachElement([&](HostTensor::Run run) {
    for (uint64_t i = 0; i < run.count; ++i)
      fill(run.data + static_cast<int64_t>(i) * run.step, run.position + i);
  });
}

/// Fills by name: random:SEED, normal:SEED, value:V, iota.
static llvm::Error fill(HostTensor &tensor, StringRef spec, StringRef how) {
  auto [kind, argument] = how.split(':');
  ElementType type = tensor.element;
  uint64_t seed = 0;
  if (kind == "random" || kind == "normal") {
    if (!argument.empty() && argument.getAsInteger(10, seed))
      return fail(spec, "expected an integer seed, got '" + argument + "'");
    bool isNormal = kind == "normal";
    if (isFloat(type))
      fillWith(tensor, [&](char *at, uint64_t i) {
        storeFloat(type, at,
                   isNormal ? normal(seed, i) : 4.0 * uniform(seed, i) - 2.0);
      });
    else
      fillWith(tensor, [&](char *at, uint64_t i) {
        auto value = static_cast<int64_t>(hash(seed, i) % 17) - 8;
        storeInt(type, at, type == ElementType::I1 ? value & 1 : value);
      });
    return llvm::Error::success();
  }
  if (kind == "value") {
    double value = 0;
    if (argument.getAsDouble(value) && argument != "nan" && argument != "inf" &&
        argument != "-inf")
      return fail(spec, "expected a number, got '" + argument + "'");
    if (argument == "nan")
      value = std::nan("");
    else if (argument.ends_with("inf"))
      value = argument.starts_with("-") ? -INFINITY : INFINITY;
    fillWith(tensor, [&](char *at, uint64_t) { storeFloat(type, at, value); });
    return llvm::Error::success();
  }
  if (kind == "iota") {
    fillWith(tensor, [&](char *at, uint64_t i) {
      storeInt(type, at, static_cast<int64_t>(i));
    });
    return llvm::Error::success();
  }
  return fail(spec, "expected random:SEED, normal:SEED, value:V, iota or a "
                    ".npy file, got '" +
                        how + "'");
}

static bool parseDims(StringRef text, llvm::SmallVectorImpl<int64_t> &dims) {
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

/// Copies the elements of `from` into `to`, of the same type and sizes.
static void copyElements(const HostTensor &from, HostTensor &to) {
  unsigned bytes = fuser_rt::elementBytes(from.element);
  for (uint64_t i = 0, n = from.getNumElements(); i < n; ++i)
    std::memcpy(to.getElement(i), from.getElement(i), bytes);
}

namespace {
struct Placement {
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;
};
} // namespace

/// `strides=AxB` and `offset=N`, separated by commas.
static llvm::Error parsePlacement(StringRef spec, StringRef text,
                                  Placement &placement) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [key, value] = part.split('=');
    bool ok = key == "strides"
                  ? parseDims(value, placement.strides)
                  : key == "offset" &&
                        !value.getAsInteger(10, placement.offset) &&
                        placement.offset >= 0;
    if (!ok)
      return fail(spec,
                  "expected strides=AxB... or offset=N, got '" + part + "'");
  }
  return llvm::Error::success();
}

llvm::Expected<HostTensor> run::makeTensor(StringRef spec) {
  if (!spec.contains('=')) {
    if (spec.ends_with(".npy"))
      return readNpy(spec, std::nullopt);
    return fail(spec, "expected a shape, a type and a fill, such as "
                      "8x8xf32=random:1, or a .npy file");
  }
  auto [shape, rest] = spec.split('=');
  auto [how, placementText] = rest.split(',');
  StringRef typeName = shape.contains('x') ? shape.rsplit('x').second : shape;
  auto element = parseElementType(typeName);
  llvm::SmallVector<int64_t> sizes;
  bool hasSizes = shape.contains('x');
  if (!element || (hasSizes && !parseDims(shape.rsplit('x').first, sizes)))
    return fail(spec,
                "expected a shape such as 2048x4096xbf16, got '" + shape + "'");
  Placement placement;
  if (llvm::Error error = parsePlacement(spec, placementText, placement))
    return error;
  if (!placement.strides.empty() && placement.strides.size() != sizes.size())
    return fail(spec, "expected " + llvm::Twine(sizes.size()) +
                          " strides, one a dimension, got " +
                          llvm::Twine(placement.strides.size()));
  llvm::Expected<HostTensor> made =
      allocate(*element, sizes, placement.strides, placement.offset);
  if (!made)
    return fail(spec, llvm::toString(made.takeError()));
  HostTensor tensor = std::move(*made);
  if (!how.ends_with(".npy")) {
    if (llvm::Error error = fill(tensor, spec, how))
      return error;
    return tensor;
  }
  llvm::Expected<HostTensor> file = readNpy(how, element);
  if (!file)
    return file.takeError();
  if (file->sizes != tensor.sizes)
    return fail(spec,
                "expected a file of this shape, got one of " +
                    llvm::join(llvm::map_range(file->sizes,
                                               [](int64_t size) {
                                                 return std::to_string(size);
                                               }),
                               "x"));
  copyElements(*file, tensor);
  return tensor;
}
