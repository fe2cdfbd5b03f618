//===- SizeChecks.td - What sizes must obey at run time -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_ANALYSIS_SIZECHECKS_TD
#define FUSER_ANALYSIS_SIZECHECKS_TD

include "mlir/IR/OpBase.td"

def SizeCheckOpInterface : OpInterface<"SizeCheckOpInterface"> {
  let cppNamespace = "::fuser";
  let description = [{
    An op that asks more of its sizes and scalars than its types say (the element counts of a reshape, the bounds
    of a slice). What must be equal for elementwise ops is known without it: see ShapeSymbols.
  }];
  let methods = [
    InterfaceMethod<[{
        Emits the conditions that must hold, and calls `check` for each that is not known to hold.
      }],
      "void", "emitSizeChecks",
      (ins "::fuser::fusion::EmitContext &":$ctx, "::fuser::SizeCheckFn":$check)>,
  ];
}

#endif // FUSER_ANALYSIS_SIZECHECKS_TD
