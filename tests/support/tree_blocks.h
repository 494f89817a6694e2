// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// From the writer's side of a block of trees to the reader's, without a file
// between them, and trees that resemble each other. Pure.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/block.h"
#include "format/chunk.h"
#include "object/object_id_table.h"
#include "reader/block_decoder.h"
#include "reader/id_of_number.h"
#include "reader/rebuild_objects.h"
#include "support/deltas.h"
#include "support/temp_dir.h"
#include "writer/tree_stretch_encoder.h"
#include "zpack/result.h"

namespace zpack::testing {

// In the order in which they are written.
inline constexpr std::array kTreeStreams = {
    format::StreamKind::kSizes,     format::StreamKind::kBases,
    format::StreamKind::kLiterals,  format::StreamKind::kEditCounts,
    format::StreamKind::kEditRuns,  format::StreamKind::kEditKinds,
    format::StreamKind::kNames,     format::StreamKind::kModes,
    format::StreamKind::kChildren,  format::StreamKind::kChildDifferences,
    format::StreamKind::kNameTexts, format::StreamKind::kOutsideIds};

inline std::array<Bytes*, kTreeStreams.size()> AllStreams(
    TreeBlock::Streams& streams) {
  return {&streams.sizes,      &streams.bases,
          &streams.literals,   &streams.edit_counts,
          &streams.edit_runs,  &streams.edit_kinds,
          &streams.names,      &streams.modes,
          &streams.children,   &streams.child_differences,
          &streams.name_texts, &streams.outside_ids};
}

// Copies of the builder's streams.
inline TreeBlock::Streams StreamsOf(const TreeBlockBuilder& builder) {
  TreeBlock::Streams streams;
  const auto all = AllStreams(streams);
  for (const auto& [kind, bytes] : builder.Streams()) {
    const auto at = std::ranges::find(kTreeStreams, kind);
    Require(at != kTreeStreams.end(), "stream of no block of trees");
    all[static_cast<size_t>(at - kTreeStreams.begin())]->assign(bytes.begin(),
                                                                bytes.end());
  }
  return streams;
}

// The streams in a chunk, and what its header says.
struct UnpackedTrees {
  format::BlockHeader header;
  TreeBlock::Streams streams;
  uint64_t raw_size = 0;
  uint64_t stored_size = 0;
};

inline UnpackedTrees UnpackTrees(ByteView chunk) {
  const auto payload = format::DecodeChunk(format::kBlockChunk, chunk);
  Require(payload.has_value(), "chunk");
  const auto view = format::DecodeBlock(*payload, uint64_t{1} << 30);
  Require(view && view->streams.size() == kTreeStreams.size(), "block");
  UnpackedTrees unpacked;
  unpacked.header = view->header;
  const auto all = AllStreams(unpacked.streams);
  BlockDecoder decoder;
  for (size_t i = 0; i < all.size(); ++i) {
    auto raw = decoder.Unpack(*view, kTreeStreams[i]);
    Require(raw.has_value(), "stream");
    unpacked.raw_size += raw->size();
    unpacked.stored_size += view->Find(kTreeStreams[i])->stored.size();
    *all[i] = *std::move(raw);
  }
  return unpacked;
}

// Ids of objects, and their numbers, which are in no order of the ids.
struct NumberedIds : FileNumbers {
  ObjectId operator[](uint32_t number) const {
    return ids[order[ObjectNumber(number)]];
  }
  IdOfNumber id_of() const {
    return [this](ObjectNumber number) { return ids[order[number]]; };
  }
};

inline ObjectId RandomId(Random& random, ObjectFormat format) {
  Bytes id(ObjectIdWidth(format));
  for (uint8_t& byte : id) byte = static_cast<uint8_t>(random());
  return ObjectId(id);
}

inline NumberedIds RandomIds(Random& random, uint32_t count,
                             ObjectFormat format = ObjectFormat::kSha1) {
  Bytes bytes;
  for (uint32_t i = 0; i < count; ++i) {
    Append(bytes, RandomId(random, format).bytes());
  }
  NumberedIds table;
  table.ids = *ObjectIdTable::FromUnsorted(format, std::move(bytes));
  std::vector<FileRank>& order = table.order.raw();
  for (const FileRank rank : table.ids.ranks()) order.push_back(rank);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[Below(random, i)]);
  }
  table.numbers.resize(table.order.size());
  for (const ObjectNumber number : table.order.indexes()) {
    table.numbers[table.order[number]] = number;
  }
  return table;
}

// An entry of a tree, of any kind at all.
struct TextEntry {
  std::string mode;
  std::string name;
  ObjectId id;
};

inline Bytes TreeBytes(const std::vector<TextEntry>& entries) {
  Bytes content;
  for (const TextEntry& entry : entries) {
    Append(content, AsBytes(entry.mode));
    content.push_back(' ');
    Append(content, AsBytes(entry.name));
    content.push_back(0);
    Append(content, entry.id.bytes());
  }
  return content;
}

// As Git sorts them: a directory as if its name ended in a slash.
inline void SortEntries(std::vector<TextEntry>& entries) {
  const auto key = [](const TextEntry& entry) {
    return entry.mode == "40000" ? entry.name + '/' : entry.name;
  };
  std::ranges::stable_sort(entries, {}, key);
}

// Makes trees that Git could have made and others, by a few edits from the
// ones before.
class TreeMaker {
 public:
  enum class Style { kProper, kOdd };

  TreeMaker(Random& random, const NumberedIds& ids, Style style)
      : random_(random), ids_(ids), style_(style) {}

  void Edit(std::vector<TextEntry>& entries) {
    const size_t at = Below(random_, entries.size() + 1);
    const auto place = entries.begin() + static_cast<ptrdiff_t>(at);
    if (place == entries.end() || Below(random_, 6) == 0) {
      entries.insert(place, {Mode(), Name(), Child()});
    } else {
      switch (Below(random_, 8)) {
        case 0:
          entries.erase(place);
          break;
        case 1:
          place->mode = Mode();
          break;
        case 2:
          place->name = Name();
          break;
        default:
          place->id = Child();
      }
    }
    if (style_ == Style::kProper) {
      SortEntries(entries);
      const auto same = std::ranges::unique(entries, {}, &TextEntry::name);
      entries.erase(same.begin(), same.end());
    }
  }

  // Something that is no tree, out of one.
  Bytes Damaged(Bytes content) {
    switch (Below(random_, 4)) {
      case 0:
        content.resize(Below(random_, content.size() + 1));
        break;
      case 1:
        if (!content.empty()) {
          content[Below(random_, content.size())] =
              static_cast<uint8_t>(random_());
        }
        break;
      case 2:
        content.push_back(static_cast<uint8_t>(random_()));
        break;
      default:
        content = RandomText(random_, Below(random_, 200));
    }
    return content;
  }

 private:
  std::string Mode() {
    constexpr std::array kUsual = {"100644", "100644", "100755",
                                   "40000",  "120000", "160000"};
    constexpr std::array kOdd = {"100664", "0100644", "40755",   "",
                                 "040000", "1",       "100644\n"};
    if (style_ == Style::kOdd && Below(random_, 20) == 0) {
      return kOdd[Below(random_, kOdd.size())];
    }
    return kUsual[Below(random_, kUsual.size())];
  }
  std::string Name() {
    // Many are the beginning of another one, on either side of a slash.
    constexpr std::array kNames = {"a",   "a.b",  "a-b", "a0",  "a.b.c",
                                   "lib", "lib.", "li",  "lib", "lib-x",
                                   "a/b", "\xff", "A",   "0",   "lib.c"};
    if (style_ == Style::kOdd && Below(random_, 30) == 0) return "";
    if (Below(random_, 3) != 0) return kNames[Below(random_, kNames.size())];
    return "f" + std::to_string(Below(random_, 500));
  }
  ObjectId Child() {
    switch (Below(random_, 8)) {
      case 0:
        return RandomId(random_, ids_.ids.format());
      case 1:
        if (!outside_.empty()) return outside_[Below(random_, outside_.size())];
        outside_.push_back(RandomId(random_, ids_.ids.format()));
        return outside_.back();
      case 2:
        return ids_[static_cast<uint32_t>(Below(random_, ids_.ids.size()))];
      default:
        next_ = (next_ + 1) % ids_.ids.size();
        return ids_[next_];
    }
  }

  Random& random_;
  const NumberedIds& ids_;
  Style style_;
  uint32_t next_ = 0;
  std::vector<ObjectId> outside_;
};

struct PathTree {
  Bytes content;
  PathNumber path;
};

// Versions of a few directories, of two branches in turns.
inline std::vector<PathTree> RandomTrees(Random& random, const NumberedIds& ids,
                                         size_t count, TreeMaker::Style style) {
  TreeMaker maker(random, ids, style);
  std::vector<PathTree> trees;
  std::array<std::vector<TextEntry>, 2> branches;
  PathNumber path;
  while (trees.size() < count) {
    if (trees.empty() || Below(random, 25) == 0) {
      ++path;
      std::vector<TextEntry>& first = branches[0];
      if (Below(random, 3) == 0) first.clear();
      const size_t edits = Below(random, 60);
      for (size_t i = 0; i < edits; ++i) maker.Edit(first);
      branches[1] = first;
    }
    std::vector<TextEntry>& branch = branches[Below(random, 2)];
    const size_t edits = Below(random, 10) == 0 ? 20 : Below(random, 4);
    for (size_t i = 0; i < edits; ++i) maker.Edit(branch);
    Bytes content = TreeBytes(branch);
    if (style == TreeMaker::Style::kOdd && Below(random, 8) == 0) {
      content = maker.Damaged(std::move(content));
    }
    trees.push_back({std::move(content), path});
  }
  return trees;
}

// Calls `visit` with index and content of each tree, in order.
inline Status ForEachTree(
    const TreeBlock& trees, const IdOfNumber& id_of,
    const std::function<Status(size_t, ByteView)>& visit) {
  return RebuildInOrder(
      trees.layout(), {}, UINT64_MAX,
      [&](uint32_t index, BaseUse, const Bytes& base, Bytes& out) {
        trees.Rebuild(index, base, id_of, out);
      },
      visit);
}

// A decoded block around `trees`, as BlockDecoder makes it.
inline DecodedBlock DecodedFrom(TreeBlock trees, IdOfNumber id_of) {
  DecodedBlock block;
  block.objects.header.kind = format::BlockKind::kTrees;
  block.objects.header.type = ObjectType::kTree;
  block.objects.header.object_count = trees.count();
  block.objects.sizes = trees.sizes();
  block.form = TreeObjects{std::move(trees), std::move(id_of)};
  return block;
}

}  // namespace zpack::testing
