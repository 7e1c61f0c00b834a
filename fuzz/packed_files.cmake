# Which sources of the program does packed_fuzz call? Its readers of packed files.
function(floe_add_packed_files target)
  set(program ${PROJECT_SOURCE_DIR}/apps/cli)
  foreach(source IN ITEMS base/failure base/text input/array_description input/input_file input/npy_header input/unpacker input/zip_members)
    target_sources(${target} PRIVATE ${program}/${source}.cpp)
  endforeach()
  target_include_directories(${target} PRIVATE ${program})
  target_link_libraries(${target} PRIVATE fmt::fmt ZLIB::ZLIB)
endfunction()
