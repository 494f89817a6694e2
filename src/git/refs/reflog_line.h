// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of reflogs as lines of a file (gitrepository-layout(5), 'logs'):
//
//   <old id> <new id> <name> <<email>> <time> <zone>[<tab><message>]
//
// Pure functions; any thread.

#pragma once

#include <string>
#include <string_view>

#include "reftable/table_records.h"
#include "zpack/object_id.h"

namespace zpack {

// The line, with its line feed. A line feed within the message becomes a space.
// REQUIRES: the entry is neither deleted nor a mark of existence.
std::string FormatReflogLine(const reftable::LogRecord& record);

// Sets everything in `record` but the name of the ref and the update index from
// `line`, which has no line feed. Ids are in `format`. Returns what is wrong
// with the line; nothing if it is right. The message gets a line feed, as in
// the tables that Git writes.
std::string_view ParseReflogLine(std::string_view line, ObjectFormat format,
                                 reftable::LogRecord& record);

}  // namespace zpack
