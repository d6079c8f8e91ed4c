# What deploy/package packs: the server, the client, the bundled models and a unit file for systemd.
include(GNUInstallDirs)

install(TARGETS aaren-server aaren RUNTIME COMPONENT programs OPTIONAL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/model/bundled/aaren-univariate ${PROJECT_SOURCE_DIR}/model/bundled/aaren-events
        DESTINATION ${CMAKE_INSTALL_DATADIR}/aaren/models COMPONENT programs)
install(FILES ${PROJECT_SOURCE_DIR}/deploy/systemd/aaren-server.service DESTINATION lib/systemd/system COMPONENT programs)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/aaren-serve RENAME copyright COMPONENT programs)

# For cpack. Neither a file CPackConfig.cmake nor the module CPack: both would reserve the name of the target `package`.
configure_file(${CMAKE_CURRENT_LIST_DIR}/packing.cmake.in ${CMAKE_BINARY_DIR}/packing.cmake @ONLY)
