// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Pages of one remote file on disk, for later runs. Two files hold them: a
// sparse file of all pages, and a map with the checksum of each page, which is
// written after the page. Any number of threads and processes may use one
// entry: what they write is the same, and a page whose checksum differs counts
// as absent. The checksum covers the name of the entry, too. A directory or
// file of another user is not used.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/descriptor.h"

namespace zpack {

class DiskCache {
 public:
  struct Place {
    std::string directory;
    // Maximum bytes of all entries. Entries that were not used for the longest
    // time are removed first, but never one that is in use.
    uint64_t max_bytes = 0;
  };

  // Returns the directory for caches of this user: $XDG_CACHE_HOME/git-zpack
  // or $HOME/.cache/git-zpack. Empty if neither variable is an absolute path.
  static std::string DefaultDirectory();

  // Opens the entry of a version of a file, and creates it if needed. Returns
  // null if that is not possible: a cache is never needed.
  static std::unique_ptr<DiskCache> Open(const Place& place,
                                         const std::string& version,
                                         uint64_t page_size);

  // Fills `out` with a page. False if the page is absent or damaged.
  bool Read(uint64_t number, std::span<uint8_t> out) const;
  // Stores a page. If that fails, the page stays absent.
  void Write(uint64_t number, ByteView page);
  // Makes a page absent.
  void Remove(uint64_t number);

 private:
  DiskCache(const Place& place, std::string name, uint64_t page_size,
            Descriptor map, Descriptor pages)
      : place_(place),
        name_(std::move(name)),
        page_size_(page_size),
        map_(std::move(map)),
        pages_(std::move(pages)) {}

  Place place_;
  std::string name_;  // of the entry
  uint64_t page_size_;
  Descriptor map_;
  Descriptor pages_;
  std::atomic<uint64_t> written_ = 0;  // bytes
  std::atomic<bool> full_ = false;
};

}  // namespace zpack
