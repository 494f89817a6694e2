// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/table_edits.h"

#include <algorithm>
#include <array>
#include <utility>

namespace zpack::testing {

void TableEdits::EditHeader() {
  format::FileHeader& header = parts_.header;
  switch (choices_.Below(9)) {
    case 0:
      return choices_.Edit(header.object_count);
    case 1:
      return choices_.Edit(header.major);
    case 2:
      return choices_.Edit(header.minor);
    case 3:
      return choices_.Edit(header.object_format);
    case 4:
      header.object_format = ObjectFormat::kSha256;
      parts_.id_width = 32;
      return;
    case 5:
      return choices_.Edit(parts_.id_width);
    case 6:
      return choices_.Edit(parts_.reserved);
    case 7:
      return EditNames(header.required_features);
    default:
      return EditNames(header.optional_features);
  }
}

void TableEdits::EditNames(std::vector<std::string>& names) {
  std::vector<std::string> known = format::KnownFeatures();
  known.insert(known.end(), {"x-1", "", "UPPER"});
  if (!names.empty() && choices_.OneIn(2)) {
    choices_.Erase(names);
  } else if (names.size() < 64) {
    choices_.Insert(names, choices_.Any(known));
  }
}

void TableEdits::EditChunks() {
  auto& chunks = parts_.chunks;
  if (chunks.empty()) return;
  ChunkPart& chunk = choices_.Any(chunks);
  switch (choices_.Below(9)) {
    case 0:
      return std::swap(chunk, choices_.Any(chunks));
    case 1:
      return choices_.Insert(chunks, chunk);
    case 2:
      return choices_.Erase(chunks);
    case 3:
      return choices_.Edit(chunk.flags);
    case 4:
      return choices_.Edit(chunk.row_flags);
    case 5:
      return choices_.Edit(chunk.offset_error);
    case 6:
      return choices_.Edit(chunk.size_error);
    case 7:
      return choices_.Edit(chunk.id);
    default: {
      ChunkPart added;
      added.id = format::ChunkId("NEWX");
      added.flags = added.row_flags = static_cast<uint32_t>(choices_.OneIn(4));
      added.payload.resize(choices_.Below(64), 0);
      choices_.Insert(chunks, std::move(added));
    }
  }
}

void TableEdits::EditPayload(uint32_t id) {
  for (ChunkPart& chunk : parts_.chunks) {
    if (chunk.id == id) edit_bytes_(chunk.payload);
  }
}

void TableEdits::EditRows() {
  if (!parts_.rows || parts_.rows->empty() || choices_.OneIn(8)) {
    parts_.rows.reset();
    return EditPayload(format::kBlockTableChunk);
  }
  auto& rows = *parts_.rows;
  BlockRow& row = choices_.Any(rows);
  switch (choices_.Below(4)) {
    case 0:
      return choices_.Insert(rows, row);
    case 1:
      return choices_.Erase(rows);
    case 2:
      return choices_.Edit(row.offset_error);
    default:
      return choices_.Edit(row.first_object);
  }
}

void TableEdits::EditIds() {
  if (choices_.OneIn(8)) return LeaveOutIds(parts_);
  if (!parts_.ids || parts_.ids->empty() || choices_.OneIn(4)) {
    parts_.ids.reset();
    for (const uint32_t id :
         {format::kObjectIdsChunk, format::kObjectNumbersChunk,
          format::kIdsDigestChunk}) {
      if (choices_.OneIn(2)) EditPayload(id);
    }
    return;
  }
  auto& ids = *parts_.ids;
  NumberedId& id = choices_.Any(ids);
  switch (choices_.Below(4)) {
    case 0:
      return std::swap(id.number, choices_.Any(ids).number);
    case 1:
      return choices_.Edit(id.number);
    case 2:
      choices_.Edit(choices_.Any(id.id));
      std::ranges::sort(ids, {}, &NumberedId::id);
      return;
    default:
      choices_.Erase(ids);
  }
}

ObjectId TableEdits::AnyId() {
  if (!parts_.ids || parts_.ids->empty() || choices_.OneIn(8)) {
    return ObjectId(Bytes(20, static_cast<uint8_t>(choices_.Below(256))));
  }
  return ObjectId(choices_.Any(*parts_.ids).id);
}

std::string TableEdits::AnyRefName() {
  constexpr std::array kNames = {
      "refs/heads/main", "refs/heads/main/x", "refs/heads",   "refs/tags/v1",
      "refs/x",          "refs/heads/a\n",    "refs/a..b",    "HEAD",
      "refs/\xc2\x9b",   "refs/stash",        "refs/.lock/x", ""};
  if (choices_.OneIn(16))
    return "refs/" + std::string(choices_.Below(70000), 'a');
  if (choices_.OneIn(4))
    return "refs/heads/" + std::to_string(choices_.Below(9));
  return choices_.Any(kNames);
}

void TableEdits::EditRefs() {
  if (!parts_.refs || choices_.OneIn(8)) {
    parts_.refs.reset();
    return EditPayload(format::kRefsChunk);
  }
  RefsSnapshot& refs = *parts_.refs;
  switch (choices_.Below(6)) {
    case 0:
      refs.head_symref = choices_.OneIn(2) ? AnyRefName() : "";
      refs.head_target = AnyId();
      return;
    case 1:
      refs.shallow.push_back(AnyId());
      std::ranges::sort(refs.shallow);
      return;
    case 2:
      if (!refs.refs.empty()) refs.refs.pop_back();
      return;
    case 3:
      if (!refs.refs.empty()) return EditRef(choices_.Any(refs.refs));
      [[fallthrough]];
    default:
      refs.refs.push_back({AnyRefName(), AnyId(), {}, ""});
      EditRef(refs.refs.back());
  }
  if (!choices_.OneIn(8)) std::ranges::sort(refs.refs, {}, &Ref::name);
}

void TableEdits::EditRef(Ref& ref) {
  switch (choices_.Below(4)) {
    case 0:
      ref.symref_target = AnyRefName();
      return;
    case 1:
      ref.peeled = AnyId();
      return;
    case 2:
      ref.name = AnyRefName();
      return;
    default:
      ref.target = AnyId();
      ref.symref_target.clear();
  }
}

}  // namespace zpack::testing
