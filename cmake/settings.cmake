# How every target of rigel is compiled: warnings, sanitizers, include root, compiler cache.
option(RIGEL_WERROR "Treat warnings as errors" OFF)
option(RIGEL_FUZZ "Build the libFuzzer harnesses (clang)" OFF)
option(RIGEL_BENCH "Build the benchmarks in tests/bench" OFF)
set(RIGEL_SANITIZE "" CACHE STRING "Sanitizers for all targets, e.g. address,undefined or thread")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(rigel_settings INTERFACE)
target_include_directories(rigel_settings INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(rigel_settings INTERFACE -Wall -Wextra -Wconversion -Wshadow)
if(RIGEL_WERROR)
  target_compile_options(rigel_settings INTERFACE -Werror)
endif()
if(RIGEL_SANITIZE)
  target_compile_options(rigel_settings INTERFACE -fsanitize=${RIGEL_SANITIZE} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(rigel_settings INTERFACE -fsanitize=${RIGEL_SANITIZE})
endif()
if(RIGEL_FUZZ)
  # Coverage for libFuzzer in all that is linked; its main only in the harnesses.
  target_compile_options(rigel_settings INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(rigel_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()

# What most files include, for builds from nothing (CI): CMAKE_DISABLE_PRECOMPILE_HEADERS=OFF. It is ON
# elsewhere, so that a file which lacks an include is noticed and ccache finds what it knows.
function(rigel_precompile target scope)
  list(TRANSFORM ARGN PREPEND "$<$<COMPILE_LANGUAGE:CXX>:<")
  list(TRANSFORM ARGN APPEND "$<ANGLE-R>>")
  target_precompile_headers(${target} ${scope} ${ARGN})
endfunction()
rigel_precompile(rigel_settings INTERFACE algorithm array cmath fmt/format.h functional map memory optional span
                 string string_view vector)
