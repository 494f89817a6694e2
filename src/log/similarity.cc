// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/similarity.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.h"
#include "zpack/log.h"

namespace zpack::log {
namespace {

// These numbers decide which spans count as equal, so they are those of Git.
constexpr uint32_t kLongestSpan = 64;
constexpr uint32_t kSpanHashes = 107927;
// A text is binary if there is a NUL among so many bytes at its start.
constexpr size_t kBytesThatTell = 8000;

// Spans are joined whenever there are so many, which bounds the memory that the
// table of a large text takes.
constexpr size_t kMostSpans = size_t{1} << 18;
static_assert(kMostSpans > 2 * size_t{kSpanHashes});

bool IsBinaryText(ByteView text) {
  const ByteView start = text.first(std::min(text.size(), kBytesThatTell));
  return std::ranges::find(start, uint8_t{0}) != start.end();
}

// The state of the hash after one more byte: the lower half is a sum that does
// not carry into the upper one.
uint64_t NextState(uint64_t state, uint8_t byte) {
  state = std::rotl(state, 7);
  const uint32_t sum = static_cast<uint32_t>(state) + byte;
  return (state >> 32 << 32) | sum;
}

// Whether the sizes allow that similarity. In floating point, since sizes in a
// hostile file can be anything.
bool SizesAllow(uint64_t a, uint64_t b, uint32_t min_similarity) {
  const auto larger = static_cast<double>(std::max(a, b));
  const auto difference = larger - static_cast<double>(std::min(a, b));
  return larger * (kMostSimilar - min_similarity) >= difference * kMostSimilar;
}

}  // namespace

SpanTable::SpanTable(ByteView text) {
  // Git counts the bytes of a text in 32 bits.
  text = text.first(static_cast<uint32_t>(text.size()));
  const bool skips_returns = !IsBinaryText(text);
  uint64_t state = 0;
  uint32_t bytes = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const uint8_t byte = text[at];
    if (byte == '\r' && skips_returns && at + 1 < text.size() &&
        text[at + 1] == '\n') {
      continue;
    }
    state = NextState(state, byte);
    if (++bytes == kLongestSpan || byte == '\n') {
      Add(state, bytes);
      state = 0;
      bytes = 0;
    }
  }
  if (bytes > 0) Add(state, bytes);
  Join();
  spans_.shrink_to_fit();
}

void SpanTable::Add(uint64_t state, uint32_t bytes) {
  const auto low = static_cast<uint32_t>(state);
  const auto high = static_cast<uint32_t>(state >> 32);
  spans_.push_back({(low + high * 97) % kSpanHashes, bytes});
  if (spans_.size() == kMostSpans) Join();
}

void SpanTable::Join() {
  std::ranges::sort(spans_, {}, &Span::hash);
  size_t count = 0;
  for (const Span span : spans_) {
    if (count > 0 && spans_[count - 1].hash == span.hash) {
      spans_[count - 1].bytes += span.bytes;
    } else {
      spans_[count++] = span;
    }
  }
  spans_.resize(count);
}

uint64_t SpanTable::CountShared(const SpanTable& other) const {
  uint64_t shared = 0;
  auto a = spans_.begin();
  auto b = other.spans_.begin();
  while (a != spans_.end() && b != other.spans_.end()) {
    // Without branches that depend on the hashes: nobody could predict them.
    const uint32_t of_a = a->hash;
    const uint32_t of_b = b->hash;
    shared += of_a == of_b ? std::min(a->bytes, b->bytes) : 0;
    a += of_a <= of_b ? 1 : 0;
    b += of_b <= of_a ? 1 : 0;
  }
  return shared;
}

BlobSimilarity::Handle BlobSimilarity::Add(ObjectNumber blob) {
  const auto [place, is_new] =
      handles_.try_emplace(blob, static_cast<Handle>(blobs_.size()));
  if (is_new) blobs_.push_back({.number = blob, .table = nullptr});
  return place->second;
}

Result<uint32_t> BlobSimilarity::Estimate(Handle source, Handle target,
                                          uint32_t min_similarity) {
  ZPACK_ASSIGN_OR_RETURN(const uint64_t old_size, SizeOf(source));
  ZPACK_ASSIGN_OR_RETURN(const uint64_t new_size, SizeOf(target));
  if (!SizesAllow(old_size, new_size, min_similarity)) return 0;
  const uint64_t larger = std::max(old_size, new_size);
  if (larger == 0) return 0;
  if (target_table_ == nullptr || target_ != target) {
    ZPACK_ASSIGN_OR_RETURN(target_table_, TableOf(target));
    target_ = target;
  }
  ZPACK_ASSIGN_OR_RETURN(const TablePtr table, TableOf(source));
  const uint64_t shared = table->CountShared(*target_table_);
  return static_cast<uint32_t>(static_cast<double>(shared) * kMostSimilar /
                               static_cast<double>(larger));
}

void BlobSimilarity::Forget(Handle blob) {
  TablePtr& table = blobs_[blob].table;
  if (table == nullptr) return;
  kept_ -= table->memory();
  table.reset();
}

Result<uint64_t> BlobSimilarity::SizeOf(Handle handle) {
  Blob& blob = blobs_[handle];
  if (!blob.has_size) {
    ZPACK_ASSIGN_OR_RETURN(blob.size, texts_.Size(blob.number));
    blob.has_size = true;
  }
  return blob.size;
}

Result<BlobSimilarity::TablePtr> BlobSimilarity::TableOf(Handle handle) {
  Blob& blob = blobs_[handle];
  if (blob.table != nullptr) return blob.table;
  ZPACK_ASSIGN_OR_RETURN(const BlobTexts::TextPtr text,
                         texts_.Text(blob.number));
  auto table = std::make_shared<const SpanTable>(*text);
  if (kept_ + table->memory() <= max_kept_) {
    kept_ += table->memory();
    blob.table = table;
  }
  return table;
}

}  // namespace zpack::log
