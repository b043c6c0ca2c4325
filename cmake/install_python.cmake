# Installs the Python package, its metadata and the nodes' executables.

set(python_package hetwin_suite)
file(GLOB rooms
  RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
  CONFIGURE_DEPENDS
  "*/__init__.py"
)
list(TRANSFORM rooms REPLACE "/__init__.py$" "")
list(REMOVE_ITEM rooms ${python_package})

install(
  FILES ${python_package}/__init__.py ${python_package}/py.typed
  DESTINATION ${PYTHON_INSTALL_DIR}/${python_package}
)
foreach(room IN LISTS rooms)
  install(
    DIRECTORY ${room}/
    DESTINATION ${PYTHON_INSTALL_DIR}/${python_package}/${room}
    PATTERN "__pycache__" EXCLUDE
    PATTERN "*.pyc" EXCLUDE
  )
endforeach()

# Entry points are found through a distribution's metadata, which colcon does not write for CMake packages.
get_executable_path(python_interpreter Python3::Interpreter CONFIGURE)
set(metadata_folder "${CMAKE_CURRENT_BINARY_DIR}/python_metadata")
execute_process(
  COMMAND "${python_interpreter}" "${CMAKE_CURRENT_SOURCE_DIR}/cmake/write_metadata.py"
    "${CMAKE_CURRENT_SOURCE_DIR}/pyproject.toml" "${metadata_folder}"
  RESULT_VARIABLE metadata_result
)
if(NOT metadata_result EQUAL 0)
  message(FATAL_ERROR "could not write the Python metadata of ${python_package}; Python 3.11 or later is needed")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${CMAKE_CURRENT_SOURCE_DIR}/pyproject.toml" "${CMAKE_CURRENT_SOURCE_DIR}/cmake/write_metadata.py"
)
install(
  DIRECTORY "${metadata_folder}/"
  DESTINATION ${PYTHON_INSTALL_DIR}
)

# ros2 run hetwin conductor, ros2 run hetwin model, and hetwin on the path
function(install_command folder name module)
  set(COMMAND_MODULE "${module}")
  configure_file(cmake/command.py.in "${CMAKE_CURRENT_BINARY_DIR}/commands/${name}" @ONLY)
  install(
    PROGRAMS "${CMAKE_CURRENT_BINARY_DIR}/commands/${name}"
    DESTINATION ${folder}
  )
endfunction()
install_command(lib/${PROJECT_NAME} conductor ${python_package}.conductor_node.main)
install_command(lib/${PROJECT_NAME} model ${python_package}.model_nodes.ros_node)
install_command(bin hetwin ${python_package}.hetwin_cli.main)
