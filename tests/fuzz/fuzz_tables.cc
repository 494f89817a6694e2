// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Payloads of table of contents, block table, refs, object index, trailer,
// table of files, and lists of promised and lost objects. The first byte
// chooses which. What decodes must encode to the same bytes.

#include <algorithm>
#include <cstdlib>

#include "format/block_table.h"
#include "format/chunk.h"
#include "format/file_table.h"
#include "format/lost_chunk.h"
#include "format/object_index.h"
#include "format/promises_chunk.h"
#include "format/refs_chunk.h"
#include "format/trailer.h"
#include "fuzz/fuzz_target.h"

namespace {

using namespace zpack;

void Expect(const Bytes& encoded, ByteView payload) {
  if (!std::ranges::equal(encoded, payload)) std::abort();
}

void TableOfContents(ByteView payload) {
  const auto toc = format::DecodeTableOfContents(payload, 64, 1 << 20);
  if (!toc) return;
  Bytes encoded;
  format::Encode(*toc, encoded);
  Expect(encoded, payload);
}

void BlockTable(ByteView payload) {
  constexpr size_t kRow = 12;
  if (payload.size() < kRow) return;
  // Ends that fit the last row, so that more tables get through.
  const ByteView last = payload.last(kRow);
  const auto table =
      format::DecodeBlockTable(payload, LoadBigEndian<uint64_t>(payload.data()),
                               LoadBigEndian<uint64_t>(last.data()),
                               {0, LoadBigEndian<uint32_t>(last.data() + 8)});
  if (!table) return;
  const uint32_t objects = table->rows.back().first_object.value();
  for (const uint32_t number : {0U, objects / 2, objects - 1}) {
    if (number < objects &&
        table->FindBlock(ObjectNumber(number)) >= table->block_count()) {
      std::abort();
    }
  }
  Bytes encoded;
  format::Encode(*table, encoded);
  Expect(encoded, payload);
}

void Refs(ByteView payload) {
  const auto refs = format::DecodeRefs(payload, ObjectFormat::kSha1);
  if (!refs) return;
  (void)refs->Resolve("HEAD");
  Bytes encoded;
  format::Encode(*refs, encoded);
  Expect(encoded, payload);
}

void BackedRefs(ByteView payload) {
  const auto refs = format::DecodeBackedRefs(payload, ObjectFormat::kSha1);
  if (!refs) return;
  Bytes encoded;
  format::Encode(*refs, encoded);
  Expect(encoded, payload);
  RefsSnapshot below;
  for (const std::string& name : refs->removed) {
    below.refs.push_back({name, {}, {}, ""});
  }
  if (format::Apply(*refs, below)) (void)format::CheckApplied(*refs, below);
}

void CheckIds(const ObjectIdTable& ids) {
  for (uint32_t rank = 0; rank < ids.size(); ++rank) {
    if (ids.Find(ids[rank]) != rank) std::abort();
  }
}

void ObjectIds(ByteView payload) {
  constexpr size_t kFanOut = 1026;
  if (payload.size() < kFanOut) return;
  const auto count = static_cast<uint32_t>((payload.size() - kFanOut) / 19);
  const auto ids = format::DecodeObjectIds(payload, ObjectFormat::kSha1, count);
  if (!ids) return;
  CheckIds(*ids);
  Bytes encoded;
  format::EncodeObjectIds(*ids, encoded);
  Expect(encoded, payload);
}

void ObjectNumbers(ByteView payload) {
  ByteReader in(payload);
  const uint16_t count = in.U16();
  const ByteView rest = in.Raw(in.remaining());
  const auto numbers = format::DecodeObjectNumbers(rest, count);
  if (!numbers) return;
  Bytes encoded;
  format::EncodeObjectNumbers(
      format::InversePermutation(format::InversePermutation(*numbers)),
      encoded);
  Expect(encoded, rest);
}

void Trailer(ByteView payload) {
  const auto trailer = format::DecodeTrailer(payload);
  if (!trailer) return;
  Bytes encoded;
  format::Encode(*trailer, encoded);
  Expect(encoded, payload);
}

void FilesOf(ByteView payload, bool backed) {
  constexpr uint64_t kMaxContent = uint64_t{1} << 30;
  constexpr uint64_t kDataSize = 30;
  const auto table =
      format::DecodeFileTable(payload, kDataSize, kMaxContent, backed);
  if (!table) return;
  Bytes encoded;
  format::Encode(*table, encoded);
  Expect(encoded, payload);
}

void Files(ByteView payload) { FilesOf(payload, false); }
void BackedFiles(ByteView payload) { FilesOf(payload, true); }

void PromisedObjects(ByteView payload) {
  const auto promises = format::DecodePromises(payload, ObjectFormat::kSha1);
  if (!promises) return;
  CheckIds(promises->ids);
  Bytes encoded;
  format::Encode(*promises, encoded);
  Expect(encoded, payload);
}

void LostObjectsList(ByteView payload) {
  const auto lost = format::DecodeLostObjects(payload, ObjectFormat::kSha1);
  if (!lost) return;
  CheckIds(lost->ids);
  Bytes encoded;
  format::Encode(*lost, encoded);
  Expect(encoded, payload);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr void (*kDecoders[])(ByteView) = {
      TableOfContents, BlockTable, Refs,       ObjectIds,
      ObjectNumbers,   Trailer,    Files,      PromisedObjects,
      LostObjectsList, BackedRefs, BackedFiles};
  if (size == 0) return 0;
  kDecoders[data[0] % std::size(kDecoders)]({data + 1, size - 1});
  return 0;
}
