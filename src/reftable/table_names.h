// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of reftables, and the file 'tables.list' that lists them. Pure
// functions; any thread.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "reftable/table_format.h"
#include "zpack/result.h"

namespace zpack::reftable {

inline constexpr std::string_view kTablesList = "tables.list";
// Git compacts a stack long before it has this many tables.
inline constexpr size_t kMaxTables = 4096;
// Also holds the longest list of this many names.
inline constexpr uint64_t kMaxTablesList = 1 << 20;

// True for a name as Git makes it: two update indexes and a random part, in
// hexadecimal digits with or without '0x', joined by '-', and then '.ref' or
// '.log'. The random part may have any letters. Such a name has no slash.
bool IsTableName(std::string_view name);

// The name that Git would give to a table, with `random` as its random part.
std::string TableName(const TableHeader& header, uint32_t random);

// The names in the content of `path`, a 'tables.list', from the oldest to the
// newest table. kSourceCorrupt if a name occurs twice or cannot be the name of
// a table, or if the last line has no end; kLimitExceeded if there are too many
// names.
Result<std::vector<std::string>> ParseTablesList(std::string_view content,
                                                 const std::string& path);

}  // namespace zpack::reftable
