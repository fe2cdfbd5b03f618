//===- Jumps.td - Where ops jump -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_REFERENCE_JUMPS_TD
#define FUSER_REFERENCE_JUMPS_TD

include "mlir/IR/OpBase.td"

def JumpOpInterface : OpInterface<"JumpOpInterface"> {
  let cppNamespace = "::fuser";
  let description = [{
    An elementwise op that jumps, or is not defined, somewhere. `fuser-run --check` bounds the error that operands' errors
    make by what the op gives at the ends of the operands' ranges, which does not show what happens between them. Ops
    without this interface do not jump: `registerJumps` attaches it to those of the fusion dialect that do, ops of other
    dialects bring it.
  }];
  let methods = [
    InterfaceMethod<[{
        Where, for the operands' elements and how far they may be off (`ctx`), the result may be on another side of a
        jump, and how far from the reference's result it may be there.
      }],
      "::fuser::Jump", "emitJump", (ins "::fuser::JumpContext &":$ctx)>,
  ];
}

#endif // FUSER_REFERENCE_JUMPS_TD
