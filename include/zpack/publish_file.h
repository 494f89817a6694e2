// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Gives a finished file its name, so that it never replaces what another
// process wrote meanwhile. Functions without state; any thread.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "zpack/result.h"

namespace zpack {

// The size and the time tell apart files that got the same inode one after the
// other, and find a file that was written to.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t modified = 0;  // nanoseconds since 1970

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// The file at `path`, following links; nothing if there is none.
std::optional<FileIdentity> IdentityOf(const std::string& path);

// Returns kExists if `path` no longer stands for `before`, which may be
// nothing: another process has replaced, changed, created or removed the file.
Status CheckSameFile(const std::string& path,
                     const std::optional<FileIdentity>& before);

class AtomicFile;

// A new file under a temporary name, '.<name>.zpack-tmp' beside the file that
// it replaces, to which others write by its path. What a killed process left is
// taken over. The destructor removes it. Thread-compatible.
class ReplacementFile {
 public:
  // The new file for `path`, empty. If `path` leads through links, the file at
  // their end will be replaced.
  //
  // Errors: kExists if another process writes such a file; kInvalidArgument if
  // `path` or the temporary file is no regular file; kIo.
  static Result<ReplacementFile> Create(const std::string& path);
  ReplacementFile(ReplacementFile&& other) noexcept;
  ~ReplacementFile();

  const std::string& temporary_path() const;

  // Syncs the file, gives it its name and the permissions of the file that it
  // replaces, and syncs the directory. `before` is what `path` stood for when
  // the caller began. REQUIRES: all is written.
  //
  // Errors: kExists if `path` no longer stands for `before`; kNotDurable if the
  // file has its name, but the directory cannot be synced; kIo. After kExists
  // and kIo, `path` is unchanged.
  Status Publish(const std::optional<FileIdentity>& before);

 private:
  explicit ReplacementFile(AtomicFile file);

  std::unique_ptr<AtomicFile> file_;
};

}  // namespace zpack
