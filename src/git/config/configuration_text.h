// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of configuration files (git-config(1), "Syntax"). Pure.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace zpack {

// Appends the header of a section, which may have no subsection: "" is one,
// too.
void AppendSection(std::string_view section,
                   std::optional<std::string_view> subsection,
                   std::string& out);

// Appends an entry. A null `value` stands for an entry without a value.
void AppendEntry(std::string_view key, const char* value, std::string& out);

}  // namespace zpack
