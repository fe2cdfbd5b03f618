//===- Status.h - Errors of the runtime -----------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSER_RT_STATUS_H
#define FUSER_RT_STATUS_H

#include "fuser_rt/fuser_rt.h"

#include <new>
#include <string>
#include <system_error>
#include <utility>

struct FuserStatus {
  FuserStatusCode code;
  std::string message;
};

namespace fuser_rt {

/// A printf into a string.
std::string format(const char *text, ...) __attribute__((format(printf, 1, 2)));

/// A new status with a printf-formatted message. Never null.
FuserStatus *makeError(FuserStatusCode code, const char *text, ...)
    __attribute__((format(printf, 2, 3), cold));

/// The same with a message that is ready.
FuserStatus *makeError(FuserStatusCode code, std::string message);

/// Runs `body`, which returns a status, and turns what it throws into one: no
/// exception leaves the C ABI. Costs nothing on success.
template <typename Body>
FuserStatus *guarded(Body &&body) {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc &) {
    return makeError(FUSER_OUT_OF_MEMORY, "out of host memory");
  } catch (const std::exception &error) {
    return makeError(FUSER_INTERNAL, "%s", error.what());
  }
}

} // namespace fuser_rt

/// Returns from the function with the status of `call`, unless it is success.
#define FUSER_RETURN_IF_ERROR(call)                                            \
  do {                                                                         \
    if (FuserStatus *fuserStatus = (call))                                     \
      return fuserStatus;                                                      \
  } while (false)

#endif // FUSER_RT_STATUS_H
