// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Gets pages from the cache on disk, and the other ones from the server. Any
// number of threads may use one loader.
//
// The cache keeps what arrived, whether it is right or not: only those who read
// a page know. They say what is damaged (Forget).

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <unordered_set>

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

// Which pages on disk are used: all of them, or those that this process has
// fetched, so that all others come from the server once more.
enum class DiskPages : uint8_t { kAll, kOwn };

class PageLoader {
 public:
  using Deliver = std::function<void(uint64_t number, PageTable::Page page)>;

  // `disk` may be null.
  PageLoader(std::unique_ptr<const RemoteFile> file,
             std::unique_ptr<DiskCache> disk,
             DiskPages disk_pages = DiskPages::kAll)
      : file_(std::move(file)),
        disk_(std::move(disk)),
        disk_pages_(disk_pages) {}

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
  // Removes a page from the cache on disk. Returns whether it was there before
  // this process began.
  bool Forget(uint64_t number) const;

 private:
  ByteRange RangeOf(PageRun run) const;
  PageTable::Page FromDisk(uint64_t number) const;
  Status FetchRun(PageRun run, const std::stop_token& stop,
                  const Deliver& deliver) const;

  // Pages that this process has fetched.
  struct Fetched {
    bool Contains(uint64_t number);
    void Insert(uint64_t number);

    std::mutex mutex;
    std::unordered_set<uint64_t> numbers;  // guarded by mutex
  };

  std::unique_ptr<const RemoteFile> file_;
  std::unique_ptr<DiskCache> disk_;
  DiskPages disk_pages_;
  std::unique_ptr<Fetched> fetched_ = std::make_unique<Fetched>();
};

}  // namespace zpack
