//===- Places.h - Where errors say that an op stands ------------*- C++ -*-===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_SUPPORT_PLACES_H
#define FUSER_SUPPORT_PLACES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace fuser {

/// Where an op stands in the user's file, "FILE:LINE:COLUMN: ", as errors
/// begin, without what is not known of it.
std::string describePlace(mlir::Location loc);

/// That of what the op `name` of builders or of a text is made of, such as a
/// layer_norm: an error of a call says what the user has written.
mlir::Location addRequest(mlir::Location loc, llvm::StringRef name);
/// That of an op of which an operand is what a reduction has left, without the
/// dimensions that it might have kept.
mlir::Location addReduced(mlir::Location loc);
/// How errors of calls begin that are those of an op: "fusion.mul", or
/// "'layer_norm'" where it is part of that request, and what addReduced() has
/// noted.
std::string nameOp(mlir::Operation *op);
/// Where it is, and the request, if there is one, with what addReduced() has
/// noted.
std::string describeRequest(mlir::Location loc);

/// The location of an argument whose type says dimension `dim` because an op at
/// `user` needs that size: the type does not say why, and a location is no part
/// of a program's text, by which equal programs are found.
mlir::Location addSizeUser(mlir::Location argument, int64_t dim,
                           mlir::Location user);
/// The place of that op; unknown if no op needs it.
mlir::Location findSizeUser(mlir::Location argument, int64_t dim);

} // namespace fuser

#endif // FUSER_SUPPORT_PLACES_H
