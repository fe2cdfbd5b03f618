//===- OwnCode.cpp - clang-tidy looks at our own code only ----------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plugin of clang-tidy, which scripts/lint builds and loads. Checks look at
// everything that a file includes, and what they find in headers of others is
// dropped. Most of a file is MLIR's headers, from a precompiled header, whose
// declarations would all be read for that. This "check" finds nothing: it
// narrows what the others look at, as clangd does, to declarations that are
// neither of the precompiled header nor of a system header.
//
//===----------------------------------------------------------------------===//

#include "clang-tidy/ClangTidyCheck.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang/AST/ASTContext.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;
using namespace clang::tidy;

namespace {
class OwnCodeCheck : public ClangTidyCheck {
public:
  using ClangTidyCheck::ClangTidyCheck;

  void registerPPCallbacks(const SourceManager &, Preprocessor *pp,
                           Preprocessor *) override {
    preprocessor = pp;
  }

  /// What has a matcher is told that matching begins.
  void registerMatchers(ast_matchers::MatchFinder *finder) override {
    finder->addMatcher(ast_matchers::translationUnitDecl(), this);
  }

  void onStartOfTranslationUnit() override {
    // The loader of modules is the compiler itself.
    auto &compiler =
        static_cast<CompilerInstance &>(preprocessor->getModuleLoader());
    ASTContext &context = compiler.getASTContext();
    const SourceManager &sources = context.getSourceManager();
    std::vector<Decl *> own;
    for (Decl *decl : context.getTranslationUnitDecl()->noload_decls())
      if (!decl->isFromASTFile() &&
          !sources.isInSystemHeader(decl->getLocation()))
        own.push_back(decl);
    context.setTraversalScope(own);
  }

private:
  Preprocessor *preprocessor = nullptr;
};

class OwnCodeModule : public ClangTidyModule {
public:
  void addCheckFactories(ClangTidyCheckFactories &factories) override {
    factories.registerCheck<OwnCodeCheck>("fuser-own-code");
  }
};
} // namespace

static ClangTidyModuleRegistry::Add<OwnCodeModule>
    registration("fuser-module", "Looks at our own code only.");
