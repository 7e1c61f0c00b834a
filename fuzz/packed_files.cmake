# Which sources of the program do packed_fuzz and tensors_fuzz call? Its readers of packed files and of safetensors files.
include(${PROJECT_SOURCE_DIR}/cmake/floe_rapidjson.cmake)
function(floe_add_packed_files target)
  set(program ${PROJECT_SOURCE_DIR}/apps/cli)
  foreach(source IN ITEMS base/failure base/text frames/frame_restorer frames/throwing_sink input/array_description input/byte_order input/foreign_file
                          input/input_file input/npy_header input/unpacker input/zip_members tensors/header tensors/header_collector
                          tensors/header_reader tensors/header_text tensors/packed_tensors tensors/tensor_file tensors/tensor_restorer)
    target_sources(${target} PRIVATE ${program}/${source}.cpp)
  endforeach()
  target_include_directories(${target} PUBLIC ${program})
  target_link_libraries(${target} PUBLIC fmt::fmt ZLIB::ZLIB floe_rapidjson)
endfunction()
