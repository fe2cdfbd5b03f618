//===- Npy.cpp - NumPy's file format --------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OutputFile.h"
#include "HostTensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace fuser;
using namespace fuser::run;
using llvm::StringRef;

static constexpr StringRef kMagic("\x93NUMPY", 6);

static llvm::Error fail(StringRef path, const llvm::Twine &message) {
  return llvm::createStringError("'" + path + "': " + message);
}

/// NumPy's dtype; of floats that NumPy lacks, of their bits.
static std::string getDescr(ElementType type) {
  const ElementInfo &info = fuser_rt::getInfo(type);
  char kind = info.kind == ElementKind::Bool      ? 'b'
              : info.kind == ElementKind::Complex ? 'c'
              : info.kind == ElementKind::Signed  ? 'i'
              : info.dl.code == kDLFloat          ? 'f'
                                                  : 'u';
  return (info.bytes == 1 ? "|" : "<") + (kind + std::to_string(info.bytes));
}

/// Whether the elements of a file of this dtype are of `type`; ml_dtypes writes
/// bytes without a type, of which packed floats take one each there.
static bool hasDescr(ElementType type, StringRef descr) {
  const ElementInfo &info = fuser_rt::getInfo(type);
  bool isForeign = info.kind == ElementKind::Float &&
                   info.dl.code != kDLFloat && !info.isPacked();
  std::string bytes = "V" + std::to_string(info.bytes);
  return descr == getDescr(type) ||
         (isForeign && descr.size() == 3 && descr.drop_front() == bytes);
}

/// "<f8 (f64), <f4 (f32), ...".
static std::string listDescrs() {
  return llvm::join(llvm::map_range(fuser_rt::elementInfos,
                                    [](const ElementInfo &info) {
                                      return getDescr(info.type) + " (" +
                                             info.name + ")";
                                    }),
                    ", ");
}

/// The types that elements of a file of this dtype may have.
static llvm::SmallVector<ElementType> getTypes(StringRef descr) {
  llvm::SmallVector<ElementType> types;
  for (const ElementInfo &info : fuser_rt::elementInfos)
    if (hasDescr(info.type, descr))
      types.push_back(info.type);
  return types;
}

/// What the elements of a file of this dtype are: `element`, if that is said.
static llvm::Expected<ElementType>
getFileType(StringRef path, StringRef descr,
            std::optional<ElementType> element) {
  if (element && !hasDescr(*element, descr))
    return fail(path, llvm::Twine("expected ") + getName(*element) +
                          " (dtype " + getDescr(*element) + "), got '" + descr +
                          "'");
  llvm::SmallVector<ElementType> types = getTypes(descr);
  if (types.empty())
    return fail(path, "expected one of the dtypes " + listDescrs() + ", got '" +
                          descr + "'");
  if (!element && types.size() > 1)
    return fail(path, "expected a shape and a type before the file, as in "
                      "8x" +
                          getName(types.front()) +
                          "=FILE.npy, because elements of dtype '" + descr +
                          "' may be of several types");
  return element.value_or(types.front());
}

/// The text of a key of the header's dictionary, up to `end`.
static StringRef getField(StringRef header, StringRef key, char end) {
  size_t at = header.find(("'" + key + "':").str());
  if (at == StringRef::npos)
    return {};
  StringRef value = header.substr(at + key.size() + 3).ltrim();
  return value.take_until([&](char c) { return c == end; });
}

namespace {
/// What a file consists of.
struct Parts {
  StringRef header, data;
};
} // namespace

static llvm::Expected<Parts> splitFile(StringRef path, StringRef bytes) {
  if (!bytes.starts_with(kMagic)) {
    std::string got;
    llvm::raw_string_ostream(got).write_escaped(bytes.take_front(kMagic.size()),
                                                /*UseHexEscapes=*/true);
    return fail(
        path,
        "expected a .npy file, which begins with \\x93NUMPY, got " +
            (bytes.empty() ? "an empty file" : "one that begins with " + got));
  }
  StringRef rest = bytes.drop_front(kMagic.size());
  unsigned version = rest.empty() ? 0 : static_cast<uint8_t>(rest[0]);
  if (version < 1 || version > 3)
    return fail(path, "expected version 1, 2 or 3 of the .npy format, got " +
                          (rest.empty() ? "the end of the file"
                                        : llvm::Twine(version)));
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (rest.size() < 2 + lengthBytes)
    return fail(path, "expected " + llvm::Twine(8 + lengthBytes) +
                          " bytes up to the header, got " +
                          llvm::Twine(bytes.size()));
  const char *length = rest.data() + 2;
  uint64_t headerSize = lengthBytes == 2
                            ? llvm::support::endian::read16le(length)
                            : llvm::support::endian::read32le(length);
  rest = rest.drop_front(2 + lengthBytes);
  if (rest.size() < headerSize)
    return fail(path, "expected a header of " + llvm::Twine(headerSize) +
                          " bytes, got " + llvm::Twine(rest.size()));
  return Parts{rest.take_front(headerSize), rest.drop_front(headerSize)};
}

/// The bytes of elements of `bytes` bytes, and their `sizes`, if the header has
/// such a shape.
static llvm::Expected<uint64_t>
parseShape(StringRef path, StringRef header, unsigned bytes,
           llvm::SmallVectorImpl<int64_t> &sizes) {
  StringRef shape = getField(header, "shape", ')').trim();
  uint64_t total = bytes;
  bool isShape = shape.consume_front("(");
  llvm::SmallVector<StringRef> parts;
  shape.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    if (part.trim().empty())
      continue;
    int64_t size = 0;
    isShape = isShape && !part.trim().getAsInteger(10, size) && size >= 0 &&
              !__builtin_mul_overflow(total, size, &total);
    sizes.push_back(size);
  }
  if (!isShape)
    return fail(path, "expected a shape of sizes that are at least 0 and fit "
                      "into 2^64 bytes, got (" +
                          shape + ")");
  return total;
}

/// The strides of a dense tensor whose first dimension is the fastest.
static llvm::SmallVector<int64_t>
getFortranStrides(llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<int64_t> strides;
  int64_t stride = 1;
  for (int64_t size : sizes) {
    strides.push_back(stride);
    stride *= std::max<int64_t>(size, 1);
  }
  return strides;
}

llvm::Expected<HostTensor> run::readNpy(StringRef path,
                                        std::optional<ElementType> element) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail(path, buffer.getError().message());
  auto parts = splitFile(path, (*buffer)->getBuffer());
  if (!parts)
    return parts.takeError();
  StringRef header = parts->header;
  StringRef descr = getField(header, "descr", ',').trim("' ");
  llvm::Expected<ElementType> fileType = getFileType(path, descr, element);
  if (!fileType)
    return fileType.takeError();
  llvm::SmallVector<int64_t> sizes, strides;
  auto bytes =
      parseShape(path, header, fuser_rt::elementBytes(*fileType), sizes);
  if (!bytes)
    return bytes.takeError();
  if (parts->data.size() != *bytes)
    return fail(path, "expected " + llvm::Twine(*bytes) +
                          " bytes of data, got " +
                          llvm::Twine(parts->data.size()));
  StringRef order = getField(header, "fortran_order", ',');
  if (!order.starts_with("False") && !order.starts_with("True"))
    return fail(path, "expected fortran_order to be True or False, got '" +
                          order + "'");
  // Of no elements, sizes may multiply to more than strides can be.
  if (order.starts_with("True") && *bytes != 0)
    strides = getFortranStrides(sizes);
  llvm::Expected<HostTensor> tensor = allocate(*fileType, sizes, strides);
  if (!tensor)
    return fail(path, llvm::toString(tensor.takeError()));
  std::memcpy(tensor->getData(), parts->data.data(), *bytes);
  return tensor;
}

llvm::Error run::writeNpy(StringRef path, const HostTensor &tensor) {
  std::string shape;
  for (int64_t size : tensor.sizes)
    shape += std::to_string(size) + ",";
  std::string header =
      (llvm::Twine("{'descr': '") + getDescr(tensor.element) +
       "', 'fortran_order': False, 'shape': (" + shape + "), }")
          .str();
  while ((10 + header.size() + 1) % 64 != 0)
    header += ' ';
  header += '\n';
  char length[2];
  llvm::support::endian::write16le(length, header.size());
  unsigned bytes = fuser_rt::elementBytes(tensor.element);
  uint64_t count = tensor.getNumElements();
  return writeFile(path, [&](llvm::raw_ostream &os) {
    os << kMagic << '\x01' << '\0' << StringRef(length, 2) << header;
    if (tensor.isRowMajor())
      os.write(tensor.getData(), count * bytes);
    else
      for (uint64_t i = 0; i < count; ++i)
        os.write(tensor.getElement(i), bytes);
  });
}
