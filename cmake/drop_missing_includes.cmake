# Packages built on another machine may export include folders that only that machine had, and CMake then
# refuses to link against them. Drops those folders from every imported target of this directory; where all
# folders exist, as in a ROS 2 installation, this changes nothing.
function(drop_missing_includes)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(NOT folders)
      continue()
    endif()
    set(kept "")
    foreach(folder IN LISTS folders)
      if(folder MATCHES "^\\$<" OR EXISTS "${folder}")
        list(APPEND kept "${folder}")
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${kept}")
  endforeach()
endfunction()
