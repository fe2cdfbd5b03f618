/*===- host_faults.h - What host_faults.c can be told ---------------------===*\
|*
|* Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef HOST_FAULTS_H
#define HOST_FAULTS_H

enum {
  FaultNone,
  FaultMissingOutput,
  FaultMessage,
  FaultSilent,
  FaultFreesForeign,
  FaultFreesTwice,
  FaultOutputTwice,
  FaultNoSuchOutput,
  FaultNoSuchKernel,
  FaultNoSuchStream,
  FaultForeignStream,
  FaultNegativeAlloc,
  FaultAlloc,
  FaultHidden,
  FaultViewOfNoInput,
  FaultNegativeCopy,
};

#endif
