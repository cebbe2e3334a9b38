# rigel_bpf_skeleton(TARGET SOURCE HEADERS...): compiles a BPF object and embeds it in a header,
# <name>.skel.h in generated/capture, that TARGET's users include as a system header.
find_program(BPF_CLANG clang REQUIRED)
find_program(BPFTOOL bpftool PATHS /usr/sbin /usr/local/sbin REQUIRED)

function(rigel_bpf_skeleton target source)
  get_filename_component(name ${source} NAME_WE)
  set(folder ${PROJECT_BINARY_DIR}/generated/capture)
  set(object ${folder}/${name}.bpf.o)
  set(skeleton ${folder}/${name}.skel.h)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  file(MAKE_DIRECTORY ${folder})
  # -mcpu=v3: compare-and-swap, which the kernel has since 5.12. Linking drops the DWARF.
  add_custom_command(
    OUTPUT ${skeleton}
    COMMAND ${BPF_CLANG} -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Werror
            -I${PROJECT_SOURCE_DIR} -idirafter /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
            -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}.unlinked
    COMMAND ${BPFTOOL} gen object ${object} ${object}.unlinked
    COMMAND ${BPFTOOL} gen skeleton ${object} name ${name}_bpf > ${skeleton}
    DEPENDS ${source} ${ARGN}
    COMMENT "BPF object ${name}" VERBATIM)
  add_custom_target(${name}_skeleton DEPENDS ${skeleton})
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${name}_skeleton)
  target_include_directories(${target} SYSTEM INTERFACE ${folder})
endfunction()
