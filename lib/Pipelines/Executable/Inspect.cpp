//===- Inspect.cpp - What a compilation makes on its way ------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuser/Pipelines/Inspect.h"
#include "fuser/Analysis/ArgumentNames.h"
#include "fuser/Dialect/Fusion/IR/Fusion.h"
#include "fuser/Support/Places.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"

using namespace fuser;
using fusion::SegmentOp;

static constexpr char kNoSegments[] =
    "expected a program on tensors, got one of the host dialect, which has no "
    "segments";

static std::string print(Operation *op, OpPrintingFlags flags = {}) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, flags);
  // A module ends its last line itself.
  if (!StringRef(text).ends_with("\n"))
    os << "\n";
  return text;
}

/// The program as it was given, with the names that its text has for arguments
/// (%x), which are locations of the form "%x".
static std::string printProgram(ModuleOp module) {
  OwningOpRef<ModuleOp> named = module.clone();
  for (auto func : named->getOps<func::FuncOp>())
    for (BlockArgument arg : func.getArguments())
      if (auto loc = arg.getLoc()->findInstanceOf<NameLoc>())
        if (StringRef name = loc.getName(); name.starts_with("%"))
          arg.setLoc(NameLoc::get(
              StringAttr::get(module.getContext(), name.drop_front())));
  std::string text;
  llvm::raw_string_ostream os(text);
  named->print(os, OpPrintingFlags().printNameLocAsPrefix());
  return text;
}

/// Compiles, and calls `see` after each pass.
static bool compileSeeing(ModuleOp module, CompileOptions options,
                          std::function<void(StringRef, Operation *)> see,
                          std::string &error) {
  ErrorCollector collector(module.getContext(), error);
  options.afterPass = std::move(see);
  return succeeded(compileModule(module, options));
}

/// The pass behind which a stage is over.
static StringRef findPass(StringRef stage) {
  return llvm::StringSwitch<StringRef>(stage)
      .Case("segments", "fusion-segment")
      .Case("schedules", "fusion-schedule")
      .Case("kernels", "fusion-to-kernel")
      .Case("host", "host-deallocate")
      .Default(stage);
}

bool fuser::printStage(ModuleOp module, const CompileOptions &options,
                       StringRef stage, std::string &ir, std::string &error) {
  if (stage == "program") {
    ir = printProgram(module);
    return true;
  }
  StringRef pass = findPass(stage);
  llvm::SetVector<StringRef> seen;
  ir.clear();
  if (!compileSeeing(
          module, options,
          [&](StringRef name, Operation *op) {
            seen.insert(name);
            if (name == pass)
              ir = print(op);
          },
          error))
    return false;
  if (!ir.empty())
    return true;
  error = "expected the stage program, segments, schedules, kernels or host, "
          "or one of the passes " +
          llvm::join(seen, ", ") + "; got '" + stage.str() + "'";
  return false;
}

/// The function with segments; the entry is the only one that is public.
static func::FuncOp findFunction(Operation *module) {
  for (auto func : cast<ModuleOp>(module).getOps<func::FuncOp>())
    if (func.isPublic() && !func.isExternal())
      return func;
  return nullptr;
}

static bool isCompiledForGpu(const CompileOptions &options) {
  return options.target->kernelForm == getCudaTarget().kernelForm;
}

/// Whether calls run other code than what is compiled with these options, for
/// the classes of their sizes.
static bool isForAnySizes(ModuleOp module, const CompileOptions &options) {
  func::FuncOp func = findFunction(module);
  bool isOfClass = llvm::any_of(options.inputs, [](const InputClass &input) {
    return !input.sizes.empty();
  });
  return func && !isOfClass && isCompiledForGpu(options) &&
         llvm::any_of(func.getArgumentTypes(), [](Type type) {
           auto tensor = dyn_cast<RankedTensorType>(type);
           return tensor && !tensor.hasStaticShape();
         });
}

namespace {
/// Remarks with their notes, each once: lines of a program may have several ops
/// of which the same is said.
class Remarks {
public:
  void add(const Diagnostic &diagnostic);
  void print(raw_ostream &os) const;

private:
  struct Remark {
    std::string text, notes;
    unsigned count = 0;
  };
  std::vector<Remark> remarks;
  /// By text and notes.
  llvm::StringMap<size_t> places;
};
} // namespace

void Remarks::add(const Diagnostic &diagnostic) {
  Remark remark;
  auto write = [](std::string &text, const Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(text);
    os << describePlace(diagnostic.getLocation());
    os << diagnostic;
  };
  write(remark.text, diagnostic);
  for (const Diagnostic &note : diagnostic.getNotes()) {
    remark.notes += "  ";
    write(remark.notes, note);
    remark.notes += "\n";
  }
  auto [place, isNew] =
      places.try_emplace(remark.text + "\n" + remark.notes, remarks.size());
  if (isNew)
    remarks.push_back(std::move(remark));
  ++remarks[place->second].count;
}

void Remarks::print(raw_ostream &os) const {
  for (const Remark &remark : remarks) {
    os << remark.text;
    if (remark.count > 1)
      os << " (" << remark.count << " times)";
    os << "\n" << remark.notes;
  }
}

/// Names the inputs whose memory keeps accesses to several neighbours away.
static void explainInputs(func::FuncOp func, const CompileOptions &options,
                          llvm::raw_ostream &os) {
  bool isForGpu = isCompiledForGpu(options);
  size_t number = 0;
  for (BlockArgument argument : func.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    if (number == options.inputs.size())
      return; // Nothing is said of the others.
    const InputClass &input = options.inputs[number++];
    std::string name = describeArgument(func, argument.getArgNumber());
    if (!input.strideOrder.empty()) {
      os << name << " lies dense in the order [";
      llvm::interleaveComma(input.strideOrder, os);
      os << "] of its dimensions: where neighbours in the last one are needed, "
            "squares are transposed, or elements are read one by one; to "
            "change that: pass a contiguous copy\n";
    } else if (input.anyStrides)
      os << name << " does not lie dense in row-major order: "
         << (isForGpu ? "its elements are read one by one"
                      : "where those of its last dimension are not neighbours "
                        "in memory, they are read one by one")
         << "; to change that: pass a contiguous copy, or state the order that "
            "it has (fusion.stride_order)\n";
    else if (isForGpu && input.alignment < InputClass().alignment)
      os << name << " is not aligned to " << InputClass().alignment
         << " bytes, which reads of several neighbours need; to change that: "
            "pass a copy\n";
  }
}

bool fuser::explainProgram(ModuleOp module, const CompileOptions &options,
                           std::string &text, std::string &error) {
  Remarks remarks;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Remark)
          return failure();
        remarks.add(diagnostic);
        return success();
      });
  CompileOptions explained = options;
  explained.explain = true;
  bool isCompiled = compileSeeing(module, explained, {}, error);
  llvm::raw_string_ostream os(text);
  remarks.print(os);
  if (func::FuncOp func = findFunction(module))
    explainInputs(func, options, os);
  if (isForAnySizes(module, options))
    os << "this is said of the code for any sizes: a call may run other code, "
          "for the class of its own, of which specialize(inputs).explain() "
          "tells\n";
  return isCompiled;
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

namespace {
/// Writes a function of segments as JSON.
class Describer {
public:
  llvm::json::Object describe(func::FuncOp func);

private:
  int64_t getId(Value value) {
    return ids.try_emplace(value, ids.size()).first->second;
  }
  llvm::json::Object describeValue(Value value) {
    return llvm::json::Object{{"id", getId(value)},
                              {"type", text(value.getType())}};
  }
  llvm::json::Object describeNode(Operation *op);
  template <typename T>
  static std::string text(T value) {
    std::string result;
    llvm::raw_string_ostream(result) << value;
    return result;
  }

  llvm::DenseMap<Value, int64_t> ids;
};
} // namespace

llvm::json::Object Describer::describeNode(Operation *op) {
  llvm::json::Array operands, results, ops;
  for (Value operand : op->getOperands())
    operands.push_back(getId(operand));
  for (Value result : op->getResults())
    results.push_back(describeValue(result));
  llvm::json::Object node{{"op", op->getName().getStringRef()}};
  if (auto segment = dyn_cast<SegmentOp>(op)) {
    segment.getBody().walk([&](Operation *inner) {
      if (!inner->hasTrait<OpTrait::IsTerminator>())
        ops.push_back(inner->getName().stripDialect());
    });
    node["scheduler"] = segment.getScheduler();
    if (Attribute schedule = segment.getScheduleAttr())
      node["schedule"] = text(schedule);
  }
  node["ops"] = std::move(ops);
  node["operands"] = std::move(operands);
  node["results"] = std::move(results);
  return node;
}

llvm::json::Object Describer::describe(func::FuncOp func) {
  llvm::json::Array inputs, nodes, outputs;
  for (Value argument : func.getArguments())
    inputs.push_back(describeValue(argument));
  for (Operation &op : func.getBody().front()) {
    if (!op.hasTrait<OpTrait::IsTerminator>()) {
      nodes.push_back(describeNode(&op));
      continue;
    }
    for (Value result : op.getOperands())
      outputs.push_back(getId(result));
  }
  return llvm::json::Object{{"name", func.getSymName()},
                            {"inputs", std::move(inputs)},
                            {"nodes", std::move(nodes)},
                            {"outputs", std::move(outputs)}};
}

bool fuser::describeSegments(ModuleOp module, const CompileOptions &options,
                             std::string &json, std::string &error) {
  json.clear();
  if (!compileSeeing(
          module, options,
          [&](StringRef pass, Operation *op) {
            func::FuncOp func =
                pass == "fusion-schedule" ? findFunction(op) : func::FuncOp();
            if (func)
              llvm::raw_string_ostream(json)
                  << llvm::json::Value(Describer().describe(func));
          },
          error))
    return false;
  if (json.empty())
    error = kNoSegments;
  return !json.empty();
}

/// False, with the reason in `why`, if `text` is no schedule for the segment.
static bool setSchedule(SegmentOp segment, const std::string &text,
                        std::string &why) {
  if (StringRef(text).trim().empty()) {
    why = "None (null in C) keeps the one that there is";
    return false;
  }
  ErrorCollector collector(segment.getContext(), why);
  auto schedule = dyn_cast_if_present<fusion::ScheduleAttrInterface>(
      mlir::parseAttribute(text, segment.getContext()));
  if (!schedule)
    return false;
  segment.setScheduler(schedule.getSchedulerName());
  segment.setScheduleAttr(schedule);
  return succeeded(mlir::verify(segment));
}

bool fuser::replaceSchedules(ModuleOp module, const CompileOptions &options,
                             ArrayRef<std::optional<std::string>> schedules,
                             std::string &ir, std::string &error) {
  OwningOpRef<ModuleOp> scheduled;
  if (!compileSeeing(
          module, options,
          [&](StringRef pass, Operation *op) {
            if (pass == findPass("schedules"))
              scheduled = cast<ModuleOp>(op->clone());
          },
          error))
    return false;
  if (!scheduled) {
    error = kNoSegments;
    return false;
  }
  SmallVector<SegmentOp> segments;
  scheduled->walk([&](SegmentOp segment) { segments.push_back(segment); });
  if (segments.size() != schedules.size()) {
    error = "schedules: expected one for each of the " +
            std::to_string(segments.size()) + " segments, got " +
            std::to_string(schedules.size());
    return false;
  }
  for (auto [number, segment] : llvm::enumerate(segments)) {
    std::string why;
    if (!schedules[number] || setSchedule(segment, *schedules[number], why))
      continue;
    std::string place = std::to_string(number);
    error = "schedules[" + place + "]: expected a schedule that fits segment " +
            place + ", got '" + *schedules[number] + "'" +
            (why.empty() ? "" : ": " + why);
    return false;
  }
  // Errors of what is compiled are at the lines of the program.
  ir = print(*scheduled, OpPrintingFlags().enableDebugInfo());
  return true;
}

std::string fuser::getPtx(const fuser_rt::Program &program) {
  std::string text;
  for (const std::string &image : program.variants.front().images)
    text += image.c_str();
  return text;
}
