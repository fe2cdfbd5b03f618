# What `cmake --install` installs: the CMake package Fuser (headers, static libraries), the runtime and the tools.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# The libraries are the imported targets Fuser::Fusion (from FuserFusion), Fuser::FusionTransforms...
get_property(libs GLOBAL PROPERTY FUSER_LIBS)
foreach(lib ${libs} FuserLLD)
  string(REGEX REPLACE "^Fuser" "" exported ${lib})
  set_target_properties(${lib} PROPERTIES EXPORT_NAME ${exported})
endforeach()
set_target_properties(FuserRuntime PROPERTIES EXPORT_NAME Runtime)
set_target_properties(fuser_rt PROPERTIES EXPORT_NAME RuntimeShared)
# Communications by MPI: the component RuntimeMpi, where MPI was found.
set(mpi_lib)
set(without_mpi PATTERN "fuser_rt/mpi.h" EXCLUDE)
if(TARGET fuser_rt_mpi)
  set(mpi_lib fuser_rt_mpi)
  set(without_mpi)
  set_target_properties(fuser_rt_mpi PROPERTIES
    EXPORT_NAME RuntimeMpi INSTALL_RPATH_USE_LINK_PATH ON)
endif()
install(TARGETS ${libs} FuserLLD FuserRuntime fuser_rt ${mpi_lib}
  EXPORT FuserTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(tools fuser-opt fuser-translate fuser-run fuser-fuzz fuser-reduce fuser-lsp-server)
# The tools of a development build use the shared MLIR of the packages: where they were linked, it is found.
set_target_properties(${tools} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
# fuser-run opens libfuser_rt_mpi.so.
set_target_properties(fuser-run PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(TARGETS ${tools} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ ${PROJECT_SOURCE_DIR}/runtime/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" ${without_mpi})
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.inc")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Fuser)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/FuserConfig.cmake.in
  ${PROJECT_BINARY_DIR}/FuserConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/FuserConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/FuserConfig.cmake
  ${PROJECT_BINARY_DIR}/FuserConfigVersion.cmake
  DESTINATION ${package_dir})
install(EXPORT FuserTargets NAMESPACE Fuser:: DESTINATION ${package_dir})
