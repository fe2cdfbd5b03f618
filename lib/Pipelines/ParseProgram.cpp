//===- ParseProgram.cpp - Programs from text, and errors to text ----------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Frontend/LenientOps.h"
#include "fuser/Frontend/Passes.h"
#include "fuser/Frontend/SourceText.h"
#include "fuser/Pipelines/Calls.h"
#include "fuser/Pipelines/Compile.h"
#include "fuser/Support/ElementTypes.h"
#include "fuser/Support/Places.h"
#include "fuser/Support/Spelling.h"
#include "fuser_rt/ElementTypes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/xxhash.h"

using namespace fuser;

//===----------------------------------------------------------------------===//
// Names of arguments
//===----------------------------------------------------------------------===//

/// The text of the main buffer from `loc` on; empty if that is elsewhere.
static StringRef findText(const llvm::SourceMgr &sources, Location loc) {
  unsigned id = sources.getMainFileID();
  const llvm::MemoryBuffer *buffer = sources.getMemoryBuffer(id);
  auto place = dyn_cast<FileLineColLoc>(loc);
  if (!place || place.getFilename() != buffer->getBufferIdentifier())
    return {};
  llvm::SMLoc start =
      const_cast<llvm::SourceMgr &>(sources).FindLocForLineAndColumn(
          id, place.getLine(), place.getColumn());
  if (!start.isValid())
    return {};
  return {start.getPointer(),
          static_cast<size_t>(buffer->getBufferEnd() - start.getPointer())};
}

/// The SSA name that `text` begins with, "%x"; empty if there is none.
static StringRef takeName(StringRef text) {
  if (!text.starts_with("%"))
    return {};
  size_t size =
      1 + text.drop_front()
              .take_while([](char c) {
                return llvm::isAlnum(c) || StringRef("$._-").contains(c);
              })
              .size();
  return size > 1 ? text.take_front(size) : StringRef();
}

/// The same with the number of one of several results, "%x#1".
static StringRef takeUse(StringRef text) {
  StringRef name = takeName(text), rest = text.drop_front(name.size());
  if (name.empty() || !rest.consume_front("#"))
    return name;
  size_t digits = rest.take_while(llvm::isDigit).size();
  return digits > 0 ? text.take_front(name.size() + 1 + digits) : name;
}

/// The parser forgets names, but says where they stand.
static void nameArguments(ModuleOp module, const llvm::SourceMgr &sources) {
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal())
      continue;
    for (BlockArgument arg : func.getArguments())
      if (StringRef name = takeName(findText(sources, arg.getLoc()));
          !name.empty())
        arg.setLoc(NameLoc::get(StringAttr::get(module.getContext(), name),
                                arg.getLoc()));
  }
}

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

/// What is short in text becomes ops that everybody knows.
static LogicalResult expandComposites(ModuleOp module) {
  bool hasComposites = false;
  module.walk([&](fusion::CompositeOp) { hasComposites = true; });
  if (!hasComposites)
    return success();
  PassManager pm(module.getContext());
  pm.addNestedPass<func::FuncOp>(frontend::createExpandCompositesPass());
  return pm.run(module);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// How text has an op of `fusion` that others know by the name `own`, if it is
/// written in another way than theirs, too; empty if nobody does.
static StringRef findOtherSyntax(StringRef own) {
  return llvm::StringSwitch<StringRef>(own)
      .Case("sum", "fusion.reduce <sum> %x dims [0] : TYPE")
      .Case("mean", "fusion.reduce <mean> %x dims [0] : TYPE")
      .Case("prod", "fusion.reduce <prod> %x dims [0] : TYPE")
      .Case("any", "fusion.reduce <any> %x dims [0] : TYPE")
      .Case("all", "fusion.reduce <all> %x dims [0] : TYPE")
      .Case("amax", "fusion.reduce <max> %x dims [0] : TYPE")
      .Case("amin", "fusion.reduce <min> %x dims [0] : TYPE")
      .Cases({"transpose", "permute_dims"}, "fusion.permute %x [1, 0] : TYPE")
      .Cases({"concat", "concatenate"}, "fusion.cat %x, %y dim 0 : TYPE, TYPE")
      .Case("compare", "fusion.cmp <lt> %x, %y : TYPE")
      .Cases({"convert", "astype", "to"}, "fusion.cast %x : TYPE to TYPE")
      .Cases({"unsqueeze", "expand_dims"},
             "fusion.broadcast %x dims [0] : TYPE")
      .Default("");
}

/// Adds to an error of an op of no dialect, or of another one, the op of
/// `fusion` of that name.
static void suggestFusion(Diagnostic &diag, StringRef own) {
  SmallVector<StringRef> names = frontend::getOpNames();
  StringRef other = frontend::findOwnName(own);
  if (StringRef syntax = findOtherSyntax(own); !syntax.empty())
    diag.attachNote(diag.getLocation()) << "write '" << syntax << "'";
  else if (!other.empty())
    diag.attachNote(diag.getLocation())
        << "did you mean 'fusion." << other << "'?";
  else if (llvm::is_contained(names, own) ||
           RegisteredOperationName::lookup(("fusion." + own).str(),
                                           diag.getLocation().getContext()))
    diag.attachNote(diag.getLocation())
        << "did you mean 'fusion." << own << "'?";
}

/// Adds to an error of an op that the dialect has not how it is written, or the
/// name that is spelled alike, if there is one.
static void suggestOp(Diagnostic &diag, StringRef text) {
  StringRef name = text;
  bool isOp = name.consume_front("custom op '");
  if (!isOp && text.starts_with("Dialect `"))
    name = text.split("for custom op '").second;
  else if (!isOp)
    return;
  name = name.take_until([](char c) { return c == '\''; });
  if (!isOp || !name.contains('.'))
    return suggestFusion(diag, isOp ? name : name.split('.').second);
  auto [dialect, own] = name.split('.');
  bool isFusion = dialect == fusion::FusionDialect::getDialectNamespace();
  SmallVector<StringRef> names;
  for (RegisteredOperationName op :
       diag.getLocation().getContext()->getRegisteredOperations())
    if (op.getDialectNamespace() == dialect)
      names.push_back(op.stripDialect());
  if (isFusion)
    llvm::append_range(names, frontend::getOpNames());
  // A name that is there is not what is wrong.
  if (llvm::is_contained(names, own))
    return;
  if (!isFusion && findNearName(own, names).empty())
    return suggestFusion(diag, own);
  StringRef syntax = isFusion ? findOtherSyntax(own) : "";
  StringRef near = isFusion ? frontend::findOwnName(own) : "";
  if (near.empty())
    near = findNearName(own, names);
  if (!syntax.empty())
    diag.attachNote(diag.getLocation()) << "write '" << syntax << "'";
  else if (!near.empty())
    diag.attachNote(diag.getLocation())
        << "did you mean '" << dialect << '.' << near << "'?";
}

namespace {
/// "use of value '%y' expects different type than prior uses: 'A' vs 'B'": the
/// parser's error of an operand of another type than an op needs.
struct WrongUse {
  WrongUse(StringRef text, MLIRContext *context) {
    SmallVector<StringRef> parts;
    text.split(parts, '\'');
    if (!text.starts_with("use of value '") || parts.size() != 7)
      return;
    name = parts[1];
    auto parse = [&](StringRef type) {
      return dyn_cast_or_null<RankedTensorType>(mlir::parseType(type, context));
    };
    expected = parse(parts[3]), got = parse(parts[5]);
  }
  /// Whether that is what it is, and both are tensors.
  explicit operator bool() const { return expected && got; }

  StringRef name;
  RankedTensorType expected, got;
};
} // namespace

/// Without quotes.
static std::string printType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Adds to an error of a tensor of another element type than an op needs how it
/// gets that. The error leaves out which of several results it is; `use` does
/// not.
static void suggestCast(Diagnostic &diag, const WrongUse &wrong,
                        StringRef use) {
  auto [expected, got] = std::pair(wrong.expected, wrong.got);
  if (expected.getShape() != got.getShape() ||
      expected.getElementType() == got.getElementType())
    return;
  StringRef name = use.starts_with(wrong.name) ? use : wrong.name;
  if (isComplexElement(got.getElementType()) &&
      !isComplexElement(expected.getElementType())) {
    diag.attachNote(diag.getLocation())
        << "fusion.modulus gives how great complex numbers are, fusion.real "
           "and fusion.imag their parts";
    return;
  }
  diag.attachNote(diag.getLocation())
      << "cast it, 'fusion.cast " << name << " : " << printType(got) << " to "
      << printType(expected)
      << "'; an op on elements with a type for each operand promotes them";
  // A cast would come behind sums that have wrapped, or were rounded.
  unsigned own = got.getElementType().getIntOrFloatBitWidth();
  if (own <= 16 && own < expected.getElementType().getIntOrFloatBitWidth())
    diag.attachNote(diag.getLocation())
        << "a matrix product adds up in the type of its result, which stands "
           "behind it: 'to "
        << printType(expected) << "', or {type = " << expected.getElementType()
        << "} of fusion.scaled_mm";
}

/// Adds to an error of a tensor of other dimensions than an op needs which
/// shape would broadcast.
static void suggestBroadcast(Diagnostic &diag, const WrongUse &wrong) {
  if (wrong.expected.getElementType() != wrong.got.getElementType())
    return;
  // What made them is not known yet.
  std::string advice =
      frontend::suggestShape({wrong.got, /*mayBeReduced=*/true},
                             {wrong.expected, /*mayBeReduced=*/true});
  if (!advice.empty())
    diag.attachNote(diag.getLocation())
        << "with a type for each operand of an op on elements, " << advice;
}

/// How text has an element type that others know by the name `other`; empty if
/// nobody does.
static StringRef findElementName(StringRef other) {
  for (const ElementInfo &info : fuser_rt::elementInfos)
    if (info.isOfTensors && other == info.numpyName)
      return info.name;
  return llvm::StringSwitch<StringRef>(other)
      .Cases({"fp64", "double"}, "f64")
      .Cases({"fp32", "float", "single"}, "f32")
      .Cases({"fp16", "half"}, "f16")
      .Default("");
}

/// Adds to an error of a type that there is not, which stands at `place` or in
/// the error, how it is written.
static void suggestElement(Diagnostic &diag, StringRef text, StringRef place) {
  StringRef name;
  if (text == "expected non-function type")
    name =
        place.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  else if (text.contains("expected an element type ("))
    name = text.rsplit("got '").second.rtrim('\'');
  if (StringRef own = findElementName(name); !own.empty())
    diag.attachNote(diag.getLocation()) << "did you mean '" << own << "'?";
  else if (text.starts_with("expected non-function") && !name.empty() &&
           llvm::isAlpha(name.front()))
    diag.attachNote(diag.getLocation())
        << "element types are " << listElementTypes(/*ofTensors=*/true);
}

/// Adds to an error of an op of real numbers that has complex ones the op that
/// takes them.
static void suggestModulus(Diagnostic &diag, StringRef text) {
  if (text.starts_with("'fusion.abs' op operand #0 must be") &&
      text.contains("xcomplex<"))
    diag.attachNote(diag.getLocation())
        << "write 'fusion.modulus', whose result is real";
}

/// Adds to errors of the parser what to write. Others print them.
static void addHints(Diagnostic &diag, const llvm::SourceMgr &sources) {
  std::string text = diag.str();
  suggestOp(diag, text);
  suggestModulus(diag, text);
  StringRef place = findText(sources, diag.getLocation());
  if (WrongUse wrong{text, diag.getLocation().getContext()}) {
    suggestCast(diag, wrong, takeUse(place));
    suggestBroadcast(diag, wrong);
  }
  suggestElement(diag, text, place);
}

/// Of a text that was checked.
static OwningOpRef<ModuleOp> parseChecked(const llvm::SourceMgr &sources,
                                          MLIRContext *context) {
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diag) {
    addHints(diag, sources);
    return failure();
  });
  auto module = mlir::parseSourceFile<ModuleOp>(sources, context);
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  if (module && !mlir::isBytecode(*buffer))
    nameArguments(*module, sources);
  if (module &&
      (failed(expandComposites(*module)) || failed(inlineCalls(*module))))
    return nullptr;
  return module;
}

/// The line and the column of `text[offset]`, from 1 on.
static std::pair<unsigned, unsigned> getPlace(StringRef text, size_t offset) {
  StringRef before = text.take_front(offset);
  size_t lineStart = before.rfind('\n') + 1;
  return {before.count('\n') + 1, offset - lineStart + 1};
}

OwningOpRef<ModuleOp> fuser::parseProgram(const llvm::SourceMgr &sources,
                                          MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  StringRef name = buffer->getBufferIdentifier();
  StringRef text = dropByteOrderMark(buffer->getBuffer());
  if (auto error = checkSourceText(text, kMostNesting)) {
    auto [line, column] = getPlace(text, error->offset);
    emitError(FileLineColLoc::get(context, name, line, column))
        << error->message;
    return nullptr;
  }
  if (text.size() == buffer->getBufferSize())
    return parseChecked(sources, context);
  llvm::SourceMgr unmarked;
  unmarked.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, name),
                              llvm::SMLoc());
  return parseChecked(unmarked, context);
}

static constexpr StringRef kSealMagic = "FUSERBP1";

static std::string getChecksum(StringRef bytes) {
  char sum[8];
  llvm::support::endian::write64le(sum, llvm::xxh3_64bits(bytes));
  return {sum, sizeof(sum)};
}

std::string fuser::sealBytecode(StringRef bytecode) {
  return (kSealMagic + getChecksum(bytecode) + bytecode).str();
}

/// Takes the seal, or the mark by which editors know UTF-8, off `text`. Fails,
/// with an error, if it is damaged, is bytecode without a seal, or no text that
/// can be parsed.
static LogicalResult checkSource(StringRef &text, StringRef name,
                                 llvm::raw_ostream &os) {
  text = dropByteOrderMark(text);
  if (text.consume_front(kSealMagic)) {
    StringRef sum = text.take_front(8);
    text = text.drop_front(sum.size());
    if (sum == getChecksum(text))
      return success();
    os << "damaged program: expected the checksum that it was written with";
  } else if (text.starts_with("ML\xefR")) {
    os << "expected a program's text, or the bytes of a builder, got MLIR "
          "bytecode, of which nobody knows whether it is damaged";
  } else if (auto error = checkSourceText(text, kMostNestingInThreads)) {
    auto [line, column] = getPlace(text, error->offset);
    os << name << ':' << line << ':' << column << ": error: " << error->message;
  } else {
    return success();
  }
  return failure();
}

OwningOpRef<ModuleOp> fuser::parseProgram(StringRef text, StringRef name,
                                          MLIRContext *context,
                                          std::string &error) {
  llvm::raw_string_ostream os(error);
  if (failed(checkSource(text, name, os)))
    return nullptr;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                             llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, context, os);
  OwningOpRef<ModuleOp> module = parseChecked(sources, context);
  error.resize(StringRef(error).rtrim('\n').size());
  return module;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Prints "FILE:LINE:COLUMN: KIND: TEXT" as the tools do, of which only the
/// source line is missing: the text may be gone by now.
static void print(llvm::raw_ostream &os, Diagnostic &diag) {
  os << describePlace(diag.getLocation());
  bool isNote = diag.getSeverity() == DiagnosticSeverity::Note;
  os << (isNote ? "note: " : "error: ") << diag;
}

ErrorCollector::ErrorCollector(MLIRContext *context, std::string &error)
    : os(error), handler(context, [this](Diagnostic &diag) {
        // Whoever listens besides gets what is no error.
        if (diag.getSeverity() != DiagnosticSeverity::Error)
          return failure();
        if (!os.str().empty())
          os << "\n";
        print(os, diag);
        for (Diagnostic &note : diag.getNotes()) {
          os << "\n";
          print(os, note);
        }
        return success();
      }) {}
