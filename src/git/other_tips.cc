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

// Collects the tips of a repository with ids in one format.
class TipsReader {
 public:
  explicit TipsReader(const RepositoryFormat& format)
      : format_(format.object_format), ref_storage_(format.ref_storage) {}

  // Adds the ids among the words of every line.
  Status AddWordsTips(const std::string& path);
  // Adds the tips of one worktree. The directory of the main worktree also
  // holds the data that all worktrees share.
  Status AddWorktreeTips(const std::string& directory);
  std::vector<ObjectId> Take() const { return {tips_.begin(), tips_.end()}; }

 private:
  void AddTip(std::string_view hex);
  // "<old id> <new id> <who> <when>\t<why>"
  Status AddReflogTips(const std::string& path);
  // Adds the tips of the index in `directory` and of shared parts of a split
  // index.
  Status AddIndexesTips(const std::string& directory);
  // Adds HEAD and the per-worktree refs.
  Status AddRefsTips(const std::string& directory);

  ObjectFormat format_;
  RefStorage ref_storage_;
  std::set<ObjectId> tips_;
};

void TipsReader::AddTip(std::string_view hex) {
  if (hex.find_first_not_of('0') == std::string_view::npos) return;
  if (hex.size() != 2 * ObjectIdWidth(format_)) return;
  if (const auto id = ObjectId::FromHex(hex)) tips_.insert(*id);
}

Status TipsReader::AddWordsTips(const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(const auto lines, ReadLines(path));
  for (std::string_view line : lines) {
    while (!line.empty()) {
      const size_t end = std::min(line.find_first_of(" \t\r"), line.size());
      AddTip(line.substr(0, end));
      line.remove_prefix(std::min(end + 1, line.size()));
    }
  }
  return {};
}

Status TipsReader::AddReflogTips(const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(const auto lines, ReadLines(path));
  for (const std::string& line : lines) {
    const std::string_view text = line;
    const size_t first = text.find(' ');
    if (first == std::string_view::npos) continue;
    AddTip(text.substr(0, first));
    const size_t second = text.find(' ', first + 1);
    AddTip(text.substr(first + 1, second - first - 1));
  }
  return {};
}

Status TipsReader::AddIndexesTips(const std::string& directory) {
  ZPACK_ASSIGN_OR_RETURN(const auto names, ListNames(directory));
  for (const std::string& name : names) {
    if (name != "index" && !name.starts_with("sharedindex.")) continue;
    const std::string path = directory + '/' + name;
    // Git may remove a shared index at any time.
    ZPACK_ASSIGN_OR_RETURN(
        const auto content,
        ReadIfThere(path, std::numeric_limits<uint32_t>::max()));
    if (content) ZPACK_TRY(AddIndexTips(format_, *content, path, tips_));
  }
  return {};
}

Status TipsReader::AddRefsTips(const std::string& directory) {
  ZPACK_ASSIGN_OR_RETURN(auto names, ListLooseRefNames(directory));
  std::erase_if(
      names, [](const std::string& name) { return !IsPerWorktreeRef(name); });
  names.emplace_back("HEAD");
  for (const std::string& name : names) {
    ZPACK_ASSIGN_OR_RETURN(const auto ref,
                           ReadLooseRef(format_, directory, name));
    if (ref && !ref->symbolic()) AddTip(ref->target.ToHex());
  }
  return {};
}

Status TipsReader::AddWorktreeTips(const std::string& directory) {
  if (ref_storage_ == RefStorage::kReftable) {
    ZPACK_TRY(AddReftableTips(directory, format_, tips_));
  } else {
    ZPACK_ASSIGN_OR_RETURN(const auto logs, ListFiles(directory, "logs"));
    for (const std::string& name : logs) {
      ZPACK_TRY(AddReflogTips(directory + '/' + name));
    }
    ZPACK_TRY(AddRefsTips(directory));
  }
  for (const char* const name : kStateFiles) {
    ZPACK_TRY(AddWordsTips(directory + '/' + name));
  }
  return AddIndexesTips(directory);
}

}  // namespace

Result<std::vector<ObjectId>> ReadOtherTips(
    const RepositoryFormat& format, const std::string& common_directory) {
  TipsReader tips(format);
  // With grafts, Git follows the grafts instead of the parents.
  ZPACK_TRY(tips.AddWordsTips(common_directory + "/info/grafts"));
  ZPACK_TRY(tips.AddWorktreeTips(common_directory));
  const std::string worktrees = common_directory + "/worktrees";
  ZPACK_ASSIGN_OR_RETURN(const auto names, ListNames(worktrees));
  for (const std::string& name : names) {
    const std::string directory = worktrees + '/' + name;
    // A regular file is not a worktree.
    std::error_code error;
    if (fs::is_regular_file(directory, error)) continue;
    ZPACK_TRY(tips.AddWorktreeTips(directory));
  }
  return tips.Take();
}

}  // namespace zpack
