// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/derived_index.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/progress_phase.h"
#include "format/object_index.h"
#include "reader/decoders.h"
#include "reader/object_prover.h"
#include "reader/proven_ids.h"

namespace zpack {
namespace {

// Objects of which two have the same id.
std::unexpected<Error> Duplicate(const std::string& path) {
  return MakeError(ErrorCode::kCorrupt, "an object is twice in '{}'",
                   AtPath{path});
}

// Sorts `ids`, which are in the order of their numbers.
Result<FileIndex> SortIds(ObjectFormat format, const Bytes& ids,
                          const std::string& path) {
  const size_t width = ObjectIdWidth(format);
  const auto count = static_cast<uint32_t>(ids.size() / width);
  // By the first two bytes first, as most of a comparison is a cache miss.
  std::vector<uint32_t> ends(size_t{1} << 16);
  const auto bucket = [&](uint32_t number) {
    return LoadBigEndian<uint16_t>(&ids[number * width]);
  };
  for (uint32_t i = 0; i < count; ++i) ++ends[bucket(i)];
  uint32_t sum = 0;
  for (uint32_t& end : ends) end = std::exchange(sum, sum + end);
  std::vector<ObjectNumber> sorted(count);
  for (uint32_t i = 0; i < count; ++i) {
    sorted[ends[bucket(i)]++] = ObjectNumber(i);
  }
  uint32_t begin = 0;
  for (const uint32_t end : ends) {
    std::sort(sorted.begin() + begin, sorted.begin() + end,
              [&](ObjectNumber a, ObjectNumber b) {
                return std::memcmp(&ids[a.value() * width],
                                   &ids[b.value() * width], width) < 0;
              });
    begin = end;
  }
  Bytes bytes;
  bytes.reserve(ids.size());
  for (const ObjectNumber number : sorted) {
    Append(bytes, ByteView(ids).subspan(number.value() * width, width));
  }
  auto table = ObjectIdTable::FromSorted(format, std::move(bytes));
  if (!table) return Duplicate(path);
  FileIndex index{*std::move(table),
                  IndexedVector<FileRank, ObjectNumber>(std::move(sorted)),
                  {}};
  index.ranks = format::InversePermutation(index.numbers);
  return index;
}

class IndexDeriver {
 public:
  IndexDeriver(const RandomAccessFile& file, const ReadOptions& options,
               FileBlocks::Parts parts, Derivation& derivation)
      : run_(options.derivation),
        derivation_(derivation),
        table_(parts.table),
        ids_(table_, nullptr, parts.object_format),
        blocks_(file, options, WithIds(std::move(parts)), {}) {}

  IndexDeriver(const IndexDeriver&) = delete;
  IndexDeriver& operator=(const IndexDeriver&) = delete;

  Result<FileIndex> Run(const std::optional<format::Digest>& digest) {
    {
      const ProgressPhase phase(run_.progress, Phase::kVerifyingObjects,
                                blocks_.object_count(), 0);
      blocks_.Prefetch(0, blocks_.block_count());
      ZPACK_TRY(ProveObjects(
          {.file = blocks_,
           .ids = ids_,
           .threads = DecodingThreads(run_, blocks_),
           .stop = run_.stop,
           .lose =
               [this](size_t row, uint32_t objects, const Error& error) {
                 return Lose(row, objects, error);
               },
           .advance =
               [&](uint64_t objects, uint64_t bytes) {
                 derivation_.objects += objects;
                 derivation_.bytes += bytes;
                 phase.Advance(objects, bytes);
               }}));
    }
    NoteUnproven();
    if (!derivation_.damages.empty()) {
      return std::unexpected(derivation_.damages.front());
    }
    auto index = SortIds(blocks_.object_format(), Ids(), blocks_.path());
    if (!index) return Damaged(std::move(index).error());
    if (digest && format::IdsDigest(index->ids, index->ranks) != *digest) {
      return Damaged(NewError(ErrorCode::kCorrupt,
                              "the objects are not those that the digest of "
                              "object ids states, in '{}'",
                              AtPath{blocks_.path()}));
    }
    return index;
  }

 private:
  FileBlocks::Parts WithIds(FileBlocks::Parts parts) {
    parts.id_of = [this](ObjectNumber number) { return ids_.Id(number); };
    return parts;
  }

  std::unexpected<Error> Damaged(Error error) {
    derivation_.damages.push_back(error);
    return std::unexpected(std::move(error));
  }

  Status Lose(size_t row, uint32_t objects, const Error& error) {
    if (error.code == ErrorCode::kInterrupted ||
        error.code == ErrorCode::kOutOfMemory) {
      return std::unexpected(error);
    }
    const uint32_t first = blocks_.first_object(row).value();
    const uint32_t count = blocks_.block_object_count(row);
    Error damage =
        objects == count
            ? NewError(error.code, "objects {} to {} cannot be read: {}", first,
                       first + count - 1, MessageText{error.message})
            : NewError(error.code,
                       "{} of the objects {} to {} cannot be read: {}", objects,
                       first, first + count - 1, MessageText{error.message});
    damage.path = blocks_.block_path(row);
    damage.offset = blocks_.block_offset(row);
    derivation_.damages.push_back(std::move(damage));
    lost_ += objects;
    return {};
  }

  // Trees and commits that no damaged block has, and that name what it has.
  void NoteUnproven() {
    const uint64_t missing = blocks_.object_count() - derivation_.objects;
    if (missing <= lost_) return;
    derivation_.damages.push_back(
        NewError(ErrorCode::kCorrupt,
                 "trees and commits name objects whose ids are not known, and "
                 "so have no ids ({}), in '{}'",
                 missing - lost_, AtPath{blocks_.path()}));
  }

  Bytes Ids() const {
    Bytes ids;
    ids.reserve(blocks_.object_count() *
                ObjectIdWidth(blocks_.object_format()));
    for (uint32_t i = 0; i < blocks_.object_count(); ++i) {
      Append(ids, ids_.Id(ObjectNumber(i)).bytes());
    }
    return ids;
  }

  const RunOptions& run_;
  Derivation& derivation_;
  uint64_t lost_ = 0;  // objects of damaged blocks
  format::BlockTable table_;
  ProvenIds ids_;
  FileBlocks blocks_;
};

}  // namespace

Result<FileIndex> DeriveIndex(const RandomAccessFile& file,
                              const ReadOptions& options,
                              FileBlocks::Parts parts,
                              const std::optional<format::Digest>& digest,
                              Derivation& derivation) {
  return IndexDeriver(file, options, std::move(parts), derivation).Run(digest);
}

}  // namespace zpack
