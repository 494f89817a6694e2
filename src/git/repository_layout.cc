// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repository_layout.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "git/files/directory_listing.h"
#include "git/objects/alternates_list.h"
#include "git/objects/pack_directory.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxTextFile = uint64_t{1} << 30;
constexpr uint64_t kMaxRefFile = uint64_t{1} << 20;
// In Git, the alternates of an alternate at a greater depth are ignored, so
// that objects may seem to be missing.
constexpr int kMaxAlternateDepth = 5;
// How often links may lead to directories that are listed under another name.
constexpr size_t kMaxAliases = 1000;

// `directory` with links resolved. Nothing if it is not a directory, or if it
// is the root, which Git does not take for one either.
Result<std::optional<fs::path>> FindDirectory(const fs::path& directory) {
  std::error_code error;
  fs::path canonical = fs::canonical(directory, error);
  if (!error && canonical.has_relative_path() &&
      fs::is_directory(canonical, error)) {
    return canonical;
  }
  if (!error || error == std::errc::no_such_file_or_directory ||
      error == std::errc::not_a_directory ||
      error == std::errc::filename_too_long ||
      error == std::errc::too_many_symbolic_link_levels) {
    return std::nullopt;
  }
  return MakeError(ErrorCode::kIo, "cannot open object directory '{}': {}",
                   AtPath{directory.string()}, error.message());
}

// Collects the object directories of a repository.
class DirectoryLister {
 public:
  // Adds `directory`, which is the repository's own at depth 0, and its
  // alternates.
  Status Add(const fs::path& directory, int depth);
  ObjectDirectories Take() { return std::move(directories_); }

 private:
  ObjectDirectories directories_;
  std::unordered_set<std::string> found_;
  std::unordered_set<std::string> missing_;
};

Status DirectoryLister::Add(const fs::path& directory, int depth) {
  ZPACK_ASSIGN_OR_RETURN(const auto canonical, FindDirectory(directory));
  if (!canonical && depth > 0) {
    if (missing_.insert(directory.string()).second) {
      directories_.missing.push_back(directory.string());
    }
    return {};
  }
  if (!canonical) {
    return MakeError(ErrorCode::kSourceCorrupt,
                     "object directory '{}' does not exist",
                     AtPath{directory.string()});
  }
  if (!found_.insert(canonical->string()).second) return {};
  directories_.found.push_back(canonical->string());
  const std::string list = (*canonical / "info" / "alternates").string();
  ZPACK_ASSIGN_OR_RETURN(const auto content, ReadIfThere(list, kMaxTextFile));
  const auto paths = ParseAlternates(content ? AsText(*content) : "");
  if (!paths.empty() && depth > kMaxAlternateDepth) {
    return MakeError(ErrorCode::kSourceCorrupt,
                     "alternates are nested too deep in '{}'", AtPath{list});
  }
  for (const std::string& path : paths) {
    // If the path is absolute, operator/ drops the left operand.
    ZPACK_TRY(Add(*canonical / path, depth + 1));
  }
  return {};
}

// The directories that a listing has entered.
class VisitedDirectories {
 public:
  // Enters a directory that was found in the directory `parent`, a number that
  // was returned before. Nothing if the directory is one of those above it, so
  // that a link leads in a circle.
  std::optional<size_t> Enter(const struct stat& info, size_t parent) {
    const Identity identity{info.st_dev, info.st_ino};
    if (!identities_.insert(identity).second) {
      if (IsAbove(identity, parent)) return std::nullopt;
      ++aliases_;
    }
    entered_.push_back({identity, parent});
    return entered_.size() - 1;
  }

  // How often a directory was entered that had been entered before. Without a
  // limit, links from each of n directories to the next lead to 2^n names.
  size_t aliases() const { return aliases_; }

 private:
  using Identity = std::pair<dev_t, ino_t>;
  struct Entered {
    Identity identity;
    size_t parent;  // the root is its own
  };

  bool IsAbove(const Identity& identity, size_t at) const {
    while (entered_[at].identity != identity) {
      if (entered_[at].parent == at) return false;
      at = entered_[at].parent;
    }
    return true;
  }

  std::set<Identity> identities_;
  std::vector<Entered> entered_;
  size_t aliases_ = 0;
};

// Where the symbolic link `path` leads. Empty if `path` is none.
std::string LinkTarget(const fs::path& path) {
  std::error_code error;
  return fs::read_symlink(path, error).string();
}

// The files and others of `listing`, sorted.
std::vector<std::string> WithOthers(FileListing listing) {
  std::ranges::move(listing.others, std::back_inserter(listing.files));
  std::ranges::sort(listing.files);
  return std::move(listing.files);
}

// What Git takes for space.
constexpr std::string_view kRefSpace = " \t\n\r";

}  // namespace

Result<std::vector<std::string>> ReadLines(const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(const auto content, ReadIfThere(path, kMaxTextFile));
  std::vector<std::string> lines;
  std::string_view rest = content ? AsText(*content) : std::string_view();
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return lines;
}

Result<FileListing> WalkFiles(const std::string& base,
                              const std::string& root) {
  FileListing listing;
  VisitedDirectories visited;
  std::vector<std::pair<std::string, size_t>> pending;
  // Lists `path` later, unless it is a file or is reached from itself.
  const auto take = [&](std::string path, size_t parent) -> Status {
    struct stat info;
    const std::string full = base + '/' + path;
    if (stat(full.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
      // An entry that cannot be examined counts as a file. Reading it will
      // fail.
      auto& names = WhyNoFile(full).empty() ? listing.files : listing.others;
      names.push_back(std::move(path));
    } else if (const auto number = visited.Enter(info, parent)) {
      pending.emplace_back(std::move(path), *number);
    } else {
      listing.circles.push_back(std::move(path));
    }
    if (visited.aliases() <= kMaxAliases) return {};
    return MakeError(ErrorCode::kLimitExceeded,
                     "too many symbolic links to directories below '{}'",
                     AtPath{base + '/' + root});
  };
  struct stat info{};
  if (stat((base + '/' + root).c_str(), &info) == 0) visited.Enter(info, 0);
  pending.emplace_back(root, 0);
  while (!pending.empty()) {
    const auto [directory, number] = std::move(pending.back());
    pending.pop_back();
    ZPACK_ASSIGN_OR_RETURN(const auto names, ListNames(base + '/' + directory));
    for (const std::string& name : names) {
      if (name.starts_with('.') || name.ends_with(".lock")) continue;
      ZPACK_TRY(take(directory + '/' + name, number));
    }
  }
  std::ranges::sort(listing.files);
  std::ranges::sort(listing.circles);
  std::ranges::sort(listing.others);
  return listing;
}

Result<std::vector<std::string>> ListFiles(const std::string& base,
                                           const std::string& root) {
  ZPACK_ASSIGN_OR_RETURN(FileListing listing, WalkFiles(base, root));
  return WithOthers(std::move(listing));
}

Result<ObjectDirectories> ListObjectDirectories(
    const std::string& common_directory) {
  DirectoryLister lister;
  ZPACK_TRY(lister.Add(fs::path(common_directory) / "objects", 0));
  return lister.Take();
}

uint64_t PackedFileBytes(const std::vector<std::string>& object_directories) {
  uint64_t sum = 0;
  for (const std::string& directory : object_directories) {
    const auto files = ListPackFiles(directory);
    if (!files) continue;
    for (const std::string& file : *files) {
      // What PackWriter::bytes counts.
      constexpr std::array<std::string_view, 4> kCounted = {".pack", ".idx",
                                                            ".rev", ".mtimes"};
      if (std::ranges::none_of(kCounted, [&](std::string_view extension) {
            return file.ends_with(extension);
          })) {
        continue;
      }
      std::error_code error;
      const uint64_t size =
          fs::file_size(PackDirectory(directory) + '/' + file, error);
      if (!error) sum += size;
    }
  }
  return sum;
}

Result<bool> HasPromisorPack(
    const std::vector<std::string>& object_directories) {
  for (const std::string& directory : object_directories) {
    ZPACK_ASSIGN_OR_RETURN(const auto files, ListPackFiles(directory));
    for (const std::string& name : PacksAmong(directory, files)) {
      if (files.contains(name + ".promisor")) return true;
    }
  }
  return false;
}

Result<FileListing> ListLooseRefs(const std::string& directory) {
  ZPACK_ASSIGN_OR_RETURN(FileListing listing, WalkFiles(directory, "refs"));
  const auto are_refs = std::ranges::stable_partition(
      listing.others, [&](const std::string& name) {
        const std::string target = LinkTarget(fs::path(directory) / name);
        const bool is_directory =
            name.find('/') == name.rfind('/') && name != "refs/stash";
        return !IsValidRefName(target) && (target.empty() || !is_directory);
      });
  listing.files.insert(listing.files.end(), are_refs.begin(), are_refs.end());
  listing.others.erase(are_refs.begin(), are_refs.end());
  std::ranges::sort(listing.files);
  return listing;
}

Result<std::vector<std::string>> ListLooseRefNames(const std::string& directory,
                                                   UnreadableFiles others) {
  ZPACK_ASSIGN_OR_RETURN(FileListing listing, ListLooseRefs(directory));
  if (others == UnreadableFiles::kFail) return WithOthers(std::move(listing));
  return std::move(listing.files);
}

bool IsPerWorktreeRef(std::string_view name) {
  return name.starts_with("refs/bisect/") ||
         name.starts_with("refs/worktree/") ||
         name.starts_with("refs/rewritten/");
}

std::string FormatLooseRef(const ObjectId& target,
                           const std::string& symref_target) {
  return (symref_target.empty() ? target.ToHex() : "ref: " + symref_target) +
         '\n';
}

Result<std::optional<Ref>> ReadLooseRef(ObjectFormat format,
                                        const std::string& directory,
                                        const std::string& name) {
  const fs::path path = fs::path(directory) / name;
  Ref ref;
  ref.name = name;
  // In old repositories, symbolic refs are symbolic links. The target is
  // relative to the git directory, so most of these links are dangling.
  std::string target = LinkTarget(path);
  if (IsValidRefName(target) ||
      (target.starts_with("refs/") && !WhyNoFile(path.string()).empty())) {
    ref.symref_target = std::move(target);
    return ref;
  }
  ZPACK_ASSIGN_OR_RETURN(const auto content,
                         ReadIfThere(path.string(), kMaxRefFile));
  if (!content) return std::nullopt;
  std::string_view text = AsText(*content);
  text = text.substr(0, text.find_last_not_of(kRefSpace) + 1);
  text = text.substr(0, text.find('\0'));
  if (text.starts_with("ref:")) {
    text.remove_prefix(4);
    text.remove_prefix(
        std::min(text.find_first_not_of(kRefSpace), text.size()));
    ref.symref_target = text;
    if (!text.empty()) return ref;
  } else if (const std::string_view hex =
                 text.substr(0, text.find_first_of(kRefSpace));
             hex.size() == ObjectIdWidth(format) * 2) {
    // Words may follow an id, as in FETCH_HEAD.
    if (const auto id = ObjectId::FromHex(hex)) {
      if (id->is_null()) {
        return MakeError(ErrorCode::kSourceCorrupt,
                         "cannot read ref '{}' of '{}': its id is {}", name,
                         AtPath{directory}, MessageText{hex});
      }
      ref.target = *id;
      return ref;
    }
  }
  return MakeError(
      ErrorCode::kSourceCorrupt, "cannot read ref '{}' of '{}': {}", name,
      AtPath{directory},
      MessageText{text.empty() ? "it is empty" : "neither an id nor a ref"});
}

Result<std::vector<ObjectId>> ReadShallow(ObjectFormat format,
                                          const std::string& common_directory) {
  // Git reads lines in pieces of this size.
  constexpr size_t kMaxLine = 1023;
  const size_t digits = ObjectIdWidth(format) * 2;
  const std::string path = common_directory + "/shallow";
  ZPACK_ASSIGN_OR_RETURN(const auto content, ReadIfThere(path, kMaxTextFile));
  std::string_view rest = content ? AsText(*content) : std::string_view();
  std::set<ObjectId> ids;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, std::min(end, kMaxLine));
    rest.remove_prefix(
        std::min(line.size() + (end < kMaxLine ? 1 : 0), rest.size()));
    const auto id = ObjectId::FromHex(line.substr(0, digits));
    if (!id || line.size() < digits) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "bad shallow line '{}' in '{}'", line, AtPath{path});
    }
    ids.insert(*id);
  }
  return std::vector<ObjectId>(ids.begin(), ids.end());
}

}  // namespace zpack
