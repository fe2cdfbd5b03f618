//===- CommandLine.cpp - What all tools do with their command lines -------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "fuser/Support/Spelling.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace fuser;
using llvm::StringRef;
using llvm::Twine;
namespace cl = llvm::cl;

llvm::Error fuser::usageError(const Twine &message) {
  return llvm::createStringError(
      std::make_error_code(std::errc::invalid_argument), message);
}

void fuser::setVersionPrinter() {
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "fuser " << FUSER_VERSION << "\nLLVM " << LLVM_VERSION_STRING << "\n";
  });
}

namespace {
/// Looks at a command line before LLVM's parser does, which prints what is
/// wrong to standard error itself.
class CommandLineCheck {
public:
  CommandLineCheck(llvm::ArrayRef<char *> args, FileCount files)
      : args(args), files(files) {}
  llvm::Error run();

private:
  llvm::Error checkOption(StringRef arg);
  llvm::Error checkFiles() const;
  std::string getLikely(StringRef name) const;

  llvm::ArrayRef<char *> args;
  FileCount files;
  size_t next = 0, numFiles = 0;
  llvm::SmallVector<cl::Option *> seen;
};
} // namespace

/// " (did you mean '--bench'?)", or nothing if no option is spelled alike.
std::string CommandLineCheck::getLikely(StringRef name) const {
  llvm::SmallVector<StringRef> names;
  for (auto &known : cl::getRegisteredOptions())
    if (known.second->getOptionHiddenFlag() == cl::NotHidden)
      names.push_back(known.first);
  StringRef near = findNearName(name, names);
  return near.empty() ? "" : (" (did you mean '--" + near + "'?)").str();
}

/// `arg` begins with a dash and is more than that.
llvm::Error CommandLineCheck::checkOption(StringRef arg) {
  auto [name, value] = arg.split('=');
  name = name.drop_front(name.starts_with("--") ? 2 : 1);
  bool hasValue = arg.contains('=');
  auto &known = cl::getRegisteredOptions();
  auto it = known.find(name);
  if (it == known.end() || name.empty())
    return usageError("expected an option that it has, got '" + arg + "'" +
                      getLikely(name));
  cl::Option *option = it->second;
  std::string flag = ("--" + name).str();
  bool mayRepeat = option->getNumOccurrencesFlag() == cl::ZeroOrMore ||
                   option->getNumOccurrencesFlag() == cl::OneOrMore;
  if (!mayRepeat && llvm::is_contained(seen, option))
    return usageError(flag + ": expected once, got it again" +
                      (hasValue ? " as '" + value + "'" : Twine()));
  seen.push_back(option);
  switch (option->getValueExpectedFlag()) {
  case cl::ValueDisallowed:
    if (hasValue)
      return usageError(flag + ": expected no value, got '" + value + "'");
    break;
  case cl::ValueRequired:
    // It may be the next argument, whatever that looks like.
    if (!hasValue && next == args.size())
      return usageError(flag + ": expected a value, got none");
    next += hasValue ? 0 : 1;
    break;
  case cl::ValueOptional:
    break;
  }
  return llvm::Error::success();
}

llvm::Error CommandLineCheck::checkFiles() const {
  if (numFiles < files.atLeast)
    return usageError("expected a file, got none");
  if (numFiles > files.atMost)
    return usageError(Twine("expected ") + (files.atMost ? "one" : "no") +
                      " file, got " + Twine(numFiles));
  for (auto &known : cl::getRegisteredOptions())
    if (known.second->getNumOccurrencesFlag() == cl::Required &&
        !llvm::is_contained(seen, known.second))
      return usageError("expected --" + known.first + ", got none");
  return llvm::Error::success();
}

llvm::Error CommandLineCheck::run() {
  bool onlyFiles = false;
  while (next < args.size()) {
    StringRef arg = args[next++];
    // A file of arguments, which LLVM's parser reads.
    if (arg.starts_with("@"))
      return llvm::Error::success();
    if (onlyFiles || !arg.starts_with("-") || arg == "-") {
      ++numFiles;
      continue;
    }
    if (arg == "--") {
      onlyFiles = true;
      continue;
    }
    if (llvm::Error error = checkOption(arg))
      return error;
    // Whatever else is given, that is what LLVM's parser does.
    StringRef name = arg.ltrim('-');
    if (name == "help" || name == "h" || name == "version" ||
        name == "help-hidden" || name == "help-list")
      return llvm::Error::success();
  }
  return checkFiles();
}

llvm::Error fuser::parseCommandLine(int argc, char **argv, StringRef overview,
                                    FileCount files) {
  setVersionPrinter();
  llvm::ArrayRef<char *> args(argv, argc);
  if (llvm::Error error =
          CommandLineCheck(args.drop_front(args.empty() ? 0 : 1), files).run())
    return error;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (cl::ParseCommandLineOptions(argc, argv, overview, &os))
    return llvm::Error::success();
  return usageError(StringRef(text).trim());
}

int fuser::reportError(StringRef tool, llvm::Error error) {
  int code = 0;
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &info) {
    bool isUsage = info.convertToErrorCode() ==
                   std::make_error_code(std::errc::invalid_argument);
    code = std::max(code, isUsage ? kUsageExitCode : 1);
    std::string line = (tool + ": " + info.message()).str();
    if (isUsage)
      line += ("; see '" + tool + " --help'").str();
    // At once: other ranks may write to the same standard error.
    llvm::errs() << line + "\n";
  });
  return code;
}
