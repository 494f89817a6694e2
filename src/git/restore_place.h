// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a restored repository is made and how it gets its name. Thread-
// compatible.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/file.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// A private directory in which a repository is made before it is published. If
// nothing is at the destination, or a bare repository that is to be replaced,
// it is '.<name>.zpack-tmp' beside the destination. An empty directory keeps
// its owner, group, mode and mount, so the repository is made inside of it, in
// '.zpack-tmp', and then everything is moved up, HEAD last: without it Git
// does not take a directory for a repository.
//
// A lock tells a live run from what a killed one left, which is removed.
class RestorePlace {
 public:
  // kExists when something other than an empty directory is at `directory`
  // (unless `overwrite` is kYes and it is a bare repository that may be
  // replaced; see CheckReplaceable), or while another process restores to it;
  // kInvalidArgument for a name that makes no sense; kIo.
  static Result<std::unique_ptr<RestorePlace>> Take(
      FileSystem& file_system, const std::string& directory,
      Overwrite overwrite);
  // Removes what was not published.
  ~RestorePlace();
  RestorePlace(const RestorePlace&) = delete;
  RestorePlace& operator=(const RestorePlace&) = delete;

  // The path of the private directory, for whatever is made inside of it. It
  // leads there also when someone renames the directory.
  const std::string& inside() const { return inside_; }
  // Names the directory in a message that has inside() in a path.
  Error Explain(Error error) const;

  // Finds out whether Publish can replace the repository at the destination.
  // kUnsupported, kIo or kExists, with what to do. REQUIRES: the private
  // directory is not empty.
  Status TryPublish() const;

  // Gives the repository its name, and removes the one that was replaced. On
  // failure the destination is what it was, unless the message says otherwise.
  // REQUIRES: everything inside is on the disk.
  Status Publish();

 private:
  // What is at the destination.
  enum class Kind : uint8_t { kNothing, kEmptyDirectory, kRepository };

  RestorePlace(FileSystem& file_system, std::string destination, Kind kind);
  static Result<Kind> Examine(const std::string& destination,
                              Overwrite overwrite);
  Status Lock();
  Status MakeStaging();
  Status MoveUp();
  Status PublishNew();
  Status PublishExchanged();

  FileSystem& file_system_;
  std::string destination_;  // absolute, without links
  Kind kind_;
  std::string parent_;   // of the private directory
  std::string staging_;  // the private directory
  std::string lock_path_;
  std::unique_ptr<WritableFile> lock_;
  Descriptor opened_{-1};  // the private directory
  std::string inside_;
  bool owned_ = false;              // `staging_` is to be removed
  std::vector<std::string> moved_;  // up, before HEAD
};

}  // namespace zpack
