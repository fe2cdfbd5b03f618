//===- ScaleLayouts.h - Scales of blocks as tensor cores read them --*- C++
//-*-//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_LIB_FRONTEND_COMPOSITES_SCALELAYOUTS_H
#define FUSER_LIB_FRONTEND_COMPOSITES_SCALELAYOUTS_H

#include "../Term.h"

namespace fuser::frontend {

/// How many elements have a scale of this type in common where nothing else is
/// said.
inline int64_t getBlockSize(Type scale) {
  return isa<Float8E4M3FNType>(scale) ? 16 : 32;
}

/// The first `rows` x `columns` scales of tiles, which are a tensor of
/// ... x 128 r x 4 c; null after a diagnostic.
Term unswizzleScales(const Term &tiles, OpFoldResult rows,
                     OpFoldResult columns);

/// Of each number along a dimension of size `size` how many of `bounds`, one
/// dimension of integers in ascending order, are not greater; of i64.
Term countBounds(const Term &bounds, OpFoldResult size);

/// `rows` rows in groups that begin at `starts`, of a tensor in which they
/// begin at `paddedStarts`. Rows before the first group are 0.
Term unpadGroups(const Term &padded, const Term &starts,
                 const Term &paddedStarts, OpFoldResult rows);

/// The next operand, one dimension of i32 or i64 that are `what`; as i64.
FailureOr<Term> takeOffsets(Emitter &e, StringRef what);

} // namespace fuser::frontend

#endif // FUSER_LIB_FRONTEND_COMPOSITES_SCALELAYOUTS_H
