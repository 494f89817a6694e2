// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/describe_file.h"

#include <string>
#include <utility>

#include "base/error.h"
#include "base/hex.h"
#include "format/block.h"
#include "format/chunk.h"
#include "reader/block_decoder.h"

namespace zpack {
namespace {

FileDescription::Block DescribeBlock(const FileBlocks& file, size_t index,
                                     const format::BlockView& view) {
  FileDescription::Block out;
  out.offset = file.block_offset(index);
  out.size = file.block_stored_size(index);
  out.kind = format::KindName(view.header.kind);
  out.type = view.header.type;
  out.first_object = view.header.first_object.value();
  out.object_count = view.header.object_count;
  out.segment_offset = view.header.segment_offset;
  for (const auto& stream : view.streams) {
    out.streams.push_back({std::string(format::KindName(stream.header.kind)),
                           std::string(format::CodecName(stream.header.codec)),
                           stream.header.raw_size, stream.header.stored_size});
  }
  return out;
}

}  // namespace

std::vector<FilePart> DescribeBelow(const ArchiveFile& archive) {
  std::vector<FilePart> parts;
  for (const auto& file : archive.files().first(archive.files().size() - 1)) {
    parts.push_back({file->path(), file->file().size(),
                     file->header().object_count,
                     ToHex(file->trailer().file_hash)});
  }
  return parts;
}

Result<FileDescription> DescribeFile(const ArchiveFile& archive,
                                     const std::stop_token& stop) {
  // The description does not use the result, but its data has to be checked.
  ZPACK_TRY(archive.LoadStatedIndex());
  const format::FileHeader& header = archive.header();
  FileDescription out;
  out.file_size = archive.file().size();
  out.format_major = header.major;
  out.format_minor = header.minor;
  out.object_format = header.object_format;
  out.object_count = header.object_count;
  out.header_size = header.EncodedSize();
  out.table_of_contents_offset = header.table_of_contents_offset;
  out.required_features = header.required_features;
  out.optional_features = header.optional_features;
  for (const format::ChunkLocation& chunk : archive.toc().chunks) {
    out.chunks.push_back({format::ChunkName(chunk.id), chunk.offset,
                          chunk.end() - chunk.offset,
                          (chunk.flags & format::kChunkRequired) != 0});
  }
  BlockDecoder decoder;
  out.below = DescribeBelow(archive);
  for (size_t i = archive.first_own_block(); i < archive.blocks().block_count();
       ++i) {
    ZPACK_TRY(CheckStop(stop));
    ZPACK_ASSIGN_OR_RETURN(const format::BlockView view,
                           decoder.Load(archive.blocks(), i));
    out.blocks.push_back(DescribeBlock(archive.blocks(), i, view));
  }
  out.promised_objects = archive.promises().ids.size();
  out.promisor_remotes = archive.promises().remotes;
  ZPACK_ASSIGN_OR_RETURN(const LostObjects lost, archive.lost());
  out.lost_objects = lost.List();
  out.content_digest = ToHex(archive.trailer().content_digest);
  out.file_hash = ToHex(archive.trailer().file_hash);
  return out;
}

}  // namespace zpack
