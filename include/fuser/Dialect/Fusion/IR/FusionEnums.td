//===- FusionEnums.td - Enumerations of the fusion dialect -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONENUMS_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONENUMS_TD

include "fuser/Dialect/Fusion/IR/FusionDialect.td"
include "mlir/IR/EnumAttr.td"

class Fusion_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::fuser::fusion";
}

def Fusion_ReduceKind : Fusion_Enum<"ReduceKind", "what a reduction computes", [
  I32EnumAttrCase<"Sum", 0, "sum">,
  I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Min", 2, "min">,
  I32EnumAttrCase<"Mean", 3, "mean">,
  I32EnumAttrCase<"Prod", 4, "prod">,
  I32EnumAttrCase<"Any", 5, "any">,
  I32EnumAttrCase<"All", 6, "all">,
]>;
def Fusion_ReduceKindAttr : EnumAttr<Fusion_Dialect, Fusion_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "`<` custom<EnumKeyword>($value) `>`";
}

def Fusion_PadMode : Fusion_Enum<"PadMode", "what is beyond the elements of a tensor", [
  I32EnumAttrCase<"Constant", 0, "constant">,
  I32EnumAttrCase<"Replicate", 1, "replicate">,
  I32EnumAttrCase<"Reflect", 2, "reflect">,
  I32EnumAttrCase<"Circular", 3, "circular">,
]>;
def Fusion_PadModeAttr : EnumAttr<Fusion_Dialect, Fusion_PadMode, "pad_mode"> {
  let assemblyFormat = "`<` custom<EnumKeyword>($value) `>`";
}

def Fusion_CmpPredicate : Fusion_Enum<"CmpPredicate", "what a comparison asks", [
  I32EnumAttrCase<"Eq", 0, "eq">,
  I32EnumAttrCase<"Ne", 1, "ne">,
  I32EnumAttrCase<"Lt", 2, "lt">,
  I32EnumAttrCase<"Le", 3, "le">,
  I32EnumAttrCase<"Gt", 4, "gt">,
  I32EnumAttrCase<"Ge", 5, "ge">,
]>;
def Fusion_CmpPredicateAttr : EnumAttr<Fusion_Dialect, Fusion_CmpPredicate, "cmp_predicate"> {
  let assemblyFormat = "`<` custom<EnumKeyword>($value) `>`";
}

def Fusion_AliasKind : Fusion_Enum<"AliasKind", "where a result of a function lives", [
  I32EnumAttrCase<"New", 0, "new">,
  I32EnumAttrCase<"Reuse", 1, "reuse">,
  I32EnumAttrCase<"Evaluate", 2, "evaluate">,
]>;

def Fusion_Exactness : Fusion_Enum<"Exactness", "which form of an op kernels compute", [
  I32EnumAttrCase<"Exact", 0, "exact">,
  I32EnumAttrCase<"Approximate", 1, "approximate">,
  I32EnumAttrCase<"Summand", 2, "summand">,
]>;
def Fusion_ExactnessAttr : EnumAttr<Fusion_Dialect, Fusion_Exactness, "exactness"> {
  let assemblyFormat = "`<` custom<EnumKeyword>($value) `>`";
}

def Fusion_Keep : Fusion_Enum<"Keep", "where later stages of a kernel find elements", [
  I32EnumAttrCase<"Scratch", 0, "scratch">,
  I32EnumAttrCase<"Result", 1, "result">,
]>;
def Fusion_KeepAttr : EnumAttr<Fusion_Dialect, Fusion_Keep, "keep"> {
  let assemblyFormat = "`<` custom<EnumKeyword>($value) `>`";
}

#endif // FUSER_DIALECT_FUSION_IR_FUSIONENUMS_TD
