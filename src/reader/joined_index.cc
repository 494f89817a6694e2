// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/joined_index.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/byte_compare.h"
#include "base/error.h"
#include "base/huge_pages.h"
#include "format/expansion.h"
#include "reader/index_cache.h"

namespace zpack {
namespace {

// An object of a file above the first one.
struct AddedObject {
  ByteView id;
  ObjectNumber number;
};

ByteView IdAt(const FileIds& ids, size_t rank) {
  const size_t width = ObjectIdWidth(ids.format());
  return ids.bytes().subspan(rank * width, width);
}

// The first bytes of an id, as a number that orders ids. They almost always
// decide, and cost less than a call of memcmp.
uint64_t FirstBytes(ByteView id) { return std::byteswap(LoadWord(id.data())); }

bool IsLess(ByteView a, ByteView b) {
  const uint64_t first_a = FirstBytes(a);
  const uint64_t first_b = FirstBytes(b);
  return first_a != first_b ? first_a < first_b
                            : std::memcmp(a.data(), b.data(), a.size()) < 0;
}

// The objects of `first` and of `added`, which ascends by id, in one order.
Result<FileIndex> Merge(const FileIndex& first,
                        const std::vector<AddedObject>& added) {
  const size_t width = ObjectIdWidth(first.ids.format());
  const auto& numbers = first.numbers.raw();
  const size_t total = numbers.size() + added.size();
  Bytes ids;
  ids.reserve(total * width);
  FileIndex merged;
  auto& merged_numbers = merged.numbers.raw();
  ReserveTable(merged_numbers, total);
  size_t copied = 0;  // objects of `first`
  const auto copy_to = [&](size_t end) {
    Append(ids,
           first.ids.bytes().subspan(copied * width, (end - copied) * width));
    merged_numbers.insert(merged_numbers.end(), numbers.data() + copied,
                          numbers.data() + end);
    copied = end;
  };
  for (const AddedObject& object : added) {
    size_t end = copied;
    while (end < numbers.size() && IsLess(IdAt(first.ids, end), object.id)) {
      ++end;
    }
    copy_to(end);
    Append(ids, object.id);
    merged_numbers.push_back(object.number);
  }
  copy_to(numbers.size());
  ZPACK_ASSIGN_OR_RETURN(merged.ids, ObjectIdTable::FromSorted(
                                         first.ids.format(), std::move(ids)));
  merged.ranks = format::InversePermutation(merged.numbers);
  return merged;
}

}  // namespace

bool IsAmong(FileChain files, const std::string& path) {
  std::error_code error;
  return std::ranges::any_of(files, [&](const auto& file) {
    return std::filesystem::equivalent(file->path(), path, error);
  });
}

Result<RefsSnapshot> RefsOf(FileChain files) {
  RefsSnapshot refs = files.front()->structure().refs;
  for (const auto& file : files) {
    if (const auto& changes = file->structure().backed) {
      ZPACK_TRY(Locate(format::Apply(*changes, refs),
                       file->toc().Find(format::kRefsChunk)->offset,
                       file->path()));
    }
  }
  return refs;
}

FileBlocks::Parts JoinBlocks(FileChain files) {
  FileBlocks::Parts parts;
  const SingleFile& top = *files.back();
  parts.object_format = top.header().object_format;
  parts.object_count = top.object_end();
  for (const auto& file : files) {
    const auto& rows = file->structure().blocks.rows;
    auto& joined = parts.table.rows;
    if (!joined.empty()) joined.pop_back();
    parts.sections.push_back({&file->file(), joined.size(), rows.back().offset,
                              file->object_end(),
                              file->header().required_features});
    joined.insert(joined.end(), rows.begin(), rows.end());
    for (const std::string& feature : file->header().required_features) {
      if (!format::HasFeature(parts.features, feature)) {
        parts.features.push_back(feature);
      }
    }
    parts.max_expansion += format::MaxExpansion(file->file().size());
  }
  return parts;
}

namespace {

// What is stated of all ids of the first file, which leaves them out. If its
// own statement is damaged, the file above states the same.
std::optional<format::Digest> StatedIdsDigest(FileChain files) {
  const SingleFile& first = *files.front();
  if (first.ids_digest() || files.size() == 1) return first.ids_digest();
  return files[1]->below()->ids_digest;
}

// The index of one file, whose numbers begin with 0. Of a file that leaves its
// ids out, they come from the cache, or from decoding everything; `derivation`
// then says what was found, if it is not null. `digest` is what is stated of
// these ids; without it, nothing is compared or kept.
Result<FileIndex> ReadIndexOf(const SingleFile& file,
                              const ReadOptions& options,
                              const std::optional<format::Digest>& digest,
                              std::optional<Derivation>* derivation = nullptr) {
  if (file.index_chunks()) return file.ReadIndexChunks();
  std::optional<CachedIndexKey> key;
  if (digest) {
    key = CachedIndexKey{file.trailer().file_hash, file.header().object_format,
                         file.header().object_count, *digest};
    auto cached = ReadCachedIndex(options, *key);
    if (cached) return *std::move(cached);
  }
  const FileBlocks::Parts parts{
      file.header().object_format, file.header().object_count,
      file.header().required_features, file.structure().blocks,
      format::MaxExpansion(file.file().size())};
  std::optional<Derivation> found;
  std::optional<Derivation>& out = derivation == nullptr ? found : *derivation;
  ZPACK_ASSIGN_OR_RETURN(
      FileIndex index,
      DeriveIndex(file.file(), options, parts, digest, out.emplace()));
  if (key) WriteCachedIndex(options, *key, index);
  return index;
}

// The index of all files, of which that of the first one is `first`.
Result<FileIndex> Join(FileIndex first, FileChain files) {
  if (files.size() == 1) return first;
  std::vector<FileIds> tables;  // hold the ids of `added`
  std::vector<AddedObject> added;
  for (const auto& file : files.subspan(1)) {
    ZPACK_ASSIGN_OR_RETURN(FileIndex index, file->ReadIndexChunks());
    for (const FileRank rank : index.ids.ranks()) {
      added.push_back(
          {IdAt(index.ids, rank.value()),
           ObjectNumber(file->first_object() + index.numbers[rank].value())});
    }
    tables.push_back(std::move(index.ids));
  }
  std::ranges::sort(added, IsLess, &AddedObject::id);
  Result<FileIndex> merged = Merge(first, added);
  if (merged) return merged;
  return MakeError(ErrorCode::kCorrupt,
                   "an object is in more than one of the files that '{}' "
                   "consists of",
                   AtPath{files.back()->path()});
}

}  // namespace

FileIndex IndexBelow(const FileIndex& index, ObjectNumber number) {
  FileIndex below;
  Bytes ids;
  for (const FileRank rank : index.ids.ranks()) {
    if (index.numbers[rank] >= number) continue;
    Append(ids, IdAt(index.ids, rank.value()));
    below.numbers.raw().push_back(index.numbers[rank]);
  }
  // Some of the sorted ids.
  below.ids = *ObjectIdTable::FromSorted(index.ids.format(), std::move(ids));
  below.ranks = format::InversePermutation(below.numbers);
  return below;
}

Result<FileIndex> ReadJoinedIndex(FileChain files, const ReadOptions& options,
                                  std::optional<Derivation>* derivation) {
  const SingleFile& first = *files.front();
  const auto digest = StatedIdsDigest(files);
  ZPACK_ASSIGN_OR_RETURN(FileIndex index,
                         ReadIndexOf(first, options, digest, derivation));
  // The digest in the trailer, of the sorted ids, proves the same. Without it,
  // `derivation` says what can be read, and nothing says that it is all.
  if (!first.index_chunks() && !digest &&
      format::ContentDigest(index.ids) != first.trailer().content_digest) {
    return std::unexpected(first.ReadIdsDigest().error());
  }
  return Join(std::move(index), files);
}

Result<format::Digest> JoinedIdsDigest(FileChain files,
                                       const ReadOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(FileIndex first, ReadIndexOf(*files.front(), options,
                                                      StatedIdsDigest(files)));
  ZPACK_ASSIGN_OR_RETURN(const FileIndex index, Join(std::move(first), files));
  return format::IdsDigest(index.ids, index.ranks);
}

}  // namespace zpack
