# Sanitizers in the compiler (FUSER_SANITIZE=ON) and counters of coverage for libFuzzer (FUSER_LIBFUZZER): the preset `sanitize`.
# The runtime adds its own flags for FUSER_SANITIZE. MLIR and LLVM are the packages', without instrumentation.

option(FUSER_LIBFUZZER "Build the fuzzers of test/LibFuzzer, by clang with its runtime libraries" OFF)

set(FUSER_SANITIZE_FLAGS)
if(FUSER_SANITIZE AND NOT FUSER_SANITIZE STREQUAL "THREAD")
  list(APPEND FUSER_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  # This check reads what clang puts before a function, which LLVM's functions and those of compiled programs lack.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    list(APPEND FUSER_SANITIZE_FLAGS -fno-sanitize=function)
  endif()
endif()
if(FUSER_LIBFUZZER)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "FUSER_LIBFUZZER: expected clang, got ${CMAKE_CXX_COMPILER_ID}")
  endif()
  # Everything but the fuzzers has a main of its own.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
endif()
