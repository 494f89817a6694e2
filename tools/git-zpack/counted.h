// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers with their nouns. Pure.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zpack::cli {

// "1 file", "2 files". `noun` is singular and forms its plural with an 's'.
std::string Counted(uint64_t count, std::string_view noun);

}  // namespace zpack::cli
