//===- Status.cpp - Errors of the runtime ---------------------------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Status.h"

#include <cstdarg>
#include <cstdio>

using namespace fuser_rt;

static std::string vformat(const char *text, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(nullptr, 0, text, again);
  va_end(again);
  if (length <= 0)
    return {};
  std::string result(static_cast<size_t>(length), '\0');
  vsnprintf(result.data(), result.size() + 1, text, arguments);
  return result;
}

std::string fuser_rt::format(const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  std::string result = vformat(text, arguments);
  va_end(arguments);
  return result;
}

FuserStatus *fuser_rt::makeError(FuserStatusCode code, const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  std::string message = vformat(text, arguments);
  va_end(arguments);
  return new FuserStatus{code, std::move(message)};
}

FuserStatus *fuser_rt::makeError(FuserStatusCode code, std::string message) {
  return new FuserStatus{code, std::move(message)};
}

extern "C" {

FuserStatusCode fuser_status_code(const FuserStatus *status) {
  return status ? status->code : FUSER_OK;
}

const char *fuser_status_message(const FuserStatus *status) {
  return status ? status->message.c_str() : "";
}

void fuser_status_destroy(FuserStatus *status) { delete status; }

FuserStatus *fuser_status_create(FuserStatusCode code, const char *message) {
  // A status object always means failure: success is null.
  if (code == FUSER_OK)
    return nullptr;
  return new FuserStatus{code, message ? message : ""};
}

} // extern "C"
