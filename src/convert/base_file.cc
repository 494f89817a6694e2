// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/base_file.h"

#include <numeric>

#include "base/error.h"
#include "convert/block_renumberer.h"
#include "history/revision_walk.h"
#include "reader/block_decoder.h"
#include "reader/far_base_reader.h"

namespace zpack {
namespace {

// Calls `mark` with the rank and the type of each object that the walk meets.
// Returns false if the walk fails, because convert stores objects that Git
// cannot read, but a walk does not accept them. Returns kIo if the archive
// cannot be read.
Result<bool> Walk(const ArchiveFile& archive, const WalkOptions& options,
                  const std::function<void(FileRank, ObjectType)>& mark) {
  const Status walked = WalkRevisions(
      archive, options, [&](const WalkedObject& object) -> Status {
        // The empty tree may be missing.
        if (const auto rank = archive.ids().Find(object.id)) {
          mark(*rank, object.type);
        }
        return {};
      });
  if (!walked && walked.error().code == ErrorCode::kIo) {
    return std::unexpected(walked.error());
  }
  return walked.has_value();
}

// What reading a base may take: as much as four blocks of the default profile.
// Each update adds a block to what its objects need, mostly a small one; if it
// becomes too much, objects are deltas against older versions again.
constexpr FarBaseReader::Cost kMaxBaseCost{.blocks = format::kMaxFarBlocks - 1,
                                           .bytes = uint64_t{8} << 20};

// Bytes of object content in a block.
uint64_t RawSize(const BlockObjects& objects, const format::BlockView& view) {
  if (objects.header.kind != format::BlockKind::kSegment) {
    return std::reduce(objects.sizes.begin(), objects.sizes.end(), uint64_t{0});
  }
  const auto* const contents = view.Find(format::StreamKind::kContents);
  return contents == nullptr ? 0 : contents->header.raw_size;
}

bool HasOutsideIds(const format::BlockView& view) {
  const auto* const ids = view.Find(format::StreamKind::kOutsideIds);
  return ids != nullptr && ids->header.raw_size != 0;
}

// Holds one of the decoder slots.
class DecoderLease {
 public:
  explicit DecoderLease(std::counting_semaphore<>& decoders)
      : decoders_(decoders) {
    decoders_.acquire();
  }
  ~DecoderLease() { decoders_.release(); }
  DecoderLease(const DecoderLease&) = delete;
  DecoderLease& operator=(const DecoderLease&) = delete;

 private:
  std::counting_semaphore<>& decoders_;
};

// A block as it is stored, with the list of its objects. Valid as long as the
// decoder that loaded it.
struct StoredBlock {
  format::BlockView view;
  BlockObjects objects;
};

Result<StoredBlock> Load(const ArchiveFile& archive, size_t block,
                         BlockDecoder& decoder) {
  StoredBlock stored;
  ZPACK_ASSIGN_OR_RETURN(stored.view, decoder.Load(archive.blocks(), block));
  ZPACK_ASSIGN_OR_RETURN(
      stored.objects,
      decoder.DecodeObjects(archive.blocks(), block, stored.view));
  return stored;
}

// Returns the columns of a block that change with the numbers.
Result<format::BlockStreams> Renumber(const ArchiveFile& archive, size_t block,
                                      const format::BlockHeader& header,
                                      const format::FileNumbers& numbers) {
  BlockDecoder decoder;
  BlockRenumberer renumberer(archive.blocks().object_end(block), numbers);
  if (header.kind == format::BlockKind::kCommits) {
    ZPACK_ASSIGN_OR_RETURN(
        const format::BlockStreams streams,
        decoder.DecodeCommitColumns(archive.blocks(), block));
    return renumberer.Commits(streams, header.first_object,
                              header.object_count);
  }
  ZPACK_ASSIGN_OR_RETURN(const DecodedBlock decoded,
                         decoder.Decode(archive.blocks(), block));
  return renumberer.Trees(*decoded.trees());
}

}  // namespace

Result<std::unique_ptr<BaseFile>> BaseFile::Open(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(auto archive,
                         ArchiveFile::Open(std::move(file), options));
  ZPACK_TRY(archive->CheckUndamaged());
  return std::unique_ptr<BaseFile>(new BaseFile(std::move(archive)));
}

Result<std::unique_ptr<BaseFile>> BaseFile::OpenBelow(size_t count) const {
  ZPACK_ASSIGN_OR_RETURN(auto archive, archive_->OpenBelow(count));
  return std::unique_ptr<BaseFile>(new BaseFile(std::move(archive)));
}

Result<FileMarks> BaseFile::FindComplete(const RefsSnapshot& refs,
                                         ObjectSet objects,
                                         const std::stop_token& stop) const {
  FileMarks complete(ids().size());
  // With other shallow boundaries, the parents of a commit may be more or fewer
  // than the archive has.
  const bool same_shallow = refs.shallow == archive_->refs().shallow;
  WalkOptions options;
  options.refs = WalkRefs::kAll;
  const bool lacks_nothing =
      same_shallow && !archive_->has_promises() && !archive_->has_lost();
  if (objects == ObjectSet::kReachable || !lacks_nothing) {
    options.objects = WalkObjects::kAll;
  } else {
    ZPACK_TRY(MarkContents(stop, complete));
  }
  ZPACK_ASSIGN_OR_RETURN(
      const bool walked,
      Walk(*archive_, options, [&](FileRank rank, ObjectType type) {
        complete[rank] = same_shallow || type == ObjectType::kTree ||
                         type == ObjectType::kBlob;
      }));
  if (!walked) complete = FileMarks(ids().size());
  return complete;
}

Status BaseFile::LoadTypes(const std::stop_token& stop) const {
  return load_types_.Do([&]() -> Status {
    ZPACK_ASSIGN_OR_RETURN(types_, ReadBlockTypes(archive_->blocks(), stop));
    return {};
  });
}

Status BaseFile::MarkContents(const std::stop_token& stop,
                              FileMarks& marks) const {
  const FileBlocks& blocks = archive_->blocks();
  ZPACK_TRY(LoadTypes(stop));
  for (size_t block = 0; block < types_.size(); ++block) {
    if (types_[block] != ObjectType::kTree &&
        types_[block] != ObjectType::kBlob) {
      continue;
    }
    const ObjectNumber first = blocks.first_object(block);
    for (uint32_t i = 0; i < blocks.block_object_count(block); ++i) {
      marks[archive_->rank(first + i)] = true;
    }
  }
  return {};
}

Result<bool> BaseFile::HasAllBelow(const FileMarks& starts,
                                   const std::stop_token& stop) const {
  const FileBlocks& blocks = archive_->blocks();
  ZPACK_TRY(LoadTypes(stop));
  WalkOptions options;
  options.objects = WalkObjects::kAll;
  for (const FileRank rank : starts.indexes()) {
    if (starts[rank] &&
        types_[blocks.FindBlock(number(rank))] == ObjectType::kTree) {
      options.starts.push_back(ids()[rank]);
    }
  }
  return Walk(*archive_, options, [](FileRank, ObjectType) {});
}

Result<FileMarks> BaseFile::FindReached(const FileMarks& starts) const {
  FileMarks reached(ids().size());
  WalkOptions options;
  options.objects = WalkObjects::kAll;
  for (const FileRank rank : starts.indexes()) {
    if (starts[rank]) options.starts.push_back(ids()[rank]);
  }
  ZPACK_ASSIGN_OR_RETURN(
      const bool walked,
      Walk(*archive_, options,
           [&](FileRank rank, ObjectType) { reached[rank] = true; }));
  if (!walked) reached = FileMarks(ids().size());
  return reached;
}

Result<FarVersions> BaseFile::FindBases(const OlderVersions& older,
                                        const std::stop_token& stop) const {
  FarVersions bases;
  for (const auto& [added, version] : older) {
    ZPACK_TRY(CheckStop(stop));
    const auto rank = ids().Find(version.id);
    if (!rank) continue;
    const auto base =
        archive_->blocks().far_bases().Choose(number(*rank), kMaxBaseCost);
    if (!base && base.error().code == ErrorCode::kIo) {
      return std::unexpected(base.error());
    }
    if (!base || !*base) continue;
    const ObjectId id = ids()[archive_->rank((*base)->number)];
    bases.emplace(added, FarVersion{id, version.type, **base, version.changed});
  }
  return bases;
}

Result<format::FileBelow> BaseFile::Describe() const {
  const FileIndex& index = archive_->blocks().index();
  format::FileBelow below{archive_->object_count(),
                          format::IdsDigest(index.ids, index.ranks),
                          archive_->trailer().file_hash, FileNameOf(path())};
  if (format::IsValidNameBelow(below.name)) return below;
  return MakeError(ErrorCode::kInvalidArgument,
                   "a file cannot depend on '{}': its name has 1 to 255 bytes, "
                   "none of them a control character",
                   AtPath{path()});
}

Result<BaseFile::BlockSummary> BaseFile::Summarize(size_t block) const {
  const DecoderLease lease(decoders_);
  BlockDecoder decoder;
  ZPACK_ASSIGN_OR_RETURN(const StoredBlock stored,
                         Load(*archive_, block, decoder));
  const auto& [view, objects] = stored;
  return BlockSummary{objects.header, RawSize(objects, view)};
}

Result<ReusedBlock> BaseFile::Read(size_t block,
                                   const format::FileNumbers& numbers,
                                   BlockEncoder& encoder) const {
  const DecoderLease lease(decoders_);
  BlockDecoder decoder;
  ZPACK_ASSIGN_OR_RETURN(const StoredBlock stored,
                         Load(*archive_, block, decoder));
  const auto& [view, objects] = stored;
  ReusedBlock reused;
  reused.header = objects.header;
  reused.encoded.first_object = objects.header.first_object;
  reused.raw_size = RawSize(objects, view);
  reused.encoded.expansion = archive_->blocks().expansion().Of(block);
  if (!HasOutsideIds(view)) {
    const ByteView chunk = decoder.chunk();
    reused.encoded.chunk.assign(chunk.begin(), chunk.end());
    return reused;
  }
  reused.how = ReusedBlock::How::kRenumbered;
  ZPACK_ASSIGN_OR_RETURN(const format::BlockStreams changed,
                         Renumber(*archive_, block, reused.header, numbers));
  ZPACK_TRY(encoder.EncodeChanged(view, changed.Views(), reused.encoded.chunk));
  return reused;
}

}  // namespace zpack
