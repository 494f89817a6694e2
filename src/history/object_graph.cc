// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/object_graph.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "object/object_links.h"
#include "reader/object_run.h"

namespace zpack {
namespace {

// Bytes of decoded blocks that are kept. A walk alternates between the
// directories of a repository, which are in different blocks.
constexpr uint64_t kCacheSize = uint64_t{192} << 20;
constexpr uint64_t kFarTreesSize = uint64_t{4} << 20;

// Value of `tree` for a commit without a tree.
constexpr LinkNumber kNoTree(std::numeric_limits<uint32_t>::max());

}  // namespace

ObjectGraph::ObjectGraph(const ArchiveFile& archive)
    : archive_(archive),
      types_(archive.blocks().block_count()),
      commits_(archive.blocks().block_count()),
      blocks_(archive.blocks(), kCacheSize),
      far_trees_(kFarTreesSize) {
  for (const ObjectId& id : archive.refs().shallow) {
    if (const auto rank = archive.ids().Find(id)) {
      shallow_.insert(archive.number(*rank));
    }
  }
}

Result<ObjectNumber> ObjectGraph::Find(const ObjectId& id,
                                       std::string_view by) const {
  if (const auto rank = archive_.ids().Find(id)) return archive_.number(*rank);
  if (id == archive_.empty_tree_id()) return empty_tree();
  return MakeError(ErrorCode::kNotFound, "object {} is {}, needed by {}", id,
                   MessageText{archive_.WhyAbsent(id)}, by);
}

Result<ObjectType> ObjectGraph::Type(ObjectNumber number) {
  if (number == empty_tree()) return ObjectType::kTree;
  const size_t block = archive_.blocks().FindBlock(number);
  if (!types_[block]) {
    ZPACK_ASSIGN_OR_RETURN(const format::BlockView view,
                           decoder_.Load(archive_.blocks(), block));
    types_[block] = view.header.type;
  }
  return *types_[block];
}

std::string ObjectGraph::Describe(ObjectNumber number) {
  const auto type = Type(number);
  return fmt::format("{} {}", type ? ObjectTypeName(*type) : "object",
                     id(number).ToHex());
}

Status ObjectGraph::ExpectType(ObjectNumber number, ObjectType type) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectType actual, Type(number));
  if (actual == type) return {};
  return MakeError(ErrorCode::kCorrupt, "object {} is a {}, not a {}",
                   id(number), ObjectTypeName(actual), ObjectTypeName(type));
}

Result<ObjectGraph::BlockPtr> ObjectGraph::Block(size_t block,
                                                 BlocksAhead::Onwards onwards) {
  if (asks_) asks_(block, onwards);
  ZPACK_ASSIGN_OR_RETURN(BlockPtr decoded, blocks_.Block(block));
  types_[block] = decoded->objects.header.type;
  return decoded;
}

Status ObjectGraph::ReadAhead(unsigned threads,
                              const std::function<Status()>& read) {
  BlocksAhead ahead(archive_.blocks(), threads);
  const size_t cache = ahead.Add(
      ObjectType::kTree, [this](size_t block) { return blocks_.Block(block); });
  asks_ = [&](size_t block, BlocksAhead::Onwards onwards) {
    ahead.Note(cache, block, onwards);
  };
  Status status = Guarded([&] { return ahead.Run(read); });
  asks_ = {};
  return status;
}

Result<ByteView> ObjectGraph::Content(ObjectNumber number, BlockPtr& block,
                                      Bytes& buffer) {
  const BlockRun run =
      RunAt(archive_.blocks(), archive_.blocks().FindBlock(number));
  ZPACK_ASSIGN_OR_RETURN(block, Block(run.first));
  const uint32_t index = number - block->objects.header.first_object;
  if (!IsSegmented(run, *block)) return block->Object(index, buffer);
  ZPACK_ASSIGN_OR_RETURN(
      buffer, ReadSegments(archive_.blocks(), run, *block, decoder_));
  return buffer;
}

Result<ByteView> ObjectGraph::TagContent(ObjectNumber number, BlockPtr& block,
                                         Bytes& buffer) {
  ZPACK_ASSIGN_OR_RETURN(block, Block(archive_.blocks().FindBlock(number)));
  // The header is in the first lines of a tag.
  return block->Beginning(number - block->objects.header.first_object, buffer);
}

LinkNumber ObjectGraph::NumberOf(const ObjectId& id, uint32_t object_end,
                                 Bytes& outside_ids) const {
  if (const auto rank = archive_.ids().Find(id)) {
    const uint32_t number = archive_.number(*rank).value();
    if (number < object_end) return LinkNumber(number);
  }
  const size_t outside = outside_ids.size() / id.bytes().size();
  Append(outside_ids, id.bytes());
  return LinkNumber(object_end + static_cast<uint32_t>(outside));
}

Result<ObjectNumber> ObjectGraph::Resolve(LinkNumber link,
                                          const format::LinkDecoder& links,
                                          ObjectNumber by) {
  if (!links.IsOutside(link)) return format::LinkDecoder::Object(link);
  const ObjectId id(links.OutsideId(link));
  if (id == archive_.empty_tree_id()) return empty_tree();
  return Find(id, Describe(by));
}

Result<const format::CommitTable*> ObjectGraph::Commits(ObjectNumber number) {
  // The empty tree is in no block.
  if (number == empty_tree())
    ZPACK_TRY(ExpectType(number, ObjectType::kCommit));
  const size_t block = archive_.blocks().FindBlock(number);
  if (commits_[block] == nullptr) {
    ZPACK_ASSIGN_OR_RETURN(
        std::optional<format::CommitTable> table,
        decoder_.DecodeCommitLinks(archive_.blocks(), block));
    if (!table) {
      ZPACK_TRY(ExpectType(number, ObjectType::kCommit));
      ZPACK_ASSIGN_OR_RETURN(table, ParseCommits(block));
    }
    types_[block] = ObjectType::kCommit;
    commits_[block] =
        std::make_unique<const format::CommitTable>(*std::move(table));
  }
  return commits_[block].get();
}

Result<format::CommitTable> ObjectGraph::ParseCommits(size_t block) {
  const ObjectFormat format = archive_.header().object_format;
  const ObjectNumber first = archive_.blocks().first_object(block);
  const uint32_t count = archive_.blocks().block_object_count(block);
  format::CommitTable table;
  table.object_count = archive_.blocks().object_end(block);
  table.commits.reserve(count);
  BlockPtr decoded;
  Bytes buffer;
  std::vector<LinkNumber> parents;
  for (uint32_t index = 0; index < count; ++index) {
    ZPACK_ASSIGN_OR_RETURN(const ByteView content,
                           Content(first + index, decoded, buffer));
    const CommitLinks links = ParseCommitLinks(content, format);
    parents.clear();
    parents.reserve(links.parents.size());
    for (const ObjectId& parent : links.parents) {
      parents.push_back(
          NumberOf(parent, table.object_count, table.outside_ids));
    }
    table.Add(ParseCommitTime(content),
              links.tree.empty()
                  ? kNoTree
                  : NumberOf(links.tree, table.object_count, table.outside_ids),
              parents);
  }
  return table;
}

Result<ObjectGraph::CommitRow> ObjectGraph::Row(ObjectNumber commit) {
  ZPACK_ASSIGN_OR_RETURN(const format::CommitTable* const table,
                         Commits(commit));
  const size_t index = commit - archive_.blocks().first_object(
                                    archive_.blocks().FindBlock(commit));
  if (table->commits[index].tree == kNoTree) {
    return MakeError(ErrorCode::kCorrupt, "commit {} has no tree", id(commit));
  }
  return CommitRow{*table, index};
}

Result<ObjectGraph::Commit> ObjectGraph::ReadCommit(ObjectNumber number) {
  ZPACK_ASSIGN_OR_RETURN(const CommitRow row, Row(number));
  const auto& [table, index] = row;
  Commit commit;
  commit.time = table.commits[index].time;
  if (!shallow_.contains(number)) {
    const uint64_t begin =
        index == 0 ? 0 : table.commits[index - 1].parents_end;
    commit.parents =
        std::span(table.parents)
            .subspan(begin, table.commits[index].parents_end - begin);
  }
  return commit;
}

Result<ObjectNumber> ObjectGraph::ReadParent(ObjectNumber commit,
                                             LinkNumber parent) {
  ZPACK_ASSIGN_OR_RETURN(const format::CommitTable* const table,
                         Commits(commit));
  ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number,
                         Resolve(parent, LinksOf(*table), commit));
  if (number == empty_tree()) {
    ZPACK_TRY(ExpectType(number, ObjectType::kCommit));
  }
  return number;
}

Result<std::vector<ObjectNumber>> ObjectGraph::ReadParents(
    ObjectNumber commit) {
  ZPACK_ASSIGN_OR_RETURN(const Commit read, ReadCommit(commit));
  std::vector<ObjectNumber> parents;
  parents.reserve(read.parents.size());
  for (const LinkNumber link : read.parents) {
    ZPACK_ASSIGN_OR_RETURN(parents.emplace_back(), ReadParent(commit, link));
  }
  return parents;
}

Result<ObjectNumber> ObjectGraph::ReadRootTree(ObjectNumber commit) {
  ZPACK_ASSIGN_OR_RETURN(const CommitRow row, Row(commit));
  const auto& [table, index] = row;
  return Resolve(table.commits[index].tree, LinksOf(table), commit);
}

Result<ObjectNumber> ObjectGraph::PeelTags(ObjectNumber number) {
  ZPACK_ASSIGN_OR_RETURN(ObjectType type, Type(number));
  // A tag of a hostile file may lead to itself.
  for (uint32_t left = archive_.object_count();
       type == ObjectType::kTag && left > 0; --left) {
    ZPACK_ASSIGN_OR_RETURN(const Tag tag, ReadTag(number));
    number = tag.target;
    ZPACK_ASSIGN_OR_RETURN(type, Type(number));
  }
  return number;
}

Result<ObjectGraph::Tag> ObjectGraph::ReadTag(ObjectNumber number) {
  ZPACK_TRY(ExpectType(number, ObjectType::kTag));
  BlockPtr block;
  Bytes buffer;
  ZPACK_ASSIGN_OR_RETURN(const ByteView content,
                         TagContent(number, block, buffer));
  const TagHeader header =
      ParseTagHeader(content, archive_.header().object_format);
  const auto* const type =
      std::ranges::find(kAllObjectTypes, header.type, ObjectTypeName);
  if (header.target.empty() || type == kAllObjectTypes.end() || !header.name) {
    return MakeError(ErrorCode::kCorrupt, "bad header of tag {}", id(number));
  }
  Tag tag;
  ZPACK_ASSIGN_OR_RETURN(tag.target, Find(header.target, Describe(number)));
  tag.type = *type;
  tag.name = *header.name;
  return tag;
}

}  // namespace zpack
