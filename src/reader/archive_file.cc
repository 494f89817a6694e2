// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/archive_file.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "format/lost_chunk.h"
#include "format/object_index.h"
#include "format/promises_chunk.h"
#include "object/object_hasher.h"
#include "reader/backing_finder.h"
#include "reader/chunk_reader.h"

namespace zpack {

Result<std::unique_ptr<ArchiveFile>> ArchiveFile::OpenWithoutIndex(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options,
    const FileMender& mend) {
  std::unique_ptr<ArchiveFile> archive(new ArchiveFile(options));
  ZPACK_TRY(archive->Load(std::move(file), mend));
  return archive;
}

Result<std::unique_ptr<ArchiveFile>> ArchiveFile::Open(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(auto archive,
                         OpenWithoutIndex(std::move(file), options));
  ZPACK_TRY(archive->LoadIndex());
  return archive;
}

Result<std::unique_ptr<ArchiveFile>> ArchiveFile::OpenStructure(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(auto archive,
                         OpenWithoutIndex(std::move(file), options));
  ZPACK_TRY(archive->LoadStatedIndex());
  return archive;
}

Status ArchiveFile::LoadStatedIndex() const {
  return derives_ids() ? promises_read_ : LoadIndex();
}

Status ArchiveFile::CheckUndamaged() const {
  if (damages().empty()) return {};
  return std::unexpected(damages().front());
}

bool ArchiveFile::derives_ids() const {
  return std::ranges::any_of(
      files_, [](const auto& file) { return !file->index_chunks(); });
}

size_t ArchiveFile::first_own_block() const {
  return blocks().block_count() - top().structure().blocks.block_count();
}

uint64_t ArchiveFile::total_size() const {
  uint64_t size = 0;
  for (const auto& file : files_) size += file->file().size();
  return size;
}

Status ArchiveFile::Load(std::unique_ptr<RandomAccessFile> file,
                         const FileMender& mend) {
  ZPACK_ASSIGN_OR_RETURN(auto top, SingleFile::Open(std::move(file), options_));
  ZPACK_ASSIGN_OR_RETURN(files_, OpenChain(std::move(top), options_, mend));
  return Join();
}

Result<std::unique_ptr<ArchiveFile>> ArchiveFile::OpenBelow(
    size_t count) const {
  std::unique_ptr<ArchiveFile> below(new ArchiveFile(options_));
  below->files_.assign(files_.begin(),
                       files_.begin() + static_cast<ptrdiff_t>(count));
  below->given_index_ = IndexBelow(
      blocks().index(), ObjectNumber(below->files_.back()->object_end()));
  ZPACK_TRY(below->Join());
  ZPACK_TRY(below->LoadIndex());
  return below;
}

Status ArchiveFile::Join() {
  empty_tree_id_ = EmptyTreeId(header().object_format);
  for (const auto& opened : files_) {
    damages_.insert(damages_.end(), opened->damages().begin(),
                    opened->damages().end());
  }
  ZPACK_TRY(JoinRefs());
  if (derives_ids()) {
    // LoadIndex compares them with the ids.
    Result<Promises> promises = ReadPromises(ObjectIdTable());
    if (promises) {
      promises_ = *std::move(promises);
    } else {
      promises_read_ = std::unexpected(std::move(promises).error());
    }
    lost_ = ReadLost(ObjectIdTable());
  }
  blocks_.emplace(this->file(), options_, JoinBlocks(files_),
                  [this] { return ReadIndex(); });
  return {};
}

Status ArchiveFile::JoinRefs() {
  const auto& changes = top().structure().backed;
  if (!changes) return {};
  ZPACK_ASSIGN_OR_RETURN(joined_refs_, RefsOf(files_));
  return Locate(format::CheckApplied(*changes, *joined_refs_),
                toc().Find(format::kRefsChunk)->offset, path());
}

namespace {

// kCorrupt if an object of `list`, which is said to be `what`, is among the
// `ids` of the file.
Status CheckAbsent(const ObjectIdTable& list, const ObjectIdTable& ids,
                   std::string_view what, uint64_t offset,
                   const std::string& path) {
  for (uint32_t i = 0; i < list.size(); ++i) {
    const ObjectId id = list[i];
    if (!ids.Find(id)) continue;
    return MakeError(ErrorCode::kCorrupt,
                     "object {} is both {} and in the file, at offset {} of "
                     "'{}'",
                     id, MessageText{what}, AtOffset{offset}, AtPath{path});
  }
  return {};
}

}  // namespace

Result<Promises> ArchiveFile::ReadPromises(const ObjectIdTable& ids) const {
  const auto* const location = toc().Find(format::kPromisesChunk);
  if (location == nullptr) return Promises{};
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk, top().LoadChunk(*location));
  ZPACK_ASSIGN_OR_RETURN(
      Promises promises,
      Locate(format::DecodePromises(chunk.payload, header().object_format),
             chunk.offset, path()));
  ZPACK_TRY(CheckAbsent(promises.ids, ids, "promised", chunk.offset, path()));
  return promises;
}

Result<LostObjects> ArchiveFile::ReadLost(const ObjectIdTable& ids) const {
  const auto* const location = toc().Find(format::kLostChunk);
  if (location == nullptr) return LostObjects{};
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk, top().LoadChunk(*location));
  ZPACK_ASSIGN_OR_RETURN(
      LostObjects lost,
      Locate(format::DecodeLostObjects(chunk.payload, header().object_format),
             chunk.offset, path()));
  ZPACK_TRY(CheckAbsent(lost.ids, ids, "lost", chunk.offset, path()));
  return lost;
}

std::string_view ArchiveFile::WhyAbsent(const ObjectId& id) const {
  if (promises().Has(id)) return "promised, not in the file";
  return lost_ && lost_->Has(id) ? "lost" : "missing";
}

std::unexpected<Error> ArchiveFile::Absent(const ObjectId& id) const {
  return MakeError(ErrorCode::kNotFound, "object {} is {}", id,
                   MessageText{WhyAbsent(id)});
}

Result<FileIndex> ArchiveFile::ReadIndex() const {
  const auto read = [&]() -> Result<FileIndex> {
    if (given_index_) return *std::exchange(given_index_, std::nullopt);
    return ReadJoinedIndex(files_, options_, &derivation_);
  };
  ZPACK_ASSIGN_OR_RETURN(FileIndex index, read());
  ZPACK_ASSIGN_OR_RETURN(promises_, ReadPromises(index.ids));
  lost_ = ReadLost(index.ids);
  return index;
}

Status ArchiveFile::SetIndex(FileIndex index) {
  if (!top().ids_digest() ||
      format::IdsDigest(index.ids, index.ranks) != *top().ids_digest()) {
    return MakeError(ErrorCode::kMismatch,
                     "the objects are not those that the digest of object ids "
                     "states, in '{}'",
                     AtPath{path()});
  }
  given_index_ = std::move(index);
  return LoadIndex();
}

}  // namespace zpack
