//===- Program.cpp - Programs to bytes and back ---------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser_rt/Program.h"

#include "Format.h"
#include "Status.h"
#include "fuser_rt/host_abi.h"

#include <algorithm>
#include <cctype>
#include <cinttypes>
#include <cstring>
#include <numeric>

using namespace fuser_rt;

unsigned fuser_rt::elementBytes(TensorMapElement type) {
  switch (type) {
  case TensorMapElement::U64:
  case TensorMapElement::I64:
  case TensorMapElement::F64:
    return 8;
  case TensorMapElement::U32:
  case TensorMapElement::I32:
  case TensorMapElement::F32:
    return 4;
  case TensorMapElement::U16:
  case TensorMapElement::F16:
  case TensorMapElement::BF16:
    return 2;
  case TensorMapElement::U8:
    return 1;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
/// Appends values to a string of bytes.
struct Writer {
  std::string bytes;

  void u64(uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8)
      bytes.push_back(static_cast<char>(value >> shift));
  }
  void u32(uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<char>(value >> shift));
  }
  template <typename Enum>
  void enumeration(Enum value) {
    u32(static_cast<uint32_t>(value));
  }
  void string(const std::string &value) {
    u64(value.size());
    bytes.append(value);
  }
  template <typename T, typename Each>
  void list(const std::vector<T> &values, Each each) {
    u64(values.size());
    for (const T &value : values)
      each(value);
  }
};
} // namespace

static void write(Writer &writer, const TensorSpec &spec) {
  writer.string(spec.name);
  writer.enumeration(spec.element);
  writer.list(spec.dims, [&](int64_t dim) { writer.u64(dim); });
  writer.list(spec.strideOrder, [&](int64_t dim) { writer.u64(dim); });
  writer.u32(spec.anyStrides);
  writer.u64(spec.alignment);
  writer.u32(spec.strideOrderRequired);
  writer.u32(spec.alignmentRequired);
  writer.enumeration(spec.alias);
  writer.u32(spec.aliasInput);
  writer.u32(spec.written);
  writer.list(spec.users,
              [&](const std::string &user) { writer.string(user); });
}

static void write(Writer &writer, const SizeSpec &spec) {
  writer.u32(spec.symbol);
  for (int64_t number :
       {spec.divisor, spec.bound, spec.requiredDivisor, spec.requiredBound,
        spec.lowerBound, spec.wantedDivisor, spec.wantedBound,
        spec.wantedLeast})
    writer.u64(number);
  writer.u32(spec.wantsLowerBound);
  writer.u64(spec.wantedLeastDivisor);
}

static void write(Writer &writer, const ScalarSpec &spec) {
  writer.string(spec.name);
  writer.enumeration(spec.element);
}

static void write(Writer &writer, const TensorMapSpec &spec) {
  writer.u32(spec.param);
  writer.u32(spec.argument);
  writer.enumeration(spec.element);
  writer.list(spec.box, [&](uint32_t size) { writer.u32(size); });
  writer.u32(spec.interleave);
  writer.u32(spec.swizzle);
  writer.u32(spec.l2Promotion);
  writer.u32(spec.fillsNan);
}

static void write(Writer &writer, const KernelSpec &spec) {
  writer.string(spec.name);
  writer.u32(spec.image);
  writer.u64(spec.scratchBytes);
  writer.u32(spec.numParams);
  writer.list(spec.tensorMaps,
              [&](const TensorMapSpec &map) { write(writer, map); });
}

static void write(Writer &writer, const Variant &variant) {
  auto string = [&](const std::string &text) { writer.string(text); };
  auto value = [&](const auto &spec) { write(writer, spec); };
  writer.enumeration(variant.target);
  writer.string(variant.arch);
  writer.list(variant.features, string);
  writer.list(variant.inputs, value);
  writer.list(variant.scalars, value);
  writer.list(variant.outputs, value);
  writer.list(variant.sizes, value);
  writer.list(variant.kernels, value);
  writer.list(variant.images, string);
  writer.string(variant.object);
}

std::string fuser_rt::serialize(const Program &program) {
  Writer payload;
  payload.string(program.name);
  payload.u32(program.numSegments);
  payload.u32(program.communicates);
  payload.list(program.variants,
               [&](const Variant &variant) { write(payload, variant); });
  Writer file;
  file.bytes.reserve(formatHeaderBytes + payload.bytes.size());
  file.bytes.assign(formatMagic, sizeof(formatMagic));
  file.u32(formatVersion);
  file.u32(FUSER_HOST_ABI_VERSION);
  file.u64(payload.bytes.size());
  file.u64(hashBytes(payload.bytes.data(), payload.bytes.size()));
  file.bytes += payload.bytes;
  return file.bytes;
}

//===----------------------------------------------------------------------===//
// Classes of sizes
//===----------------------------------------------------------------------===//

/// Bounds below are powers of two.
static constexpr int64_t smallestSteps = 16;

/// From a bound to the next: four from one power of two to the next.
static int64_t getStep(int64_t bound) {
  if (bound < smallestSteps)
    return bound;
  int64_t power = smallestSteps;
  while (power <= bound / 2)
    power *= 2;
  return power / 4;
}

SizeClass fuser_rt::classifySize(const SizeSpec &wanted, int64_t size) {
  SizeClass result;
  // Of 24 wanted a size may have 24, 12 or 8.
  result.divisor = std::gcd(size, wanted.wantedDivisor);
  if (result.divisor != wanted.wantedDivisor &&
      result.divisor < wanted.wantedLeastDivisor)
    result.divisor = 1;
  if (size > wanted.wantedBound) {
    if (wanted.wantsLowerBound)
      result.lowerBound = wanted.wantedBound + 1;
    return result;
  }
  result.bound = std::min(wanted.wantedLeast, wanted.wantedBound);
  while (result.bound < size) {
    result.lowerBound = result.bound + 1;
    result.bound +=
        std::min(getStep(result.bound), wanted.wantedBound - result.bound);
  }
  if (size == result.bound && size != 0 && size <= largestDivisor)
    result.divisor = size;
  return result;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads values from bytes (format_r2). After the first error every read
/// returns zero and nothing more is recorded, so that callers check once.
class Reader {
public:
  Reader(const char *data, size_t size, std::string &error)
      : data(data), size(size), error(error) {}

  bool ok() const { return error.empty(); }
  size_t offset() const { return position; }
  size_t left() const { return size - position; }

  /// Records that at `at` `what` was expected to be `expected`, and was not.
  void fail(size_t at, const std::string &what, const std::string &expected,
            const std::string &got) {
    if (ok())
      error = format("damaged program: byte %zu: expected %s to be %s, got %s",
                     at, what.c_str(), expected.c_str(), got.c_str());
  }

  uint64_t u64(const std::string &what) { return number(8, what); }
  uint32_t u32(const std::string &what) {
    return static_cast<uint32_t>(number(4, what));
  }

  /// A u32 that is less than `end`.
  uint32_t below(uint32_t end, const std::string &what) {
    size_t at = position;
    uint32_t value = u32(what);
    if (value < end)
      return value;
    fail(at, what, format("less than %" PRIu32, end),
         format("%" PRIu32, value));
    return 0;
  }

  /// A count of things of which each takes at least `minBytes`: never more than
  /// the bytes left hold.
  uint64_t count(size_t minBytes, const std::string &what) {
    size_t at = position;
    uint64_t value = u64(what);
    if (value <= left() / minBytes)
      return value;
    fail(at, what, format("at most %zu (bytes left)", left() / minBytes),
         format("%" PRIu64, value));
    return 0;
  }

  std::string string(const std::string &what) {
    uint64_t length = count(1, "the length of " + what);
    std::string result(data + position, length);
    position += length;
    return result;
  }

  /// A list; `each` reads element i of what is called `what`[i].
  template <typename T, typename Each>
  std::vector<T> list(size_t minBytes, const std::string &what, Each each) {
    std::vector<T> result;
    uint64_t size = count(minBytes, "the number of " + what);
    // Elements are larger in memory than in the file: grow as they are read, so
    // that a wrong count costs no more than the file holds.
    for (uint64_t i = 0; i < size && ok(); ++i)
      result.push_back(each(format("%s[%" PRIu64 "]", what.c_str(), i)));
    return result;
  }

private:
  uint64_t number(size_t bytes, const std::string &what) {
    if (!ok())
      return 0;
    if (left() < bytes) {
      fail(position, what, format("%zu bytes", bytes),
           format("%zu (the file ends)", left()));
      return 0;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i)
      value |= uint64_t(static_cast<unsigned char>(data[position + i]))
               << 8 * i;
    position += bytes;
    return value;
  }

  const char *data;
  size_t size;
  std::string &error;
  size_t position = 0;
};
} // namespace

static ElementType readElement(Reader &reader, const std::string &what) {
  return static_cast<ElementType>(reader.below(numElementTypes, what));
}

/// The stride order is a permutation of the dimensions; with any strides it may
/// be left out.
static void checkStrideOrder(Reader &reader, const TensorSpec &spec,
                             const std::string &what) {
  if (spec.anyStrides && spec.strideOrder.empty())
    return;
  uint64_t seen = 0;
  for (int64_t dim : spec.strideOrder)
    if (dim >= 0 && dim < static_cast<int64_t>(spec.dims.size()))
      seen |= uint64_t(1) << dim;
  uint64_t all = spec.dims.size() == 64 ? ~uint64_t(0)
                                        : (uint64_t(1) << spec.dims.size()) - 1;
  if (spec.strideOrder.size() != spec.dims.size() || seen != all)
    reader.fail(reader.offset(), what + ".strideOrder",
                format("a permutation of %zu dimensions", spec.dims.size()),
                format("%zu numbers that are not", spec.strideOrder.size()));
}

static TensorSpec readTensor(Reader &reader, const std::string &what) {
  TensorSpec spec;
  spec.name = reader.string(what + ".name");
  spec.element = readElement(reader, what + ".element");
  auto number = [&](const std::string &name) {
    return static_cast<int64_t>(reader.u64(name));
  };
  size_t at = reader.offset();
  spec.dims = reader.list<Dim>(8, what + ".dims", number);
  if (spec.dims.size() > maxRank)
    reader.fail(at, what + ".dims",
                format("at most %" PRIu64 " dimensions", maxRank),
                format("%zu", spec.dims.size()));
  for (Dim dim : spec.dims)
    if (dim < -maxSymbols)
      reader.fail(at, what + ".dims",
                  format("a size or one of %" PRId64 " symbols", maxSymbols),
                  format("%" PRId64, dim));
  spec.strideOrder = reader.list<int64_t>(8, what + ".strideOrder", number);
  spec.anyStrides = reader.below(2, what + ".anyStrides");
  at = reader.offset();
  spec.alignment = reader.u64(what + ".alignment");
  if (spec.alignment == 0 || (spec.alignment & (spec.alignment - 1)))
    reader.fail(at, what + ".alignment", "a power of two",
                format("%" PRIu64, spec.alignment));
  spec.strideOrderRequired = reader.below(2, what + ".strideOrderRequired");
  spec.alignmentRequired = reader.below(2, what + ".alignmentRequired");
  spec.alias = static_cast<TensorSpec::Alias>(reader.below(3, what + ".alias"));
  spec.aliasInput = reader.u32(what + ".aliasInput");
  spec.written = reader.below(2, what + ".written");
  at = reader.offset();
  spec.users = reader.list<std::string>(
      8, what + ".users",
      [&](const std::string &name) { return reader.string(name); });
  if (!spec.users.empty() && spec.users.size() != spec.dims.size())
    reader.fail(at, what + ".users",
                format("none, or those of %zu dimensions", spec.dims.size()),
                format("%zu", spec.users.size()));
  if (reader.ok())
    checkStrideOrder(reader, spec, what);
  return spec;
}

static SizeSpec readSize(Reader &reader, const std::string &what) {
  SizeSpec spec;
  auto number = [&](int64_t least, const char *field) {
    size_t at = reader.offset();
    auto value = static_cast<int64_t>(reader.u64(what + field));
    if (reader.ok() && value < least)
      reader.fail(at, what + field, format("at least %" PRId64, least),
                  format("%" PRId64, value));
    return std::max(value, least);
  };
  spec.symbol =
      reader.below(static_cast<uint32_t>(maxSymbols), what + ".symbol");
  spec.divisor = number(1, ".divisor");
  spec.bound = number(-1, ".bound");
  spec.requiredDivisor = number(1, ".requiredDivisor");
  spec.requiredBound = number(-1, ".requiredBound");
  spec.lowerBound = number(0, ".lowerBound");
  spec.wantedDivisor = number(1, ".wantedDivisor");
  spec.wantedBound = number(-1, ".wantedBound");
  spec.wantedLeast = number(1, ".wantedLeast");
  spec.wantsLowerBound = reader.below(2, what + ".wantsLowerBound");
  spec.wantedLeastDivisor = number(1, ".wantedLeastDivisor");
  return spec;
}

static ScalarSpec readScalar(Reader &reader, const std::string &what) {
  ScalarSpec spec;
  spec.name = reader.string(what + ".name");
  spec.element = readElement(reader, what + ".element");
  return spec;
}

static TensorMapSpec readTensorMap(Reader &reader, uint32_t numParams,
                                   const std::string &what) {
  TensorMapSpec spec;
  spec.param = reader.below(numParams, what + ".param");
  spec.argument = reader.u32(what + ".argument");
  spec.element = static_cast<TensorMapElement>(reader.below(
      static_cast<uint32_t>(TensorMapElement::BF16) + 1, what + ".element"));
  size_t at = reader.offset();
  spec.box =
      reader.list<uint32_t>(4, what + ".box", [&](const std::string &name) {
        size_t place = reader.offset();
        uint32_t size = reader.below(maxTensorMapBox + 1, name);
        if (reader.ok() && size == 0)
          reader.fail(place, name, "at least 1", "0");
        return size;
      });
  if (spec.box.empty() || spec.box.size() > maxTensorMapRank)
    reader.fail(at, what + ".box",
                format("1 to %" PRIu32 " sizes", maxTensorMapRank),
                format("%zu", spec.box.size()));
  spec.interleave = reader.below(3, what + ".interleave");
  spec.swizzle = reader.below(4, what + ".swizzle");
  spec.l2Promotion = reader.below(4, what + ".l2Promotion");
  spec.fillsNan = reader.below(2, what + ".fillsNan");
  return spec;
}

/// More than any device takes: their parameters have 32,764 bytes.
static constexpr uint32_t maxKernelParams = 1 << 15;

static KernelSpec readKernel(Reader &reader, const std::string &what) {
  KernelSpec spec;
  spec.name = reader.string(what + ".name");
  spec.image = reader.u32(what + ".image");
  spec.scratchBytes = reader.u64(what + ".scratchBytes");
  spec.numParams = reader.below(maxKernelParams + 1, what + ".numParams");
  spec.tensorMaps = reader.list<TensorMapSpec>(
      40, what + ".tensorMaps", [&](const std::string &name) {
        return readTensorMap(reader, spec.numParams, name);
      });
  return spec;
}

/// What one part of a variant says of another.
static void checkReferences(Reader &reader, const Variant &variant,
                            const std::string &what) {
  for (size_t i = 0; i < variant.outputs.size(); ++i) {
    const TensorSpec &output = variant.outputs[i];
    if (output.alias != TensorSpec::Alias::New &&
        output.aliasInput >= variant.inputs.size())
      reader.fail(reader.offset(),
                  format("%s.outputs[%zu].aliasInput", what.c_str(), i),
                  format("less than %zu", variant.inputs.size()),
                  format("%" PRIu32, output.aliasInput));
  }
  bool isCuda = variant.target == Target::Cuda;
  for (size_t i = 0; i < variant.kernels.size(); ++i) {
    if (!isCuda && !variant.kernels[i].tensorMaps.empty())
      reader.fail(reader.offset(),
                  format("%s.kernels[%zu].tensorMaps", what.c_str(), i),
                  "empty, as only a GPU reads them",
                  format("%zu", variant.kernels[i].tensorMaps.size()));
    if (isCuda && variant.kernels[i].image >= variant.images.size())
      reader.fail(reader.offset(),
                  format("%s.kernels[%zu].image", what.c_str(), i),
                  format("less than %zu", variant.images.size()),
                  format("%" PRIu32, variant.kernels[i].image));
  }
}

static Variant readVariant(Reader &reader, const std::string &what) {
  Variant variant;
  auto string = [&](const std::string &name) { return reader.string(name); };
  auto tensor = [&](const std::string &name) {
    return readTensor(reader, name);
  };
  variant.target = static_cast<Target>(reader.below(3, what + ".target"));
  variant.arch = reader.string(what + ".arch");
  variant.features = reader.list<std::string>(8, what + ".features", string);
  variant.inputs = reader.list<TensorSpec>(68, what + ".inputs", tensor);
  variant.scalars = reader.list<ScalarSpec>(
      12, what + ".scalars",
      [&](const std::string &name) { return readScalar(reader, name); });
  variant.outputs = reader.list<TensorSpec>(
      68, what + ".outputs", [&](const std::string &name) {
        TensorSpec spec = readTensor(reader, name);
        if (!spec.users.empty())
          reader.fail(reader.offset(), name + ".users", "none of an output",
                      format("%zu", spec.users.size()));
        return spec;
      });
  variant.sizes =
      reader.list<SizeSpec>(52, what + ".sizes", [&](const std::string &name) {
        return readSize(reader, name);
      });
  variant.kernels = reader.list<KernelSpec>(
      36, what + ".kernels",
      [&](const std::string &name) { return readKernel(reader, name); });
  variant.images = reader.list<std::string>(8, what + ".images", string);
  variant.object = reader.string(what + ".object");
  if (reader.ok())
    checkReferences(reader, variant, what);
  return variant;
}

bool fuser_rt::isProgram(const char *data, size_t size) {
  return size >= sizeof(formatMagic) &&
         memcmp(data, formatMagic, sizeof(formatMagic)) == 0;
}

/// "not a program: ..." of bytes that begin like none; else empty.
static std::string whyNoProgram(const char *data, size_t size) {
  std::string begin(data ? data : "", std::min<size_t>(size, 64));
  size_t compared = std::min(size, sizeof(formatMagic));
  if (begin.compare(0, compared, formatMagic, compared) == 0)
    return {};
  auto isText = [](unsigned char c) { return isprint(c) || isspace(c); };
  const char *got = begin.rfind("FUSERBP", 0) == 0
                        ? "a program that is built and not compiled yet"
                    : std::all_of(begin.begin(), begin.end(), isText)
                        ? "what looks like a text, which is to be compiled"
                        : "other bytes";
  return format("not a program: byte 0: expected the magic \"FUSERFX\\n\" of a "
                "compiled program, got %s",
                got);
}

/// Checks the header: everything that tells whether the payload can be trusted.
static void readHeader(Reader &reader, const char *data, size_t size,
                       std::string &error) {
  error = whyNoProgram(data, size);
  if (!error.empty())
    return;
  if (size < formatHeaderBytes) {
    error = format("damaged program: expected a header of %zu bytes, got a "
                   "file of %zu bytes",
                   formatHeaderBytes, size);
    return;
  }
  reader.u64("the magic");
  uint32_t version = reader.u32("the format version");
  uint32_t abi = reader.u32("the host ABI version");
  // format_r1
  if (version != formatVersion)
    error = format("byte 8: expected format version %" PRIu32 ", got %" PRIu32
                   ": the program was "
                   "written by %s version of fuser",
                   formatVersion, version,
                   version > formatVersion ? "a newer" : "another");
  else if (abi != FUSER_HOST_ABI_VERSION)
    error = format("byte 12: expected host ABI version %d, got %" PRIu32
                   ": the program was "
                   "compiled for another version of the runtime",
                   FUSER_HOST_ABI_VERSION, abi);
  // format_r2
  uint64_t payload = reader.u64("the payload's size");
  if (payload != size - formatHeaderBytes)
    reader.fail(16, "the payload's size",
                format("%zu", size - formatHeaderBytes),
                format("%" PRIu64, payload));
  uint64_t expected = reader.u64("the checksum");
  uint64_t got = hashBytes(data + formatHeaderBytes, size - formatHeaderBytes);
  if (expected != got)
    reader.fail(24, "the checksum", format("0x%016" PRIx64, got),
                format("0x%016" PRIx64, expected));
}

bool fuser_rt::deserialize(const char *data, size_t size, Program &program,
                           std::string &error) {
  error.clear();
  Reader reader(data, size, error);
  readHeader(reader, data, size, error);
  if (!reader.ok())
    return false;
  Program result;
  result.name = reader.string("the program's name");
  result.numSegments = reader.u32("the number of segments");
  result.communicates = reader.below(2, "whether it communicates");
  result.variants =
      reader.list<Variant>(76, "variants", [&](const std::string &what) {
        return readVariant(reader, what);
      });
  if (reader.left() != 0)
    reader.fail(reader.offset(), "the end of the program", "here",
                format("%zu more bytes", reader.left()));
  if (!reader.ok())
    return false;
  program = std::move(result);
  return true;
}
