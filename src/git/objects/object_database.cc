// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/objects/object_database.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/per_thread.h"
#include "git/objects/loose_object.h"
#include "git/objects/object_listing.h"
#include "git/repository_layout.h"
#include "object/content_stream.h"
#include "object/object_hasher.h"
#include "pack/pack_index.h"

namespace zpack {
namespace {

// With more packs, finding single objects takes longer than scanning all packs.
constexpr size_t kMaxLookups = 256;

// What an object may have at least, to be read at once. The limit is half of
// the memory limit, of which the cache of bases has a sixteenth.
constexpr uint64_t kLeastObject = uint64_t{512} << 20;

// With more packs, finding the objects takes longer than prefetching saves.
constexpr size_t kMaxPrefetched = 4;

// With long delta chains, many bases are in use at a time, and more of them in
// a larger repository.
constexpr uint64_t kPackBytesPerCached = 16;

// A cache that is large enough for the bases of these packs.
std::shared_ptr<BaseCache> MakeCache(
    const std::vector<std::string>& object_directories,
    const ReadingOptions& options) {
  const uint64_t wanted =
      std::max({BaseCache::kDefaultSize,
                PackedFileBytes(object_directories) / kPackBytesPerCached,
                BaseCache::kLeastPerThread * options.threads});
  const uint64_t size = std::min(options.max_cache, wanted);
  // If the cache is small, threads share a part and wait for each other.
  // Rebuilding whole chains would take longer.
  const uint64_t parts = std::clamp<uint64_t>(size / BaseCache::kLeastPerThread,
                                              1, options.threads);
  return std::make_shared<BaseCache>(size, static_cast<unsigned>(parts));
}

// The content of a loose object. Memory is allocated only as content arrives,
// so that a small file with a false header cannot exhaust the memory.
Status ReadWhole(LooseObject& object, Bytes& content) {
  constexpr uint64_t kFirst = uint64_t{16} << 20;
  const uint64_t size = object.info().size;
  content.clear();
  while (content.size() < size) {
    const size_t known = content.size();
    content.resize(std::min(size, std::max<uint64_t>(kFirst, 2 * known)));
    ZPACK_TRY(object.Read(std::span(content).subspan(known)));
  }
  return {};
}

// An object of a pack that a PackReader reads.
class PackEntryOfSource final : public ObjectStream {
 public:
  PackEntryOfSource(std::unique_ptr<ObjectStream> entry, const ObjectId& id)
      : entry_(std::move(entry)), id_(id) {}

  const ObjectInfo& info() const override { return entry_->info(); }
  Status Read(std::span<uint8_t> out) override {
    Status read = entry_->Read(out);
    if (read || read.error().code == ErrorCode::kIo) return read;
    return MakeError(ErrorCode::kSourceCorrupt, "object {} is corrupt: {}", id_,
                     MessageText{read.error().message});
  }

 private:
  std::unique_ptr<ObjectStream> entry_;
  ObjectId id_;
};

// Whether there is an object, but no copy of it could be read.
template <typename T>
bool IsDamaged(const Result<T>& result) {
  return !result && result.error().code == ErrorCode::kSourceCorrupt;
}

}  // namespace

ReadingOptions ReadingOptions::For(const RunOptions& run) {
  return {ResolveMemory(run) / 16, ResolveThreads(run.threads)};
}

Result<ObjectDatabase> ObjectDatabase::Open(
    ObjectFormat format, std::string path,
    std::vector<std::string> object_directories,
    const ReadingOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(auto listing, IndexedPacks(object_directories));
  ObjectDatabase database(format, std::move(path),
                          std::move(object_directories));
  database.late_->listing = std::move(listing);
  database.unreadable_ = options.unreadable;
  if (options.bad_indexes == BadIndexes::kSkip) database.FindBadIndexes();
  ZPACK_TRY(database.OpenReaders(options));
  return database;
}

bool MayBeSkipped(const Error& error) {
  constexpr std::array kCodes = {ErrorCode::kCorrupt, ErrorCode::kSourceCorrupt,
                                 ErrorCode::kUnsupported,
                                 ErrorCode::kInvalidArgument};
  return std::ranges::find(kCodes, error.code) != kCodes.end();
}

void ObjectDatabase::FindBadIndexes() {
  for (const std::string& pack : late_->listing) {
    const auto index = ReadPackIndex(format_, PosixFileSystem(), pack + ".idx");
    if (index || !MayBeSkipped(index.error())) continue;
    skipped_.emplace(pack, index.error().message);
  }
}

std::vector<std::string> ObjectDatabase::Usable(
    const std::vector<std::string>& packs) const {
  std::vector<std::string> usable = packs;
  std::erase_if(usable, [this](const std::string& pack) {
    return skipped_.contains(pack);
  });
  return usable;
}

std::vector<std::string> ObjectDatabase::SkippedPacks() const {
  std::vector<std::string> reasons;
  for (const auto& [pack, reason] : skipped_) reasons.push_back(reason);
  return reasons;
}

Status ObjectDatabase::OpenReaders(const ReadingOptions& options) {
  const std::vector<std::string> packs = Usable(late_->listing);
  if (options.expected == ExpectedReads::kContents ||
      packs.size() > kMaxLookups) {
    ZPACK_ASSIGN_OR_RETURN(
        PackedObjects packed,
        PackedObjects::Open(format_, packs, MakeCache(directories_, options),
                            options.threads));
    packed_ = std::make_shared<PackedObjects>(std::move(packed));
  }
  fallback_options_.max_object = std::max(kLeastObject, 8 * options.max_cache);
  if (options.bad_indexes == BadIndexes::kSkip) {
    fallback_options_.unmatched = UnmatchedPacks::kRead;
  }
  fallback_ = std::make_unique<FallbackPacks>(format_, path_, packs, packed_,
                                              fallback_options_);
  other_bases_ = std::make_unique<OtherBases>(*fallback_);
  return {};
}

std::optional<PackedForm> ObjectDatabase::FindPackedForm(
    const ObjectId& id) const {
  const auto at = packed_->Find(id);
  if (!at) return std::nullopt;
  PackedForm form{at->number, {}, at->pack->StoredSize(at->rank)};
  if (const auto base = at->pack->Base(at->rank)) {
    form.base = at->pack->ids()[*base];
  }
  return form;
}

Status ObjectDatabase::CopyPacked(const ObjectId& id,
                                  const PackedSink& sink) const {
  const auto at = packed_->Find(id);
  ZPACK_CHECK(at.has_value());
  return at->pack->Copy(at->rank, sink);
}

Result<ObjectIdTable> ObjectDatabase::List() {
  // The objects of such a pack would seem to be missing, or would be left out.
  if (packed_->unreadable()) return std::unexpected(*packed_->unreadable());
  std::vector<ObjectIdTable> open;
  for (const auto& reader : packed_->readers()) {
    open.push_back(reader->ids());
    if (reader->repeated().size() != 0) open.push_back(reader->repeated());
  }
  ZPACK_ASSIGN_OR_RETURN(ObjectListing listing,
                         ListObjects(
                             format_, directories_, open,
                             [this](const std::string& pack) {
                               return packed_->ReaderOf(pack) != nullptr ||
                                              skipped_.contains(pack)
                                          ? ObjectIdTable()
                                          : fallback_->ReadIds(pack);
                             },
                             [this] { return fallback_->List(); }));
  only_loose_ = std::move(listing.only_loose);
  repeated_ = std::move(listing.repeated);
  if (unreadable_ == UnreadableFiles::kFail) return std::move(listing.all);
  return WithoutUnreadable(std::move(listing.all));
}

Result<std::map<ObjectId, std::string>> ObjectDatabase::FindUnreadable() const {
  std::map<ObjectId, std::string> found;
  const size_t width = ObjectIdWidth(format_);
  for (const std::string& directory : directories_) {
    Bytes ids;
    ZPACK_TRY(ListLooseObjects(format_, directory, ids));
    for (size_t at = 0; at < ids.size(); at += width) {
      const ObjectId id(ByteView(ids).subspan(at, width));
      const std::string path = LooseObjectPath(directory, id);
      const std::string_view why = WhyUnreadable(path);
      if (why.empty() || ReadInfo(id)) continue;
      found.emplace(id,
                    FormatMessage("'{}' {}", AtPath{path}, MessageText{why}));
    }
  }
  return found;
}

Result<ObjectIdTable> ObjectDatabase::WithoutUnreadable(
    ObjectIdTable listed) const {
  ZPACK_ASSIGN_OR_RETURN(const auto unreadable, FindUnreadable());
  if (unreadable.empty()) return listed;
  Bytes ids;
  for (uint32_t rank = 0; rank < listed.size(); ++rank) {
    const ObjectId id = listed[rank];
    if (!unreadable.contains(id)) Append(ids, id.bytes());
  }
  return ObjectIdTable::FromSorted(format_, std::move(ids));
}

const FallbackPacks* ObjectDatabase::PacksOfNow() const {
  const std::scoped_lock lock(late_->mutex);
  const auto listing = IndexedPacks(directories_);
  if (!listing || *listing == late_->listing) return late_->packs.get();
  // Other threads may still use the packs that were opened before.
  if (late_->packs) late_->before.push_back(std::move(late_->packs));
  late_->packs = std::make_unique<FallbackPacks>(
      format_, path_, Usable(*listing), std::make_shared<PackedObjects>(),
      fallback_options_);
  late_->listing = *listing;
  return late_->packs.get();
}

template <typename T, typename FromLoose, typename FromReader,
          typename FromFallback>
Result<T> ObjectDatabase::Find(const ObjectId& id, FromLoose from_loose,
                               FromReader from_reader,
                               FromFallback from_fallback) const {
  std::optional<Result<T>> result;
  // Stores the result of one attempt; true if it succeeded. The error of a
  // damaged copy has priority over kNotFound.
  const auto take = [&](Result<T> next) {
    if (next || !result || result->error().code == ErrorCode::kNotFound) {
      result = std::move(next);
    }
    return result->has_value();
  };
  const bool is_repeated = repeated_.Find(id).has_value();
  const auto in_reader = [&](PackReader& pack, PackRank rank) {
    if (is_repeated && !pack.IsSound(rank)) return false;
    Result<T> read = from_reader(pack, rank);
    // If the read failed, `fallback_` reports the reason.
    return read && take(std::move(read));
  };
  const auto in_loose = [&] {
    for (const std::string& directory : directories_) {
      auto object = LooseObject::Open({directory}, id);
      if (take(object ? from_loose(*std::move(object))
                      : std::unexpected(std::move(object).error()))) {
        return true;
      }
    }
    return false;
  };
  // The other places are always tried, because Git may move objects between
  // loose files and packs at any time.
  if (only_loose_.Find(id) && in_loose()) return *std::move(result);
  if (const auto at = packed_->Find(id); at && in_reader(*at->pack, at->rank)) {
    return *std::move(result);
  }
  // Another copy may be intact. `fallback_` comes after the readers, because it
  // does not compare checksums.
  if (is_repeated) {
    for (const auto& reader : packed_->readers()) {
      const auto rank = reader->ids().Find(id);
      if (rank && in_reader(*reader, *rank)) return *std::move(result);
    }
    if (in_loose()) return *std::move(result);
  }
  if (take(from_fallback(*fallback_)) || in_loose()) return *std::move(result);
  if (const FallbackPacks* const now = PacksOfNow()) take(from_fallback(*now));
  if (*result || result->error().code != ErrorCode::kNotFound) {
    return *std::move(result);
  }
  return MakeError(ErrorCode::kNotFound, "object {} is missing from '{}'", id,
                   AtPath{path_});
}

Result<ObjectInfo> ObjectDatabase::ReadInfo(const ObjectId& id) const {
  Bytes content;
  if (const auto type = ReadOtherCopy(id, content)) {
    return ObjectInfo{*type, content.size()};
  }
  auto info = Find<ObjectInfo>(
      id,
      [](const std::unique_ptr<LooseObject>& object) -> Result<ObjectInfo> {
        return object->info();
      },
      [](const PackReader& pack, PackRank rank) -> Result<ObjectInfo> {
        return pack.Info(rank);
      },
      [&](const FallbackPacks& packs) { return packs.ReadInfo(id); });
  if (!IsDamaged(info)) return info;
  const auto type = ReadOnOtherBase(id, content);
  return type ? ObjectInfo{*type, content.size()} : std::move(info);
}

void ObjectDatabase::PrefetchReads(std::span<const ObjectId> ids) const {
  if (packed_->pack_count() > kMaxPrefetched) return;
  static PerThread<std::vector<PackedObjects::Place>> kept;
  std::vector<PackedObjects::Place>& places = kept.Get();
  places.clear();
  for (const ObjectId& id : ids) {
    const auto at = packed_->Find(id);
    if (!at) continue;
    at->pack->PrefetchPosition(at->rank);
    places.push_back(*at);
  }
  for (const auto& place : places) place.pack->PrefetchEntry(place.rank);
}

Result<ObjectType> ObjectDatabase::Read(const ObjectId& id,
                                        Bytes& content) const {
  if (const auto other = ReadOtherCopy(id, content)) return *other;
  Result<ObjectType> type = ReadCopy(id, content);
  if (!IsDamaged(type)) return type;
  const auto rebuilt = ReadOnOtherBase(id, content);
  return rebuilt ? rebuilt : type;
}

Result<ObjectType> ObjectDatabase::ReadCopy(const ObjectId& id,
                                            Bytes& content) const {
  return Find<ObjectType>(
      id,
      [&](const std::unique_ptr<LooseObject>& object) -> Result<ObjectType> {
        ZPACK_TRY(ReadWhole(*object, content));
        return object->info().type;
      },
      [&](PackReader& pack, PackRank rank) -> Result<ObjectType> {
        ZPACK_TRY(pack.Read(rank, content));
        return pack.Info(rank).type;
      },
      [&](const FallbackPacks& packs) { return packs.Read(id, content); });
}

Result<ObjectType> ObjectDatabase::ReadHashed(const ObjectId& id,
                                              Bytes& content) const {
  for (const std::string& directory : directories_) {
    const auto loose = LooseObject::Open({directory}, id);
    if (!loose) continue;
    const auto [type, size] = (*loose)->info();
    if (size <= fallback_options_.max_object && ReadWhole(**loose, content) &&
        ObjectHasher(format_).Hash(type, content) == id) {
      return type;
    }
  }
  return fallback_->Read(id, content);
}

Result<ObjectType> ObjectDatabase::ReadOnOtherBase(const ObjectId& id,
                                                   Bytes& content) const {
  // Not by the readers, which meet the same damage again and again.
  return other_bases_->Read(
      id,
      [this](const ObjectId& base, Bytes& bytes) {
        return ReadHashed(base, bytes);
      },
      content);
}

Result<ObjectType> ObjectDatabase::ReadSound(const ObjectId& id,
                                             Bytes& content) const {
  Result<ObjectType> type = ReadHashed(id, content);
  return type ? type : ReadOnOtherBase(id, content);
}

bool ObjectDatabase::UseOtherCopy(const ObjectId& id) const {
  Bytes content;
  if (!ReadSound(id, content)) return false;
  const std::scoped_lock lock(misread_->mutex);
  misread_->ids.insert(id);
  misread_->any = true;
  return true;
}

std::optional<ObjectType> ObjectDatabase::ReadOtherCopy(const ObjectId& id,
                                                        Bytes& content) const {
  if (!misread_->any) return std::nullopt;
  {
    const std::scoped_lock lock(misread_->mutex);
    if (!misread_->ids.contains(id)) return std::nullopt;
  }
  const Result<ObjectType> type = ReadSound(id, content);
  return type ? std::optional(*type) : std::nullopt;
}

Result<std::unique_ptr<ObjectStream>> ObjectDatabase::OpenStream(
    const ObjectId& id) const {
  using Stream = std::unique_ptr<ObjectStream>;
  Bytes content;
  if (const auto other = ReadOtherCopy(id, content)) {
    return std::make_unique<ContentStream>(std::move(content), *other);
  }
  auto stream = Find<Stream>(
      id,
      [](std::unique_ptr<LooseObject> object) -> Result<Stream> {
        return object;
      },
      [&](PackReader& pack, PackRank rank) -> Result<Stream> {
        // A delta cannot be read in pieces.
        if (!pack.IsWhole(rank)) {
          ZPACK_TRY(pack.Read(rank, content));
          return std::make_unique<ContentStream>(std::move(content),
                                                 pack.Info(rank).type);
        }
        ZPACK_ASSIGN_OR_RETURN(auto entry, pack.OpenStream(rank));
        return std::make_unique<PackEntryOfSource>(std::move(entry), id);
      },
      [&](const FallbackPacks& packs) { return packs.OpenStream(id); });
  if (!IsDamaged(stream)) return stream;
  const auto type = ReadOnOtherBase(id, content);
  if (!type) return stream;
  return std::make_unique<ContentStream>(std::move(content), *type);
}

}  // namespace zpack
