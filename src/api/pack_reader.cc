// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/pack_reader.h"

#include <array>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "base/hex.h"
#include "reader/object_locator.h"
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
  out.offset = pack.blocks().block_offset(index);
  out.size = pack.blocks().block_stored_size(index);
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
      : pack(std::move(file)), locator(*pack), objects(*pack) {}

  std::unique_ptr<PackFile> pack;
  ObjectLocator locator;
  ObjectReader objects;

  Result<ObjectInfo> ReadInfo(const ObjectId& id) {
    ZPACK_ASSIGN_OR_RETURN(const uint32_t number, locator.FindChecked(id));
    return objects.ReadInfo(number);
  }

  std::unexpected<Error> NoSuchName(std::string_view name) const {
    return MakeError(ErrorCode::kNotFound, "no object or ref '{}' in '{}'",
                     name, pack->path());
  }

  Result<ObjectId> ResolveAbbreviation(std::string_view name) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectLocator::Matches matches,
                           locator.FindPrefix(name, kMaxCandidates));
    if (matches.count == 0) return NoSuchName(name);
    if (matches.count == 1) return matches.first.front();
    std::string message = fmt::format(
        "short object id {} is ambiguous\nhint: The candidates are:", name);
    for (const ObjectId& id : matches.first) {
      const auto info = ReadInfo(id);
      message += fmt::format("\nhint:   {} {}", id.ToHex(),
                             info ? ObjectTypeName(info->type) : "unknown");
    }
    if (matches.count > matches.first.size()) message += "\nhint:   ...";
    return std::unexpected(Error{ErrorCode::kAmbiguous, std::move(message)});
  }
};

PackReader::PackReader(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
PackReader::~PackReader() = default;

Result<std::unique_ptr<PackReader>> PackReader::Open(
    const std::string& path, const ReadOptions& options) {
  return Guarded([&]() -> Result<std::unique_ptr<PackReader>> {
    ZPACK_ASSIGN_OR_RETURN(auto file, PosixFileSystem().OpenForRead(path));
    ZPACK_ASSIGN_OR_RETURN(
        auto pack, PackFile::OpenWithoutIndex(std::move(file), options));
    return std::unique_ptr<PackReader>(
        new PackReader(std::make_unique<State>(std::move(pack))));
  });
}

ObjectFormat PackReader::object_format() const {
  return state_->pack->header().object_format;
}
const RefsSnapshot& PackReader::refs() const { return state_->pack->refs(); }
uint32_t PackReader::object_count() const {
  return state_->pack->object_count();
}

Status PackReader::ForEachId(
    IdOrder order, const std::function<Status(const ObjectId&)>& visit) const {
  return Guarded([&]() -> Status {
    const PackFile& pack = *state_->pack;
    ZPACK_TRY(pack.LoadIndex());
    for (uint32_t i = 0; i < pack.object_count(); ++i) {
      const uint32_t rank = order == IdOrder::kStorage ? pack.rank(i) : i;
      ZPACK_TRY(visit(pack.ids()[rank]));
    }
    return {};
  });
}

Result<bool> PackReader::Contains(const ObjectId& id) const {
  return Guarded([&]() -> Result<bool> {
    const Status found = state_->locator.Contains(id);
    if (found) return true;
    if (found.error().code == ErrorCode::kNotFound) return false;
    return std::unexpected(found.error());
  });
}

Result<ObjectId> PackReader::Resolve(std::string_view name) const {
  return Guarded([&]() -> Result<ObjectId> {
    if (name == "@") name = "HEAD";
    // As in Git, a full id is an id even when a ref has that name.
    if (name.size() == ObjectIdWidth(object_format()) * 2) {
      if (const auto id = ObjectId::FromHex(name)) {
        ZPACK_TRY(state_->locator.Contains(*id));
        return *id;
      }
    }
    for (const std::string_view rule : kRefRules) {
      const ObjectId target =
          refs().Resolve(fmt::format(fmt::runtime(rule), name));
      if (!target.empty()) return target;
    }
    if (name.size() < kMinAbbreviation) return state_->NoSuchName(name);
    return state_->ResolveAbbreviation(name);
  });
}

Result<ObjectInfo> PackReader::ReadInfo(const ObjectId& id) const {
  return Guarded([&]() -> Result<ObjectInfo> { return state_->ReadInfo(id); });
}

Result<std::vector<uint8_t>> PackReader::Read(const ObjectId& id) const {
  return Guarded([&]() -> Result<std::vector<uint8_t>> {
    ZPACK_ASSIGN_OR_RETURN(const uint32_t number, state_->locator.Find(id));
    Bytes content;
    const Result<ObjectType> type = state_->objects.Read(number, id, content);
    if (!type) return std::unexpected(type.error());
    return std::vector<uint8_t>(content.begin(), content.end());
  });
}

Status PackReader::Stream(
    const ObjectId& id,
    const std::function<Status(std::span<const uint8_t>)>& piece) const {
  return Guarded([&]() -> Status {
    ZPACK_ASSIGN_OR_RETURN(const uint32_t number, state_->locator.Find(id));
    return state_->objects.Stream(
        number, id, [](const ObjectInfo&) { return Status{}; }, piece);
  });
}

Status PackReader::Walk(
    const WalkOptions& options,
    const std::function<Status(const WalkedObject&)>& visit) const {
  return Guarded([&]() -> Status {
    ZPACK_TRY(state_->pack->LoadIndex());
    return WalkRevisions(*state_->pack, options, visit);
  });
}

Result<FileDescription> PackReader::Describe() const {
  return Guarded([&]() -> Result<FileDescription> {
    const PackFile& pack = *state_->pack;
    // Nothing of it is shown, but all that is shown is checked.
    ZPACK_TRY(pack.LoadIndex());
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
      ZPACK_ASSIGN_OR_RETURN(const format::BlockView view,
                             decoder.Load(pack.blocks(), i));
      out.blocks.push_back(DescribeBlock(pack, i, view));
    }
    out.content_digest = ToHex(pack.trailer().content_digest);
    out.file_hash = ToHex(pack.trailer().file_hash);
    return out;
  });
}

Result<RefsSnapshot> ReadRefs(const std::string& path,
                              const ReadOptions& options) {
  return Guarded([&]() -> Result<RefsSnapshot> {
    ZPACK_ASSIGN_OR_RETURN(const auto file,
                           PosixFileSystem().OpenForRead(path));
    return PackFile::ReadRefs(*file, options);
  });
}

}  // namespace zpack
