// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/commit_search.h"

#include <regex.h>

#include <string>
#include <utility>

#include "base/error.h"
#include "base/posix_regex.h"
#include "history/revision_walk.h"

namespace zpack {
namespace {

Result<PosixRegex> Compile(const std::string& pattern) {
  PosixRegex regex = CompilePosixRegex(pattern, REG_EXTENDED | REG_NOSUB);
  // The C library takes what comes before a NUL byte for all of it.
  if (regex == nullptr || pattern.contains('\0')) {
    return MakeError(ErrorCode::kInvalidArgument, "invalid search pattern '{}'",
                     pattern);
  }
  return regex;
}

// Like Git, compares what follows the first empty line. An object without one
// matches nothing.
bool Matches(const regex_t& expression, const Bytes& commit) {
  const std::string content(commit.begin(), commit.end());
  const size_t end = content.find("\n\n");
  return end != std::string::npos &&
         regexec(&expression, content.c_str() + end + 2, 0, nullptr, 0) == 0;
}

}  // namespace

std::vector<ObjectId> SearchStarts(const ArchiveFile& archive) {
  const RefsSnapshot& refs = archive.refs();
  std::vector<ObjectId> starts;
  const auto add = [&](std::string_view name) {
    const ObjectId id = refs.Resolve(name);
    if (!id.empty()) starts.push_back(id);
  };
  // The last ref first decides between commits of the same time.
  add("HEAD");
  for (auto ref = refs.refs.rbegin(); ref != refs.refs.rend(); ++ref) {
    add(ref->name);
  }
  return starts;
}

Result<ObjectId> FindCommitByMessage(
    const ArchiveFile& archive, const std::vector<ObjectId>& starts,
    std::string_view text,
    const std::function<Result<Bytes>(const ObjectId&)>& read) {
  std::string pattern(text);
  bool wanted = true;
  if (text.starts_with("!-")) {
    wanted = false;
    pattern.erase(0, 2);
  } else if (text.starts_with("!!")) {
    pattern.erase(0, 1);
  } else if (text.starts_with('!')) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "invalid search pattern '{}': '!' is followed by '-' or "
                     "'!'",
                     text);
  }
  ZPACK_ASSIGN_OR_RETURN(const PosixRegex expression, Compile(pattern));
  ZPACK_TRY(archive.LoadIndex());
  WalkOptions walk;
  walk.starts = starts;
  ObjectId found;
  const auto look = [&](const WalkedObject& commit) -> Result<Visit> {
    ZPACK_ASSIGN_OR_RETURN(const Bytes content, read(commit.id));
    if (Matches(*expression, content) != wanted) return Visit::kContinue;
    found = commit.id;
    return Visit::kStop;
  };
  ZPACK_TRY(WalkRevisions(archive, walk, look));
  if (!found.empty()) return found;
  return MakeError(ErrorCode::kNotFound,
                   "no commit in '{}' has a message that matches '{}'",
                   AtPath{archive.path()}, text);
}

}  // namespace zpack
