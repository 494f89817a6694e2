// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Names in trees that Git refuses to check out or to archive. A function
// without state; any thread.

#pragma once

#include <string_view>

namespace zpack::cli {

// Whether a name would lead out of the directory, or into Git's own directory,
// when the archive is unpacked: also on NTFS, which has other names for the
// same file (core.protectNTFS). A symbolic link may not be '.gitmodules'.
// As verify_path of Git, and also behind a backslash at the front, where Git
// does not look.
bool IsUnsafeName(std::string_view name, bool is_link);

}  // namespace zpack::cli
