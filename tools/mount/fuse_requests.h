// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The operations of the file system, as libfuse calls them. Any thread.

#pragma once

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <string_view>

#include "archive_tree.h"
#include "content_reader.h"
#include "mount_log.h"
#include "node_table.h"
#include "tree_read_ahead.h"
#include "zpack/archive_reader.h"
#include "zpack/result.h"

namespace zpack::mount {

// What the operations work with: the user data of the session.
struct MountedFile {
  MountedFile(const ArchiveReader& archive, MountLog& errors)
      : reader(archive),
        log(errors),
        tree(archive),
        contents(archive),
        nodes(tree.Root()),
        read_ahead(tree) {}

  const ArchiveReader& reader;
  MountLog& log;
  ArchiveTree tree;
  ContentReader contents;
  NodeTable nodes;
  TreeReadAhead read_ahead;
  std::function<void()> ready;
  uint64_t file_size = 0;
  uid_t user = 0;
  gid_t group = 0;
  // Of the kernel: opening need not be asked for.
  bool opens_files = false;
  bool opens_directories = false;

  Node& NodeOf(fuse_ino_t number) {
    return number == FUSE_ROOT_ID ? nodes.root()
                                  : *reinterpret_cast<Node*>(number);
  }
  fuse_ino_t NumberOf(const Node& node) const {
    return node.parent == nullptr ? FUSE_ROOT_ID
                                  : reinterpret_cast<fuse_ino_t>(&node);
  }
  // The attributes of a node, and what the kernel keeps of it.
  struct stat StatOf(const Node& node) const;
  fuse_entry_param EntryOf(const Node& node) const;
  // Says in the log, once for a node, what could not be read. `name` is that of
  // an entry, or empty.
  void Log(const Node& node, std::string_view name, const Error& error);
};

// The seconds for which the kernel may keep answers: nothing ever changes.
inline constexpr double kForever = 365 * 86400.0;

// EIO, unless there is a better number.
int ErrnoOf(const Error& error);

// The table of operations.
const fuse_lowlevel_ops& FuseOperations();

// Answers a request for the entries of a directory.
void ListDirectory(fuse_req_t request, fuse_ino_t directory, size_t size,
                   off_t offset, fuse_file_info* info);
// The same, with the attributes of the entries.
void ListDirectoryPlus(fuse_req_t request, fuse_ino_t directory, size_t size,
                       off_t offset, fuse_file_info* info);

// Calls `answer` with the mounted file. Lack of memory is an error of the
// request.
template <typename Answer>
void Respond(fuse_req_t request, Answer answer) {
  int error = EIO;
  try {
    answer(*static_cast<MountedFile*>(fuse_req_userdata(request)));
    return;
  } catch (const std::bad_alloc&) {
    error = ENOMEM;
  } catch (const std::exception&) {
    error = EIO;
  }
  fuse_reply_err(request, error);
}

}  // namespace zpack::mount
