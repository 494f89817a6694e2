// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/include_condition.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"
#include "base/file.h"
#include "git/config/configuration_values.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

// A slash at the end stands for everything in the directory.
void AddStarsAfterSlash(std::string& pattern) {
  if (pattern.ends_with('/')) pattern += "**";
}

bool EqualIn(std::string_view a, std::string_view b, LetterCase letters) {
  if (letters == LetterCase::kExact) return a == b;
  return EqualsIgnoringCase(a, b);
}

}  // namespace

Result<bool> MatchesGitDirectory(const IncludeContext& context,
                                 std::string_view pattern,
                                 const std::string& file, LetterCase letters) {
  if (context.git_directory.empty()) return false;
  std::string full(pattern);
  if (auto expanded = ExpandConfigPath(full, HomeLinks::kResolve)) {
    full = *std::move(expanded);
  }
  // The directory of `file`, in which no character is special.
  std::string prefix;
  if (full.starts_with("./")) {
    // Git 2.39 prints an error and does not include. Later versions take the
    // same error for a condition that holds.
    if (file.empty()) return false;
    std::error_code error;
    const fs::path real = fs::canonical(file, error);
    if (error) {
      return MakeError(ErrorCode::kGit, "invalid path '{}'", AtPath{file});
    }
    prefix = (real.parent_path() / "").string();
    full.erase(0, 2);
  } else if (!full.starts_with('/')) {
    full.insert(0, "**/");
  }
  AddStarsAfterSlash(full);
  const auto matches = [&](std::string_view directory) {
    return EqualIn(directory.substr(0, prefix.size()), prefix, letters) &&
           WildMatch(full, directory.substr(prefix.size()), letters);
  };
  return matches(context.git_directory) ||
         (!context.named_directory.empty() && matches(context.named_directory));
}

bool MatchesBranch(const IncludeContext& context, std::string pattern) {
  if (!context.branch) return false;
  AddStarsAfterSlash(pattern);
  const std::string branch = context.branch();
  return !branch.empty() && WildMatch(pattern, branch);
}

bool MatchesUrl(std::span<const std::string> urls, std::string_view pattern) {
  return std::ranges::any_of(urls, [pattern](const std::string& url) {
    return WildMatch(pattern, url);
  });
}

}  // namespace zpack
