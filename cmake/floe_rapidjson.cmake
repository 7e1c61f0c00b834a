# Where is RapidJSON, which the program reads headers of safetensors files with? The target floe_rapidjson. Its own CMake files differ
# from version to version, and it is nothing but headers.
if(TARGET floe_rapidjson)
  return()
endif()
find_path(FLOE_RAPIDJSON_INCLUDE_DIR rapidjson/reader.h)
if(NOT FLOE_RAPIDJSON_INCLUDE_DIR)
  message(FATAL_ERROR "The program floe needs RapidJSON (rapidjson-dev on Debian, rapidjson of Spack and conda-forge); -DFLOE_PROGRAM=OFF builds the library alone.")
endif()
add_library(floe_rapidjson INTERFACE)
target_include_directories(floe_rapidjson SYSTEM INTERFACE ${FLOE_RAPIDJSON_INCLUDE_DIR})
