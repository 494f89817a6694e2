// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Versions of the library and of the file format. Any thread.

#pragma once

#include <cstdint>
#include <string_view>

namespace zpack {

// Version of the headers, as numbers for the preprocessor, and as text
// "major.minor.patch".
#define ZPACK_VERSION_MAJOR 0
#define ZPACK_VERSION_MINOR 9
#define ZPACK_VERSION_PATCH 0
inline constexpr std::string_view kHeaderVersion = "0.9.0";

// Version of the library that the program is linked with, as text. Differs from
// kHeaderVersion if the headers are those of another version.
std::string_view LibraryVersion();

// Version of the format that this library writes (FORMAT.md, "Evolution"). The
// library reads every file with the same major version and a minor version that
// is not larger.
inline constexpr uint16_t kFormatMajor = 1;
inline constexpr uint16_t kFormatMinor = 0;

}  // namespace zpack
