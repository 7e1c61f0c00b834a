# What does `cmake --install` put where? The library, its headers, the CMake package floe::floe and floe.pc. The program is
# installed by apps/cli.

if(NOT FLOE_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

# Components are packages of Debian: floe_cpack.cmake.
install(TARGETS floe EXPORT floe_targets LIBRARY COMPONENT library NAMELINK_COMPONENT development ARCHIVE COMPONENT development)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
set(floe_needs_cuda NO)
if(FLOE_CUDA)
  install(TARGETS floe_cuda EXPORT floe_targets)
  set(floe_needs_cuda YES)
endif()
install(DIRECTORY include/floe TYPE INCLUDE)
install(FILES LICENSE TYPE DOC)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/floe)
install(EXPORT floe_targets NAMESPACE floe:: DESTINATION ${package_folder})
if(FLOE_MPI)
  install(EXPORT floe_mpi_targets NAMESPACE floe:: DESTINATION ${package_folder} COMPONENT mpi_development)
endif()
configure_package_config_file(cmake/floe-config.cmake.in floe-config.cmake INSTALL_DESTINATION ${package_folder})
# Before version 1.0 a new minor version may change the interface.
write_basic_package_version_file(floe-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/floe-config.cmake ${PROJECT_BINARY_DIR}/floe-config-version.cmake DESTINATION ${package_folder})

# floe.pc finds its prefix from where it lies, so that an installed tree can be moved. A C program that links the static library
# must be told of the C++ library; the shared library knows it.
set(pc_folder ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_prefix ${pc_folder} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
set(pc_name floe)
set(pc_description "${PROJECT_DESCRIPTION}")
set(pc_requires "")
set(pc_libraries "-lfloe")
if(NOT BUILD_SHARED_LIBS)
  string(APPEND pc_libraries " -lstdc++ -lm -pthread")
endif()
configure_file(cmake/floe.pc.in floe.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/floe.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(FLOE_MPI)
  set(pc_name floe-mpi)
  set(pc_description "Arrays of the ranks of MPI programs in one file")
  set(pc_requires floe)
  set(pc_libraries "-lfloe_mpi")
  configure_file(cmake/floe.pc.in floe-mpi.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/floe-mpi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT mpi_development)
endif()
unset(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME)

if(PROJECT_IS_TOP_LEVEL)
  include(cmake/floe_cpack.cmake)
endif()
