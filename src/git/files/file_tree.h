// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists and opens the files below a directory without following any symbolic
// link, so that nothing outside is read. Thread-compatible.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "zpack/result.h"

namespace zpack {

struct TreeFile {
  std::string name;         // below the root
  bool executable = false;  // for its owner
  uint64_t size = 0;
};

struct TreeListing {
  std::vector<TreeFile> files;  // ascending by name
  // Symbolic links, sockets and the like.
  std::vector<std::string> others;
};

// Lists the files at and below `root`/`name`. Nothing if that does not exist.
// kIo.
Result<TreeListing> ListTree(const std::string& root, const std::string& name);

// Whether there is a file at or below `root`/`name`. Lists no more directories
// than it needs to find one. kIo.
Result<bool> HasFile(const std::string& root, const std::string& name);

// Opens the file `root`/`name` for reading. Nothing if there is no such file,
// or a symbolic link on the way. kIo.
Result<std::optional<Descriptor>> OpenInTree(const std::string& root,
                                             const std::string& name);

// Reads at most out.size() bytes from the current position; 0 only at the end,
// if out.size() > 0. kIo names `path`.
Result<size_t> ReadSome(const Descriptor& file, std::span<uint8_t> out,
                        const std::string& path);

// Like ReadSome, but reads fewer bytes than out.size() only if the file ends.
Result<size_t> ReadFull(const Descriptor& file, std::span<uint8_t> out,
                        const std::string& path);

}  // namespace zpack
