// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/file_mutator.h"

#include <algorithm>
#include <vector>

#include "fuzz/block_edits.h"
#include "fuzz/chain_input.h"
#include "fuzz/choices.h"
#include "fuzz/file_parts.h"
#include "fuzz/parity_edits.h"
#include "fuzz/table_edits.h"

namespace zpack::testing {
namespace {

// False if there is no parity.
bool EditParityChunk(FileParts& parts, Choices& choices,
                     const EditBytes& edit_bytes) {
  const auto chunk =
      std::ranges::find(parts.chunks, format::kParityChunk, &ChunkPart::id);
  return chunk != parts.chunks.end() &&
         EditParity(chunk->payload, choices, edit_bytes);
}

void EditOnce(FileParts& parts, Choices& choices, const EditBytes& edit_bytes) {
  TableEdits tables(parts, choices, edit_bytes);
  BlockEdits blocks(parts, choices, edit_bytes);
  switch (choices.Below(16)) {
    case 0:
      return tables.EditHeader();
    case 1:
      return tables.EditChunks();
    case 2:
      return tables.EditRows();
    case 3:
      return tables.EditIds();
    case 4:
      return tables.EditRefs();
    case 5:
      return blocks.EditBlockHeader();
    case 6:
      return blocks.EditDirectory();
    case 7:
      return blocks.InsertBlock(FileParts(parts));
    case 8:
      return blocks.ReplaceStream(parts);
    case 9:
    case 10:
      if (EditParityChunk(parts, choices, edit_bytes)) return;
      [[fallthrough]];
    default:
      return blocks.EditStream();
  }
}

// A file that cannot be taken apart may be parity beside another one.
Bytes Unknown(ByteView file, uint64_t seed, const EditBytes& edit_bytes) {
  Bytes bytes(file.begin(), file.end());
  Choices choices(seed);
  if (choices.OneIn(4) || !EditParity(bytes, choices, edit_bytes)) {
    edit_bytes(bytes);
  }
  return bytes;
}

Bytes MutateOne(ByteView file, uint64_t seed, const EditBytes& edit_bytes) {
  auto parts = TakeApart(file);
  if (!parts) return Unknown(file, seed, edit_bytes);
  Choices choices(seed);
  const size_t edits = 1 + (choices.OneIn(3) ? choices.Below(4) : 0);
  for (size_t i = 0; i < edits; ++i) EditOnce(*parts, choices, edit_bytes);
  // Most edits lead nowhere otherwise.
  if (!choices.OneIn(4)) MakeCountsAgree(*parts);
  return PutTogether(*parts);
}

}  // namespace

Bytes MutateFile(ByteView input, uint64_t seed, const EditBytes& edit_bytes) {
  std::vector<Bytes> files = SplitChain(input);
  Choices choices(seed);
  Bytes& file = choices.Any(files);
  file = MutateOne(file, seed, edit_bytes);
  if (files.size() > 1 && !choices.OneIn(8)) LinkChain(files);
  return JoinChain(files);
}

Bytes CrossFiles(ByteView file, ByteView other, uint64_t seed,
                 const EditBytes& edit_bytes) {
  auto parts = TakeApart(file);
  const auto from = TakeApart(other);
  if (!parts || !from) return Unknown(file, seed, edit_bytes);
  Choices choices(seed);
  BlockEdits blocks(*parts, choices, edit_bytes);
  if (choices.OneIn(4)) {
    parts->refs = from->refs;
  } else if (choices.OneIn(3)) {
    blocks.ReplaceStream(*from);
  } else {
    blocks.InsertBlock(*from);
  }
  if (!choices.OneIn(8)) MakeCountsAgree(*parts);
  return PutTogether(*parts);
}

void FlipBytes(Bytes& bytes, uint64_t seed) {
  Choices choices(seed);
  if (bytes.empty() || choices.OneIn(4)) {
    return choices.Insert(bytes, static_cast<uint8_t>(choices.Below(256)));
  }
  switch (choices.Below(3)) {
    case 0:
      choices.Any(bytes) ^= static_cast<uint8_t>(1 << choices.Below(8));
      return;
    case 1:
      choices.Any(bytes) = static_cast<uint8_t>(choices.Below(256));
      return;
    default:
      return choices.Erase(bytes);
  }
}

}  // namespace zpack::testing
