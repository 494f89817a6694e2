// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Versions of the library and of the file format. Constants.

#pragma once

#include <cstdint>
#include <string_view>

namespace zpack {

// Version of the library and the programs, "major.minor.patch".
inline constexpr std::string_view kLibraryVersion = "0.1.0";

// Version of the format that this library writes (FORMAT.md, "Evolution"). The
// library reads every file with the same major version and a minor version that
// is not larger.
inline constexpr uint16_t kFormatMajor = 1;
inline constexpr uint16_t kFormatMinor = 0;

}  // namespace zpack
