//===- HostOps.td - All ops of the host dialect, one file a family --*- tablegen -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_DIALECT_HOST_IR_HOSTOPS_TD
#define FUSER_DIALECT_HOST_IR_HOSTOPS_TD

include "fuser/Dialect/Host/IR/HostAttrs.td"
include "fuser/Dialect/Host/IR/HostBufferOps.td"
include "fuser/Dialect/Host/IR/HostCommOps.td"
include "fuser/Dialect/Host/IR/HostKernelOps.td"
include "fuser/Dialect/Host/IR/HostStreamOps.td"
include "fuser/Dialect/Host/IR/HostTensorOps.td"

#endif // FUSER_DIALECT_HOST_IR_HOSTOPS_TD
