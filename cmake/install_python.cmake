# Installs the Python packages, their metadata and the nodes' executables.

get_executable_path(python_interpreter Python3::Interpreter CONFIGURE)
execute_process(
  COMMAND "${python_interpreter}" "${CMAKE_CURRENT_SOURCE_DIR}/cmake/python_packages.py"
  OUTPUT_VARIABLE python_packages
  OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE packages_result
)
if(NOT packages_result EQUAL 0)
  message(FATAL_ERROR "could not read the Python packages from pyproject.toml; Python 3.11 or later is needed")
endif()
# Needs Node.js, which a ROS installation need not have: only the pages are missing then, and say so.
execute_process(
  COMMAND "${python_interpreter}" "${CMAKE_CURRENT_SOURCE_DIR}/cmake/bundle_page.py" --if-possible
  OUTPUT_QUIET
)
install(
  DIRECTORY ${python_packages}
  DESTINATION ${PYTHON_INSTALL_DIR}
  PATTERN "__pycache__" EXCLUDE
  PATTERN "*.pyc" EXCLUDE
  PATTERN "node_modules" EXCLUDE
)

# Entry points are found through a distribution's metadata, which colcon does not write for CMake packages.
set(metadata_folder "${CMAKE_CURRENT_BINARY_DIR}/python_metadata")
execute_process(
  COMMAND "${python_interpreter}" "${CMAKE_CURRENT_SOURCE_DIR}/cmake/write_metadata.py" "${metadata_folder}"
  RESULT_VARIABLE metadata_result
)
if(NOT metadata_result EQUAL 0)
  message(FATAL_ERROR "could not write the Python metadata of ${PROJECT_NAME}; Python 3.11 or later is needed")
endif()
file(GLOB manifests CONFIGURE_DEPENDS pyproject.toml plugins/*/pyproject.toml examples/pyproject.toml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${manifests} "${CMAKE_CURRENT_SOURCE_DIR}/cmake/write_metadata.py"
)
install(
  DIRECTORY "${metadata_folder}/"
  DESTINATION ${PYTHON_INSTALL_DIR}
)

# ros2 run hetwin conductor, ros2 run hetwin model, ros2 run hetwin page, and hetwin on the path
function(install_command folder name command)
  set(COMMAND "${command}")
  configure_file(cmake/command.in "${CMAKE_CURRENT_BINARY_DIR}/commands/${name}" @ONLY)
  install(
    PROGRAMS "${CMAKE_CURRENT_BINARY_DIR}/commands/${name}"
    DESTINATION ${folder}
  )
endfunction()
set(starting hetwin_core.ensemble.supervision.starting)
install_command(lib/${PROJECT_NAME} conductor "${starting} conductor_node.main")
install_command(lib/${PROJECT_NAME} model "${starting} model_nodes.ros_node.main")
install_command(lib/${PROJECT_NAME} page "${starting} hetwin_suite.view.ros.page")
install_command(bin hetwin hetwin_suite.cli.command)
