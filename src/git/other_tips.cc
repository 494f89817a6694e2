// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/other_tips.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "git/directory_listing.h"
#include "git/reftable_refs.h"
#include "git/repository_layout.h"
#include "git/worktree_index.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

using Tips = std::set<ObjectId>;

// Files of a worktree with ids that an unfinished command needs: one or more
// lines that begin with an id. ORIG_HEAD and FETCH_HEAD are not included: they
// remain after the command, and Git does not keep the objects that they name.
constexpr std::array kStateFiles = {"AUTO_MERGE",
                                    "BISECT_HEAD",
                                    "CHERRY_PICK_HEAD",
                                    "MERGE_AUTOSTASH",
                                    "MERGE_HEAD",
                                    "REBASE_HEAD",
                                    "REVERT_HEAD",
                                    "rebase-apply/autostash",
                                    "rebase-apply/orig-head",
                                    "rebase-merge/autostash",
                                    "rebase-merge/orig-head"};

void AddTip(std::string_view hex, Tips& tips) {
  if (hex.find_first_not_of('0') == std::string_view::npos) return;
  if (const auto id = ObjectId::FromHex(hex)) tips.insert(*id);
}

// Adds the ids among the words of every line.
Status AddWordsTips(const std::string& path, Tips& tips) {
  ZPACK_ASSIGN_OR_RETURN(const auto lines, ReadLines(path));
  for (std::string_view line : lines) {
    while (!line.empty()) {
      const size_t end = std::min(line.find_first_of(" \t\r"), line.size());
      AddTip(line.substr(0, end), tips);
      line.remove_prefix(std::min(end + 1, line.size()));
    }
  }
  return {};
}

// "<old id> <new id> <who> <when>\t<why>"
Status AddReflogTips(const std::string& path, Tips& tips) {
  ZPACK_ASSIGN_OR_RETURN(const auto lines, ReadLines(path));
  for (const std::string& line : lines) {
    const std::string_view text = line;
    const size_t first = text.find(' ');
    if (first == std::string_view::npos) continue;
    AddTip(text.substr(0, first), tips);
    const size_t second = text.find(' ', first + 1);
    AddTip(text.substr(first + 1, second - first - 1), tips);
  }
  return {};
}

// Adds the tips of the index in `directory` and of shared parts of a split
// index.
Status AddIndexesTips(const std::string& directory, Tips& tips) {
  ZPACK_ASSIGN_OR_RETURN(const auto names, ListNames(directory));
  for (const std::string& name : names) {
    if (name != "index" && !name.starts_with("sharedindex.")) continue;
    const std::string path = directory + '/' + name;
    // Git may remove a shared index at any time.
    ZPACK_ASSIGN_OR_RETURN(
        const auto content,
        ReadIfThere(path, std::numeric_limits<uint32_t>::max()));
    if (content) ZPACK_TRY(AddIndexTips(*content, path, tips));
  }
  return {};
}

// Adds HEAD and the per-worktree refs.
Status AddRefsTips(const std::string& directory, Tips& tips) {
  ZPACK_ASSIGN_OR_RETURN(auto names, ListLooseRefNames(directory));
  std::erase_if(
      names, [](const std::string& name) { return !IsPerWorktreeRef(name); });
  names.emplace_back("HEAD");
  for (const std::string& name : names) {
    ZPACK_ASSIGN_OR_RETURN(const auto ref, ReadLooseRef(directory, name));
    if (ref && !ref->symbolic()) AddTip(ref->target.ToHex(), tips);
  }
  return {};
}

// Adds the tips of one worktree. The directory of the main worktree also holds
// the data that all worktrees share.
Status AddWorktreeTips(const std::string& directory, RefStorage ref_storage,
                       Tips& tips) {
  if (ref_storage == RefStorage::kReftable) {
    ZPACK_TRY(AddReftableTips(directory, ObjectFormat::kSha1, tips));
  } else {
    ZPACK_ASSIGN_OR_RETURN(const auto logs, ListFiles(directory, "logs"));
    for (const std::string& name : logs) {
      ZPACK_TRY(AddReflogTips(directory + '/' + name, tips));
    }
    ZPACK_TRY(AddRefsTips(directory, tips));
  }
  for (const char* const name : kStateFiles) {
    ZPACK_TRY(AddWordsTips(directory + '/' + name, tips));
  }
  return AddIndexesTips(directory, tips);
}

}  // namespace

Result<std::vector<ObjectId>> ReadOtherTips(const std::string& common_directory,
                                            RefStorage ref_storage) {
  Tips tips;
  // With grafts, Git follows the grafts instead of the parents.
  ZPACK_TRY(AddWordsTips(common_directory + "/info/grafts", tips));
  ZPACK_TRY(AddWorktreeTips(common_directory, ref_storage, tips));
  const std::string worktrees = common_directory + "/worktrees";
  ZPACK_ASSIGN_OR_RETURN(const auto names, ListNames(worktrees));
  for (const std::string& name : names) {
    const std::string directory = worktrees + '/' + name;
    // A regular file is not a worktree.
    std::error_code error;
    if (fs::is_regular_file(directory, error)) continue;
    ZPACK_TRY(AddWorktreeTips(directory, ref_storage, tips));
  }
  return std::vector<ObjectId>(tips.begin(), tips.end());
}

}  // namespace zpack
