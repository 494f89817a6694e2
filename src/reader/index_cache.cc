// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/index_cache.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/disk_cache.h"
#include "base/hex.h"
#include "format/object_index.h"

namespace zpack {
namespace {

constexpr uint64_t kCachePage = uint64_t{256} << 10;
// Before both payloads: their sizes.
constexpr size_t kSizes = 2 * sizeof(uint64_t);

std::unique_ptr<DiskCache> OpenCache(const ReadOptions& options,
                                     const CachedIndexKey& key) {
  // A damaged trailer has no hash.
  if (key.file_hash == format::Digest{}) return nullptr;
  if (options.index_cache == IndexCache::kNo) return nullptr;
  return DiskCache::Open(
      {DiskCache::DefaultDirectory(), options.max_disk_cache},
      "index 1 " + ToHex(key.file_hash), kCachePage);
}

uint64_t MaxPayload(const CachedIndexKey& key) {
  constexpr uint64_t kTables = uint64_t{512} << 10;
  return kTables +
         uint64_t{key.object_count} * ObjectIdWidth(key.object_format);
}

std::optional<Bytes> ReadPages(const DiskCache& cache, uint64_t max_payload,
                               uint64_t& ids_size) {
  Bytes bytes(kCachePage);
  if (!cache.Read(0, bytes)) return std::nullopt;
  ByteReader in(bytes);
  ids_size = in.U64();
  const uint64_t numbers_size = in.U64();
  if (ids_size > max_payload || numbers_size > max_payload) return std::nullopt;
  const uint64_t size = kSizes + ids_size + numbers_size;
  bytes.resize((size + kCachePage - 1) / kCachePage * kCachePage);
  for (uint64_t at = kCachePage; at < bytes.size(); at += kCachePage) {
    if (!cache.Read(at / kCachePage,
                    std::span(bytes).subspan(at, kCachePage))) {
      return std::nullopt;
    }
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::optional<FileIndex> ReadCachedIndex(const ReadOptions& options,
                                         const CachedIndexKey& key) {
  const auto cache = OpenCache(options, key);
  if (cache == nullptr) return std::nullopt;
  uint64_t ids_size = 0;
  const auto bytes = ReadPages(*cache, MaxPayload(key), ids_size);
  if (!bytes) return std::nullopt;
  const ByteView payloads = ByteView(*bytes).subspan(kSizes);
  auto ids = format::DecodeObjectIds(payloads.first(ids_size),
                                     key.object_format, key.object_count);
  auto numbers =
      format::DecodeObjectNumbers(payloads.subspan(ids_size), key.object_count);
  if (!ids || !numbers) return std::nullopt;
  FileIndex index{*std::move(ids), *std::move(numbers), {}};
  index.ranks = format::InversePermutation(index.numbers);
  if (format::IdsDigest(index.ids, index.ranks) != key.ids_digest) {
    return std::nullopt;
  }
  return index;
}

void WriteCachedIndex(const ReadOptions& options, const CachedIndexKey& key,
                      const FileIndex& index) {
  const auto cache = OpenCache(options, key);
  if (cache == nullptr) return;
  Bytes ids;
  format::EncodeObjectIds(index.ids, ids);
  Bytes numbers;
  format::EncodeObjectNumbers(index.numbers, numbers);
  Bytes bytes;
  ByteWriter out(bytes);
  out.U64(ids.size());
  out.U64(numbers.size());
  out.Raw(ids);
  out.Raw(numbers);
  bytes.resize((bytes.size() + kCachePage - 1) / kCachePage * kCachePage);
  for (uint64_t at = 0; at < bytes.size(); at += kCachePage) {
    cache->Write(at / kCachePage, ByteView(bytes).subspan(at, kCachePage));
  }
}

}  // namespace zpack
