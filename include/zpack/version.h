// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Version of the library and of the file format it reads and writes.

#pragma once

#include <cstdint>
#include <string_view>

namespace zpack {

// Version of the library and the programs, "major.minor.patch".
inline constexpr std::string_view kLibraryVersion = "0.1.0";

// Format version written by this library (FORMAT.md, "Evolution"). A reader
// accepts every file of its own major whose minor is not larger than its own.
inline constexpr uint16_t kFormatMajor = 1;
inline constexpr uint16_t kFormatMinor = 0;

}  // namespace zpack
