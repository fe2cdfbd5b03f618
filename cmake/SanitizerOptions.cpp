//===- SanitizerOptions.cpp - What sanitizers do in our tools -------------===//
//
// Part of fuser, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked into every tool of a build with FUSER_SANITIZE. The environment's
// ASAN_OPTIONS come after these.
//
//===----------------------------------------------------------------------===//

// Names that the sanitizers' runtime looks for.
// NOLINTBEGIN(readability-identifier-naming)

/// allow_user_poisoning: LLVM's allocators poison what they have not given
/// out, in our objects only: the packages' LLVM gives memory out of the same
/// allocators without taking that back.
///
/// malloc_fill_byte: the packages' MLIR has no statistics of passes and leaves
/// ours, in the objects of passes, as they are. They are only counted up, but
/// one of their bytes is a bool.
///
/// detect_stack_use_after_return: it moves frames to the heap, and takes those
/// of a suspended fiber of the simulator for frames that are gone.
///
/// allocator_may_return_null: what cannot be allocated is an error of the
/// runtime's, which the tests ask for.
extern "C" __attribute__((visibility("default"), used)) const char *
__asan_default_options() {
  return "allow_user_poisoning=0:malloc_fill_byte=0:"
         "detect_stack_use_after_return=0:allocator_may_return_null=1";
}

extern "C" __attribute__((visibility("default"), used)) const char *
__ubsan_default_options() {
  return "print_stacktrace=1";
}

// NOLINTEND(readability-identifier-naming)
