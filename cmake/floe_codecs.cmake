# Reads src/chunks/codecs/codecs.def and writes, into the build folder, one translation unit per codec, so that they build in parallel,
# and the header that registry.cpp includes. Runs again when the list changes; refuses a codec without its format page.

function(floe_generate_codecs out_sources)
  set(list ${PROJECT_SOURCE_DIR}/src/chunks/codecs/codecs.def)
  set(folder ${PROJECT_BINARY_DIR}/generated/chunks/registry)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} lines REGEX "^FLOE_CODEC")
  set(sources)
  set(header "// Generated from src/chunks/codecs/codecs.def.\n#pragma once\n\n#include \"chunks/codecs/codecs.hpp\"\n#include \"chunks/registry/codec_entry.hpp\"\n")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^FLOE_CODEC\\(([A-Za-z0-9_]+), ([a-z0-9_]+)\\)$")
      message(FATAL_ERROR "codecs.def: cannot read the line '${line}'")
    endif()
    set(codec ${CMAKE_MATCH_1})
    set(page ${CMAKE_MATCH_2})
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/docs/format/codecs/${page}.md)
      message(FATAL_ERROR "codec ${codec} has no format page docs/format/codecs/${page}.md")
    endif()
    string(APPEND header "namespace floe::registry { CodecEntry entry_${codec}(); }\n")
    file(CONFIGURE OUTPUT ${folder}/${codec}.cpp @ONLY CONTENT
"// Generated from src/chunks/codecs/codecs.def.
#include \"chunks/registry/make_entry.hpp\"

namespace floe::registry {
CodecEntry entry_@codec@();
CodecEntry entry_@codec@() { return make_entry<chunk_codecs::@codec@>(); }
}
")
    list(APPEND sources ${folder}/${codec}.cpp)
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/codec_includes.hpp @ONLY CONTENT "${header}")
  set(${out_sources} ${sources} PARENT_SCOPE)
endfunction()
