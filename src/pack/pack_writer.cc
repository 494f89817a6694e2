// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/directory.h"
#include "base/error.h"
#include "base/group_sort.h"
#include "base/guarded.h"
#include "base/hex.h"
#include "object/object_hasher.h"
#include "pack/pack_format.h"
#include "pack/pack_mtimes.h"

namespace zpack {
namespace {

constexpr uint32_t kReverseSignature = 0x52494458;  // "RIDX"
// Most entries have some hundred bytes. Writing each entry separately would
// take as long as all other work for it.
constexpr size_t kFlushSize = size_t{1} << 20;
constexpr uint64_t kCountOffset = 8;  // offset of the object count in a pack
// Names that `git gc` removes after some time.
constexpr const char* kLock = "/tmp_lock_zpack";
constexpr const char* kTemporaryPack = "/tmp_pack_zpack";
constexpr const char* kTemporaryIndex = "/tmp_idx_zpack";
constexpr const char* kTemporaryReverseIndex = "/tmp_rev_zpack";
constexpr const char* kTemporaryMtimes = "/tmp_mtimes_zpack";
constexpr const char* kTemporaryPromisor = "/tmp_promisor_zpack";
constexpr std::array kTemporaries = {kTemporaryPack, kTemporaryIndex,
                                     kTemporaryReverseIndex, kTemporaryMtimes,
                                     kTemporaryPromisor};
// In the order of publication. The index comes last, because Git expects a pack
// wherever it finds an index.
constexpr std::array kFileExtensions = {
    std::pair(kTemporaryPack, ".pack"),
    std::pair(kTemporaryReverseIndex, ".rev"),
    std::pair(kTemporaryMtimes, ".mtimes"),
    std::pair(kTemporaryPromisor, ".promisor"),
    std::pair(kTemporaryIndex, ".idx")};

}  // namespace

Result<std::unique_ptr<PackWriter>> PackWriter::Create(ObjectFormat format,
                                                       FileSystem& file_system,
                                                       std::string directory,
                                                       uint32_t object_count,
                                                       unsigned number) {
  std::unique_ptr<PackWriter> writer(new PackWriter(
      format, file_system, std::move(directory), object_count, number));
  if (number == 0) {
    // Not the lock of the pack: that ends when the pack gets its name, and its
    // index has yet to get one.
    ZPACK_ASSIGN_OR_RETURN(
        writer->lock_, file_system.CreateLocked(writer->directory_ + kLock));
  }
  ZPACK_ASSIGN_OR_RETURN(writer->file_,
                         file_system.CreateLocked(writer->temporary_pack()));
  writer->temporaries_.push_back(kTemporaryPack);
  if (number == 0) ZPACK_TRY(writer->RemoveLeftovers());
  Bytes header;
  ByteWriter to(header);
  to.U32(kPackSignature);
  to.U32(kPackVersion);
  to.U32(object_count);
  ZPACK_TRY(writer->Append(header));
  return writer;
}

PackWriter::PackWriter(ObjectFormat format, FileSystem& file_system,
                       std::string directory, uint32_t object_count,
                       unsigned number)
    : format_(format),
      file_system_(file_system),
      directory_(std::move(directory)),
      object_count_(object_count),
      number_(number),
      hasher_(HashAlgorithmOf(format)) {
  ids_.reserve(size_t{object_count} * ObjectIdWidth(format));
  offsets_.reserve(object_count);
  checksums_.reserve(object_count);
}

Status PackWriter::RemoveLeftovers() {
  ZPACK_ASSIGN_OR_RETURN(const auto entries, ListEntries(directory_));
  for (const DirectoryEntry& entry : entries) {
    // A link with such a name is refused later, and is not followed.
    if (entry.type != std::filesystem::file_type::regular) continue;
    const std::string name = '/' + entry.name;
    const bool ours = std::ranges::any_of(
        kTemporaries, [&](const char* kind) { return name.starts_with(kind); });
    if (ours && name != kTemporaryPack) {
      ZPACK_TRY(file_system_.Remove(directory_ + name));
    }
  }
  return {};
}

PackWriter::~PackWriter() {
  for (const char* kind : temporaries_) {
    CleanUp([&] { (void)file_system_.Remove(Temporary(kind)); });
  }
  if (lock_) CleanUp([&] { (void)file_system_.Remove(directory_ + kLock); });
}

std::string PackWriter::Temporary(const char* kind) const {
  std::string path = directory_ + kind;
  if (number_ != 0) path += '-' + std::to_string(number_);
  return path;
}

std::string PackWriter::temporary_pack() const {
  return Temporary(kTemporaryPack);
}

std::string PackWriter::temporary_index() const {
  return Temporary(kTemporaryIndex);
}

Status PackWriter::Append(ByteView bytes) {
  size_ += bytes.size();
  zpack::Append(pending_, bytes);
  return pending_.size() < kFlushSize ? Status{} : Flush();
}

Status PackWriter::Flush() {
  hasher_.Update(pending_);
  ZPACK_TRY(file_->Append(pending_));
  pending_.clear();
  return {};
}

Status PackWriter::Add(const ObjectId& id, const PackEntry& entry,
                       ByteView stream) {
  ZPACK_TRY(BeginEntry(id, entry));
  return AppendToEntry(stream);
}

Status PackWriter::BeginEntry(const ObjectId& id, const PackEntry& entry) {
  Bytes header;
  if (entry.base_offset == 0) {
    EncodeWholeHeader(entry.type, entry.raw_size, header);
  } else {
    EncodeOffsetDeltaHeader(entry.raw_size, size_ - entry.base_offset, header);
  }
  zpack::Append(ids_, id.bytes());
  offsets_.push_back(size_);
  checksums_.push_back(0);
  return AppendToEntry(header);
}

Status PackWriter::AppendToEntry(ByteView piece) {
  checksums_.back() = Crc32(checksums_.back(), piece);
  return Append(piece);
}

Status PackWriter::Recount() {
  object_count_ = static_cast<uint32_t>(entry_count());
  Bytes count;
  ByteWriter(count).U32(object_count_);
  ZPACK_TRY(file_->WriteAt(kCountOffset, count));
  ZPACK_ASSIGN_OR_RETURN(const auto written,
                         file_system_.OpenForRead(temporary_pack()));
  hasher_ = Hasher(HashAlgorithmOf(format_));
  for (uint64_t at = 0; at < size_; at += pending_.size()) {
    pending_.resize(std::min<uint64_t>(kFlushSize, size_ - at));
    ZPACK_TRY(written->Read(at, pending_));
    hasher_.Update(pending_);
  }
  pending_.clear();
  return {};
}

std::vector<uint32_t> PackWriter::SortById() const {
  const size_t width = ObjectIdWidth(format_);
  return SortByGroup(
      static_cast<uint32_t>(entry_count()), 256,
      [&](uint32_t entry) { return *IdOf(entry); },
      [](uint32_t entry) { return entry; },
      [&](uint32_t a, uint32_t b) {
        const int order = std::memcmp(IdOf(a), IdOf(b), width);
        return order != 0 ? order < 0 : a < b;
      });
}

Status PackWriter::WriteIndex(const std::vector<uint32_t>& order,
                              unsigned version) {
  ZPACK_ASSIGN_OR_RETURN(const auto file, CreateTemporary(kTemporaryIndex));
  Hasher hasher(HashAlgorithmOf(format_));
  Bytes piece;
  ByteWriter to(piece);
  const auto append = [&](ByteView bytes) {
    index_bytes_ += bytes.size();
    return file->Append(bytes);
  };
  const auto flush = [&] {
    hasher.Update(piece);
    Status appended = append(piece);
    piece.clear();
    return appended;
  };
  const auto for_each = [&](const auto& put) -> Status {
    for (const uint32_t entry : order) {
      put(entry);
      if (piece.size() >= kFlushSize) ZPACK_TRY(flush());
    }
    return {};
  };

  std::array<uint32_t, 256> fan_out{};
  for (const uint32_t entry : order) ++fan_out[*IdOf(entry)];
  std::partial_sum(fan_out.begin(), fan_out.end(), fan_out.begin());
  const size_t width = ObjectIdWidth(format_);
  if (version != 1 || size_ > kFirstLargeOffset) {
    to.U32(kPackIndexSignature);
    to.U32(kPackVersion);
    for (const uint32_t count : fan_out) to.U32(count);
    ZPACK_TRY(for_each(
        [&](uint32_t entry) { to.Raw(ByteView(IdOf(entry), width)); }));
    ZPACK_TRY(for_each([&](uint32_t entry) { to.U32(checksums_[entry]); }));
    uint32_t large = 0;
    ZPACK_TRY(for_each([&](uint32_t entry) {
      const uint64_t offset = offsets_[entry];
      to.U32(static_cast<uint32_t>(
          offset < kFirstLargeOffset ? offset : kFirstLargeOffset | large++));
    }));
    ZPACK_TRY(for_each([&](uint32_t entry) {
      if (offsets_[entry] >= kFirstLargeOffset) to.U64(offsets_[entry]);
    }));
  } else {
    for (const uint32_t count : fan_out) to.U32(count);
    ZPACK_TRY(for_each([&](uint32_t entry) {
      to.U32(static_cast<uint32_t>(offsets_[entry]));
      to.Raw(ByteView(IdOf(entry), width));
    }));
  }
  to.Raw(pack_hash_);
  ZPACK_TRY(flush());
  std::array<uint8_t, Hasher::kMaxSize> storage;
  ZPACK_TRY(append(hasher.Finish(storage)));
  return file->Sync();
}

Status PackWriter::WriteReverseIndex(const std::vector<uint32_t>& order) {
  std::vector<uint32_t> ranks(order.size());
  for (uint32_t rank = 0; rank < order.size(); ++rank) {
    ranks[order[rank]] = rank;
  }
  return WriteTemporary(
      kTemporaryReverseIndex,
      EncodePackTable(format_, kReverseSignature, ranks, pack_hash_));
}

Result<std::unique_ptr<WritableFile>> PackWriter::CreateTemporary(
    const char* kind) {
  ZPACK_ASSIGN_OR_RETURN(auto file, file_system_.CreateLocked(Temporary(kind)));
  temporaries_.push_back(kind);
  return file;
}

Status PackWriter::WriteTemporary(const char* kind, ByteView bytes) {
  ZPACK_ASSIGN_OR_RETURN(const auto file, CreateTemporary(kind));
  index_bytes_ += bytes.size();
  ZPACK_TRY(file->Append(bytes));
  return file->Sync();
}

Status PackWriter::Finish(const PackIndexStyle& index) {
  ZPACK_TRY(Flush());
  if (entry_count() != object_count_) ZPACK_TRY(Recount());
  std::array<uint8_t, Hasher::kMaxSize> storage;
  const ByteView pack_hash = hasher_.Finish(storage);
  ZPACK_TRY(file_->Append(pack_hash));
  size_ += pack_hash.size();
  ZPACK_TRY(file_->Sync());
  name_ = "pack-" + ToHex(pack_hash);
  pack_hash_.assign(pack_hash.begin(), pack_hash.end());
  const std::vector<uint32_t> order = SortById();
  ZPACK_TRY(WriteIndex(order, index.version));
  if (index.reverse) ZPACK_TRY(WriteReverseIndex(order));
  // The lock of pack 0 is enough, and there can be thousands of packs.
  if (number_ != 0) file_.reset();
  return {};
}

Status PackWriter::WriteMtimes(
    const IndexedVector<PackRank, uint32_t>& mtimes) {
  ZPACK_CHECK(mtimes.size() == object_count_);
  return WriteTemporary(kTemporaryMtimes,
                        EncodePackMtimes(format_, mtimes, pack_hash_));
}

Status PackWriter::RemoveIfThere(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {};
  return file_system_.Remove(path);
}

Status PackWriter::WritePromisor() {
  return WriteTemporary(kTemporaryPromisor, {});
}

std::vector<std::pair<std::string, std::string>> PackWriter::files() const {
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& [kind, extension] : kFileExtensions) {
    if (std::ranges::find(temporaries_, kind) == temporaries_.end()) continue;
    files.emplace_back(Temporary(kind), extension);
  }
  return files;
}

Result<std::string> PackWriter::Publish(const SharedMode& shared) {
  ZPACK_TRY(Publish(name_, shared));
  return name_;
}

Status PackWriter::RemoveMisfits(const std::string& name) {
  const std::string path = directory_ + '/' + name;
  ZPACK_TRY(RemoveIfThere(path + ".bitmap"));
  for (const auto& [kind, extension] :
       {std::pair(kTemporaryMtimes, ".mtimes"),
        std::pair(kTemporaryPromisor, ".promisor")}) {
    if (std::ranges::find(temporaries_, kind) == temporaries_.end()) {
      ZPACK_TRY(RemoveIfThere(path + extension));
    }
  }
  return {};
}

Status PackWriter::Publish(const std::string& name, const SharedMode& shared) {
  const std::string path = directory_ + '/' + name;
  for (const auto& [kind, extension] : kFileExtensions) {
    if (std::ranges::find(temporaries_, kind) == temporaries_.end()) continue;
    ZPACK_TRY(FinishObjectFile(file_system_, Temporary(kind), shared));
    ZPACK_TRY(
        file_system_.Rename(Temporary(kind), path + extension, Replace::kYes));
    std::erase(temporaries_, kind);
  }
  return file_system_.SyncDirectory(directory_);
}

}  // namespace zpack
