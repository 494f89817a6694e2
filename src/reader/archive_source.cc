// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/archive_source.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "object/content_stream.h"
#include "reader/block_decoder.h"
#include "reader/object_run.h"

namespace zpack {

Result<ObjectNumber> ArchiveSource::Find(const ObjectId& id) const {
  if (const auto rank = archive_.ids().Find(id)) return archive_.number(*rank);
  return MakeError(ErrorCode::kNotFound, "object {} is missing from '{}'", id,
                   AtPath{archive_.path()});
}

Result<ObjectInfo> ArchiveSource::ReadInfo(const ObjectId& id) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number, Find(id));
  return reader_.ReadInfo(number);
}

Result<ObjectType> ArchiveSource::Read(const ObjectId& id, Bytes& content) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number, Find(id));
  return reader_.Read(number, id, content, HashObject::kNo);
}

namespace {

// An object in segments, of which one at a time is in memory.
class SegmentedObject final : public ObjectStream {
 public:
  SegmentedObject(const FileBlocks& file, BlockRun run, ObjectInfo info)
      : file_(file), run_(run), info_(info) {}
  const ObjectInfo& info() const override { return info_; }
  Status Read(std::span<uint8_t> out) override {
    while (!out.empty()) {
      if (rest_.empty()) ZPACK_TRY(Next());
      const ByteView part = rest_.first(std::min(rest_.size(), out.size()));
      std::ranges::copy(part, out.begin());
      rest_ = rest_.subspan(part.size());
      out = out.subspan(part.size());
    }
    return {};
  }

 private:
  Status Next() {
    if (run_.size() == 0) {
      return MakeError(ErrorCode::kCorrupt, "segments end too early in '{}'",
                       AtPath{file_.path()});
    }
    segment_.reset();
    ZPACK_ASSIGN_OR_RETURN(segment_, DecodeSegment(file_, run_.first++, info_,
                                                   position_, decoder_));
    rest_ = segment_->contents();
    position_ += rest_.size();
    return {};
  }

  const FileBlocks& file_;
  BlockRun run_;  // what is still to be decoded
  ObjectInfo info_;
  BlockDecoder decoder_;
  std::optional<DecodedBlock> segment_;
  ByteView rest_;  // of `segment_`
  uint64_t position_ = 0;
};

// A file of the repository.
class ArchivedFile final : public FileStream {
 public:
  ArchivedFile(const RepositoryFiles& table, size_t index)
      : reader_(table), index_(index) {}
  Result<size_t> Read(std::span<uint8_t> out) override {
    ZPACK_ASSIGN_OR_RETURN(ByteView part, reader_.ReadSome(index_, position_));
    part = part.first(std::min(part.size(), out.size()));
    if (part.empty()) {
      std::array<uint8_t, Hasher::kMaxSize> hash;
      ZPACK_TRY(reader_.CheckHash(index_, hasher_.Finish(hash)));
      return 0;
    }
    hasher_.Update(part);
    std::ranges::copy(part, out.begin());
    position_ += part.size();
    return part.size();
  }

 private:
  RepositoryFileReader reader_;
  size_t index_;
  uint64_t position_ = 0;
  Hasher hasher_{HashAlgorithm::kSha256};
};

}  // namespace

Result<std::unique_ptr<ObjectStream>> ArchiveSource::Open(const ObjectId& id) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number, Find(id));
  const FileBlocks& blocks = archive_.blocks();
  const BlockRun run = RunAt(blocks, blocks.FindBlock(number));
  ZPACK_ASSIGN_OR_RETURN(const BlockCache::BlockPtr first,
                         reader_.Block(run.first));
  if (IsSegmented(run, *first)) {
    const ObjectInfo info{first->objects.header.type,
                          first->objects.sizes.front()};
    return std::make_unique<SegmentedObject>(blocks, run, info);
  }
  Bytes content;
  ZPACK_ASSIGN_OR_RETURN(const ObjectType type,
                         reader_.Read(number, id, content, HashObject::kNo));
  return std::make_unique<ContentStream>(std::move(content), type);
}

Result<ListedFiles> ArchiveSource::ListFiles(
    std::span<const std::string> /*others*/) {
  if (!files_) return std::unexpected(files_.error());
  ListedFiles listed;
  for (const RepositoryFile& file : files_->files) {
    listed.files.push_back({.group = file.group,
                            .name = file.name,
                            .source = file.name,
                            .executable = file.executable,
                            .size = file.size});
  }
  return listed;
}

Result<std::unique_ptr<FileStream>> ArchiveSource::OpenFile(
    const ListedFile& file) {
  if (!files_) return std::unexpected(files_.error());
  const auto at = std::ranges::lower_bound(files_->files, file.name, {},
                                           &RepositoryFile::name);
  if (at == files_->files.end() || at->name != file.name) return nullptr;
  const auto index = static_cast<size_t>(at - files_->files.begin());
  return std::make_unique<ArchivedFile>(*files_, index);
}

}  // namespace zpack
