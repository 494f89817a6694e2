// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Tells URLs from paths. Pure.

#pragma once

#include <string_view>

namespace zpack {

// True if `name` begins with 'http://' or 'https://', in any case.
bool IsUrl(std::string_view name);

// True if `url` begins with 'https://', in any case.
bool IsHttps(std::string_view url);

}  // namespace zpack
