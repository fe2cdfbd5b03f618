//===- fuser-replay.cpp - Digests of what programs compile to -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fuser-replay < LIST: reads the names of programs, one a line, compiles each
// for every target, and prints a line for each compilation, of fields that tabs
// separate:
//
//   FILE TARGET object=DIGEST KERNEL=DIGEST...    or
//   FILE TARGET error=TEXT
//
// Kernels of the CPU are digested as they leave for LLVM, those of a GPU as
// PTX. What is in the shared object besides is the host program. Every other
// program, by its name, is compiled for inputs of any strides and alignment.
//
//===----------------------------------------------------------------------===//

#include "fuser/Conversion/KernelSignature.h"
#include "fuser/Pipelines/Compile.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <iostream>

using namespace fuser;

static std::string digest(StringRef bytes) {
  return llvm::formatv("{0:x-16}", llvm::xxh3_64bits(bytes));
}

/// A field for each entry of a PTX text: from its name to the end of its body,
/// without the numbers that functions of a module have in labels.
static void addEntries(StringRef ptx, std::vector<std::string> &fields) {
  constexpr StringRef entry = ".visible .entry ", label = "$L__BB";
  for (StringRef rest = ptx.split(entry).second; !rest.empty();
       rest = rest.split(entry).second) {
    StringRef name = rest.take_until([](char c) { return c == '('; });
    StringRef body = rest.split("\n}\n").first;
    std::string text;
    for (bool isFirst = true; !body.empty(); isFirst = false) {
      if (!isFirst)
        body = body.drop_while([](char c) { return llvm::isDigit(c); });
      auto [part, left] = body.split(label);
      text += part;
      body = left;
    }
    fields.push_back((name + "=" + digest(text)).str());
  }
}

/// A field for each function of the modules of CPU kernels.
static void addFunctions(Operation *module, std::vector<std::string> &fields) {
  module->walk([&](LLVM::LLVMFuncOp func) {
    if (func.isExternal() || func->getParentOp() == module)
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    func.print(os, OpPrintingFlags().useLocalScope());
    fields.push_back((func.getSymName() + "=" + digest(text)).str());
  });
}

/// The first line of `error`, without the name of its file.
static std::string getReason(StringRef error, StringRef file) {
  std::string line = error.take_until([](char c) { return c == '\n'; }).str();
  if (StringRef(line).starts_with(file))
    line.erase(0, file.size());
  return line;
}

static FailureOr<CompileResult> compile(StringRef file, StringRef text,
                                        const CompileOptions &options,
                                        std::string &error) {
  std::unique_ptr<MLIRContext> context = createCompilerContext();
  ErrorCollector collector(context.get(), error);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, file),
                             llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseProgram(sources, context.get());
  if (!module)
    return failure();
  // Messages of the host program name the line of an op. What a program
  // compiles to must not depend on how its text is broken into lines.
  module->walk(
      [&](Operation *op) { op->setLoc(UnknownLoc::get(context.get())); });
  return compileModule(*module, options);
}

static void replay(StringRef file, StringRef text, StringRef name,
                   CompileOptions options) {
  std::vector<std::string> fields;
  options.afterPass = [&](StringRef pass, Operation *module) {
    if (pass == "cpu-to-llvm")
      addFunctions(module, fields);
  };
  std::string error;
  FailureOr<CompileResult> result = compile(file, text, options, error);
  llvm::outs() << file << '\t' << name;
  if (failed(result)) {
    llvm::outs() << "\terror=" << getReason(error, file) << '\n';
    return;
  }
  const fuser_rt::Variant &variant = result->program.variants.front();
  for (const std::string &image : variant.images)
    addEntries(image, fields);
  llvm::outs() << "\tobject=" << digest(variant.object);
  for (const std::string &field : fields)
    llvm::outs() << '\t' << field;
  llvm::outs() << '\n';
}

/// The variant for any inputs, for half of all files.
static void setClass(StringRef file, CompileOptions &options) {
  bool any = llvm::xxh3_64bits(file) & 1;
  options.inputs.assign(any ? 64 : 0, {/*anyStrides=*/true, /*alignment=*/0});
  options.outputAlignment = any ? 1 : 16;
}

/// With --dense: all for inputs that are dense and aligned.
int main(int argc, char **argv) {
  if (llvm::sys::Process::StandardInIsUserInput())
    llvm::errs() << "fuser-replay: reads the names of programs, one a line\n";
  bool isDense = argc > 1 && StringRef(argv[1]) == "--dense";
  CompileOptions cpu, cuda;
  // One that is the same on every machine.
  cpu.arch = "x86-64-v4";
  cuda.target = &fuser::getCudaTarget();
  cuda.arch = "sm_90";
  for (std::string file; std::getline(std::cin, file);) {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer) {
      llvm::errs() << file << ": " << buffer.getError().message() << '\n';
      return 1;
    }
    StringRef text = (*buffer)->getBuffer();
    if (!isDense) {
      setClass(file, cpu);
      setClass(file, cuda);
    }
    replay(file, text, "cpu", cpu);
    replay(file, text, "cuda", cuda);
    llvm::outs().flush();
  }
  return 0;
}
