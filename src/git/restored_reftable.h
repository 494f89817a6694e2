// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Puts the refs and reflogs of a restored repository in a reftable. Functions
// without state; any thread.

#pragma once

#include <set>
#include <string>

#include "base/file.h"
#include "zpack/object_id.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// Makes a stack of one table in `root`/reftable, an empty directory. The table
// holds HEAD, the refs, and the reflogs of `log_names`, such as 'HEAD', which
// are read from the files `root`/logs/NAME. The files stay.
//
// Errors: kUnsupported if a line of a reflog cannot be an entry of a table;
// kCorrupt if its last line has no end; kLimitExceeded if a line is longer than
// 8 MiB; kIo.
Status WriteRestoredReftable(FileSystem& file_system, const std::string& root,
                             ObjectFormat format, const RefsSnapshot& refs,
                             const std::set<std::string>& log_names);

}  // namespace zpack
