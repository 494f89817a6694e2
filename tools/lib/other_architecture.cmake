# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Toolchain of CMake for the architecture that DEB_HOST_GNU_TYPE names, such as
# aarch64-linux-gnu, with Debian's compiler for it and the libraries that Debian
# installs beside those of this machine. What is built can be started
# (tools/dev/on-system), so there is no emulator to name.

set(CMAKE_SYSTEM_NAME Linux)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "$ENV{DEB_HOST_GNU_TYPE}")
set(CMAKE_C_COMPILER $ENV{DEB_HOST_GNU_TYPE}-gcc)
set(CMAKE_CXX_COMPILER $ENV{DEB_HOST_GNU_TYPE}-g++)
set(ENV{PKG_CONFIG_LIBDIR}
  /usr/lib/$ENV{DEB_HOST_GNU_TYPE}/pkgconfig:/usr/share/pkgconfig)
# The names and headers of its Python, asked of this machine's.
set(ENV{_PYTHON_SYSCONFIGDATA_NAME} _sysconfigdata__$ENV{DEB_HOST_GNU_TYPE})
