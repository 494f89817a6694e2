// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/blob_keys.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "log/archive_texts.h"
#include "search/blob_search.h"

namespace zpack::log {
namespace {

// Counters that threads borrow. May be used from several threads at once.
class CounterPool {
 public:
  explicit CounterPool(const Needle& needle) : needle_(needle) {}

  template <typename Use>
  auto With(Use use) -> decltype(use(std::declval<OccurrenceCounter&>())) {
    ZPACK_ASSIGN_OR_RETURN(std::unique_ptr<OccurrenceCounter> counter, Take());
    auto result = use(*counter);
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(counter));
    return result;
  }

 private:
  Result<std::unique_ptr<OccurrenceCounter>> Take() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!idle_.empty()) {
        auto counter = std::move(idle_.back());
        idle_.pop_back();
        return counter;
      }
    }
    ZPACK_ASSIGN_OR_RETURN(OccurrenceCounter made,
                           OccurrenceCounter::Make(needle_));
    return std::make_unique<OccurrenceCounter>(std::move(made));
  }

  const Needle& needle_;
  std::mutex mutex_;  // guards idle_
  std::vector<std::unique_ptr<OccurrenceCounter>> idle_;
};

// Counts the occurrences of a plain text in blobs that come in pieces. May be
// used from several threads at once.
class PieceCounts {
 public:
  explicit PieceCounts(CounterPool& pool) : pool_(pool) {}

  // REQUIRES: as BlobSearch::piece.
  Status Add(ObjectNumber blob, std::string_view piece) {
    Counted* const counted = [&] {
      const std::lock_guard<std::mutex> lock(mutex_);
      return &blobs_[blob];
    }();
    ZPACK_ASSIGN_OR_RETURN(
        const uint32_t count,
        pool_.With([&](OccurrenceCounter& in) -> Result<uint32_t> {
          return in.CountPiece(piece, counted->rest);
        }));
    counted->count += count;
    return {};
  }

  // Adds a key for each blob with an occurrence.
  void AddTo(std::unordered_map<ObjectNumber, uint64_t>& keys) const {
    for (const auto& [blob, counted] : blobs_) {
      if (counted.count != 0) keys.emplace(blob, counted.count);
    }
  }

 private:
  struct Counted {
    std::string rest;
    uint64_t count = 0;
  };

  CounterPool& pool_;
  std::mutex mutex_;  // guards the map, but not what is in it
  std::unordered_map<ObjectNumber, Counted> blobs_;
};

// A query for all lines that may be part of an occurrence.
LineQuery CandidateLines(const Needle& needle) {
  std::string_view longest;
  for (std::string_view rest = needle.text; !needle.expression;) {
    const size_t feed = rest.find('\n');
    const std::string_view line = rest.substr(0, feed);
    if (line.size() > longest.size()) longest = line;
    if (feed == std::string_view::npos) break;
    rest.remove_prefix(feed + 1);
  }
  LineQuery query;
  query.ignore_case = needle.ignore_case;
  // Without such a line, all lines.
  query.syntax = PatternSyntax::kFixed;
  query.tokens.push_back({QueryToken::Kind::kPattern, std::string(longest)});
  return query;
}

// Of a sum, the bits of a part must not be those of others.
uint64_t Mix(uint64_t hash) {
  hash ^= hash >> 31;
  hash *= 0x9e3779b97f4a7c15U;
  hash ^= hash >> 29;
  return hash * 0xbf58476d1ce4e5b9U;
}

// The key of a blob by the names of its lines.
uint64_t Sum(std::span<const uint32_t> names, KeyOf key) {
  uint64_t sum = 0;
  bool any = false;
  for (const uint32_t name : names) {
    sum += key == KeyOf::kCount ? name : Mix(name);
    any = any || name != 0;
  }
  return key == KeyOf::kLines && any ? std::max<uint64_t>(sum, 1) : sum;
}

// Lets `counts` take the blobs in segments, if these need no lines.
void CountPieces(const KeySearch& wanted, PieceCounts& counts,
                 search::BlobSearch& search) {
  const auto counter = OccurrenceCounter::Make(wanted.needle);
  if (wanted.key == KeyOf::kCount && counter && counter->plain()) {
    search.piece = std::bind_front(&PieceCounts::Add, &counts);
  }
}

// The name of a line: its share in the key of its blob. 0 if it has none.
Result<uint32_t> NameOf(std::string_view line, KeyOf key, bool exact,
                        CounterPool& pool) {
  if (key == KeyOf::kCount) {
    return pool.With([&](OccurrenceCounter& in) { return in.Count(line); });
  }
  if (!exact) {
    const std::string whole = std::string(line) + '\n';
    ZPACK_ASSIGN_OR_RETURN(
        const bool occurs,
        pool.With([&](OccurrenceCounter& in) { return in.Occurs(whole); }));
    if (!occurs) return 0;
  }
  return std::max(1U,
                  static_cast<uint32_t>(std::hash<std::string_view>()(line)));
}

}  // namespace

Status BlobKeys::SearchLines(const FileBlocks& file, const KeySearch& wanted,
                             LineQuery query) {
  CounterPool pool(wanted.needle);
  std::mutex mutex;  // guards the keys
  if (wanted.key == KeyOf::kLines) binary_.resize(file.object_count());
  search::BlobSearch search = {.query = std::move(query),
                               .numbers = wanted.blobs,
                               .threads = wanted.threads,
                               .stop = wanted.stop,
                               .leaves_out_binary = wanted.leaves_out_binary};
  PieceCounts counts(pool);
  CountPieces(wanted, counts, search);
  search.name = [&](std::string_view line) {
    return NameOf(line, wanted.key, exact_, pool);
  };
  search.visit = [&](const search::FoundBlob& blob) -> Status {
    if (blob.binary && !binary_.empty()) binary_[blob.number.value()] = 1;
    const uint64_t key = Sum(blob.names, wanted.key);
    if (key == 0) return {};
    const std::lock_guard<std::mutex> lock(mutex);
    keys_.emplace(blob.number, key);
    return {};
  };
  ZPACK_TRY(search::SearchBlobs(file, search));
  counts.AddTo(keys_);
  return {};
}

Status BlobKeys::SearchTexts(const ArchiveFile& archive, ObjectReader& objects,
                             const KeySearch& wanted, LineQuery query) {
  CounterPool pool(wanted.needle);
  std::mutex mutex;  // guards the keys, and:
  std::vector<ObjectNumber> large;
  const auto count = [&](ObjectNumber blob, std::string_view text) -> Status {
    ZPACK_ASSIGN_OR_RETURN(
        const uint32_t key,
        pool.With([&](OccurrenceCounter& in) { return in.Count(text); }));
    const std::lock_guard<std::mutex> lock(mutex);
    if (key != 0) keys_.emplace(blob, key);
    return {};
  };
  search::BlobSearch search = {.query = std::move(query),
                               .numbers = wanted.blobs,
                               .threads = wanted.threads,
                               .stop = wanted.stop};
  search.visit = [&](const search::FoundBlob& blob) -> Status {
    if (blob.lines.empty()) return {};
    if (blob.text) return count(blob.number, *blob.text);
    const std::lock_guard<std::mutex> lock(mutex);
    large.push_back(blob.number);
    return {};
  };
  PieceCounts counts(pool);
  CountPieces(wanted, counts, search);
  ZPACK_TRY(search::SearchBlobs(archive.blocks(), search));
  counts.AddTo(keys_);
  for (const ObjectNumber blob : large) {
    ZPACK_ASSIGN_OR_RETURN(const ContentPart whole,
                           ReadBlob(archive, objects, blob));
    ZPACK_TRY(count(blob, AsText(whole.bytes)));
  }
  return {};
}

Result<BlobKeys> BlobKeys::Search(const ArchiveFile& archive,
                                  ObjectReader& objects,
                                  const KeySearch& wanted) {
  // Says what is wrong with the needle even if there are no blobs.
  ZPACK_TRY(OccurrenceCounter::Make(wanted.needle));
  BlobKeys keys;
  auto by_line = LinesWith(wanted.needle);
  keys.exact_ = by_line.has_value();
  LineQuery query =
      by_line ? std::move(*by_line) : CandidateLines(wanted.needle);
  if (keys.exact_ || wanted.key == KeyOf::kLines) {
    ZPACK_TRY(keys.SearchLines(archive.blocks(), wanted, std::move(query)));
  } else {
    ZPACK_TRY(keys.SearchTexts(archive, objects, wanted, std::move(query)));
  }
  keys.has_key_.resize(archive.object_count());
  for (const auto& [blob, key] : keys.keys_) {
    keys.has_key_[blob.value()] = true;
  }
  return keys;
}

}  // namespace zpack::log
