// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "http/page_loader.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace zpack {

ByteRange PageLoader::RangeOf(PageRun run) const {
  return {run.first * kPageSize, std::min(run.end * kPageSize, file_->size())};
}

bool PageLoader::Fetched::Contains(uint64_t number) {
  const std::lock_guard lock(mutex);
  return numbers.contains(number);
}

void PageLoader::Fetched::Insert(uint64_t number) {
  const std::lock_guard lock(mutex);
  numbers.insert(number);
}

void PageLoader::Store(uint64_t number, ByteView page) const {
  if (disk_ == nullptr) return;
  disk_->Write(number, page);
  fetched_->Insert(number);
}

bool PageLoader::Forget(uint64_t number) const {
  if (disk_ == nullptr) return false;
  disk_->Remove(number);
  return disk_pages_ == DiskPages::kAll && !fetched_->Contains(number);
}

PageTable::Page PageLoader::FromDisk(uint64_t number) const {
  if (disk_ == nullptr ||
      (disk_pages_ == DiskPages::kOwn && !fetched_->Contains(number))) {
    return nullptr;
  }
  Bytes bytes(RangeOf({number, number + 1}).size());
  if (!disk_->Read(number, bytes)) return nullptr;
  return std::make_shared<const Bytes>(std::move(bytes));
}

Status PageLoader::Load(PageRun run, const std::stop_token& stop,
                        const Deliver& deliver) const {
  PageRun absent{run.first, run.first};
  for (uint64_t number = run.first; number < run.end; ++number) {
    PageTable::Page page = FromDisk(number);
    if (page == nullptr) {
      absent.end = number + 1;
      continue;
    }
    deliver(number, std::move(page));
    ZPACK_TRY(FetchRun(absent, stop, deliver));
    absent = {number + 1, number + 1};
  }
  return FetchRun(absent, stop, deliver);
}

Status PageLoader::FetchRun(PageRun run, const std::stop_token& stop,
                            const Deliver& deliver) const {
  if (run.size() == 0) return {};
  uint64_t number = run.first;
  Bytes page;
  return file_->Fetch(RangeOf(run), stop, [&](ByteView bytes) -> Status {
    while (!bytes.empty()) {
      const uint64_t size = RangeOf({number, number + 1}).size();
      if (page.empty()) page.reserve(size);
      const ByteView part =
          bytes.first(std::min<uint64_t>(bytes.size(), size - page.size()));
      Append(page, part);
      bytes = bytes.subspan(part.size());
      if (page.size() < size) continue;
      Store(number, page);
      deliver(number, std::make_shared<const Bytes>(std::move(page)));
      page = {};
      ++number;
    }
    return {};
  });
}

}  // namespace zpack
