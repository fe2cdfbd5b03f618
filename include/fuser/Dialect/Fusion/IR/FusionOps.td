//===- FusionOps.td - All ops of the fusion dialect -*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_FUSION_IR_FUSIONOPS_TD
#define FUSER_DIALECT_FUSION_IR_FUSIONOPS_TD

include "fuser/Dialect/Fusion/IR/FusionComplexOps.td"
include "fuser/Dialect/Fusion/IR/FusionContractionOps.td"
include "fuser/Dialect/Fusion/IR/FusionElementwiseOps.td"
include "fuser/Dialect/Fusion/IR/FusionFactoryOps.td"
include "fuser/Dialect/Fusion/IR/FusionFibreOps.td"
include "fuser/Dialect/Fusion/IR/FusionGatherOps.td"
include "fuser/Dialect/Fusion/IR/FusionIndexMapOps.td"
include "fuser/Dialect/Fusion/IR/FusionMathOps.td"
include "fuser/Dialect/Fusion/IR/FusionReductionOps.td"
include "fuser/Dialect/Fusion/IR/FusionSegmentOps.td"

#endif // FUSER_DIALECT_FUSION_IR_FUSIONOPS_TD
