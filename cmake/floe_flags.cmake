# Compiler settings of every target of the project. Nothing of it reaches a project that uses the installed package.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
if(NOT DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(FLOE_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined or thread")
option(FLOE_SANITIZE_MESSAGES "Have undefined behaviour described, where else a trap ends the program" OFF)
if(FLOE_SANITIZE)
  # A null pointer stops the program in any case; looking for it, and for wrong virtual tables, makes up a fifth of the time of a build.
  add_compile_options(-fsanitize=${FLOE_SANITIZE} -fno-sanitize=null,vptr -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Messages say what was undefined, and with which numbers. They take a tenth of the compiler's time, and fifteen megabytes of the
  # program, through which every search for leaks goes. A trap ends a test as they do, and AddressSanitizer says where it was.
  if(FLOE_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT FLOE_SANITIZE_MESSAGES)
    add_compile_options(-fsanitize-undefined-trap-on-error)
  endif()
  # Programs begin sooner where they need not be relocated: the notes of sanitizers have hundreds of thousands of addresses.
  add_link_options(-fsanitize=${FLOE_SANITIZE} $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()

option(FLOE_COUNT "Count which lines and branches run, in counts/ of the build folder, for tools/coverage.py (clang only)" OFF)
if(FLOE_COUNT)
  add_compile_options(-fprofile-instr-generate=${PROJECT_BINARY_DIR}/counts/%m.profraw -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()

# Where LLVM's linker is, it takes a fifth of the time for what sanitizers and counters add to programs of tests.
if(FLOE_SANITIZE OR FLOE_COUNT)
  find_program(FLOE_LLD ld.lld)
  mark_as_advanced(FLOE_LLD)
  if(FLOE_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
endif()

# Not for debuggers: there, one source after the other changes.
if(FLOE_COUNT OR (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND (FLOE_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Debug")))
  set(floe_together ON)
else()
  set(floe_together OFF)
endif()
option(FLOE_COMPILE_TOGETHER "Compile several sources of the library as one: sooner done, but all of them after a change of one" ${floe_together})

add_library(floe_flags INTERFACE)
target_compile_options(floe_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wconversion -ffp-contract=off>)
# Where several sources of tests are one, names of one may shadow those of another.
target_compile_options(floe_flags INTERFACE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>>:-Wshadow>)
# Loops that are marked for the vectorizer stay as they are where nothing is optimized.
target_compile_options(floe_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-pass-failed>)
if(FLOE_WARNINGS_AS_ERRORS)
  target_compile_options(floe_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
