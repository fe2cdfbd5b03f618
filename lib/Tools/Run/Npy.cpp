//===- Npy.cpp - NumPy's file format --------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTensor.h"
#include "OutputFile.h"
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

static StringRef getDescr(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return "<f8";
  case ElementType::F32:
    return "<f4";
  case ElementType::F16:
    return "<f2";
  case ElementType::BF16:
    return "<u2";
  case ElementType::I1:
    return "|b1";
  case ElementType::I8:
    return "|i1";
  case ElementType::I16:
    return "<i2";
  case ElementType::I32:
    return "<i4";
  case ElementType::I64:
    return "<i8";
  }
  llvm_unreachable("every element type has a dtype");
}

static std::optional<ElementType> fromDescr(StringRef descr) {
  for (ElementType type :
       {ElementType::F64, ElementType::F32, ElementType::F16, ElementType::BF16,
        ElementType::I1, ElementType::I8, ElementType::I16, ElementType::I32,
        ElementType::I64})
    if (getDescr(type) == descr)
      return type;
  // What ml_dtypes writes for bfloat16.
  if (descr == "|V2" || descr == "<V2")
    return ElementType::BF16;
  return std::nullopt;
}

/// The text of a key of the header's dictionary, up to `end`.
static StringRef getField(StringRef header, StringRef key, char end) {
  size_t at = header.find(("'" + key + "':").str());
  if (at == StringRef::npos)
    return {};
  StringRef value = header.substr(at + key.size() + 3).ltrim();
  return value.take_until([&](char c) { return c == end; });
}

llvm::Expected<HostTensor> run::readNpy(StringRef path,
                                        std::optional<ElementType> element) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail(path, buffer.getError().message());
  StringRef bytes = (*buffer)->getBuffer();
  if (bytes.size() < 10 || !bytes.starts_with(kMagic))
    return fail(path, "expected a .npy file, got something else");
  size_t lengthBytes = bytes[6] == 1 ? 2 : 4;
  if (bytes.size() < 8 + lengthBytes)
    return fail(path, "expected a .npy file, got something else");
  uint64_t headerSize = lengthBytes == 2
                            ? llvm::support::endian::read16le(bytes.data() + 8)
                            : llvm::support::endian::read32le(bytes.data() + 8);
  if (bytes.size() - 8 - lengthBytes < headerSize)
    return fail(path, "expected a header of " + llvm::Twine(headerSize) +
                          " bytes, got " +
                          llvm::Twine(bytes.size() - 8 - lengthBytes));
  StringRef header = bytes.substr(8 + lengthBytes, headerSize);
  StringRef data = bytes.substr(8 + lengthBytes + headerSize);
  StringRef descr = getField(header, "descr", ',').trim("' ");
  auto fileType = fromDescr(descr);
  if (!fileType)
    return fail(path, "expected a dtype of the dialect, got '" + descr + "'");
  if (element && *element != *fileType)
    return fail(path, "expected " + getName(*element) + " (dtype " +
                          getDescr(*element) + "), got '" + descr + "'");
  if (!getField(header, "fortran_order", ',').starts_with("False"))
    return fail(path, "expected C order, got Fortran order");
  llvm::SmallVector<StringRef> parts;
  getField(header, "shape", ')').ltrim("(").split(parts, ',', -1, false);
  llvm::SmallVector<int64_t> sizes;
  for (StringRef part : parts)
    if (int64_t size;
        !part.trim().empty() && !part.trim().getAsInteger(10, size))
      sizes.push_back(size);
  uint64_t expected = fuser_rt::elementBytes(*fileType);
  for (int64_t size : sizes)
    if (size < 0 || __builtin_mul_overflow(expected, size, &expected))
      return fail(path, "its shape is not a shape");
  if (data.size() != expected)
    return fail(path, "expected " + llvm::Twine(expected) +
                          " bytes of data, got " + llvm::Twine(data.size()));
  llvm::Expected<HostTensor> tensor = allocate(*fileType, sizes);
  if (!tensor)
    return fail(path, llvm::toString(tensor.takeError()));
  std::memcpy(tensor->getData(), data.data(), expected);
  return tensor;
}

llvm::Error run::writeNpy(StringRef path, const HostTensor &tensor) {
  std::string shape;
  for (int64_t size : tensor.sizes)
    shape += std::to_string(size) + ",";
  std::string header =
      ("{'descr': '" + getDescr(tensor.element) +
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
