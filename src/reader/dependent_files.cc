// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/dependent_files.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/directory.h"
#include "base/error.h"
#include "base/file.h"
#include "format/constants.h"
#include "format/object_index.h"
#include "reader/backing_finder.h"
#include "reader/file_structure.h"
#include "reader/joined_index.h"
#include "reader/single_file.h"
#include "reader/stated_size.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

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

// The file that others may depend on.
class FileBelowOthers {
 public:
  static Result<FileBelowOthers> Open(const FileOpener& open,
                                      const ReadOptions& options) {
    ZPACK_ASSIGN_OR_RETURN(auto file, open());
    std::string path = file->path();
    auto single = SingleFile::Open(std::move(file), options);
    return FileBelowOthers(std::move(path), open, options,
                           single ? *std::move(single) : nullptr);
  }

  const std::string& path() const { return path_; }

  // True if a file that states `below` can be read with this one.
  Result<bool> Carries(const format::FileBelow& below) {
    const bool is_named = below.name == FileNameOf(path_);
    if (single_ == nullptr) return is_named;
    if (below.file_hash == single_->trailer().file_hash) return true;
    if (below.object_count != single_->object_end()) return false;
    if (is_named) return true;
    ZPACK_ASSIGN_OR_RETURN(const format::Digest digest, IdsDigest());
    return below.ids_digest == digest;
  }

 private:
  FileBelowOthers(std::string path, const FileOpener& open,
                  const ReadOptions& options,
                  std::unique_ptr<SingleFile> single)
      : path_(std::move(path)),
        open_(open),
        options_(options),
        single_(std::move(single)) {}

  Result<format::Digest> IdsDigest() {
    if (ids_digest_) return *ids_digest_;
    if (single_->below() == nullptr && single_->ids_digest()) {
      ids_digest_ = single_->ids_digest();
      return *ids_digest_;
    }
    ZPACK_ASSIGN_OR_RETURN(auto file, open_());
    ZPACK_ASSIGN_OR_RETURN(auto top,
                           SingleFile::Open(std::move(file), options_));
    ZPACK_ASSIGN_OR_RETURN(const OpenFiles chain,
                           OpenChain(std::move(top), options_));
    ZPACK_ASSIGN_OR_RETURN(const FileIndex index,
                           ReadJoinedIndex(chain, options_));
    ids_digest_ = format::IdsDigest(index.ids, index.ranks);
    return *ids_digest_;
  }

  std::string path_;
  const FileOpener& open_;
  const ReadOptions& options_;
  std::unique_ptr<SingleFile> single_;  // null if it cannot be read
  std::optional<format::Digest> ids_digest_;
};

struct Statements {
  std::vector<Statement> about;  // the file in question
  std::vector<Error> unclear;
};

Result<Statements> FindStatements(const FileOpener& open,
                                  const std::string& directory,
                                  const ReadOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(FileBelowOthers file,
                         FileBelowOthers::Open(open, options));
  ZPACK_ASSIGN_OR_RETURN(const auto others, ListZpackFiles(directory));
  Statements found;
  for (const std::string& other : others) {
    std::error_code error;
    if (!fs::is_regular_file(other, error) ||
        fs::equivalent(other, file.path(), error)) {
      continue;
    }
    auto statement = ReadStatement(other, options);
    if (statement && !*statement) continue;
    const Result<bool> carries = statement ? file.Carries((*statement)->below)
                                           : std::unexpected(statement.error());
    if (!carries) {
      found.unclear.push_back(carries.error());
    } else if (*carries) {
      found.about.push_back(**std::move(statement));
    }
  }
  return found;
}

// True if the file that a statement names is another one than `path`, and has
// the stated hash.
bool ReadsAnother(const Statement& statement, const std::string& path) {
  const std::string named =
      DirectoryOf(statement.path) + '/' + statement.below.name;
  std::error_code error;
  if (fs::equivalent(named, path, error) || error) return false;
  const auto file = PosixFileSystem().OpenForRead(named);
  return file && StatesHash(**file, statement.below.file_hash).value_or(false);
}

Status CheckNoneDependIn(const std::string& directory, const std::string& path,
                         std::string_view advice) {
  const auto open = [&] { return PosixFileSystem().OpenForRead(path); };
  ZPACK_ASSIGN_OR_RETURN(const Statements found,
                         FindStatements(open, directory, ReadOptions{}));
  for (const Statement& statement : found.about) {
    if (ReadsAnother(statement, path)) continue;
    return NeededBy(path, statement.path, advice);
  }
  if (found.unclear.empty()) return {};
  return MakeError(ErrorCode::kExists,
                   "'{}' cannot be replaced, because a file beside it may "
                   "depend on it: {}{}",
                   AtPath{path}, MessageText{found.unclear.front().message},
                   MessageText{advice});
}

}  // namespace

Result<DependentFiles> FindDependents(const FileOpener& open,
                                      const std::string& directory,
                                      const ReadOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(Statements found,
                         FindStatements(open, directory, options));
  DependentFiles files;
  for (Statement& statement : found.about) {
    files.paths.push_back(std::move(statement.path));
  }
  files.unclear = std::move(found.unclear);
  return files;
}

std::unexpected<Error> NeededBy(const std::string& path,
                                const std::string& dependent,
                                std::string_view advice) {
  return MakeError(ErrorCode::kExists,
                   "'{}' cannot be replaced: '{}' depends on it{}",
                   AtPath{path}, dependent, MessageText{advice});
}

Status CheckNoneDepend(const std::string& path, std::string_view advice) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  std::vector<std::string> directories = {DirectoryOf(path)};
  // Not the link is replaced, but what it leads to.
  if (fs::is_symlink(path, error)) {
    const std::string target = fs::canonical(path, error).string();
    if (!error) directories.push_back(DirectoryOf(target));
  }
  for (const std::string& directory : directories) {
    ZPACK_TRY(CheckNoneDependIn(directory, path, advice));
  }
  return {};
}

Status CheckApart(const std::string& path, const std::string& output) {
  std::error_code error;
  if (!fs::exists(output, error) || fs::equivalent(path, output, error)) {
    return {};
  }
  const ReadOptions options;
  auto file = PosixFileSystem().OpenForRead(path);
  auto top = file ? SingleFile::Open(*std::move(file), options)
                  : std::unexpected(std::move(file).error());
  const auto chain = top ? OpenChain(*std::move(top), options)
                         : std::unexpected(std::move(top).error());
  // Of a file that cannot be read, only what depends on it is known.
  if (chain && IsAmong(*chain, output)) return NeededBy(output, path);
  return CheckNoneDepend(output, "");
}

}  // namespace zpack
