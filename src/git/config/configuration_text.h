// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of configuration files (git-config(1), "Syntax"). Pure.

#pragma once

#include <string>
#include <string_view>

namespace zpack {

// Appends the header of a section, which has no subsection if that is empty.
void AppendSection(std::string_view section, std::string_view subsection,
                   std::string& out);

// Appends an entry. A null `value` stands for an entry without a value.
void AppendEntry(std::string_view key, const char* value, std::string& out);

}  // namespace zpack
