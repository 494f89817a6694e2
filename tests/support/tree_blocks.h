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

#include "format/link_numbers.h"
#include "object/object_id_table.h"
#include "reader/block_decoder.h"
#include "reader/rebuild_objects.h"
#include "support/deltas.h"
#include "support/temp_dir.h"
#include "support/unpacked_block.h"
#include "writer/tree_stretch_encoder.h"
#include "zpack/result.h"

namespace zpack::testing {

// Ids of objects, and their numbers, which are in no order of the ids.
struct NumberedIds : format::FileNumbers {
  ObjectId operator[](uint32_t number) const {
    return ids[order[ObjectNumber(number)]];
  }
  format::IdOfNumber id_of() const {
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

// `count` ids that repeat one byte, a multiple of `step`. Numbers run against
// the ids.
inline NumberedIds RepeatedBytes(uint32_t count, uint32_t step) {
  NumberedIds made;
  Bytes bytes;
  for (uint32_t rank = 0; rank < count; ++rank) {
    bytes.resize(bytes.size() + 20, static_cast<uint8_t>(step * rank));
    made.order.push_back(FileRank(count - 1 - rank));
    made.numbers.push_back(ObjectNumber(count - 1 - rank));
  }
  made.ids = *ObjectIdTable::FromSorted(ObjectFormat::kSha1, bytes);
  return made;
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
    const format::TreeBlock& trees, const format::IdOfNumber& id_of,
    const std::function<Status(size_t, ByteView)>& visit) {
  return RebuildInOrder(
      trees.layout(), {}, UINT64_MAX,
      {.rebuild = [&](uint32_t index, format::BaseUse, const Bytes& base,
                      Bytes& out) { trees.Rebuild(index, base, id_of, out); },
       .read_far = {},
       .visit = visit});
}

// A decoded block around `trees`, as BlockDecoder makes it.
inline DecodedBlock DecodedFrom(format::TreeBlock trees,
                                format::IdOfNumber id_of) {
  DecodedBlock block;
  block.objects.header.kind = format::BlockKind::kTrees;
  block.objects.header.type = ObjectType::kTree;
  block.objects.header.object_count = trees.count();
  block.objects.sizes = trees.sizes();
  block.form = TreeObjects{std::move(trees), std::move(id_of)};
  return block;
}

// A stretch encoder's only block.
inline UnpackedBlock BuiltTrees(const NumberedIds& ids,
                                const std::vector<PathTree>& trees) {
  BlockEncoder encoder(3);
  TreeStretchEncoder stretch(ids, uint64_t{1} << 30, encoder);
  EncodedBlocks blocks;
  stretch.Begin({}, {&blocks});
  for (const PathTree& tree : trees) {
    Require(stretch.Add(tree.content, tree.path).has_value(),
            "a tree is added");
  }
  Require(stretch.Finish().has_value(), "the block is finished");
  return UnpackBlock(blocks.at(0).chunk);
}

}  // namespace zpack::testing
