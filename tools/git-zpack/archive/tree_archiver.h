// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the files of a tree to an archive. Thread-compatible.

#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "archive/any_archive_writer.h"
#include "read/path_filter.h"
#include "read/tree_walk.h"
#include "zpack/archive_reader.h"

namespace zpack::cli {

class TreeArchiver {
 public:
  // `prefix` is put before each path. The references must outlive this object.
  TreeArchiver(const ArchiveReader& reader, const PathFilter& paths,
               std::string prefix, AnyArchiveWriter& writer,
               std::stop_token stop)
      : reader_(reader),
        paths_(paths),
        prefix_(std::move(prefix)),
        writer_(writer),
        stop_(std::move(stop)) {}

  // kNotFound if one of the paths matches nothing below `tree`; errors of
  // WalkTree.
  Status CheckPaths(const ObjectId& tree) const;
  // Writes everything below `tree` that the paths name. Errors: those of
  // WalkTree and ArchiveReader::Stream; kIo; kInterrupted after a stop request;
  // kInvalidArgument if a name in the tree is '.', '..', '.git' in any case, or
  // has a slash.
  Status Write(const ObjectId& tree);

  // Files with attributes that git-archive(1) applies and this class does not.
  const std::vector<std::string>& ignored_attributes() const {
    return ignored_attributes_;
  }

 private:
  Status CheckStop() const;
  Result<Descend> Take(const TreeItem& item, std::string_view base);
  Status AddFile(const TreeItem& item, std::string path);
  // Writes the files that wait. They are read together, because those of a
  // directory are not next to each other in the file.
  Status Flush();
  Status WriteFile(TarEntry& entry);
  // Looks for attributes that matter in a file of them.
  Status NoteAttributes(const TreeItem& item, std::string_view base);

  const ArchiveReader& reader_;
  const PathFilter& paths_;
  std::string prefix_;
  AnyArchiveWriter& writer_;
  std::stop_token stop_;
  std::vector<TarEntry> empty_;  // directories without a file so far
  std::vector<TarEntry> waiting_;
  uint64_t waiting_bytes_ = 0;
  std::vector<std::string> ignored_attributes_;
};

}  // namespace zpack::cli
