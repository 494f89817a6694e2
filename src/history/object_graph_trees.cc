// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of ObjectGraph that reads trees.

#include <utility>

#include "base/error.h"
#include "format/limits.h"
#include "history/object_graph.h"
#include "object/object_links.h"
#include "reader/far_base_reader.h"

namespace zpack {

// Appends the links of one tree.
class ObjectGraph::TreeReader {
 public:
  TreeReader(ObjectGraph& graph, ObjectNumber tree, const ObjectMarks& marks,
             Links& links)
      : graph_(graph), tree_(tree), marks_(marks), links_(links) {}

  // From the entries that `content` has, and `seen` does not.
  Status AddContent(ByteView content, ByteView seen = {}) {
    NewTreeEntries entries(content, seen,
                           graph_.archive_.header().object_format);
    TreeEntry entry;
    while (entries.Next(entry)) {
      Bytes outside_ids;
      const uint32_t object_end = graph_.archive_.object_count();
      const LinkNumber child =
          graph_.NumberOf(ObjectId(entry.id), object_end, outside_ids);
      const Kind kind = entry.is_tree()      ? Kind::kTree
                        : entry.is_gitlink() ? Kind::kGitlink
                                             : Kind::kBlob;
      ZPACK_TRY(Add(kind, entry.name, child,
                    graph_.LinksOf(object_end, outside_ids)));
    }
    return entries.complete() ? Status{} : BadEntry();
  }

  // From tree `index` of a block whose first object is `first`.
  Status AddFromBlock(const format::TreeBlock& trees, ObjectNumber first,
                      uint32_t index) {
    const std::optional<uint32_t> base = trees.base(index);
    // If the base has been walked completely, the entries shared with it have
    // been seen.
    if (!base || marks_.complete(first + *base)) {
      for (const format::TreeBlock::Edit& edit : trees.edits(index)) {
        if (edit.kind == format::TreeEditKind::kRemove) continue;
        ZPACK_TRY(AddEntry(trees, edit.entry));
      }
      return {};
    }
    for (const format::TreeBlock::Entry& entry : trees.RebuildEntries(index)) {
      ZPACK_TRY(AddEntry(trees, entry));
    }
    return {};
  }

 private:
  enum class Kind : uint8_t { kTree, kBlob, kGitlink };

  Status AddEntry(const format::TreeBlock& trees,
                  const format::TreeBlock::Entry& entry) {
    const Kind kind = entry.mode == format::kDirectoryMode ? Kind::kTree
                      : entry.mode == format::kGitlinkMode ? Kind::kGitlink
                                                           : Kind::kBlob;
    return Add(kind, trees.name(entry), entry.child, trees.links());
  }

  Status Add(Kind kind, std::string_view name, LinkNumber link,
             const format::LinkDecoder& links) {
    if (name.empty()) return BadEntry();
    if (kind == Kind::kGitlink) return {};
    const ObjectType type =
        kind == Kind::kTree ? ObjectType::kTree : ObjectType::kBlob;
    ZPACK_ASSIGN_OR_RETURN(const ObjectNumber child,
                           graph_.Resolve(link, links, tree_));
    if (marks_.SeenAs(child, type)) return {};
    const uint64_t limit = graph_.archive_.blocks().max_kept();
    if (links_.names.size() + links_.links.size() * sizeof(Link) > limit) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "the trees above {} need more than {} bytes of memory",
                       graph_.Describe(tree_), limit);
    }
    links_.links.push_back({child, static_cast<uint32_t>(name.size()), type});
    links_.names += name;
    return {};
  }

  std::unexpected<Error> BadEntry() {
    return MakeError(ErrorCode::kCorrupt, "bad entry in {}",
                     graph_.Describe(tree_));
  }

  ObjectGraph& graph_;
  ObjectNumber tree_;
  const ObjectMarks& marks_;
  Links& links_;
};

Status ObjectGraph::ShareFarBlocks(const DecodedBlock& block, uint32_t index) {
  FarBaseReader& bases = archive_.blocks().far_bases();
  const format::FarBase* far = block.layout()->ChainOf(index).far;
  for (size_t left = format::kMaxFarBlocks; far != nullptr && left > 0;
       --left) {
    const size_t at = archive_.blocks().FindBlock(far->number);
    ZPACK_ASSIGN_OR_RETURN(const BlockPtr decoded, Block(at));
    bases.KeepBlock(at, decoded);
    const uint32_t of_base = far->number - decoded->objects.header.first_object;
    if (decoded->layout() == nullptr || of_base >= decoded->layout()->count()) {
      break;
    }
    far = decoded->layout()->ChainOf(of_base).far;
  }
  return {};
}

Status ObjectGraph::ReadFarTree(const DecodedBlock& block, ObjectNumber number,
                                const ObjectMarks& marks, TreeReader& reader) {
  const ObjectNumber first = block.objects.header.first_object;
  const uint32_t index = number - first;
  std::optional<ObjectNumber> base;
  if (const format::FarBase* const far = block.FarBaseOf(index)) {
    base = far->number;
  } else if (const auto in_block = block.layout()->base(index)) {
    base = first + *in_block;
  }
  ZPACK_TRY(ShareFarBlocks(block, index));
  ReadTreeContent tree{number, {}};
  ZPACK_ASSIGN_OR_RETURN(const ByteView content,
                         block.Object(index, tree.content,
                                      decoder_.far_budget(archive_.blocks())));
  // Another version of the tree. If it has been walked completely, the entries
  // that both have, have been seen.
  std::shared_ptr<const ReadTreeContent> like = far_trees_.Find(number);
  if (like == nullptr && base) like = far_trees_.Find(*base);
  const bool seen = like != nullptr && marks.complete(like->number);
  ZPACK_TRY(reader.AddContent(content, seen ? like->content : ByteView()));
  const auto shared = std::make_shared<const ReadTreeContent>(std::move(tree));
  far_trees_.Insert(number, shared, shared->content.size());
  if (base) far_trees_.Insert(*base, shared, shared->content.size());
  return {};
}

Status ObjectGraph::ReadTree(ObjectNumber number, const ObjectMarks& marks,
                             Links& links) {
  if (number == empty_tree()) return {};
  const size_t at = archive_.blocks().FindBlock(number);
  ZPACK_ASSIGN_OR_RETURN(BlockPtr block, Block(at));
  ZPACK_TRY(ExpectType(number, ObjectType::kTree));
  TreeReader reader(*this, number, marks, links);
  const ObjectNumber first = block->objects.header.first_object;
  if (block->trees() != nullptr &&
      !block->trees()->IsVerbatim(number - first)) {
    return reader.AddFromBlock(*block->trees(), first, number - first);
  }
  if (block->deltas() != nullptr) {
    return ReadFarTree(*block, number, marks, reader);
  }
  Bytes buffer;
  ZPACK_ASSIGN_OR_RETURN(const ByteView content,
                         Content(number, block, buffer));
  return reader.AddContent(content);
}

}  // namespace zpack
