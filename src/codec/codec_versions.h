// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Versions of the libraries for deflate. zstd_codec.h has that of zstd. Any
// thread.

#pragma once

#include <string>

namespace zpack {

std::string ZlibVersion();
std::string LibdeflateVersion();

}  // namespace zpack
