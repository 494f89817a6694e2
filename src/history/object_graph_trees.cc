// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of ObjectGraph that reads trees.

#include <ranges>
#include <utility>
#include <vector>

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

Result<ObjectNumber> ObjectGraph::FarRootOf(const format::FarBase& base) {
  FarBaseReader& bases = archive_.blocks().far_bases();
  std::vector<ObjectNumber> steps;
  ObjectNumber root = base.number;
  while (steps.size() < format::kMaxFarBlocks) {
    if (const auto known = far_roots_.find(root); known != far_roots_.end()) {
      root = known->second;
      break;
    }
    steps.push_back(root);
    const size_t at = archive_.blocks().FindBlock(root);
    // The walk comes to the block, and to those beside it, too.
    ZPACK_ASSIGN_OR_RETURN(const BlockPtr block,
                           Block(at, BlocksAhead::Onwards::kSurely));
    bases.KeepBlock(at, block);
    const uint32_t index = root - block->objects.header.first_object;
    const format::BlockLayout* const layout = block->layout();
    if (layout == nullptr || index >= layout->count()) break;
    const format::FarBase* const far = layout->ChainOf(index).far;
    if (far == nullptr) break;
    root = far->number;
  }
  for (const ObjectNumber step : steps) far_roots_.emplace(step, root);
  return root;
}

Status ObjectGraph::ReadFarTree(const DecodedBlock& block, ObjectNumber number,
                                const ObjectMarks& marks, TreeReader& reader) {
  const ObjectNumber first = block.objects.header.first_object;
  const auto chain = block.layout()->ChainOf(number - first);
  // Two versions of one directory often have one of these in common.
  std::vector<ObjectNumber> names = {number};
  if (chain.objects.size() > 1) names.push_back(first + chain.objects[1]);
  if (chain.far != nullptr) {
    if (names.size() == 1) names.push_back(chain.far->number);
    ZPACK_ASSIGN_OR_RETURN(const ObjectNumber root, FarRootOf(*chain.far));
    names.push_back(root);
  }
  ReadTreeContent tree{number, {}};
  ZPACK_ASSIGN_OR_RETURN(const ByteView content,
                         block.Object(number - first, tree.content,
                                      decoder_.far_budget(archive_.blocks())));
  // Another version of the tree. If it has been walked completely, the entries
  // that both have, have been seen.
  std::shared_ptr<const ReadTreeContent> like;
  for (const ObjectNumber name : names) {
    if (like == nullptr) like = far_trees_.Find(name);
  }
  const bool seen = like != nullptr && marks.complete(like->number);
  ZPACK_TRY(reader.AddContent(content, seen ? like->content : ByteView()));
  const auto shared = std::make_shared<const ReadTreeContent>(std::move(tree));
  for (const ObjectNumber name : names | std::views::drop(1)) {
    far_trees_.Insert(name, shared, 0);
  }
  far_trees_.Insert(number, shared, shared->content.size());
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
