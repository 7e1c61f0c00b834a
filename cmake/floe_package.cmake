# What does `cmake --install` put where? The library, its headers, the CMake package floe::floe and floe.pc. The program is
# installed by apps/cli.

option(FLOE_INSTALL "Make install rules" ${PROJECT_IS_TOP_LEVEL})
if(NOT FLOE_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

install(TARGETS floe EXPORT floe_targets)
set(floe_needs_cuda NO)
if(FLOE_CUDA)
  install(TARGETS floe_cuda EXPORT floe_targets)
  set(floe_needs_cuda YES)
endif()
install(DIRECTORY include/floe TYPE INCLUDE)
install(FILES LICENSE TYPE DOC)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/floe)
install(EXPORT floe_targets NAMESPACE floe:: DESTINATION ${package_folder})
configure_package_config_file(cmake/floe-config.cmake.in floe-config.cmake INSTALL_DESTINATION ${package_folder})
# Before version 1.0 a new minor version may change the interface.
write_basic_package_version_file(floe-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/floe-config.cmake ${PROJECT_BINARY_DIR}/floe-config-version.cmake DESTINATION ${package_folder})

# floe.pc finds its prefix from where it lies, so that an installed tree can be moved. A C program that links the static library
# must be told of the C++ library; the shared library knows it.
set(pc_folder ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_prefix ${pc_folder} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
set(pc_libraries "-lfloe")
if(NOT BUILD_SHARED_LIBS)
  string(APPEND pc_libraries " -lstdc++ -lm -pthread")
endif()
configure_file(cmake/floe.pc.in floe.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/floe.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
