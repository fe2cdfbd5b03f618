//===- DeviceRun.cpp - One run of a program on a device -------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceRun.h"
#include "../CommandLine.h"
#include "../Signature.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Support/Places.h"
#include "llvm/Support/raw_ostream.h"

using namespace fuser;
using namespace fuser::run;

/// Those that the program requires; else of the element type alone.
static SmallVector<uint64_t>
getAlignments(ArrayRef<fuser_rt::TensorSpec> tensors) {
  return llvm::map_to_vector(tensors, [](const fuser_rt::TensorSpec &tensor) {
    return tensor.alignmentRequired ? tensor.alignment
                                    : fuser_rt::elementBytes(tensor.element);
  });
}

void Loaded::describe(const fuser_rt::Program &program) {
  const fuser_rt::Variant &variant = program.variants.front();
  inputs = variant.inputs;
  outputs = variant.outputs;
  scalars = variant.scalars;
  // A library needs no kernel to write a result.
  movesBytes = !variant.kernels.empty() ||
               llvm::any_of(outputs, [](const fuser_rt::TensorSpec &output) {
                 return output.alias == fuser_rt::TensorSpec::Alias::New;
               });
  alignments = {getAlignments(variant.inputs), getAlignments(variant.outputs)};
}

static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

/// Runs `check`, whose errors are about what `subject` names, an option or a
/// file, and not about a place in it.
static llvm::Error runCheck(MLIRContext *context, const Twine &subject,
                            llvm::function_ref<LogicalResult()> check) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diag) {
    os << diag;
    for (Diagnostic &note : diag.getNotes()) {
      os << "\n";
      os << describePlace(note.getLocation());
      os << "note: " << note;
    }
    return success();
  });
  if (succeeded(check()))
    return llvm::Error::success();
  // Notes stand below, at places in the file.
  if (StringRef(subject.str()).starts_with("--") &&
      !StringRef(text).contains('\n'))
    return usageError(subject + ": " + text);
  return llvm::createStringError(subject + ": " + text);
}

static llvm::Error checkArch(MLIRContext *context, const RunOptions &options) {
  if (options.arch.empty() && options.emit.empty())
    return llvm::Error::success();
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(context)); };
  return runCheck(context, options.arch.empty() ? "--emit" : "--arch",
                  [&]() -> LogicalResult {
                    return options.target->resolveArch(options.arch, emitError);
                  });
}

/// Whether the file has the function that is asked for.
static llvm::Error checkEntry(ModuleOp module, StringRef path,
                              const RunOptions &options) {
  std::string subject =
      options.entry.empty() ? ("'" + path + "', --entry").str() : "--entry";
  return runCheck(module.getContext(), subject, [&]() -> LogicalResult {
    return findEntry(module, options.entry);
  });
}

llvm::Error run::parseSource(std::unique_ptr<llvm::MemoryBuffer> buffer,
                             StringRef path, const RunOptions &options,
                             Source &source) {
  Clock::time_point start = Clock::now();
  source.context = createCompilerContext();
  if (source.dialects)
    source.context->appendDialectRegistry(*source.dialects);
  source.times.push_back({"context", millisecondsSince(start)});
  start = Clock::now();
  source.handler = std::make_unique<SourceMgrDiagnosticHandler>(
      source.sources, source.context.get());
  source.sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  source.module = parseProgram(source.sources, source.context.get());
  if (!source.module)
    return llvm::createStringError("'" + path + "' was not accepted");
  source.times.push_back({"parse", millisecondsSince(start)});
  if (llvm::Error error = checkArch(source.context.get(), options))
    return error;
  return checkEntry(*source.module, path, options);
}

CompileOptions run::makeCompileOptions(const RunOptions &options) {
  CompileOptions result;
  result.entry = options.entry;
  result.target = options.target;
  result.arch = options.arch;
  result.explain = options.explain;
  result.arithmetic = options.arithmetic;
  result.checkKernels = options.simChecks != 0;
  result.quick = options.quick;
  if (!options.dumpAfter.empty())
    result.afterPass = [&options](StringRef pass, Operation *module) {
      if (llvm::is_contained(options.dumpAfter, "all") ||
          llvm::is_contained(options.dumpAfter, pass)) {
        llvm::outs() << "// ----- after " << pass << "\n";
        module->print(llvm::outs());
        llvm::outs() << "\n";
      }
    };
  return result;
}

void run::noteCompiled(Report &report, const Source &source,
                       CompileResult result, Clock::time_point start) {
  result.times.insert(result.times.begin(), source.times.begin(),
                      source.times.end());
  report.compileMilliseconds = millisecondsSince(start);
  for (const StageTime &time : source.times)
    report.compileMilliseconds += time.milliseconds;
  report.compiled = std::move(result);
}

/// Loads a compiled program.
llvm::Error DeviceRun::loadFile(StringRef bytes) {
  FuserProgram *program = nullptr;
  llvm::Error error = toError(
      fuser_program_load(context.get(), bytes.data(), bytes.size(), &program));
  loaded.file.reset(program);
  if (error)
    return llvm::createStringError("'" + options.file +
                                   "': " + llvm::toString(std::move(error)));
  llvm::StringRef name = fuser_program_name(program);
  if (!options.entry.empty() && name != options.entry)
    return usageError("--entry: expected '" + name + "', the program in '" +
                      options.file + "', got '" + options.entry + "'");
  fuser_rt::Program value;
  std::string ignored; // It was read before.
  if (fuser_rt::deserialize(bytes.data(), bytes.size(), value, ignored) &&
      !value.variants.empty())
    loaded.describe(value);
  return llvm::Error::success();
}

/// What an input's memory will be like, as far as is known before the program
/// is compiled.
static InputClass expectClass(const HostTensor &tensor, bool atEnd,
                              func::FuncOp func, unsigned argument) {
  uint64_t address = 0, bytes = fuser_rt::elementBytes(tensor.element);
  if (atEnd)
    address = llvm::alignDown(-tensor.storageBytes, bytes);
  address += tensor.offset * bytes;
  HostTensor copy = tensor;
  DLTensor memory =
      copy.getDLTensor({kDLCPU, 0}, reinterpret_cast<void *>(address));
  auto order = func.getArgAttrOfType<DenseI64ArrayAttr>(
      argument, fusion::FusionDialect::getStrideOrderAttrName());
  return classifyInput(memory,
                       order ? order.asArrayRef() : ArrayRef<int64_t>());
}

/// Has the program compiled as it would be for `inputs` once it runs.
static void expectInputs(CompileOptions &compile, const RunOptions &options,
                         ModuleOp module, ArrayRef<HostTensor> inputs) {
  auto func =
      dyn_cast_if_present<func::FuncOp>(*findEntry(module, options.entry));
  if (!func || inputs.empty())
    return;
  bool isDefault = options.guard.empty();
  WalkResult found = func.walk([](fusion::SegmentOp segment) {
    return segment.getScheduleAttr() ? WalkResult::interrupt()
                                     : WalkResult::advance();
  });
  bool hasSchedules = found.wasInterrupted();
  for (BlockArgument argument : func.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()) ||
        compile.inputs.size() == inputs.size())
      continue;
    const HostTensor &input = inputs[compile.inputs.size()];
    compile.inputs.push_back(expectClass(input, options.guard == "end", func,
                                         argument.getArgNumber()));
    // Schedules by hand need not fit an order that the program does not state.
    if (hasSchedules)
      compile.inputs.back().strideOrder.clear();
    isDefault &= !compile.inputs.back().anyStrides &&
                 compile.inputs.back().alignment == InputClass().alignment;
  }
  if (!isDefault)
    compile.outputAlignment = 1;
}

/// Has the compilation tell what it makes for `inputs`.
void DeviceRun::noteLaunches(CompileOptions &compile,
                             ArrayRef<HostTensor> inputs) {
  std::vector<SmallVector<int64_t>> sizes;
  for (const HostTensor &input : inputs)
    sizes.push_back(input.sizes);
  launches = std::make_shared<LaunchNotes>(std::move(sizes));
  // The program keeps the callback for variants that it compiles later.
  compile.afterPass = [notes = launches, next = compile.afterPass](
                          StringRef pass, Operation *module) {
    notes->note(pass, module);
    if (next)
      next(pass, module);
  };
}

llvm::Error DeviceRun::reportWork(Report &report) {
  session->keepOutputs();
  FuserStatus *status = measureWork(
      context.get(), [&] { return session->enqueue(); }, *launches,
      report.work);
  if (!status)
    status =
        measureFloors(context.get(), makeCompileOptions(options), report.work);
  return toError(status);
}

static FuserStatus *createExecutable(FuserContext *context,
                                     const RunOptions &options, Source &source,
                                     const CompileOptions &compile,
                                     std::unique_ptr<Executable> &executable) {
  std::optional<ProgramCache> cache;
  // What other dialects' passes have made of the text is not in a key.
  if (options.cache && !source.dialects)
    cache = ProgramCache::fromEnvironment();
  if (!cache)
    return Executable::create(context,
                              OwningOpRef<ModuleOp>(source.module->clone()),
                              compile, executable);
  const llvm::MemoryBuffer *buffer =
      source.sources.getMemoryBuffer(source.sources.getMainFileID());
  return Executable::create(
      context, {buffer->getBuffer().str(), buffer->getBufferIdentifier().str()},
      compile, &*cache, executable);
}

/// Compiles the source, or loads what is compiled already.
llvm::Error DeviceRun::loadProgram(Report &report,
                                   ArrayRef<HostTensor> inputs) {
  if (source.compiled)
    return loadFile(source.compiled->getBuffer());
  Clock::time_point start = Clock::now();
  CompileOptions compile = makeCompileOptions(options);
  expectInputs(compile, options, *source.module, inputs);
  if (options.report)
    noteLaunches(compile, inputs);
  FuserStatus *status = createExecutable(context.get(), options, source,
                                         compile, loaded.executable);
  if (fuser_status_code(status) == FUSER_INVALID_ARGUMENT) {
    llvm::errs() << fuser_status_message(status) << '\n';
    fuser_status_destroy(status);
    return llvm::createStringError("'" + options.file + "' was not compiled");
  }
  if (status)
    return toError(status);
  const CompileResult &result = loaded.executable->getResult();
  loaded.describe(result.program);
  noteCompiled(report, source, result, start);
  return llvm::Error::success();
}

llvm::Error DeviceRun::runSession(ArrayRef<HostTensor> inputs) {
  if (!options.trace.empty())
    if (llvm::Error error = session->startTrace())
      return error;
  if (llvm::Error error = session->run())
    return error;
  if (!options.preallocate && options.guard.empty())
    return llvm::Error::success();
  session->keepOutputs();
  if (llvm::Error error = session->copyInputs(inputs))
    return error;
  return session->run();
}

llvm::Error DeviceRun::load(Report &report, ArrayRef<HostTensor> inputs) {
  if (!options.guard.empty())
    guards.emplace(options.guard == "end" ? GuardSide::End : GuardSide::Begin);
  llvm::Expected<ContextPtr> created = createContext(options);
  if (!created)
    return created.takeError();
  context = std::move(*created);
  report.target = options.target->name;
  report.device = fuser_context_device_name(context.get());
  return loadProgram(report, inputs);
}

llvm::Expected<SmallVector<HostTensor>>
DeviceRun::run(MutableArrayRef<HostTensor> inputs) {
  Signature signature{context.get(), loaded.get(), loaded.inputs,
                      loaded.outputs, loaded.scalars};
  if (llvm::Error error = signature.checkCounts(options)) {
    signature.print(options.writesToStdout() ? llvm::errs() : llvm::outs(),
                    options);
    return std::move(error);
  }
  session.emplace(context.get(), loaded.get());
  if (guards) {
    FuserAllocator allocator = guards->getAllocator();
    fuser_context_set_allocator(context.get(), &allocator);
    session->guard(*guards, loaded.alignments);
  }
  if (llvm::Error error = session->bindInputs(inputs))
    return std::move(error);
  if (llvm::Error error = session->bindScalars(options.scalars, loaded.scalars))
    return std::move(error);
  if (llvm::Error error = runSession(inputs))
    return std::move(error);
  if (!options.trace.empty())
    if (llvm::Error error = writeTrace(context.get(), options.trace))
      return std::move(error);
  auto outputs = session->fetchOutputs();
  if (outputs && guards)
    if (llvm::Error error = guards->check())
      return std::move(error);
  return outputs;
}

llvm::Error run::checkOutputs(ArrayRef<ReferenceOutput> expected,
                              ArrayRef<HostTensor> outputs,
                              ArrayRef<fuser_rt::TensorSpec> specs,
                              Report &report) {
  if (expected.size() != outputs.size())
    return llvm::createStringError(
        "--source: expected a function of " + Twine(outputs.size()) +
        " results, as the program has, got one of " + Twine(expected.size()));
  CheckResult total;
  for (auto [index, output] : llvm::enumerate(outputs)) {
    llvm::Expected<HostTensor> numbers = output.unpack();
    if (!numbers)
      return numbers.takeError();
    const HostTensor &got = *numbers;
    CheckResult result = compare(got, expected[index]);
    if (result.numWrong)
      llvm::errs() << "output " << index << " '" << specs[index].name
                   << "': " << result.numWrong << " of " << got.getNumElements()
                   << " elements differ by more than is allowed, the first at "
                   << result.firstWrong << ": "
                   << describe(got, expected[index], result.firstWrong) << "\n";
    total.merge(result);
  }
  report.check = total;
  return llvm::Error::success();
}
