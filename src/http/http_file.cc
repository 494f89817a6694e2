// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "http/http_file.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"

namespace zpack {
namespace {

// Bytes of pages that are kept in memory.
constexpr uint64_t kMaxMemory = uint64_t{32} << 20;
// Bytes that are read at once.
constexpr uint64_t kMaxPiece = uint64_t{8} << 20;
// Bytes of a read that may be part of a sequence.
constexpr uint64_t kLeastBulk = 4096;
// Pages of a request, unless more or others are there already.
constexpr uint64_t kLeastRun = 2;

PageRun PagesOf(uint64_t begin, uint64_t end) {
  return {begin / kPageSize, (end + kPageSize - 1) / kPageSize};
}

}  // namespace

// Pages that this thread has claimed. Releases those that did not arrive.
class HttpFile::PageClaims {
 public:
  explicit PageClaims(PageTable& table) : table_(table) {}
  ~PageClaims() {
    for (const uint64_t number : claimed_) table_.Release(number);
  }
  PageClaims(const PageClaims&) = delete;
  PageClaims& operator=(const PageClaims&) = delete;

  // Makes room for `count` more pages, so that Add does not fail.
  void Reserve(size_t count) { claimed_.reserve(claimed_.size() + count); }
  void Add(uint64_t number) { claimed_.push_back(number); }
  void Put(uint64_t number, PageTable::Page page) {
    table_.Put(number, std::move(page));
    std::erase(claimed_, number);
  }

 private:
  PageTable& table_;
  std::vector<uint64_t> claimed_;
};

HttpFile::HttpFile(PageLoader loader, Bytes start, NeighbourOpener open_beside,
                   std::stop_token stop)
    : loader_(std::move(loader)),
      open_beside_(std::move(open_beside)),
      stop_(std::move(stop)),
      table_(kMaxMemory),
      ahead_(loader_, table_) {
  ByteView rest = start;
  for (uint64_t number = 0; !rest.empty(); ++number) {
    const uint64_t size =
        std::min(kPageSize, this->size() - number * kPageSize);
    if (rest.size() < size || !table_.Claim(number)) break;
    const ByteView page = rest.first(size);
    loader_.Store(number, page);
    table_.Put(number, std::make_shared<const Bytes>(page.begin(), page.end()));
    rest = rest.subspan(size);
  }
}

Status HttpFile::Read(uint64_t offset, std::span<uint8_t> out) const {
  if (offset > size() || out.size() > size() - offset) {
    return MakeError(ErrorCode::kCorrupt,
                     "unexpected end of file at offset {} of '{}'",
                     AtOffset{offset}, AtPath{path()});
  }
  while (!out.empty()) {
    const uint64_t end = offset + std::min<uint64_t>(out.size(), kMaxPiece);
    const PageRun run = PagesOf(offset, end);
    ahead_.NoteRead(run);
    // Small reads are lookups in an index, which go anywhere.
    if (end - offset >= kLeastBulk) ahead_.NoteSequence(run);
    ZPACK_ASSIGN_OR_RETURN(const Pages pages, Get(run));
    while (offset < end) {
      const ByteView page = *pages[offset / kPageSize - run.first];
      const ByteView part =
          page.subspan(offset % kPageSize)
              .first(std::min<uint64_t>(end - offset,
                                        page.size() - offset % kPageSize));
      std::ranges::copy(part, out.begin());
      out = out.subspan(part.size());
      offset += part.size();
    }
  }
  return {};
}

void HttpFile::Prefetch(uint64_t begin, uint64_t end) const {
  end = std::min(end, size());
  if (begin < end) ahead_.Want(PagesOf(begin, end));
}

bool HttpFile::Forget(uint64_t begin, uint64_t end) const {
  bool kept_before = false;
  const PageRun run = PagesOf(begin, end);
  for (uint64_t number = run.first; number < run.end; ++number) {
    // From the disk first, from where it would come back.
    kept_before |= loader_.Forget(number);
    table_.Drop(number);
  }
  return kept_before;
}

Result<HttpFile::Pages> HttpFile::Get(PageRun run) const {
  Pages pages(run.size());
  while (true) {
    ZPACK_TRY(CheckStop(stop_));
    ZPACK_ASSIGN_OR_RETURN(const uint64_t waiting, GetOrLoad(run, pages));
    if (waiting == run.end) return pages;
    table_.Wait(waiting, stop_);
  }
}

Result<uint64_t> HttpFile::GetOrLoad(PageRun run, Pages& pages) const {
  PageClaims claims(table_);
  std::vector<PageRun> absent;
  uint64_t waiting = run.end;
  for (uint64_t number = run.first; number < run.end; ++number) {
    PageTable::Page& page = pages[number - run.first];
    if (page != nullptr) continue;
    claims.Reserve(1);
    PageTable::Found found = table_.FindOrClaim(number);
    if (found.state == PageTable::State::kPresent) {
      page = std::move(found.page);
    } else if (found.state == PageTable::State::kLoading) {
      waiting = std::min(waiting, number);
    } else {
      claims.Add(number);
      if (absent.empty() || absent.back().end != number) {
        absent.push_back({number, number});
      }
      absent.back().end = number + 1;
    }
  }
  for (const PageRun& known : absent) {
    const PageRun wider = Extend(known, claims);
    ZPACK_TRY(
        loader_.Load(wider, stop_, [&](uint64_t number, PageTable::Page page) {
          if (number >= run.first && number < run.end) {
            pages[number - run.first] = page;
          }
          claims.Put(number, std::move(page));
        }));
  }
  return waiting;
}

PageRun HttpFile::Extend(PageRun run, PageClaims& claims) const {
  const auto claim = [&](uint64_t number) {
    claims.Reserve(1);
    if (!table_.Claim(number)) return false;
    claims.Add(number);
    return true;
  };
  while (run.size() < kLeastRun && run.end < loader_.page_count() &&
         claim(run.end)) {
    ++run.end;
  }
  // The last page may be short.
  if (run.end != loader_.page_count()) return run;
  while (run.size() <= kLeastRun && run.first > 0 && claim(run.first - 1)) {
    --run.first;
  }
  return run;
}

}  // namespace zpack
