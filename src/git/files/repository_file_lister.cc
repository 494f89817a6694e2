// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/files/repository_file_lister.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "git/config/portable_settings.h"
#include "git/files/directory_listing.h"
#include "git/files/file_tree.h"
#include "git/files/reflog_snapshot.h"
#include "git/refs/reftable_refs.h"
#include "git/repository_layout.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

// What Git and libgit2 write into a new repository.
constexpr std::string_view kDefaultDescription =
    "Unnamed repository; edit this file 'description' to name the "
    "repository.\n";
constexpr std::array<std::string_view, 2> kDefaultExcludes = {
    "# git ls-files --others --exclude-from=.git/info/exclude\n"
    "# Lines that start with '#' are comments.\n"
    "# For a project mostly in C, the following would be a good set of\n"
    "# exclude patterns (uncomment them if you want to use them):\n"
    "# *.[oa]\n"
    "# *~\n",
    "# File patterns to ignore; see `git help ignore` for more information.\n"
    "# Lines that start with '#' are comments.\n"};
constexpr std::string_view kWorktreeConfig = "config.worktree";
// Bytes of a file that may be Git's default.
constexpr uint64_t kMaxDefault = 4096;

bool IsLogOfWorktree(std::string_view name) {
  return name == "logs/HEAD" ||
         (SkipPrefix("logs/", name) && IsPerWorktreeRef(name));
}

// The directory of a file: linked worktrees have a HEAD, and some other refs,
// of their own.
const std::string& RootOf(const RepositoryLocation& location,
                          std::string_view source) {
  return IsLogOfWorktree(source) ? location.git_directory
                                 : location.common_directory;
}

// Also that of HEAD of a linked worktree.
bool IsReflog(const ListedFile& file) {
  return file.group == FileGroup::kReflogs ||
         (file.group == FileGroup::kWorktrees &&
          file.name.ends_with("/logs/HEAD"));
}

bool IsLock(std::string_view name) { return name.ends_with(".lock"); }

class FileLister {
 public:
  FileLister(const RepositoryLocation& location, const RepositoryFormat& format)
      : location_(location), format_(format) {}

  Result<ListedFiles> List(std::span<const std::string> others,
                           const LfsDirectories& lfs) {
    ZPACK_TRY(AddReflogs());
    ZPACK_TRY(AddTree(FileGroup::kDescription, "description"));
    for (const char* name : {"info/attributes", "info/exclude", "info/grafts"})
      ZPACK_TRY(AddTree(FileGroup::kInfo, name));
    ZPACK_TRY(AddTree(FileGroup::kHooks, "hooks"));
    ZPACK_TRY(AddTree(FileGroup::kLfs, "lfs/objects"));
    for (const LfsDirectory& directory : lfs.found) {
      ZPACK_TRY(AddLfs(directory));
    }
    listed_.left_out.insert(listed_.left_out.end(), lfs.left_out.begin(),
                            lfs.left_out.end());
    ZPACK_TRY(AddSettings());
    ZPACK_TRY(AddWorktrees());
    ZPACK_TRY(
        AddInEitherForm(FileGroup::kAlternates, "objects/info/alternates"));
    for (const std::string& name : others) ZPACK_TRY(AddOther(name));
    ZPACK_TRY(NoteOthersData(others));
    ZPACK_TRY(NoteNoRefs());
    return Finish();
  }

 private:
  // A file in its place takes precedence over an inactive one, and one in the
  // repository over one of an alternate.
  ListedFiles Finish() {
    auto& files = listed_.files;
    std::ranges::sort(files, {}, [](const ListedFile& file) {
      return std::tuple(std::string_view(file.name),
                        std::string_view(file.source),
                        std::string_view(file.root));
    });
    for (size_t i = 1; i < files.size(); ++i) {
      const ListedFile& file = files[i];
      if (file.name == files[i - 1].name && file.source != file.name &&
          file.source.ends_with(kInactiveEnding)) {
        listed_.left_out.push_back(FormatMessage(
            "'{}', because '{}' is there, too", file.source, file.name));
      }
    }
    const auto same = std::ranges::unique(files, {}, &ListedFile::name);
    files.erase(same.begin(), same.end());
    return std::move(listed_);
  }

  Status AddReflogs() {
    if (format_.ref_storage == RefStorage::kFiles) {
      ZPACK_TRY(CheckLogDirectories(location_.common_directory));
      ZPACK_TRY(AddTree(FileGroup::kReflogs, "logs/HEAD"));
      ZPACK_TRY(AddTree(FileGroup::kReflogs, location_.common_directory,
                        "logs/refs"));
      if (location_.git_directory != location_.common_directory) {
        ZPACK_TRY(
            AddTree(FileGroup::kReflogs, location_.git_directory, "logs/refs"));
      }
      ZPACK_ASSIGN_OR_RETURN(const auto names,
                             ListNames(location_.git_directory + "/logs"));
      for (const std::string& name : names) {
        if (name != kHeadName && name != "refs") NotePseudoRefLog(name);
      }
      return {};
    }
    ZPACK_ASSIGN_OR_RETURN(auto logs,
                           ReadReftableLogs(location_, format_.object_format));
    ZPACK_TRY(LeaveOutConflicts(logs));
    for (auto& [ref, text] : logs) {
      if (ref == kHeadName || ref.starts_with("refs/")) {
        AddText(FileGroup::kReflogs, "logs/" + ref, std::move(text));
      } else {
        NotePseudoRefLog(ref);
      }
    }
    return {};
  }

  // Refuses a link in place of a directory such as 'logs/refs/heads' that leads
  // nowhere: the disk with all its reflogs may be away.
  static Status CheckLogDirectories(const std::string& root) {
    const std::string logs = root + "/logs/refs";
    ZPACK_ASSIGN_OR_RETURN(const auto names, ListNames(logs));
    for (const std::string& name : names) {
      const std::string path = logs + '/' + name;
      if (name != "stash" && LeadsNowhere(path)) ZPACK_TRY(ListNames(path));
    }
    return {};
  }

  // Pseudo-refs such as ORIG_HEAD are not in the file. Git lists their reflogs,
  // whether they are there or not.
  void NotePseudoRefLog(const std::string& name) {
    if (IsLock(name)) return;
    listed_.left_out.push_back(
        FormatMessage("the reflog of '{}', a pseudo-ref", name));
  }

  // JGit keeps the reflogs of refs that are gone. One of them may have the name
  // of a directory of others, and files cannot be like that.
  Status LeaveOutConflicts(std::map<std::string, std::string>& logs) {
    const auto leave_out = [&](auto log) {
      listed_.left_out.push_back(
          FormatMessage("the reflog of '{}', which is gone", log->first));
      return logs.erase(log);
    };
    std::optional<std::map<std::string, Ref>> refs;
    for (auto log = logs.begin(); log != logs.end();) {
      const std::string directory = log->first + '/';
      auto below = logs.lower_bound(directory);
      const auto is_below = [&] {
        return below != logs.end() && below->first.starts_with(directory);
      };
      if (!is_below()) {
        ++log;
        continue;
      }
      if (!refs) {
        ZPACK_ASSIGN_OR_RETURN(
            refs, ListReftableRefs(location_, format_.object_format));
      }
      if (refs->contains(log->first)) {
        while (is_below()) below = leave_out(below);
      } else {
        log = leave_out(log);
      }
    }
    return {};
  }

  // The settings that a copy can use, without secrets: those of the repository
  // and of the worktree that is read, or else inactive ones.
  Status AddSettings() {
    std::vector<std::string> paths;
    const auto add = [&](const std::string& root,
                         std::string_view name) -> Status {
      ZPACK_ASSIGN_OR_RETURN(const TreeListing found,
                             ListTree(root, std::string(name)));
      NoteIrregular(found);
      for (const TreeFile& file : found.files) {
        paths.push_back(root + '/' + file.name);
      }
      return {};
    };
    ZPACK_TRY(add(location_.common_directory, "config"));
    if (format_.worktree == WorktreeConfiguration::kYes) {
      ZPACK_TRY(add(location_.git_directory, kWorktreeConfig));
    }
    ZPACK_ASSIGN_OR_RETURN(PortableSettings settings,
                           ReadPortableSettings(paths));
    std::ranges::move(settings.left_out, std::back_inserter(listed_.left_out));
    paths.clear();
    const std::string inactive = InactiveName("config");
    ZPACK_TRY(add(location_.common_directory, inactive));
    if (!paths.empty() && !settings.text.empty()) {
      listed_.left_out.push_back(
          FormatMessage("'{}', because 'config' has settings, too", inactive));
    } else if (!paths.empty()) {
      auto others = ReadPortableSettings(paths);
      if (others) {
        std::ranges::move(others->left_out,
                          std::back_inserter(listed_.left_out));
        settings.text = std::move(others->text);
      } else {
        // Where nothing is understood, secrets are not.
        listed_.left_out.push_back(
            FormatMessage("'{}', which is no configuration", inactive));
      }
    }
    if (!settings.text.empty()) {
      AddText(FileGroup::kConfig, "config", std::move(settings.text));
    }
    return {};
  }

  // Settings of a worktree other than that which is read. `directory` is that
  // of the worktree, relative to the common one.
  Status NoteSettings(const std::string& directory) {
    const std::string root = location_.common_directory + directory;
    if (format_.worktree != WorktreeConfiguration::kYes ||
        root == location_.git_directory) {
      return {};
    }
    ZPACK_ASSIGN_OR_RETURN(const TreeListing found,
                           ListTree(root, std::string(kWorktreeConfig)));
    for (const TreeFile& file : found.files) {
      if (file.size == 0) continue;
      listed_.left_out.push_back(FormatMessage(
          "the settings of one worktree in '{}/{}'", root, file.name));
    }
    return {};
  }

  Status AddWorktrees() {
    ZPACK_ASSIGN_OR_RETURN(
        const auto ids, ListNames(location_.common_directory + "/worktrees"));
    ZPACK_TRY(NoteSettings(""));
    for (const std::string& id : ids) {
      const std::string directory = "worktrees/" + id;
      ZPACK_TRY(NoteSettings('/' + directory));
      if (format_.ref_storage == RefStorage::kReftable) {
        ZPACK_TRY(AddReftableHead(directory));
      } else {
        ZPACK_TRY(AddHead(directory));
        ZPACK_TRY(NoteNoOwnRefs(directory));
        ZPACK_TRY(AddTree(FileGroup::kWorktrees, directory + "/logs/HEAD"));
      }
      ZPACK_TRY(AddTree(FileGroup::kWorktrees, directory + "/gitdir"));
      ZPACK_TRY(AddTree(FileGroup::kWorktrees, directory + "/locked"));
    }
    return {};
  }

  // HEAD of a linked worktree, also as a symbolic link to a ref.
  Status AddHead(const std::string& directory) {
    const std::string name = directory + "/HEAD";
    const auto head = ReadLooseRef(format_.object_format,
                                   location_.common_directory + '/' + directory,
                                   std::string(kHeadName));
    if (head && *head && (*head)->symbolic() &&
        LeadsNowhere(location_.common_directory + '/' + name)) {
      AddText(FileGroup::kWorktrees, name,
              FormatLooseRef({}, (*head)->symref_target));
      return {};
    }
    if (!head && head.error().code == ErrorCode::kSourceCorrupt) {
      NoteBadHead(head.error());
    }
    return AddTree(FileGroup::kWorktrees, name);
  }

  // HEAD of a linked worktree that names nothing.
  void NoteBadHead(const Error& error) {
    listed_.left_out.push_back(FormatMessage(
        "what HEAD of a work tree names: {}", MessageText{error.message}));
  }

  // What has the name of a ref of a linked worktree alone, or of a directory of
  // them, and is none. Their objects are kept.
  Status NoteNoOwnRefs(const std::string& directory) {
    const std::string& root = location_.common_directory;
    ZPACK_ASSIGN_OR_RETURN(
        const auto names,
        ListLooseRefNames(root + '/' + directory, UnreadableFiles::kFail));
    for (const std::string& name : names) {
      if (IsPerWorktreeRef(name + '/') &&
          !ReadLooseRef(format_.object_format, root + '/' + directory, name)) {
        NoteUnreadable(root, directory + '/' + name);
      }
    }
    return {};
  }

  // HEAD of a linked worktree and its reflog, as they are in files.
  Status AddReftableHead(const std::string& directory) {
    RepositoryLocation worktree = location_;
    worktree.git_directory = location_.common_directory + '/' + directory;
    auto read = ReadReftableHead(worktree, format_.object_format);
    if (!read && read.error().code == ErrorCode::kNotFound) {
      NoteBadHead(read.error());
      return {};
    }
    ZPACK_ASSIGN_OR_RETURN(const auto head, std::move(read));
    if (head) {
      AddText(FileGroup::kWorktrees, directory + "/HEAD",
              FormatLooseRef(head->target, head->symref_target));
    }
    ZPACK_ASSIGN_OR_RETURN(
        auto log, ReadReftableHeadLog(worktree, format_.object_format));
    if (log) {
      AddText(FileGroup::kWorktrees, directory + "/logs/HEAD", *std::move(log));
    }
    return {};
  }

  // A file, in its place or inactive, or a directory.
  Status AddInEitherForm(FileGroup group, const std::string& name) {
    ZPACK_TRY(AddTree(group, name));
    return AddTree(group, InactiveName(name));
  }

  // What the user asks for.
  Status AddOther(const std::string& name) {
    const size_t files = listed_.files.size();
    const size_t notes = listed_.left_out.size();
    ZPACK_TRY(AddInEitherForm(FileGroup::kOther, name));
    std::error_code error;
    const auto status = std::filesystem::symlink_status(
        RootOf(location_, name) + '/' + name, error);
    if (listed_.files.size() == files &&
        status.type() != std::filesystem::file_type::not_found) {
      listed_.unusable.push_back({name, notes < listed_.left_out.size()
                                            ? listed_.left_out[notes]
                                            : "it has no files of its own"});
    }
    return {};
  }

  // A file that is not one in the repository.
  void AddText(FileGroup group, std::string name, std::string text) {
    if (!CheckName(group, name, name)) return;
    ListedFile file{group, std::move(name), {}, false, text.size()};
    file.source = file.name;
    file.content = std::make_shared<const std::string>(std::move(text));
    listed_.files.push_back(std::move(file));
  }

  // Whether a file may have this name. If not, notes that.
  bool CheckName(FileGroup group, const std::string& name,
                 const std::string& source) {
    if (group == FileGroup::kReflogs && IsLock(name)) return false;
    if (IsValidFileName(group, name)) return true;
    listed_.left_out.push_back(FormatMessage("'{}' is not a name of {}", source,
                                             FileGroupName(group)));
    return false;
  }

  void NoteIrregular(const TreeListing& tree) {
    auto& left_out = listed_.left_out;
    for (const std::string& other : tree.others) {
      std::string sentence = FormatMessage("'{}' is not a regular file", other);
      if (std::ranges::find(left_out, sentence) == left_out.end()) {
        left_out.push_back(std::move(sentence));
      }
    }
  }

  Status AddTree(FileGroup group, const std::string& name) {
    return AddTree(group, RootOf(location_, name), name);
  }
  // Without files that belong to another directory: other worktrees' own logs
  // are in no archive.
  Status AddTree(FileGroup group, const std::string& root,
                 const std::string& name) {
    ZPACK_ASSIGN_OR_RETURN(TreeListing tree, ListTree(root, name));
    NoteIrregular(tree);
    for (TreeFile& file : tree.files) {
      if (RootOf(location_, file.name) != root) continue;
      ZPACK_TRY(Add(group, std::move(file)));
    }
    return {};
  }

  Status Add(FileGroup group, TreeFile file) {
    std::string name = file.name;
    if (group == FileGroup::kHooks && name.ends_with(".sample")) return {};
    if (RestorationOf(group) != Restoration::kAlways &&
        name.ends_with(kInactiveEnding)) {
      name.resize(name.size() - kInactiveEnding.size());
    }
    if (!CheckName(group, name, file.name)) return {};
    ZPACK_ASSIGN_OR_RETURN(const bool is_default, IsDefault(group, file));
    if (is_default) return {};
    ListedFile found{group, std::move(name), std::move(file.name),
                     file.executable, file.size};
    if (IsReflog(found)) {
      const std::string& root = RootOf(location_, found.source);
      if (NoteUnreadable(root, found.source)) return {};
      using End = ReflogSnapshots::End;
      ZPACK_ASSIGN_OR_RETURN(const End end, reflogs_.Take(root, found));
      if (end == End::kGone) return {};
      if (end == End::kInLine) {
        listed_.left_out.push_back(FormatMessage(
            "the last line of '{}', which does not end", found.source));
      }
    }
    listed_.files.push_back(std::move(found));
    return {};
  }

  // Whether Git made the file, and nobody changed it.
  Result<bool> IsDefault(FileGroup group, const TreeFile& file) const {
    if ((group != FileGroup::kDescription && group != FileGroup::kInfo) ||
        file.size > kMaxDefault) {
      return false;
    }
    const std::string& root = RootOf(location_, file.name);
    ZPACK_ASSIGN_OR_RETURN(const auto opened, OpenInTree(root, file.name));
    if (!opened) return true;
    Bytes content(kMaxDefault);
    ZPACK_ASSIGN_OR_RETURN(const size_t size,
                           ReadFull(*opened, content, root + '/' + file.name));
    const std::string_view text = AsText(ByteView(content).first(size));
    if (group == FileGroup::kDescription) return text == kDefaultDescription;
    return text.empty() ||
           std::ranges::find(kDefaultExcludes, text) != kDefaultExcludes.end();
  }

  // Objects of Git LFS outside of 'lfs/objects'. They come back there.
  Status AddLfs(const LfsDirectory& directory) {
    ZPACK_ASSIGN_OR_RETURN(TreeListing tree,
                           ListTree(directory.root, directory.name));
    const std::string prefix = directory.root + '/';
    for (std::string& other : tree.others) other.insert(0, prefix);
    NoteIrregular(tree);
    for (TreeFile& file : tree.files) {
      std::string name =
          "lfs/objects" + file.name.substr(directory.name.size());
      if (!CheckName(FileGroup::kLfs, name, prefix + file.name)) continue;
      listed_.files.push_back({FileGroup::kLfs, std::move(name),
                               std::move(file.name), file.executable, file.size,
                               nullptr, directory.root});
    }
    return {};
  }

  // Directories of others that hold data, unless the user asks for them.
  Status NoteOthersData(std::span<const std::string> others) {
    constexpr std::array<std::pair<const char*, const char*>, 2> kData = {
        {{"modules",
          "the repositories of submodules in 'modules': convert each of them"},
         {"annex",
          "the files of git-annex in 'annex': back them up by themselves"}}};
    for (const auto& [name, note] : kData) {
      if (std::ranges::find(others, name) != others.end()) continue;
      ZPACK_ASSIGN_OR_RETURN(const bool any,
                             HasFile(location_.common_directory, name));
      if (any) listed_.left_out.emplace_back(note);
    }
    return {};
  }

  // Git repeats the refs below a link to a directory above it, with ever longer
  // names.
  Status NoteNoRefs() {
    if (format_.ref_storage != RefStorage::kFiles) return {};
    const std::string& root = location_.common_directory;
    ZPACK_ASSIGN_OR_RETURN(const FileListing refs, ListLooseRefs(root));
    for (const std::string& link : refs.circles) {
      listed_.left_out.push_back(FormatMessage(
          "refs below '{}', a link to a directory above it", link));
    }
    for (const std::string& name : refs.others) NoteUnreadable(root, name);
    return {};
  }

  // Whether `root`/`name`, which Git passes over then, cannot be read. Notes
  // why.
  bool NoteUnreadable(const std::string& root, const std::string& name) {
    const std::string_view why = WhyUnreadable(root + '/' + name);
    if (why.empty()) return false;
    listed_.left_out.push_back(
        FormatMessage("'{}' {}", name, MessageText{why}));
    return true;
  }

  const RepositoryLocation& location_;
  const RepositoryFormat& format_;
  ListedFiles listed_;
  ReflogSnapshots reflogs_;
};

class TextStream final : public FileStream {
 public:
  explicit TextStream(std::shared_ptr<const std::string> text)
      : text_(std::move(text)), rest_(AsBytes(*text_)) {}

  Result<size_t> Read(std::span<uint8_t> out) override {
    const ByteView part = rest_.first(std::min(rest_.size(), out.size()));
    std::ranges::copy(part, out.begin());
    rest_ = rest_.subspan(part.size());
    return part.size();
  }

 private:
  std::shared_ptr<const std::string> text_;
  ByteView rest_;
};

class PosixFileStream final : public FileStream {
 public:
  // Reads at most `limit` bytes.
  PosixFileStream(Descriptor file, std::string path, uint64_t limit)
      : file_(std::move(file)), path_(std::move(path)), left_(limit) {}

  Result<size_t> Read(std::span<uint8_t> out) override {
    ZPACK_ASSIGN_OR_RETURN(
        const size_t size,
        ReadSome(file_, out.first(std::min<uint64_t>(out.size(), left_)),
                 path_));
    left_ -= size;
    return size;
  }

 private:
  Descriptor file_;
  std::string path_;
  uint64_t left_;
};

}  // namespace

Result<ListedFiles> ListRepositoryFiles(const RepositoryLocation& location,
                                        const RepositoryFormat& format,
                                        std::span<const std::string> others,
                                        const LfsDirectories& lfs) {
  return FileLister(location, format).List(others, lfs);
}

Result<std::unique_ptr<FileStream>> OpenRepositoryFile(
    const RepositoryLocation& location, const ListedFile& file) {
  if (file.content != nullptr) {
    return std::make_unique<TextStream>(file.content);
  }
  const std::string& root =
      file.root.empty() ? RootOf(location, file.source) : file.root;
  ZPACK_ASSIGN_OR_RETURN(auto opened, OpenInTree(root, file.source));
  if (!opened) return nullptr;
  std::string path = root + '/' + file.source;
  uint64_t limit = std::numeric_limits<uint64_t>::max();
  if (!file.ending.empty()) {
    ZPACK_ASSIGN_OR_RETURN(limit, FindSnapshotEnd(file, *opened, path));
  }
  return std::make_unique<PosixFileStream>(std::move(*opened), std::move(path),
                                           limit);
}

}  // namespace zpack
