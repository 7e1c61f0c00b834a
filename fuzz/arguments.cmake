# Which sources of the program does program_fuzz call? Those that take arguments apart; what reads headers of NumPy is in packed_files.cmake.
find_package(CLI11 REQUIRED)
function(floe_add_arguments target)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/cli/arguments/*.cpp)
  target_sources(${target} PRIVATE ${sources})
  target_link_libraries(${target} PUBLIC CLI11::CLI11)
endfunction()
