//===- Scalars.h - Scalar inputs ------------------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_SCALARS_H
#define FUSER_RT_SCALARS_H

#include "fuser_rt/Program.h"
#include "fuser_rt/fuser_rt.h"

namespace fuser_rt {

/// The 8-byte slot of a scalar, as host_abi.h says: integers sign-extended,
/// floats as the bits of the declared type in the low bytes, rounded to nearest
/// even once. A float for an integer, or an integer out of the type's range, is
/// an error.
FuserStatus *convertScalar(const ScalarSpec &spec, size_t index,
                           const FuserScalar &scalar, int64_t &slot);

} // namespace fuser_rt

#endif // FUSER_RT_SCALARS_H
