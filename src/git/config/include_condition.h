// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The conditions of git-config(1), "Conditional includes". Functions without
// state; any thread.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "zpack/result.h"
#include "zpack/wild_match.h"

namespace zpack {

// The repository whose configuration is read.
struct IncludeContext {
  // Without links. Empty if there is no repository.
  std::string git_directory;
  // RepositoryLocation::named
  std::string named_directory;
  // The short name of the branch that HEAD names. Empty if HEAD is detached or
  // cannot be read.
  std::function<std::string()> branch;
};

// 'gitdir:', or 'gitdir/i:': whether `pattern` matches the git directory,
// by either of its names.
// `file` holds the condition; it is empty for the command line, where no
// pattern that is relative to the file matches. kGit if such a pattern is in a
// file that does not exist any more.
Result<bool> MatchesGitDirectory(const IncludeContext& context,
                                 std::string_view pattern,
                                 const std::string& file, LetterCase letters);

// 'onbranch:'.
bool MatchesBranch(const IncludeContext& context, std::string pattern);

// 'hasconfig:remote.*.url:': whether `pattern` matches one of the URLs.
bool MatchesUrl(std::span<const std::string> urls, std::string_view pattern);

}  // namespace zpack
