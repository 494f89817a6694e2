// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/block_decoder.h"

#include <array>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "format/block_form.h"
#include "format/chunk.h"
#include "format/file_header.h"
#include "format/object_sizes.h"
#include "reader/far_base_reader.h"

namespace zpack {
namespace {

// Adds the block to an error.
template <typename T>
Result<T> InBlock(Result<T> result, const FileBlocks& file, size_t block) {
  if (result) return result;
  return std::unexpected(file.InBlock(std::move(result).error(), block));
}

// True if blocks of this kind name objects by number.
bool NamesObjects(format::BlockKind kind) {
  return kind == format::BlockKind::kTrees ||
         kind == format::BlockKind::kCommits;
}

// Returns ids of objects. REQUIRES: the index is loaded.
format::IdOfNumber IdOf(const FileBlocks& file) {
  return [&file](ObjectNumber number) { return file.id(number); };
}

// Returns the same id for each object, which is enough to determine sizes.
format::IdOfNumber AnyId(const FileBlocks& file) {
  const std::array<uint8_t, ObjectId::kMaxWidth> zeros{};
  const ObjectId id(ByteView(zeros).first(ObjectIdWidth(file.object_format())));
  return [id](ObjectNumber) { return id; };
}

format::BlockLimits Limits(const FileBlocks& file) {
  const format::Expansion& all = file.expansion().limit();
  return {file.max_kept(), all.content, all.chains};
}

// The part of the block's expansion that its directory states.
format::Expansion DirectoryExpansion(const format::BlockView& block) {
  std::vector<format::StreamHeader> headers;
  headers.reserve(block.streams.size());
  for (const auto& stream : block.streams) headers.push_back(stream.header);
  format::Expansion expansion;
  expansion.decoded = format::DecodedSize(block.header, headers);
  if (const auto* const contents = block.Find(format::StreamKind::kContents)) {
    expansion.content = contents->header.raw_size;
    expansion.chains = expansion.content;
  }
  return expansion;
}

// Returns kLimitExceeded if the block needs too much memory, or if the file
// expands to too much because of the block.
Status CheckExpansion(const FileBlocks& file, size_t block,
                      const format::BlockView& view) {
  const format::Expansion expansion = DirectoryExpansion(view);
  const bool segment = view.header.kind == format::BlockKind::kSegment;
  const uint64_t memory = segment ? expansion.content : expansion.decoded;
  const uint64_t limit =
      segment ? file.max_piece() : file.options().max_block_size;
  if (memory > limit) {
    return MakeError(ErrorCode::kLimitExceeded,
                     "a block that takes {} bytes of memory is above the limit "
                     "of {}",
                     memory, limit);
  }
  return file.expansion().Note(block, expansion);
}

// Records content that the directory of the block does not state.
Status NoteContent(const FileBlocks& file, size_t block, uint64_t content,
                   uint64_t chains) {
  return file.expansion().Note(
      block, {.content = content, .decoded = 0, .chains = chains});
}

format::ObjectRange Range(const format::BlockHeader& header) {
  return {header.first_object, header.object_count};
}

format::CommitNumbers Numbers(const FileBlocks& file, size_t at,
                              const format::BlockView& block) {
  return {block.header.first_object, file.object_end(at), file.object_format()};
}

}  // namespace

FarBudget& BlockDecoder::far_budget(const FileBlocks& file) {
  if (far_budget_of_ != file.identity()) {
    far_budget_ = FarBudgetOf(file);
    far_budget_of_ = file.identity();
  }
  return far_budget_;
}

Result<format::BlockView> BlockDecoder::Load(const FileBlocks& file,
                                             size_t block) {
  return InBlock(LoadChunk(file, block), file, block);
}

Result<format::BlockView> BlockDecoder::LoadChunk(const FileBlocks& file,
                                                  size_t block) {
  ZPACK_ASSIGN_OR_RETURN(const ByteView payload,
                         file.ReadBlockChunk(block, chunk_));
  ZPACK_ASSIGN_OR_RETURN(
      format::BlockView view,
      format::DecodeBlock(payload, file.options().max_block_size));
  const auto needs = [&](std::string_view feature) -> Status {
    if (format::HasFeature(file.features(block), feature)) return {};
    return MakeError(ErrorCode::kCorrupt,
                     "block of kind '{}' without the required feature '{}'",
                     format::KindName(view.header.kind), feature);
  };
  const std::string_view feature =
      format::FindBlockForm(view.header.kind)->feature;
  if (!feature.empty()) ZPACK_TRY(needs(feature));
  if (view.FindContinued() != nullptr) ZPACK_TRY(needs(format::kGroupsFeature));
  const auto& rows = file.table().rows;
  const bool segment = view.header.kind == format::BlockKind::kSegment;
  const bool starts_object = view.header.segment_offset == 0;
  const bool next_continues =
      rows[block + 1].first_object == rows[block].first_object;
  if (view.header.first_object != rows[block].first_object ||
      view.header.object_count != file.block_object_count(block) ||
      starts_object == file.continues_previous(block) ||
      (next_continues && !segment)) {
    return MakeError(ErrorCode::kCorrupt, "objects differ from block table");
  }
  ZPACK_TRY(CheckExpansion(file, block, view));
  return view;
}

Result<Bytes> BlockDecoder::UnpackIn(const FileBlocks& file, size_t at,
                                     const format::BlockView& block,
                                     format::StreamKind kind) {
  const format::BlockView::Stream* const stream = block.Find(kind);
  return stream != nullptr &&
                 stream->header.codec == format::StreamCodec::kContinued
             ? groups_.Read(file, at, block)
             : Unpack(block, kind);
}

Result<Bytes> BlockDecoder::Unpack(const format::BlockView& block,
                                   format::StreamKind kind) {
  const format::BlockView::Stream* const stream = block.Find(kind);
  if (stream == nullptr) {
    return MakeError(ErrorCode::kCorrupt, "missing stream");
  }
  if (stream->header.codec == format::StreamCodec::kStored) {
    return Bytes(stream->stored.begin(), stream->stored.end());
  }
  if (stream->header.codec == format::StreamCodec::kContinued) {
    return MakeError(ErrorCode::kCorrupt, "stream '{}' continues another block",
                     format::KindName(kind));
  }
  Bytes raw(stream->header.raw_size);
  ZPACK_TRY(decompressor_.Decompress(stream->stored, raw));
  return raw;
}

Result<BlockObjects> BlockDecoder::Objects(const FileBlocks& file, size_t at,
                                           const format::BlockView& block) {
  BlockObjects objects{block.header, {}};
  if (block.header.kind == format::BlockKind::kCommits) {
    ZPACK_ASSIGN_OR_RETURN(format::Commits commits,
                           Commits(file, at, block, AnyId(file)));
    objects.sizes = std::move(commits.sizes);
    return objects;
  }
  ZPACK_ASSIGN_OR_RETURN(const Bytes raw,
                         UnpackIn(file, at, block, format::StreamKind::kSizes));
  if (block.Find(format::StreamKind::kBases) != nullptr) {
    ZPACK_ASSIGN_OR_RETURN(
        const Bytes bases,
        UnpackIn(file, at, block, format::StreamKind::kBases));
    Bytes far;
    if (block.header.kind == format::BlockKind::kFarDeltas) {
      ZPACK_ASSIGN_OR_RETURN(far, Unpack(block, format::StreamKind::kFarBases));
    }
    ZPACK_ASSIGN_OR_RETURN(
        format::BlockLayout layout,
        format::ParseBlockLayout({raw, bases, far}, Range(block.header),
                                 Limits(file)));
    ZPACK_TRY(NoteContent(file, at, layout.content, layout.chains));
    objects.sizes = std::move(layout.sizes);
    return objects;
  }
  ZPACK_ASSIGN_OR_RETURN(
      objects.sizes, format::DecodeObjectSizes(raw, block.header.object_count));
  return objects;
}

Result<format::BlockStreams> BlockDecoder::UnpackAll(
    const FileBlocks& file, size_t at, const format::BlockView& block,
    format::BlockStreams streams) {
  for (const format::StreamKind kind : streams.kinds()) {
    ZPACK_ASSIGN_OR_RETURN(streams[kind], UnpackIn(file, at, block, kind));
  }
  return streams;
}

Result<format::Commits> BlockDecoder::Commits(const FileBlocks& file, size_t at,
                                              const format::BlockView& block,
                                              format::IdOfNumber id_of) {
  ZPACK_ASSIGN_OR_RETURN(const format::BlockStreams streams,
                         UnpackAll(file, at, block));
  ZPACK_ASSIGN_OR_RETURN(
      format::Commits commits,
      format::DecodeCommits(streams, block.header.object_count,
                            {Numbers(file, at, block), std::move(id_of)},
                            file.max_piece()));
  const uint64_t content = commits.contents.size();
  ZPACK_TRY(NoteContent(file, at, content, content));
  return commits;
}

Result<std::optional<format::CommitTable>> BlockDecoder::DecodeCommitLinks(
    const FileBlocks& file, size_t block) {
  const auto decode = [&]() -> Result<std::optional<format::CommitTable>> {
    ZPACK_ASSIGN_OR_RETURN(const format::BlockView view,
                           LoadChunk(file, block));
    if (view.header.kind != format::BlockKind::kCommits) return std::nullopt;
    ZPACK_ASSIGN_OR_RETURN(format::BlockStreams streams,
                           CommitColumns(file, block, view));
    return format::DecodeCommitTable(std::move(streams),
                                     view.header.object_count,
                                     Numbers(file, block, view));
  };
  return InBlock(decode(), file, block);
}

Result<format::BlockStreams> BlockDecoder::DecodeCommitColumns(
    const FileBlocks& file, size_t block) {
  const auto decode = [&]() -> Result<format::BlockStreams> {
    ZPACK_ASSIGN_OR_RETURN(const format::BlockView view,
                           LoadChunk(file, block));
    return CommitColumns(file, block, view);
  };
  return InBlock(decode(), file, block);
}

Result<BlockObjects> BlockDecoder::DecodeObjects(const FileBlocks& file,
                                                 size_t block) {
  ZPACK_ASSIGN_OR_RETURN(const format::BlockView view, Load(file, block));
  return DecodeObjects(file, block, view);
}

Result<BlockObjects> BlockDecoder::DecodeObjects(
    const FileBlocks& file, size_t block, const format::BlockView& view) {
  return InBlock(Objects(file, block, view), file, block);
}

Result<DecodedBlock> BlockDecoder::Decode(const FileBlocks& file,
                                          size_t block) {
  ZPACK_ASSIGN_OR_RETURN(const format::BlockView view, Load(file, block));
  return Decode(file, block, view);
}

Result<DecodedBlock> BlockDecoder::Decode(const FileBlocks& file, size_t block,
                                          const format::BlockView& view) {
  // Outside of what InBlock sees: an error of the index is not one of the
  // block.
  if (NamesObjects(view.header.kind)) ZPACK_TRY(file.LoadIndex());
  const auto decode = [&]() -> Result<DecodedBlock> {
    switch (view.header.kind) {
      case format::BlockKind::kDeltas:
      case format::BlockKind::kFarDeltas:
        return DecodeDeltas(file, block, view);
      case format::BlockKind::kTrees:
        return DecodeTrees(file, block, view);
      case format::BlockKind::kCommits:
        return DecodeCommits(file, block, view, IdOf(file));
      case format::BlockKind::kObjects:
      case format::BlockKind::kSegment:
        return DecodeWhole(file, block, view);
    }
    return MakeError(ErrorCode::kInternal, "unknown kind of block");
  };
  return InBlock(decode(), file, block);
}

Result<DecodedBlock> BlockDecoder::DecodeDeltas(const FileBlocks& file,
                                                size_t block,
                                                const format::BlockView& view) {
  ZPACK_ASSIGN_OR_RETURN(format::BlockStreams streams,
                         UnpackAll(file, block, view));
  ZPACK_ASSIGN_OR_RETURN(
      format::DeltaBlock deltas,
      format::DeltaBlock::Parse(std::move(streams), Range(view.header),
                                Limits(file)));
  ZPACK_TRY(NoteContent(file, block, deltas.layout().content,
                        deltas.layout().chains));
  DecodedBlock decoded{{view.header, deltas.sizes()}, std::move(deltas)};
  if (view.header.kind == format::BlockKind::kFarDeltas) {
    decoded.read_far =
        [&file, type = view.header.type](
            const format::FarBase& base,
            FarBudget& budget) -> Result<std::shared_ptr<const Bytes>> {
      ZPACK_ASSIGN_OR_RETURN(const auto read,
                             file.far_bases().Read(base, type, budget));
      return read->content;
    };
  }
  return decoded;
}

Result<DecodedBlock> BlockDecoder::DecodeTrees(const FileBlocks& file,
                                               size_t block,
                                               const format::BlockView& view) {
  ZPACK_ASSIGN_OR_RETURN(format::BlockStreams streams,
                         UnpackAll(file, block, view));
  ZPACK_ASSIGN_OR_RETURN(
      format::TreeBlock trees,
      format::TreeBlock::Parse(std::move(streams), view.header.object_count,
                               file.object_end(block), file.object_format(),
                               Limits(file)));
  ZPACK_TRY(
      NoteContent(file, block, trees.layout().content, trees.layout().chains));
  BlockObjects objects{view.header, trees.sizes()};
  return DecodedBlock{std::move(objects),
                      TreeObjects{std::move(trees), IdOf(file)}};
}

Result<DecodedBlock> BlockDecoder::DecodeCommitsWithoutIds(
    const FileBlocks& file, size_t block) {
  const auto decode = [&]() -> Result<DecodedBlock> {
    ZPACK_ASSIGN_OR_RETURN(const format::BlockView view,
                           LoadChunk(file, block));
    if (view.header.kind != format::BlockKind::kCommits) {
      return MakeError(ErrorCode::kCorrupt, "not a block of commits");
    }
    return DecodeCommits(file, block, view, AnyId(file));
  };
  return InBlock(decode(), file, block);
}

Result<DecodedBlock> BlockDecoder::DecodeCommits(const FileBlocks& file,
                                                 size_t block,
                                                 const format::BlockView& view,
                                                 format::IdOfNumber id_of) {
  ZPACK_ASSIGN_OR_RETURN(format::Commits commits,
                         Commits(file, block, view, std::move(id_of)));
  DecodedBlock decoded{{view.header, std::move(commits.sizes)}, {}};
  ZPACK_ASSIGN_OR_RETURN(
      std::vector<uint64_t> offsets,
      format::ObjectOffsets(decoded.objects.sizes, commits.contents.size()));
  decoded.form = WholeObjects{std::move(commits.contents), std::move(offsets)};
  return decoded;
}

Result<DecodedBlock> BlockDecoder::DecodeWhole(const FileBlocks& file,
                                               size_t block,
                                               const format::BlockView& view) {
  ZPACK_ASSIGN_OR_RETURN(BlockObjects objects, Objects(file, block, view));
  WholeObjects whole;
  ZPACK_ASSIGN_OR_RETURN(
      whole.contents,
      UnpackIn(file, block, view, format::StreamKind::kContents));
  const uint64_t size = whole.contents.size();
  if (view.header.kind == format::BlockKind::kObjects) {
    ZPACK_ASSIGN_OR_RETURN(whole.offsets,
                           format::ObjectOffsets(objects.sizes, size));
  } else {
    const uint64_t object_size = objects.sizes.front();
    if (size == 0 || view.header.segment_offset > object_size ||
        size > object_size - view.header.segment_offset) {
      return MakeError(ErrorCode::kCorrupt, "segment outside its object");
    }
  }
  return DecodedBlock{std::move(objects), std::move(whole)};
}

}  // namespace zpack
