// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/stock_pack_writer.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/hex.h"

namespace zpack {
namespace {

constexpr uint32_t kPackSignature = 0x5041434b;   // "PACK"
constexpr uint32_t kIndexSignature = 0xff744f63;  // "\377tOc"
constexpr uint32_t kVersion = 2;
// Offsets from here on go into the table of 64-bit offsets.
constexpr uint64_t kFirstLargeOffset = uint64_t{1} << 31;
constexpr const char* kTemporaryPack = "/tmp_pack_zpack";
constexpr const char* kTemporaryIndex = "/tmp_idx_zpack";

}  // namespace

void EncodePackEntryHeader(const ObjectInfo& info, Bytes& out) {
  uint64_t rest = info.size >> 4;
  auto byte = static_cast<uint8_t>(static_cast<unsigned>(info.type) << 4 |
                                   (info.size & 15));
  while (rest != 0) {
    out.push_back(byte | 0x80);
    byte = rest & 0x7f;
    rest >>= 7;
  }
  out.push_back(byte);
}

Result<std::unique_ptr<StockPackWriter>> StockPackWriter::Create(
    FileSystem& file_system, std::string directory, uint32_t object_count) {
  ZPACK_ASSIGN_OR_RETURN(auto file,
                         file_system.Create(directory + kTemporaryPack));
  std::unique_ptr<StockPackWriter> writer(new StockPackWriter(
      file_system, std::move(directory), object_count, std::move(file)));
  Bytes header;
  ByteWriter to(header);
  to.U32(kPackSignature);
  to.U32(kVersion);
  to.U32(object_count);
  ZPACK_TRY(writer->Append(header));
  return writer;
}

StockPackWriter::StockPackWriter(FileSystem& file_system, std::string directory,
                                 uint32_t object_count,
                                 std::unique_ptr<WritableFile> file)
    : file_system_(file_system),
      directory_(std::move(directory)),
      object_count_(object_count),
      file_(std::move(file)),
      hasher_(HashAlgorithm::kSha1) {
  entries_.reserve(object_count);
}

Status StockPackWriter::Append(ByteView bytes) {
  hasher_.Update(bytes);
  size_ += bytes.size();
  return file_->Append(bytes);
}

Status StockPackWriter::Add(const ObjectId& id, ByteView entry) {
  BeginEntry(id);
  ZPACK_TRY(AppendToEntry(entry));
  EndEntry();
  return {};
}

void StockPackWriter::BeginEntry(const ObjectId& id) {
  entries_.push_back({id, 0, size_});
}

Status StockPackWriter::AppendToEntry(ByteView piece) {
  entries_.back().crc = Crc32(entries_.back().crc, piece);
  return Append(piece);
}

void StockPackWriter::EndEntry() {
  ZPACK_CHECK(entries_.size() <= object_count_);
}

Bytes StockPackWriter::EncodeIndex(ByteView pack_hash) {
  std::ranges::sort(entries_, {}, &Entry::id);
  std::array<uint32_t, 256> fan_out{};
  for (const Entry& entry : entries_) ++fan_out[entry.id.bytes()[0]];
  std::partial_sum(fan_out.begin(), fan_out.end(), fan_out.begin());

  Bytes index;
  ByteWriter to(index);
  to.U32(kIndexSignature);
  to.U32(kVersion);
  for (const uint32_t count : fan_out) to.U32(count);
  for (const Entry& entry : entries_) to.Raw(entry.id.bytes());
  for (const Entry& entry : entries_) to.U32(entry.crc);
  std::vector<uint64_t> large;
  for (const Entry& entry : entries_) {
    if (entry.offset < kFirstLargeOffset) {
      to.U32(static_cast<uint32_t>(entry.offset));
    } else {
      to.U32(static_cast<uint32_t>(kFirstLargeOffset | large.size()));
      large.push_back(entry.offset);
    }
  }
  for (const uint64_t offset : large) to.U64(offset);
  to.Raw(pack_hash);
  std::array<uint8_t, Hasher::kMaxSize> hash;
  hasher_.Update(index);
  to.Raw(hasher_.Finish(hash));
  return index;
}

Result<uint64_t> StockPackWriter::Finish() {
  ZPACK_CHECK(entries_.size() == object_count_);
  std::array<uint8_t, Hasher::kMaxSize> storage;
  const ByteView pack_hash = hasher_.Finish(storage);
  ZPACK_TRY(file_->Append(pack_hash));
  ZPACK_TRY(file_->Sync());

  const Bytes index = EncodeIndex(pack_hash);
  ZPACK_ASSIGN_OR_RETURN(const auto index_file,
                         file_system_.Create(directory_ + kTemporaryIndex));
  ZPACK_TRY(index_file->Append(index));
  ZPACK_TRY(index_file->Sync());

  // The index comes last: Git looks for a pack where it sees an index.
  const std::string name = directory_ + "/pack-" + ToHex(pack_hash);
  ZPACK_TRY(file_system_.Rename(directory_ + kTemporaryPack, name + ".pack",
                                Replace::kNo));
  ZPACK_TRY(file_system_.Rename(directory_ + kTemporaryIndex, name + ".idx",
                                Replace::kNo));
  ZPACK_TRY(file_system_.SyncDirectory(directory_));
  return size_ + pack_hash.size() + index.size();
}

}  // namespace zpack
