//===- HalfLibrary.cpp - f16 for processors without it --------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalfLibrary.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

// Subnormals come out of arithmetic whose last place is theirs: 2^-24 is that
// of numbers from 0.5 on.
static constexpr llvm::StringLiteral kSingles = R"(
define hidden float @__extendhfsf2(half %h) nounwind {
  %bits16 = bitcast half %h to i16
  %bits = zext i16 %bits16 to i32
  %signbit = and i32 %bits, 32768
  %sign = shl i32 %signbit, 16
  %size = and i32 %bits, 32767
  %shifted = shl i32 %size, 13
  %normal = add i32 %shifted, 939524096
  %special = or i32 %shifted, 2139095040
  %isnan = icmp ugt i32 %size, 31744
  %quiet = select i1 %isnan, i32 4194304, i32 0
  %nan = or i32 %special, %quiet
  %count = uitofp i32 %size to float
  %tiny = fmul float %count, 0x3E70000000000000
  %subnormal = bitcast float %tiny to i32
  %isspecial = icmp uge i32 %size, 31744
  %issubnormal = icmp ult i32 %size, 1024
  %finite = select i1 %issubnormal, i32 %subnormal, i32 %normal
  %magnitude = select i1 %isspecial, i32 %nan, i32 %finite
  %result = or i32 %magnitude, %sign
  %float = bitcast i32 %result to float
  ret float %float
}

define hidden half @__truncsfhf2(float %f) nounwind {
  %bits = bitcast float %f to i32
  %high = lshr i32 %bits, 16
  %sign = and i32 %high, 32768
  %size = and i32 %bits, 2147483647
  %shifted = lshr i32 %size, 13
  %odd = and i32 %shifted, 1
  %rebased = add i32 %size, -939520001
  %rounded = add i32 %rebased, %odd
  %normal = lshr i32 %rounded, 13
  %magnitude = bitcast i32 %size to float
  %placed = fadd float %magnitude, 5.000000e-01
  %placedbits = bitcast float %placed to i32
  %subnormal = sub i32 %placedbits, 1056964608
  %issubnormal = icmp ult i32 %size, 947912704
  %finite = select i1 %issubnormal, i32 %subnormal, i32 %normal
  %overflows = icmp uge i32 %size, 1199566848
  %number = select i1 %overflows, i32 31744, i32 %finite
  %payload = and i32 %shifted, 1023
  %nan = or i32 %payload, 32256
  %isnan = icmp ugt i32 %size, 2139095040
  %encoded = select i1 %isnan, i32 %nan, i32 %number
  %result = or i32 %encoded, %sign
  %result16 = trunc i32 %result to i16
  %half = bitcast i16 %result16 to half
  ret half %half
}

)";

// f64 goes through f32 rounded to odd, so that what is rounded twice is rounded
// once.
static constexpr llvm::StringLiteral kDoubles = R"(
define hidden half @__truncdfhf2(double %d) nounwind {
  %near = fptrunc double %d to float
  %back = fpext float %near to double
  %bits = bitcast float %near to i32
  %backsize = call double @llvm.fabs.f64(double %back)
  %size = call double @llvm.fabs.f64(double %d)
  %above = fcmp ogt double %backsize, %size
  %step = zext i1 %above to i32
  %below = sub i32 %bits, %step
  %odd = or i32 %below, 1
  %inexact = fcmp one double %back, %d
  %chosen = select i1 %inexact, i32 %odd, i32 %bits
  %float = bitcast i32 %chosen to float
  %half = fptrunc float %float to half
  ret half %half
}

declare double @llvm.fabs.f64(double)

)";

// Nothing calls them until code generation.
static constexpr llvm::StringLiteral kAllUsed = R"(
@llvm.compiler.used = appending global [3 x ptr]
  [ptr @__extendhfsf2, ptr @__truncsfhf2, ptr @__truncdfhf2], section "llvm.metadata"
)";
static constexpr llvm::StringLiteral kDoublesUsed = R"(
@llvm.compiler.used = appending global [1 x ptr] [ptr @__truncdfhf2], section "llvm.metadata"
)";

llvm::Error fuser::addHalfLibrary(llvm::Module &module, bool hasF16c) {
  std::string text = hasF16c
                         ? (kDoubles + kDoublesUsed).str()
                         : (kSingles + llvm::Twine(kDoubles) + kAllUsed).str();
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> library =
      llvm::parseAssemblyString(text, diagnostic, module.getContext());
  if (!library)
    return llvm::createStringError("the f16 library: " +
                                   diagnostic.getMessage());
  // Several objects of a program may have it: one is kept.
  for (llvm::Function &function : *library)
    if (!function.isDeclaration() && function.hasExternalLinkage())
      function.setLinkage(llvm::GlobalValue::WeakODRLinkage);
  library->setDataLayout(module.getDataLayout());
  library->setTargetTriple(module.getTargetTriple());
  if (llvm::Linker::linkModules(module, std::move(library)))
    return llvm::createStringError("the f16 library cannot be linked");
  return llvm::Error::success();
}
