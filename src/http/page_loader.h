// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Gets pages from the cache on disk, and the other ones from the server. Any
// number of threads may use one loader.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

#include "base/disk_cache.h"
#include "http/page_table.h"
#include "http/remote_file.h"

namespace zpack {

inline constexpr uint64_t kPageSize = uint64_t{64} << 10;

// Pages [first, end).
struct PageRun {
  uint64_t first = 0;
  uint64_t end = 0;

  uint64_t size() const { return end - first; }
};

class PageLoader {
 public:
  using Deliver = std::function<void(uint64_t number, PageTable::Page page)>;

  // `disk` may be null.
  PageLoader(std::unique_ptr<const RemoteFile> file,
             std::unique_ptr<DiskCache> disk)
      : file_(std::move(file)), disk_(std::move(disk)) {}

  const RemoteFile& file() const { return *file_; }
  uint64_t page_count() const {
    return (file_->size() + kPageSize - 1) / kPageSize;
  }
  // Loads pages, each run of pages that are not on disk with one request, and
  // delivers each page as soon as it is complete. Errors are those of
  // RemoteFile::Fetch; the pages that were delivered before remain valid.
  Status Load(PageRun run, const std::stop_token& stop,
              const Deliver& deliver) const;
  // Stores a page that arrived otherwise.
  void Store(uint64_t number, ByteView page) const;

 private:
  ByteRange RangeOf(PageRun run) const;
  PageTable::Page FromDisk(uint64_t number) const;
  Status FetchRun(PageRun run, const std::stop_token& stop,
                  const Deliver& deliver) const;

  std::unique_ptr<const RemoteFile> file_;
  std::unique_ptr<DiskCache> disk_;
};

}  // namespace zpack
