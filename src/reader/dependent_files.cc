// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/dependent_files.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/directory.h"
#include "base/error.h"
#include "base/file.h"
#include "format/constants.h"
#include "reader/backing_finder.h"
#include "reader/file_structure.h"
#include "reader/joined_index.h"
#include "reader/single_file.h"
#include "reader/stated_size.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kZpackEnding = ".zpack";
constexpr std::string_view kStart = "PACKZPAK";  // of every file
constexpr std::string_view kTemporaryEnding = ".zpack-tmp";

// What `path` leads to; `path` itself if that cannot be told.
std::string Target(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target.string();
}

// What a file states of the file below it.
struct Statement {
  std::string path;  // of the file that states it
  format::FileBelow below;
};

// Nothing if the file at `path` depends on none. Of a file that depends on
// another one, only the beginning is read.
Result<std::optional<Statement>> ReadStatement(const std::string& path,
                                               ReadOptions options) {
  auto opened = PosixFileSystem().OpenForRead(path);
  if (!opened) {
    if (opened.error().code == ErrorCode::kNotFound) return std::nullopt;
    return std::unexpected(std::move(opened).error());
  }
  // What it states counts also if it was cut, as a copy that is being made.
  options.size = SizeOfFile::kStated;
  ZPACK_ASSIGN_OR_RETURN(const auto file,
                         WithStatedSize(*std::move(opened), options));
  ZPACK_ASSIGN_OR_RETURN(const auto header, FindHeader(*file, options));
  if (!header ||
      !format::HasFeature(header->required_features, format::kBackingFeature)) {
    return std::nullopt;
  }
  ZPACK_ASSIGN_OR_RETURN(const FileStructure start,
                         ReadRefsOnly(*file, options));
  if (!start.backed) return std::nullopt;
  return Statement{path, start.backed->below};
}

// A file that others may need.
class FileBelowOthers {
 public:
  static Result<FileBelowOthers> Open(FileOpener open,
                                      const ReadOptions& options) {
    ZPACK_ASSIGN_OR_RETURN(auto file, open());
    FileBelowOthers below(file->path(), std::move(open), options);
    auto single = SingleFile::Open(std::move(file), options);
    if (single) below.single_ = *std::move(single);
    return below;
  }

  // The file at `path`. If it cannot be opened, only its name is known.
  static FileBelowOthers At(const std::string& path,
                            const ReadOptions& options) {
    FileOpener open = [path] { return PosixFileSystem().OpenForRead(path); };
    return Open(open, options).value_or(FileBelowOthers(path, open, options));
  }

  const std::string& path() const { return path_; }
  bool is_readable() const { return single_ != nullptr; }
  // False if nothing says that it is, or was, a .zpack file.
  bool may_be_needed() const {
    return is_readable() || names_.back().ends_with(kZpackEnding);
  }

  // The files that it depends on, and itself.
  Result<OpenFiles> OpenFilesOf() const {
    ZPACK_ASSIGN_OR_RETURN(auto file, open_());
    ZPACK_ASSIGN_OR_RETURN(auto top,
                           SingleFile::Open(std::move(file), options_));
    return OpenChain(std::move(top), options_);
  }

  // True if a file that states `below` means this one, or can be read with it.
  Result<bool> IsMeant(const format::FileBelow& below) {
    const bool is_named = std::ranges::find(names_, below.name) != names_.end();
    if (!is_readable()) return is_named;
    if (is_named && below.object_count == single_->object_end()) return true;
    return Serves(below);
  }

  // True if both have the same ids under the same numbers.
  Result<bool> IsLike(FileBelowOthers& other) {
    if (!is_readable() || !other.is_readable()) return false;
    format::FileBelow below;
    below.object_count = other.single_->object_end();
    below.file_hash = other.single_->trailer().file_hash;
    ZPACK_ASSIGN_OR_RETURN(below.ids_digest, other.IdsDigest());
    return Serves(below);
  }

  // True if a file that states `below` can be read with this one.
  Result<bool> Serves(const format::FileBelow& below) {
    if (!is_readable()) return false;
    if (below.file_hash == single_->trailer().file_hash) return true;
    if (below.object_count != single_->object_end()) return false;
    ZPACK_ASSIGN_OR_RETURN(const format::Digest digest, IdsDigest());
    return below.ids_digest == digest;
  }

 private:
  FileBelowOthers(std::string path, FileOpener open, const ReadOptions& options)
      : path_(std::move(path)),
        names_({FileNameOf(path_), FileNameOf(Target(path_))}),
        open_(std::move(open)),
        options_(options) {}

  Result<format::Digest> IdsDigest() {
    if (ids_digest_) return *ids_digest_;
    if (single_->below() == nullptr && single_->ids_digest()) {
      ids_digest_ = single_->ids_digest();
      return *ids_digest_;
    }
    ZPACK_ASSIGN_OR_RETURN(const OpenFiles chain, OpenFilesOf());
    ZPACK_ASSIGN_OR_RETURN(ids_digest_, JoinedIdsDigest(chain, options_));
    return *ids_digest_;
  }

  std::string path_;
  std::vector<std::string> names_;  // its own, and that of what a link leads to
  FileOpener open_;
  ReadOptions options_;
  std::unique_ptr<SingleFile> single_;  // null if it cannot be read
  std::optional<format::Digest> ids_digest_;
};

// Files of any name can depend on others.
bool MayBeZpackFile(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  if (path.ends_with(kZpackEnding)) return true;
  const auto file = PosixFileSystem().OpenForRead(path);
  std::array<uint8_t, kStart.size()> start{};
  return file && !path.ends_with(kTemporaryEnding) && (*file)->Read(0, start) &&
         std::ranges::equal(start, kStart);
}

struct Statements {
  std::vector<Statement> about;  // the file in question
  std::vector<Error> unclear;
};

Result<Statements> FindStatements(FileBelowOthers& file,
                                  const std::string& directory,
                                  const ReadOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(const auto entries, ListEntries(directory));
  Statements found;
  for (const DirectoryEntry& entry : entries) {
    const std::string other = directory + '/' + entry.name;
    std::error_code error;
    if (!MayBeZpackFile(other) || fs::equivalent(other, file.path(), error)) {
      continue;
    }
    auto statement = ReadStatement(other, options);
    if (statement && !*statement) continue;
    const Result<bool> meant = statement ? file.IsMeant((*statement)->below)
                                         : std::unexpected(statement.error());
    if (!meant) {
      found.unclear.push_back(meant.error());
    } else if (*meant) {
      found.about.push_back(**std::move(statement));
    }
  }
  return found;
}

// True if the file that a statement names is not the one at `path`, and serves.
bool ReadsAnother(const Statement& statement, const std::string& path) {
  const std::string named =
      DirectoryOf(statement.path) + '/' + statement.below.name;
  return Target(named) != Target(path) &&
         FileBelowOthers::At(named, ReadOptions{})
             .Serves(statement.below)
             .value_or(false);
}

std::unexpected<Error> NeededBy(const std::string& path,
                                const std::string& dependent) {
  return MakeError(ErrorCode::kExists,
                   "'{}' cannot be replaced: '{}' depends on it", AtPath{path},
                   dependent);
}

std::unexpected<Error> MayBeNeeded(const std::string& path, const Error& why) {
  return MakeError(ErrorCode::kExists,
                   "'{}' cannot be replaced, because a file beside it may "
                   "depend on it: {}",
                   AtPath{path}, MessageText{why.message});
}

// Where files that depend on the one at `path` are looked for. Not a link is
// replaced, but what it leads to.
std::vector<std::string> DirectoriesOf(const std::string& path) {
  std::vector<std::string> directories = {DirectoryOf(path)};
  std::string linked = LinkedDirectory(path);
  if (!linked.empty()) directories.push_back(std::move(linked));
  return directories;
}

}  // namespace

Result<DependentFiles> FindDependents(const FileOpener& open,
                                      const std::string& directory,
                                      const ReadOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(FileBelowOthers file,
                         FileBelowOthers::Open(open, options));
  ZPACK_ASSIGN_OR_RETURN(Statements found,
                         FindStatements(file, directory, options));
  DependentFiles files;
  for (Statement& statement : found.about) {
    files.paths.push_back(std::move(statement.path));
  }
  files.unclear = std::move(found.unclear);
  return files;
}

Status CheckNoneDepend(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  const ReadOptions options;
  FileBelowOthers file = FileBelowOthers::At(path, options);
  for (const std::string& directory : DirectoriesOf(path)) {
    ZPACK_ASSIGN_OR_RETURN(const Statements found,
                           FindStatements(file, directory, options));
    for (const Statement& statement : found.about) {
      if (!ReadsAnother(statement, path)) return NeededBy(path, statement.path);
    }
    if (!found.unclear.empty() && file.may_be_needed()) {
      return MayBeNeeded(path, found.unclear.front());
    }
  }
  return {};
}

Status CheckServes(const std::string& path, const std::string& output) {
  std::error_code error;
  if (!fs::is_regular_file(output, error)) return {};
  const ReadOptions options;
  FileBelowOthers replacement = FileBelowOthers::At(path, options);
  if (!replacement.is_readable()) return {};
  const auto chain = replacement.OpenFilesOf();
  if (chain && IsAmong(std::span(*chain).first(chain->size() - 1), output)) {
    return NeededBy(output, path);
  }
  FileBelowOthers old = FileBelowOthers::At(output, options);
  for (const std::string& directory : DirectoriesOf(output)) {
    ZPACK_ASSIGN_OR_RETURN(const Statements found,
                           FindStatements(old, directory, options));
    for (const Statement& statement : found.about) {
      if (!ReadsAnother(statement, output) &&
          !replacement.Serves(statement.below).value_or(false)) {
        return NeededBy(output, statement.path);
      }
    }
    if (!found.unclear.empty() && old.may_be_needed() &&
        !replacement.IsLike(old).value_or(false)) {
      return MayBeNeeded(output, found.unclear.front());
    }
  }
  return {};
}

}  // namespace zpack
