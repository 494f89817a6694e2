// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/restore/restore_place.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/directory.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/same_file.h"
#include "base/temporary_name.h"
#include "base/umask.h"
#include "git/restore/replaceable.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

// The name of the private directory inside an empty destination.
constexpr std::string_view kStagingName = ".zpack-tmp";
constexpr std::string_view kLockSuffix = ".lock";
// Entries of a restored repository, except HEAD.
constexpr std::array<std::string_view, 8> kEntries = {
    "config",  "description", "hooks", "info",
    "objects", "packed-refs", "refs",  "shallow"};

bool IsDirectory(const std::string& path) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(path, error));
}

// True if the directory is empty or holds only leftovers of a killed restore.
// Leftovers never include HEAD, because HEAD is moved up last.
Result<bool> IsUnfinished(const std::string& directory) {
  ZPACK_ASSIGN_OR_RETURN(const auto entries, ListEntries(directory));
  const std::string staging = directory + '/' + std::string(kStagingName);
  std::error_code error;
  const bool moving = IsDirectory(staging) &&
                      fs::exists(fs::symlink_status(staging + "/HEAD", error));
  return std::ranges::all_of(entries, [&](const DirectoryEntry& entry) {
    const std::string_view name = entry.name;
    if (name == kStagingName) return IsDirectory(staging);
    if (name.starts_with(kStagingName)) {
      return name.substr(kStagingName.size()) == kLockSuffix;
    }
    return moving && std::ranges::find(kEntries, name) != kEntries.end();
  });
}

Result<std::string> Canonical(const std::string& directory) {
  std::error_code error;
  // fs::absolute first: weakly_canonical leaves a path relative if it does not
  // exist, and then the path may have no parent.
  fs::path path = fs::absolute(directory, error);
  if (!error) path = fs::weakly_canonical(path, error);
  if (error || path.empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "bad directory: '{}'",
                     AtPath{directory});
  }
  if (!path.has_filename()) path = path.parent_path();
  return path.string();
}

// Whether the name `path` stands for the open directory.
bool IsOpened(const Descriptor& directory, const std::string& path) {
  struct stat opened;
  return fstat(directory.get(), &opened) == 0 && IsNameOf(path, opened);
}

std::unexpected<Error> WasReplaced(const std::string& path) {
  return MakeError(ErrorCode::kExists, "'{}' was replaced by another process",
                   AtPath{path});
}

// A path that leads to the open directory, which is called `name`, even if it
// is renamed. Without /proc, the name.
std::string PathOf(const Descriptor& directory, const std::string& name) {
  std::string path = "/proc/self/fd/" + std::to_string(directory.get());
  std::error_code error;
  return fs::equivalent(path, name, error) ? path : name;
}

Status CheckIs(const Descriptor& directory, const std::string& path) {
  if (IsOpened(directory, path)) return {};
  return WasReplaced(path);
}

}  // namespace

RestorePlace::RestorePlace(FileSystem& file_system, std::string destination,
                           std::vector<std::string> lfs_objects)
    : file_system_(file_system),
      destination_(std::move(destination)),
      lfs_objects_(std::move(lfs_objects)) {}

void RestorePlace::ChooseStaging() {
  if (kind_ == Kind::kEmptyDirectory) {
    parent_ = old_path_;
    staging_ = old_path_ + '/' + std::string(kStagingName);
  } else {
    parent_ = DirectoryOf(destination_);
    staging_ = TemporaryPathFor(destination_);
  }
  lock_path_ = staging_ + std::string(kLockSuffix);
}

Result<RestorePlace::Kind> RestorePlace::Examine(Overwrite overwrite) const {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(destination_, error);
  if (status.type() == fs::file_type::not_found) return Kind::kNothing;
  if (error) {
    return std::unexpected(IoError("stat", destination_, error.value()));
  }
  if (!fs::is_directory(status)) {
    return MakeError(ErrorCode::kExists,
                     "'{}' already exists and is not a directory",
                     destination_);
  }
  ZPACK_ASSIGN_OR_RETURN(const bool unfinished, IsUnfinished(destination_));
  if (unfinished) return Kind::kEmptyDirectory;
  if (overwrite == Overwrite::kNo) {
    return MakeError(ErrorCode::kExists,
                     "'{}' already exists and is not an empty directory",
                     destination_);
  }
  ZPACK_TRY(CheckReplaceable(destination_, lfs_objects_));
  return Kind::kRepository;
}

Result<std::unique_ptr<RestorePlace>> RestorePlace::Take(
    FileSystem& file_system, const std::string& directory, Overwrite overwrite,
    std::vector<std::string> lfs_objects) {
  ZPACK_ASSIGN_OR_RETURN(std::string destination, Canonical(directory));
  std::unique_ptr<RestorePlace> place(new RestorePlace(
      file_system, std::move(destination), std::move(lfs_objects)));
  ZPACK_ASSIGN_OR_RETURN(place->kind_, place->Examine(overwrite));
  if (place->kind_ != Kind::kNothing) ZPACK_TRY(place->OpenDestination());
  place->ChooseStaging();
  ZPACK_TRY(MakeDirectories(place->parent_));
  ZPACK_TRY(place->Lock());
  // Another process may have finished a restore before we got the lock.
  ZPACK_ASSIGN_OR_RETURN(const Kind now, place->Examine(overwrite));
  if (now != place->kind_) {
    return MakeError(ErrorCode::kExists,
                     "'{}' was changed by another process; try again",
                     place->destination_);
  }
  ZPACK_TRY(place->reserve_.Take());
  ZPACK_TRY(place->MakeStaging());
  return place;
}

RestorePlace::~RestorePlace() {
  reserve_.Release();
  // Memory or descriptors ran out between making and opening it. This removes
  // nothing but an empty directory.
  if (owned_ && opened_.get() < 0) (void)rmdir(staging_.c_str());
  CleanUp([this] {
    for (const std::string& name : moved_) {
      (void)file_system_.RemoveTree(old_path_ + '/' + name);
    }
    // The new repository, or after an exchange the old one.
    if (owned_ && (IsOpened(opened_, staging_) || IsOpened(old_, staging_))) {
      (void)file_system_.RemoveTree(staging_);
    }
  });
  CleanUp([this] {
    if (lock_ != nullptr) (void)file_system_.Remove(lock_path_);
  });
}

Status RestorePlace::Lock() {
  ZPACK_ASSIGN_OR_RETURN(lock_, file_system_.CreateLocked(lock_path_));
  return {};
}

Status RestorePlace::OpenDestination() {
  old_ = Descriptor(open(destination_.c_str(),
                         O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (old_.get() < 0) {
    return std::unexpected(IoError("open", destination_, errno));
  }
  old_path_ = PathOf(old_, destination_);
  return {};
}

Status RestorePlace::MakeStaging() {
  // A killed restore leaves a directory. A link would lead elsewhere.
  std::error_code error;
  const fs::file_status stale = fs::symlink_status(staging_, error);
  if (fs::exists(stale) && !fs::is_directory(stale)) {
    return MakeError(ErrorCode::kExists, "'{}' is in the way",
                     AtPath{staging_});
  }
  if (kind_ == Kind::kEmptyDirectory) {
    for (const std::string_view name : kEntries) {
      ZPACK_TRY(file_system_.RemoveTree(old_path_ + '/' + std::string(name)));
    }
  }
  ZPACK_TRY(file_system_.RemoveTree(staging_));
  // Before, because lack of memory may follow the making.
  owned_ = true;
  ZPACK_TRY(file_system_.MakeDirectory(staging_, 0700));
  ZPACK_ASSIGN_OR_RETURN(opened_, OpenOwnDirectory(staging_));
  inside_ = PathOf(opened_, staging_);
  return {};
}

Status RestorePlace::TryPublish() const {
  if (kind_ != Kind::kRepository) return {};
  constexpr std::string_view kAdvice =
      "move the old repository away, or restore to another directory";
  // A directory in a lower layer cannot be renamed. The call changes nothing: a
  // directory cannot replace a directory that is not empty.
  struct statfs info;
  if (statfs(destination_.c_str(), &info) == 0 &&
      info.f_type == OVERLAYFS_SUPER_MAGIC) {
    const Status renamed =
        file_system_.Rename(destination_, staging_, Replace::kYes);
    if (!renamed && renamed.error().code != ErrorCode::kExists) {
      return MakeError(ErrorCode::kUnsupported,
                       "--force cannot replace '{}', which is in a lower layer "
                       "of an overlay file system; {}",
                       destination_, MessageText{kAdvice});
    }
  }
  const std::string one = inside_ + "/one";
  const std::string other = inside_ + "/other";
  ZPACK_TRY(file_system_.MakeDirectory(one, 0700));
  ZPACK_TRY(file_system_.MakeDirectory(other, 0700));
  const Status exchanged = file_system_.Rename(one, other, Replace::kExchange);
  ZPACK_TRY(file_system_.RemoveTree(one));
  ZPACK_TRY(file_system_.RemoveTree(other));
  if (!exchanged && exchanged.error().code == ErrorCode::kUnsupported) {
    return MakeError(ErrorCode::kUnsupported,
                     "--force cannot replace '{}', because its file system "
                     "cannot exchange two directories; {}",
                     destination_, MessageText{kAdvice});
  }
  return exchanged;
}

Status RestorePlace::Publish() {
  // From here on, only this thread opens files, one after the other.
  reserve_.Release();
  if (kind_ != Kind::kNothing) ZPACK_TRY(CheckIs(old_, destination_));
  ZPACK_TRY(CheckIs(opened_, staging_));
  switch (kind_) {
    case Kind::kEmptyDirectory:
      return MoveUp();
    case Kind::kNothing:
      return PublishNew();
    case Kind::kRepository:
      break;
  }
  return PublishExchanged();
}

Status RestorePlace::MoveUp() {
  ZPACK_ASSIGN_OR_RETURN(const auto there, ListEntries(old_path_));
  for (const auto& [name, type] : there) {
    if (!name.starts_with(kStagingName)) {
      return MakeError(ErrorCode::kExists, "'{}' has appeared in '{}'", name,
                       destination_);
    }
  }
  ZPACK_ASSIGN_OR_RETURN(const auto entries, ListEntries(inside_));
  for (const auto& [name, type] : entries) {
    if (name == "HEAD") continue;
    ZPACK_TRY(file_system_.Rename(inside_ + '/' + name, old_path_ + '/' + name,
                                  Replace::kNo));
    moved_.push_back(name);
  }
  ZPACK_TRY(file_system_.SyncDirectory(parent_));
  ZPACK_TRY(CheckIs(old_, destination_));
  ZPACK_TRY(file_system_.Rename(inside_ + "/HEAD", old_path_ + "/HEAD",
                                Replace::kNo));
  moved_.clear();
  return SyncPublished(file_system_, parent_, destination_);
}

Status RestorePlace::PublishNew() {
  struct stat info;
  if (fstat(opened_.get(), &info) != 0) {
    return std::unexpected(IoError("stat", staging_, errno));
  }
  const unsigned inherited = info.st_mode & (S_ISUID | S_ISGID | S_ISVTX);
  ZPACK_TRY(file_system_.SetMode(
      inside_, inherited | shared_.ForDirectory(0777 & ~CurrentUmask())));
  ZPACK_TRY(file_system_.Rename(staging_, destination_, Replace::kNo));
  if (!IsOpened(opened_, destination_)) {
    // What was renamed belongs to another process, and goes back.
    ZPACK_TRY(file_system_.Rename(destination_, staging_, Replace::kNo));
    return WasReplaced(staging_);
  }
  owned_ = false;
  return SyncPublished(file_system_, parent_, destination_);
}

Status RestorePlace::PublishExchanged() {
  // Another process may have added something to the old repository.
  ZPACK_TRY(CheckReplaceable(destination_, lfs_objects_));
  std::error_code error;
  const fs::perms mode = fs::status(destination_, error).permissions();
  if (error) {
    return std::unexpected(IoError("stat", destination_, error.value()));
  }
  ZPACK_TRY(file_system_.SetMode(inside_, static_cast<unsigned>(mode)));
  ZPACK_TRY(file_system_.Rename(staging_, destination_, Replace::kExchange));
  const bool is_ours = IsOpened(opened_, destination_);
  if (!is_ours || !IsOpened(old_, staging_)) {
    // What was exchanged belongs to another process, and goes back.
    ZPACK_TRY(file_system_.Rename(staging_, destination_, Replace::kExchange));
    return WasReplaced(is_ours ? destination_ : staging_);
  }
  ZPACK_TRY(SyncPublished(file_system_, parent_, destination_));
  // After the exchange, `staging_` is the old repository.
  const Status removed = file_system_.RemoveTree(staging_);
  if (removed) return {};
  return MakeError(removed.error().code,
                   "'{}' is restored, but the old repository is not removed "
                   "entirely: {}",
                   destination_, MessageText{removed.error().message});
}

Result<bool> IsEmptyButForLeftovers(const std::string& directory,
                                    const std::string& name) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) return false;
  const std::string staging = FileNameOf(TemporaryPathFor(name));
  ZPACK_ASSIGN_OR_RETURN(const auto entries, ListEntries(directory));
  return std::ranges::all_of(entries, [&](const DirectoryEntry& entry) {
    return entry.name == staging
               ? entry.type == fs::file_type::directory
               : entry.name == staging + std::string(kLockSuffix);
  });
}

}  // namespace zpack
