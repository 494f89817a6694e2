// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A file that appears under its final name complete, or not at all.
// Thread-compatible.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "zpack/options.h"
#include "zpack/publish_file.h"
#include "zpack/result.h"

namespace zpack {

// Writes to the temporary file '.<name>.zpack-tmp' beside the destination. Only
// the owner may read the temporary file. The destructor removes it unless
// Commit or Keep was called; the destructor never publishes it. A running
// writer holds a lock on the temporary file. The next writer takes over a
// temporary file that a killed process left.
class AtomicFile {
 public:
  // What Create does with a temporary file that another run left: empty it,
  // continue it, or leave it alone and give the new one another name.
  enum class Leftover : uint8_t { kEmpty, kKeep, kLeave };

  // What becomes of a symbolic link at the destination: its target is replaced,
  // or the link itself, which others may have put into a repository.
  enum class Links : uint8_t { kFollow, kReplace };

  // The path of the temporary file for the destination `path`.
  static Result<std::string> TemporaryPath(const std::string& path);

  // Opens the temporary file for the destination `path`. If `path` is a
  // symbolic link, and `links` is kFollow, the destination is the target of the
  // link.
  //
  // Errors: kExists if the destination exists and `overwrite` is kNo, or if
  // another process writes to the same destination; kInvalidArgument if the
  // destination or the temporary path is something other than a regular file;
  // kIo.
  static Result<AtomicFile> Create(FileSystem& file_system,
                                   const std::string& path, Overwrite overwrite,
                                   Leftover leftover = Leftover::kEmpty,
                                   Links links = Links::kFollow);
  ~AtomicFile();
  AtomicFile(AtomicFile&&) noexcept = default;
  AtomicFile& operator=(AtomicFile&&) = delete;

  // A destination that is new will be open to nobody who may not open `source`,
  // which the file is made of. Without effect if `source` is no local file.
  void LimitMode(const std::string& source);

  // REQUIRES: has_temporary().
  WritableFile& file() { return *file_; }
  const std::string& temporary_path() const { return temporary_path_; }

  // Renames the temporary file to the destination and syncs the directory. The
  // file gets the mode of the file that it replaces, or the mode of a new file,
  // within the limits of LimitMode.
  // REQUIRES: file().Sync() has returned success, and nothing was written
  // since.
  //
  // Returns kNotDurable if the new file is in place but the directory cannot be
  // synced. After any other error the destination is unchanged. On a file
  // system that cannot rename without replacing, the temporary name stays if it
  // cannot be removed; that is not an error.
  Status Commit();

  // As Commit, but returns kExists if the destination is no longer `before`,
  // which the caller has looked up (zpack/publish_file.h) after Create and
  // before it read what the new file replaces. The lock keeps out other writers
  // of this kind in between; other programs replace files without a lock.
  Status CommitOver(const std::optional<FileIdentity>& before);

  // The destination, after links.
  const std::string& path() const { return path_; }

  // False after Commit has renamed the temporary file, and after Keep.
  bool has_temporary() const { return file_ != nullptr; }

  // Leaves the temporary file for a run that opens it with kKeep.
  void Keep();

 private:
  AtomicFile(FileSystem& file_system, std::string path,
             std::string temporary_path, Overwrite overwrite,
             std::unique_ptr<WritableFile> file);

  FileSystem& file_system_;
  std::string path_;
  std::string temporary_path_;
  Overwrite overwrite_;
  unsigned new_mode_ = 0666;            // without regard to the umask
  std::unique_ptr<WritableFile> file_;  // null after Commit or Keep
};

}  // namespace zpack
