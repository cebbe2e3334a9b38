# What `cmake --install` adds to the program and its manual pages, and the Debian package
# (`cpack -G DEB` in a release build's folder).
include(GNUInstallDirs)
configure_file(packaging/rigel-capture.service.in rigel-capture.service @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rigel-capture.service DESTINATION lib/systemd/system)
install(FILES LICENSE README.md CHANGELOG.md packaging/chart.js-licence.txt DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(FILES report/results.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/rigel)

set(CPACK_PACKAGE_CONTACT "The rigel authors <rigel@example.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
include(CPack)
