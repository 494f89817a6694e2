// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/pack_reader.h"

#include <array>
#include <utility>

#include "base/error.h"
#include "base/hex.h"
#include "reader/object_reader.h"
#include "reader/pack_file.h"
#include "reader/revision_walk.h"

namespace zpack {
namespace {

// Git takes no abbreviation shorter than this.
constexpr size_t kMinAbbreviation = 4;
// Candidates listed for an ambiguous abbreviation.
constexpr uint32_t kMaxCandidates = 20;

// Where Git looks for a ref, in this order (gitrevisions(7)).
constexpr std::array<std::string_view, 6> kRefRules = {"{}",
                                                       "refs/{}",
                                                       "refs/tags/{}",
                                                       "refs/heads/{}",
                                                       "refs/remotes/{}",
                                                       "refs/remotes/{}/HEAD"};

FileDescription::Block DescribeBlock(const PackFile& pack, size_t index,
                                     const format::BlockView& view) {
  FileDescription::Block out;
  out.offset = pack.block_offset(index);
  out.size = pack.block_stored_size(index);
  out.kind = format::KindName(view.header.kind);
  out.type = view.header.type;
  out.first_object = view.header.first_object;
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

struct PackReader::State {
  explicit State(std::unique_ptr<PackFile> file)
      : pack(std::move(file)), objects(*pack) {}

  std::unique_ptr<PackFile> pack;
  ObjectReader objects;

  Result<uint32_t> Number(const ObjectId& id) const {
    const auto rank = pack->ids().Find(id);
    if (!rank) {
      return MakeError(ErrorCode::kNotFound, "object {} is not in '{}'",
                       id.ToHex(), pack->path());
    }
    return pack->number(*rank);
  }

  Result<ObjectId> ResolveAbbreviation(std::string_view name) {
    const auto [first, last] = pack->ids().FindPrefix(name);
    if (first == last) {
      return MakeError(ErrorCode::kNotFound, "no object or ref '{}' in '{}'",
                       name, pack->path());
    }
    if (last - first == 1) return pack->ids()[first];
    std::string message = fmt::format(
        "short object id {} is ambiguous\nhint: The candidates are:", name);
    for (uint32_t rank = first; rank < last; ++rank) {
      if (rank - first == kMaxCandidates) {
        message += "\nhint:   ...";
        break;
      }
      const auto info = objects.ReadInfo(pack->number(rank));
      message += fmt::format("\nhint:   {} {}", pack->ids()[rank].ToHex(),
                             info ? ObjectTypeName(info->type) : "unknown");
    }
    return std::unexpected(Error{ErrorCode::kAmbiguous, std::move(message)});
  }
};

PackReader::PackReader(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
PackReader::~PackReader() = default;

Result<std::unique_ptr<PackReader>> PackReader::Open(
    const std::string& path, const ReadOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(auto file, PosixFileSystem().OpenForRead(path));
  ZPACK_ASSIGN_OR_RETURN(auto pack, PackFile::Open(std::move(file), options));
  return std::unique_ptr<PackReader>(
      new PackReader(std::make_unique<State>(std::move(pack))));
}

ObjectFormat PackReader::object_format() const {
  return state_->pack->header().object_format;
}
const RefsSnapshot& PackReader::refs() const { return state_->pack->refs(); }
uint32_t PackReader::object_count() const { return state_->pack->ids().size(); }
ObjectId PackReader::id(uint32_t rank) const {
  return state_->pack->ids()[rank];
}

std::vector<uint32_t> PackReader::StorageOrder() const {
  std::vector<uint32_t> ranks(object_count());
  for (uint32_t number = 0; number < ranks.size(); ++number) {
    ranks[number] = state_->pack->rank(number);
  }
  return ranks;
}

bool PackReader::Contains(const ObjectId& id) const {
  return state_->pack->ids().Find(id).has_value();
}

Result<ObjectId> PackReader::Resolve(std::string_view name) const {
  if (name == "@") name = "HEAD";
  // As in Git, a full id is an id even when a ref has that name.
  if (name.size() == ObjectIdWidth(object_format()) * 2) {
    if (const auto id = ObjectId::FromHex(name)) {
      ZPACK_TRY(state_->Number(*id));
      return *id;
    }
  }
  for (const std::string_view rule : kRefRules) {
    const ObjectId target =
        refs().Resolve(fmt::format(fmt::runtime(rule), name));
    if (!target.empty()) return target;
  }
  if (name.size() < kMinAbbreviation) {
    return MakeError(ErrorCode::kNotFound, "no object or ref '{}' in '{}'",
                     name, state_->pack->path());
  }
  return state_->ResolveAbbreviation(name);
}

Result<ObjectInfo> PackReader::ReadInfo(const ObjectId& id) const {
  ZPACK_ASSIGN_OR_RETURN(const uint32_t number, state_->Number(id));
  return state_->objects.ReadInfo(number);
}

Result<std::vector<uint8_t>> PackReader::Read(const ObjectId& id) const {
  ZPACK_ASSIGN_OR_RETURN(const uint32_t number, state_->Number(id));
  Bytes content;
  const Result<ObjectType> type = state_->objects.Read(number, content);
  if (!type) return std::unexpected(type.error());
  return std::vector<uint8_t>(content.begin(), content.end());
}

Status PackReader::Stream(
    const ObjectId& id,
    const std::function<Status(std::span<const uint8_t>)>& piece) const {
  ZPACK_ASSIGN_OR_RETURN(const uint32_t number, state_->Number(id));
  return state_->objects.Stream(
      number, [](const ObjectInfo&) { return Status{}; }, piece);
}

Status PackReader::Walk(
    const WalkOptions& options,
    const std::function<Status(const WalkedObject&)>& visit) const {
  return WalkRevisions(*state_->pack, options, visit);
}

Result<FileDescription> PackReader::Describe() const {
  const PackFile& pack = *state_->pack;
  const format::FileHeader& header = pack.header();
  FileDescription out;
  out.file_size = pack.file().size();
  out.format_major = header.major;
  out.format_minor = header.minor;
  out.object_format = header.object_format;
  out.object_count = header.object_count;
  out.header_size = header.EncodedSize();
  out.table_of_contents_offset = header.table_of_contents_offset;
  out.required_features = header.required_features;
  out.optional_features = header.optional_features;
  for (const format::ChunkLocation& chunk : pack.toc().chunks) {
    out.chunks.push_back({format::ChunkName(chunk.id), chunk.offset,
                          chunk.end() - chunk.offset,
                          (chunk.flags & format::kChunkRequired) != 0});
  }
  BlockDecoder decoder;
  for (size_t i = 0; i < pack.blocks().block_count(); ++i) {
    ZPACK_ASSIGN_OR_RETURN(const format::BlockView view, decoder.Load(pack, i));
    out.blocks.push_back(DescribeBlock(pack, i, view));
  }
  out.content_digest = ToHex(pack.trailer().content_digest);
  out.file_hash = ToHex(pack.trailer().file_hash);
  return out;
}

Result<RefsSnapshot> ReadRefs(const std::string& path,
                              const ReadOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(const auto file, PosixFileSystem().OpenForRead(path));
  return PackFile::ReadRefs(*file, options);
}

}  // namespace zpack
