// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A file on an HTTP server as a RandomAccessFile: pages in memory, a cache on
// disk, reading ahead. Any number of threads may read at the same time.

#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "base/file.h"
#include "base/neighbours.h"
#include "http/page_loader.h"
#include "http/page_table.h"
#include "http/read_ahead.h"

namespace zpack {

class HttpFile final : public RandomAccessFile {
 public:
  // Bytes of the first request.
  static constexpr uint64_t kStartSize = 2 * kPageSize;

  // `start` are the first bytes of the file, which have arrived already.
  // `open_beside` opens a file of the same server. Reads fail with kInterrupted
  // once `stop` is requested.
  HttpFile(PageLoader loader, Bytes start, NeighbourOpener open_beside,
           std::stop_token stop);

  // Errors: those of RemoteFile::Fetch; kCorrupt beyond the end of the file.
  Status Read(uint64_t offset, std::span<uint8_t> out) const override;
  void Prefetch(uint64_t begin, uint64_t end) const override;
  bool Forget(uint64_t begin, uint64_t end) const override;
  bool is_far_away() const override { return true; }
  uint64_t size() const override { return loader_.file().size(); }
  const std::string& path() const override { return loader_.file().name(); }
  Result<std::unique_ptr<RandomAccessFile>> OpenBeside(
      const std::string& name) const override {
    return open_beside_(name);
  }

 private:
  class PageClaims;
  using Pages = std::vector<PageTable::Page>;

  // Returns the pages of `run`.
  Result<Pages> Get(PageRun run) const;
  // Fills those of `pages` that are in memory, and claims and loads those that
  // nobody loads. Returns a page that another thread loads, or run.end.
  Result<uint64_t> GetOrLoad(PageRun run, Pages& pages) const;
  // Adds neighbours to a short run, because a request costs more than they do.
  PageRun Extend(PageRun run, PageClaims& claims) const;

  PageLoader loader_;
  NeighbourOpener open_beside_;
  std::stop_token stop_;
  mutable PageTable table_;
  mutable ReadAhead ahead_;  // last, so that its threads end first
};

}  // namespace zpack
