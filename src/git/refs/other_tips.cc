// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/refs/other_tips.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "git/files/directory_listing.h"
#include "git/objects/object_database.h"
#include "git/refs/reftable_refs.h"
#include "git/refs/worktree_index.h"
#include "git/repository_layout.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

// Files of a worktree with ids that an unfinished command needs: one or more
// lines that begin with an id. 'git repack' does not follow them. ORIG_HEAD and
// FETCH_HEAD are not included: they remain after the command, and Git does not
// keep the objects that they name.
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

constexpr std::string_view kSharedIndexPrefix = "sharedindex.";

// `name`, which is in `directory`. Both may be empty.
std::string Join(const std::string& directory, std::string_view name) {
  return directory.empty() ? std::string(name)
                           : fmt::format("{}/{}", directory, name);
}

// The rule for a ref that a worktree has for itself. 'git repack' does not
// follow per-worktree refs of other worktrees, nor those like CHERRY_PICK_HEAD.
TipRule RuleOfRef(std::string_view name) {
  return name == kHeadName ? TipRule::kRequired : TipRule::kExtra;
}

// Collects the tips of a repository with ids in one format.
class TipsReader {
 public:
  TipsReader(const RepositoryFormat& format, std::string common_directory,
             const TipCallbacks& callbacks)
      : format_(format.object_format),
        ref_storage_(format.ref_storage),
        common_directory_(std::move(common_directory)),
        callbacks_(callbacks) {}

  // Adds the ids in info/grafts.
  Status AddGrafts();
  // Adds the tips of one worktree. `directory` is its git directory, relative
  // to the common directory. The directory of the main worktree, "", also holds
  // the data that all worktrees share.
  Status AddWorktreeTips(const std::string& directory);
  // Adds the tips of worktrees other than the main one.
  Status AddLinkedTips();
  std::vector<TipGroup> Take() { return std::move(groups_); }

 private:
  using Ids = std::set<ObjectId>;

  std::string Path(const std::string& name) const {
    return name.empty() ? common_directory_ : common_directory_ + '/' + name;
  }
  void AddGroup(std::string name, TipRule rule, const Ids& ids) {
    if (ids.empty()) return;
    groups_.push_back(
        {std::move(name), rule, std::vector<ObjectId>(ids.begin(), ids.end())});
  }
  // Adds those of `ids` whose objects exist. Git does not keep these objects
  // alive, so it is normal that some are gone, and nothing depends on them.
  void AddExisting(const std::string& name, Ids ids);
  void AddTip(std::string_view hex, Ids& ids) const;
  // Adds the ids among the words of a line.
  void AddWords(std::string_view line, Ids& ids) const;
  // The ids in a line of info/grafts; none if the line is malformed.
  std::vector<ObjectId> ParseGraft(std::string_view line) const;
  // "<old id> <new id> <who> <when>\t<why>"
  Status AddReflogTips(const std::string& name);
  // Adds the tips of the index `name`, which may be a shared one.
  Status AddIndexTips(const std::string& directory, const std::string& name);
  // Adds the tips of the index in `directory` and of shared indexes.
  Status AddIndexesTips(const std::string& directory);
  // Reads the index `name`. Nothing if it does not exist.
  Result<std::optional<Bytes>> ReadIndexFile(const std::string& name) const {
    return ReadIfThere(Path(name), std::numeric_limits<uint32_t>::max());
  }
  // Adds the tips of the shared index `name` that `index`, which has the name
  // `index_name`, uses.
  Status AddSharedTips(const WorktreeIndex& index,
                       const std::string& index_name, const std::string& name);
  // Whether the ref `name` is passed over after this error: its content is bad,
  // or something else has its name.
  bool PassesOver(const std::string& name, const Error& error) const {
    return callbacks_.unreadable == UnreadableFiles::kPassOver &&
           (MayBeSkipped(error) || !WhyNoFile(Path(name)).empty());
  }
  // Adds HEAD and the per-worktree refs.
  Status AddRefsTips(const std::string& directory);
  Status AddStackTips(const std::string& directory);

  ObjectFormat format_;
  RefStorage ref_storage_;
  std::string common_directory_;
  const TipCallbacks& callbacks_;
  std::vector<TipGroup> groups_;
};

void TipsReader::AddTip(std::string_view hex, Ids& ids) const {
  if (hex.find_first_not_of('0') == std::string_view::npos) return;
  if (hex.size() != 2 * ObjectIdWidth(format_)) return;
  if (const auto id = ObjectId::FromHex(hex)) ids.insert(*id);
}

void TipsReader::AddWords(std::string_view line, Ids& ids) const {
  while (!line.empty()) {
    const size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    AddTip(line.substr(0, end), ids);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
}

// As Git's read_graft_line: a commit and its parents. Empty if anything in the
// line is malformed.
std::vector<ObjectId> TipsReader::ParseGraft(std::string_view line) const {
  constexpr std::string_view kSpaces = " \t\r";
  std::vector<ObjectId> ids;
  line = line.substr(0, line.find_last_not_of(kSpaces) + 1);
  line = line.substr(0, line.find('\0'));
  const size_t digits = 2 * ObjectIdWidth(format_);
  for (bool first = true; first || !line.empty(); first = false) {
    if (!first) {
      if (!kSpaces.contains(line.front())) return {};
      line.remove_prefix(1);
    }
    const auto id = ObjectId::FromHex(line.substr(0, digits));
    if (!id || line.size() < digits) return {};
    ids.push_back(*id);
    line.remove_prefix(digits);
  }
  return ids;
}

void TipsReader::AddExisting(const std::string& name, Ids ids) {
  std::erase_if(ids,
                [this](const ObjectId& id) { return !callbacks_.exists(id); });
  AddGroup(name, TipRule::kExtra, ids);
}

Status TipsReader::AddGrafts() {
  const std::string name = "info/grafts";
  ZPACK_ASSIGN_OR_RETURN(const auto lines, ReadLines(Path(name)));
  Ids ids;
  for (const std::string_view line : lines) {
    const std::vector<ObjectId> graft = ParseGraft(line);
    // Without the commit, nothing needs the parents.
    if (!graft.empty() && callbacks_.exists(graft.front())) {
      for (const ObjectId& id : graft) AddTip(id.ToHex(), ids);
    }
  }
  AddGroup(name, TipRule::kRequired, ids);
  return {};
}

Status TipsReader::AddReflogTips(const std::string& name) {
  if (callbacks_.unreadable == UnreadableFiles::kPassOver &&
      !WhyUnreadable(Path(name)).empty()) {
    return {};
  }
  ZPACK_ASSIGN_OR_RETURN(const auto lines, ReadLines(Path(name)));
  Ids ids;
  for (const std::string_view line : lines) {
    const size_t first = line.find(' ');
    if (first == std::string_view::npos) continue;
    AddTip(line.substr(0, first), ids);
    const size_t second = line.find(' ', first + 1);
    AddTip(line.substr(first + 1, second - first - 1), ids);
  }
  AddGroup(name, TipRule::kLogged, ids);
  return {};
}

Status TipsReader::AddSharedTips(const WorktreeIndex& index,
                                 const std::string& index_name,
                                 const std::string& name) {
  ZPACK_ASSIGN_OR_RETURN(const auto content, ReadIndexFile(name));
  if (!content) {
    return MakeError(
        ErrorCode::kSourceCorrupt,
        "bad index file '{}': its shared index '{}' does not exist",
        AtPath{Path(index_name)}, Path(name));
  }
  ZPACK_ASSIGN_OR_RETURN(const WorktreeIndex shared,
                         ReadIndex(format_, *content, Path(name)));
  ZPACK_ASSIGN_OR_RETURN(
      const std::vector<bool> hidden,
      ReadHidden(index, shared.entries.size(), Path(index_name)));
  Ids ids;
  for (size_t i = 0; i < hidden.size(); ++i) {
    const ObjectId& id = shared.entries[i];
    if (!hidden[i] && !id.empty()) ids.insert(id);
  }
  AddGroup(index_name, TipRule::kRequired, ids);
  return {};
}

Status TipsReader::AddIndexTips(const std::string& directory,
                                const std::string& name) {
  const std::string path = Join(directory, name);
  // Git may remove a shared index at any time.
  ZPACK_ASSIGN_OR_RETURN(const auto content, ReadIndexFile(path));
  if (!content) return {};
  ZPACK_ASSIGN_OR_RETURN(WorktreeIndex index,
                         ReadIndex(format_, *content, Path(path)));
  index.others.insert(index.entries.begin(), index.entries.end());
  index.others.erase(ObjectId());
  AddExisting(path, std::move(index.extra));
  if (name.starts_with(kSharedIndexPrefix)) {
    AddExisting(path, std::move(index.others));
    return {};
  }
  AddGroup(path, TipRule::kRequired, index.others);
  if (index.shared.empty()) return {};
  return AddSharedTips(index, path,
                       Join(directory, fmt::format("{}{}", kSharedIndexPrefix,
                                                   index.shared.ToHex())));
}

Status TipsReader::AddIndexesTips(const std::string& directory) {
  ZPACK_ASSIGN_OR_RETURN(const auto names, ListNames(Path(directory)));
  for (const std::string& name : names) {
    if (name != "index" && !name.starts_with(kSharedIndexPrefix)) continue;
    const Status added = AddIndexTips(directory, name);
    if (!added) ZPACK_TRY(callbacks_.take_bad_index(added.error()));
  }
  return {};
}

Status TipsReader::AddRefsTips(const std::string& directory) {
  ZPACK_ASSIGN_OR_RETURN(
      auto names, ListLooseRefNames(Path(directory), callbacks_.unreadable));
  // Something else may be in place of a directory of refs.
  std::erase_if(names, [](const std::string& name) {
    return !IsPerWorktreeRef(name + '/');
  });
  names.emplace_back(kHeadName);
  for (const std::string& name : names) {
    const auto read = ReadLooseRef(format_, Path(directory), name);
    if (!read && PassesOver(Join(directory, name), read.error())) continue;
    ZPACK_ASSIGN_OR_RETURN(const auto ref, read);
    if (!ref || ref->symbolic()) continue;
    Ids ids;
    AddTip(ref->target.ToHex(), ids);
    AddGroup(Join(directory, name), RuleOfRef(name), ids);
  }
  return {};
}

Status TipsReader::AddStackTips(const std::string& directory) {
  auto read = ReadReftableTips(Path(directory), format_);
  if (!read && read.error().code == ErrorCode::kNotFound &&
      callbacks_.unreadable == UnreadableFiles::kPassOver) {
    return {};
  }
  ZPACK_ASSIGN_OR_RETURN(const ReftableTips tips, std::move(read));
  for (const auto& [name, ids] : tips.refs) {
    AddGroup(Join(directory, name), RuleOfRef(name), ids);
  }
  for (const auto& [name, ids] : tips.logs) {
    AddGroup(Join(directory, "logs/" + name), TipRule::kLogged, ids);
  }
  return {};
}

Status TipsReader::AddWorktreeTips(const std::string& directory) {
  if (ref_storage_ == RefStorage::kReftable) {
    ZPACK_TRY(AddStackTips(directory));
  } else {
    ZPACK_ASSIGN_OR_RETURN(const auto logs, ListFiles(Path(directory), "logs"));
    for (const std::string& name : logs) {
      ZPACK_TRY(AddReflogTips(Join(directory, name)));
    }
    ZPACK_TRY(AddRefsTips(directory));
  }
  for (const std::string_view name : kStateFiles) {
    std::string path = Join(directory, name);
    ZPACK_ASSIGN_OR_RETURN(const auto lines, ReadLines(Path(path)));
    Ids ids;
    for (const std::string& line : lines) AddWords(line, ids);
    AddGroup(std::move(path), TipRule::kExtra, ids);
  }
  return AddIndexesTips(directory);
}

Status TipsReader::AddLinkedTips() {
  const std::string worktrees = "worktrees";
  ZPACK_ASSIGN_OR_RETURN(const auto names, ListNames(Path(worktrees)));
  for (const std::string& name : names) {
    const std::string directory = Join(worktrees, name);
    // A regular file is not a worktree.
    std::error_code error;
    if (fs::is_regular_file(Path(directory), error)) continue;
    const size_t before = groups_.size();
    ZPACK_TRY(AddWorktreeTips(directory));
    // Without this file, Git does not take the directory for a worktree.
    ZPACK_ASSIGN_OR_RETURN(const auto place,
                           ReadLines(Path(Join(directory, "gitdir"))));
    if (!place.empty()) continue;
    for (TipGroup& group : std::span(groups_).subspan(before)) {
      group.rule = TipRule::kExtra;
    }
  }
  return {};
}

}  // namespace

Result<std::vector<TipGroup>> ReadOtherTips(const RepositoryFormat& format,
                                            const std::string& common_directory,
                                            const TipCallbacks& callbacks) {
  TipsReader tips(format, common_directory, callbacks);
  ZPACK_TRY(tips.AddGrafts());
  ZPACK_TRY(tips.AddWorktreeTips(""));
  ZPACK_TRY(tips.AddLinkedTips());
  return tips.Take();
}

}  // namespace zpack
