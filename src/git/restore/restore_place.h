// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The place where a restored repository is made before it gets its final name.
// Thread-compatible.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/reserve.h"
#include "base/shared_mode.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// A private directory in which a repository is made before it is published. If
// the destination does not exist, or is a bare repository to be replaced, the
// private directory is '.<name>.zpack-tmp' beside the destination. If the
// destination is an empty directory, its owner, group, mode and mount must be
// kept. Then the private directory is '.zpack-tmp' inside the destination, and
// everything is moved up at the end. HEAD is moved last, because without HEAD
// Git does not treat the directory as a repository.
//
// The destination is opened when the work begins. If its name stands for
// something else at the end, nothing is published there, and nothing removed.
//
// The private directory has a lock, which distinguishes a running restore from
// the leftovers of a killed restore. Leftovers are removed.
class RestorePlace {
 public:
  // Creates the private directory for the destination `directory`. A repository
  // with objects of Git LFS is replaced only if all of them are among
  // `lfs_objects` (names below the git directory, ascending).
  //
  // Errors: kExists if the destination exists, unless it is an empty directory,
  // or `overwrite` is kYes and it is a bare repository that may be replaced
  // (CheckReplaceable); kExists if another process restores to the destination;
  // kInvalidArgument if `directory` is not a valid name; kIo.
  static Result<std::unique_ptr<RestorePlace>> Take(
      FileSystem& file_system, const std::string& directory,
      Overwrite overwrite, std::vector<std::string> lfs_objects);
  // Removes everything that was not published.
  ~RestorePlace();
  RestorePlace(const RestorePlace&) = delete;
  RestorePlace& operator=(const RestorePlace&) = delete;

  // Path of the private directory, for creating files in it. With /proc, the
  // path leads to the directory even after another process has renamed it.
  const std::string& inside() const { return inside_; }

  // Checks whether Publish can replace the repository at the destination.
  // kUnsupported, kIo or kExists, with advice. REQUIRES: the private directory
  // is not empty.
  Status TryPublish() const;

  // A new directory gets the permissions that `shared` asks for. One that is
  // there already, or is replaced, gives its own.
  void Share(const SharedMode& shared) { shared_ = shared; }

  // Renames the repository to the destination, and removes the repository that
  // it replaces. After an error the destination is unchanged, unless the
  // message says otherwise. REQUIRES: everything in the private directory is
  // synced.
  Status Publish();

 private:
  // What is at the destination.
  enum class Kind : uint8_t { kNothing, kEmptyDirectory, kRepository };

  RestorePlace(FileSystem& file_system, std::string destination,
               std::vector<std::string> lfs_objects);
  Result<Kind> Examine(Overwrite overwrite) const;
  void ChooseStaging();
  Status Lock();
  Status OpenDestination();
  Status MakeStaging();
  Status MoveUp();
  Status PublishNew();
  Status PublishExchanged();

  FileSystem& file_system_;
  std::string destination_;  // absolute, without links
  std::vector<std::string> lfs_objects_;
  Kind kind_ = Kind::kNothing;
  std::string parent_;   // parent of the private directory
  std::string staging_;  // name of the private directory
  std::string lock_path_;
  std::unique_ptr<WritableFile> lock_;
  Descriptor old_{-1};     // the destination, if there is one
  std::string old_path_;   // leads to it, whatever has its name
  Descriptor opened_{-1};  // the private directory
  std::string inside_;
  Reserve reserve_;  // for removing the private directory
  SharedMode shared_;
  bool owned_ = false;              // the destructor must remove `staging_`
  std::vector<std::string> moved_;  // entries moved up, before HEAD
};

// Returns whether `directory` is a directory that holds nothing but leftovers
// of a killed restore to the new directory `name` in it. kIo if it cannot be
// read.
Result<bool> IsEmptyButForLeftovers(const std::string& directory,
                                    const std::string& name);

}  // namespace zpack
