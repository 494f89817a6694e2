// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A file that appears under its name whole or not at all. Thread-compatible.

#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Writes to '.<name>.zpack-tmp' beside the destination, which only the owner
// may read. The destructor removes that file and never publishes it; a
// temporary that a killed process left is told from a live one by its lock and
// taken over by the next writer.
class AtomicFile {
 public:
  // What happens to a temporary that another run left.
  enum class Leftover : uint8_t { kEmpty, kKeep };

  // The name of the temporary for the destination `path`.
  static Result<std::string> TemporaryPath(const std::string& path);

  // kExists when `path` is there and `overwrite` is kNo, or while another
  // process writes the same destination; kInvalidArgument when something that
  // is not a regular file is in the way. A symbolic link is followed.
  static Result<AtomicFile> Create(FileSystem& file_system,
                                   const std::string& path, Overwrite overwrite,
                                   Leftover leftover = Leftover::kEmpty);
  ~AtomicFile();
  AtomicFile(AtomicFile&&) noexcept = default;
  AtomicFile& operator=(AtomicFile&&) = delete;

  // REQUIRES: has_temporary().
  WritableFile& file() { return *file_; }
  const std::string& temporary_path() const { return temporary_path_; }

  // Renames the temporary over the destination and syncs the directory. The
  // file gets the mode of the one that it replaces, or that of any new file.
  // REQUIRES: file().Sync() has returned success, and nothing was written
  // since. kNotDurable if the new file is in place but its directory could not
  // be synced. After any other failure the destination is unchanged, except
  // where a rename always replaces and the temporary name cannot be removed:
  // the destination is then the new file.
  Status Commit();

  // False once it was renamed or kept.
  bool has_temporary() const { return file_ != nullptr; }

  // Leaves the temporary, for a run that opens it with kKeep.
  void Keep();

 private:
  AtomicFile(FileSystem& file_system, std::string path,
             std::string temporary_path, Overwrite overwrite,
             std::unique_ptr<WritableFile> file);

  FileSystem& file_system_;
  std::string path_;
  std::string temporary_path_;
  Overwrite overwrite_;
  std::unique_ptr<WritableFile> file_;  // null once committed
};

}  // namespace zpack
