# What ships: one shared library with all of the compiler and the LLVM that it uses, and the tools as small programs over it.
# The objects are those of the development build; only these links differ. Nothing but libc is needed where they run.

find_package(Threads REQUIRED)
add_custom_target(fuser-release)

# The static MLIR, LLVM and LLD. Their CMake targets would pull in the shared ones, so: by path.
function(fuser_static_llvm out)
  set(dir ${LLVM_LIBRARY_DIR})
  file(GLOB archives ${dir}/libMLIR*.a ${dir}/libLLVM*.a)
  list(FILTER archives EXCLUDE REGEX "/lib(MLIR(Test|CAPI)|LLVM(Test|Exegesis|MCA|Debuginfod|WindowsManifest|lib))")
  set(${out} ${archives} ${dir}/liblldELF.a ${dir}/liblldCommon.a PARENT_SCOPE)
endfunction()

function(fuser_release_options target)
  target_link_options(${target} PRIVATE -fuse-ld=lld -static-libstdc++ -static-libgcc
    -Wl,--gc-sections -Wl,--as-needed -Wl,-O2 -s)
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX
    BUILD_RPATH_USE_ORIGIN ON
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/release/bin
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/release/lib)
  add_dependencies(fuser-release ${target})
endfunction()

# fuser_release_program(target folder libraries...): the program `target` again, with these libraries.
function(fuser_release_program target folder)
  add_executable(${target}-release EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${target}>)
  fuser_release_options(${target}-release)
  set_target_properties(${target}-release PROPERTIES
    OUTPUT_NAME ${target} BUILD_RPATH "$ORIGIN/../lib"
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/release/${folder})
  target_link_libraries(${target}-release PRIVATE ${ARGN})
endfunction()

set(exports ${PROJECT_SOURCE_DIR}/cmake/Release.exports)
get_property(libs GLOBAL PROPERTY FUSER_LIBS)
list(APPEND libs FuserRuntime)
list(TRANSFORM libs REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
fuser_static_llvm(archives)
add_library(FuserCompiler SHARED EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/Release.cpp)
fuser_compile_options(FuserCompiler)
fuser_release_options(FuserCompiler)
add_dependencies(FuserCompiler ${libs})
# Where fuser-run, whose code is in here, opens libfuser_rt_mpi.so.
set_target_properties(FuserCompiler PROPERTIES BUILD_RPATH "$ORIGIN")
target_link_options(FuserCompiler PRIVATE -Wl,--version-script=${exports} -Wl,--no-undefined)
target_link_libraries(FuserCompiler PRIVATE
  -Wl,--whole-archive ${files} -Wl,--no-whole-archive
  -Wl,--start-group ${archives} -Wl,--end-group
  -l:libz.a -l:libzstd.a Boost::context Threads::Threads ${CMAKE_DL_LIBS})
set_property(TARGET FuserCompiler APPEND PROPERTY LINK_DEPENDS ${exports})

foreach(tool fuser-opt fuser-translate fuser-run fuser-fuzz fuser-reduce fuser-lsp-server)
  if(TARGET ${tool})
    fuser_release_program(${tool} bin FuserCompiler)
  endif()
endforeach()

# The runtime alone, for programs that only run what was compiled.
add_library(fuser_rt-release SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:fuser_rt_objs>)
fuser_release_options(fuser_rt-release)
set_target_properties(fuser_rt-release PROPERTIES OUTPUT_NAME fuser_rt)
target_link_options(fuser_rt-release PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/runtime/fuser_rt.map)
target_link_libraries(fuser_rt-release PRIVATE Boost::context Threads::Threads ${CMAKE_DL_LIBS})

# Communications by MPI, which fuser-run and programs open: the one library that needs more than libc, the MPI that was found.
if(TARGET fuser_rt_mpi)
  add_library(fuser_rt_mpi-release SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:fuser_rt_mpi>)
  fuser_release_options(fuser_rt_mpi-release)
  set_target_properties(fuser_rt_mpi-release PROPERTIES OUTPUT_NAME fuser_rt_mpi SKIP_BUILD_RPATH ON)
  target_link_options(fuser_rt_mpi-release PRIVATE
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/runtime/mpi/fuser_rt_mpi.map)
  target_link_libraries(fuser_rt_mpi-release PRIVATE
    FuserRuntime MPI::MPI_C Threads::Threads ${CMAKE_DL_LIBS})
endif()

# Programs over the runtime: its unit tests, and benchmarks.
get_property(folders DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTY SUBDIRECTORIES)
get_property(runtime_folders DIRECTORY ${PROJECT_SOURCE_DIR}/runtime PROPERTY SUBDIRECTORIES)
list(APPEND folders ${runtime_folders})
foreach(folder runtime/test benchmarks)
  if(${PROJECT_SOURCE_DIR}/${folder} IN_LIST folders)
    get_property(targets DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target ${targets})
      get_target_property(type ${target} TYPE)
      if(type STREQUAL "EXECUTABLE")
        get_target_property(linked ${target} LINK_LIBRARIES)
        fuser_release_program(${target} ${folder} ${linked})
      endif()
    endforeach()
  endif()
endforeach()

if(TARGET fuser-python)
  add_library(fuser-python-release MODULE EXCLUDE_FROM_ALL $<TARGET_OBJECTS:fuser-python>)
  fuser_release_options(fuser-python-release)
  set_target_properties(fuser-python-release PROPERTIES
    OUTPUT_NAME _fuser PREFIX "" SUFFIX .abi3.so BUILD_RPATH "$ORIGIN;$ORIGIN/../../lib"
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/release/python/fuser)
  target_link_options(fuser-python-release PRIVATE
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/python-bindings/extension.map)
  target_link_libraries(fuser-python-release PRIVATE FuserCompiler)
endif()
