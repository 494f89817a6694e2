// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/all_links.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.h"
#include "object/object_links.h"
#include "reader/visit_run.h"

namespace zpack {
namespace {

class LinkCheck {
 public:
  explicit LinkCheck(const ArchiveFile& archive)
      : archive_(archive), format_(archive.header().object_format) {}

  // True when all links of the objects that start in `block` lead into the
  // file.
  Result<bool> Check(size_t block) {
    format::BlockHeader header;
    {
      ZPACK_ASSIGN_OR_RETURN(const format::BlockView view,
                             decoder_.Load(archive_.blocks(), block));
      header = view.header;
    }
    if (header.type == ObjectType::kBlob) return true;
    if (header.kind == format::BlockKind::kCommits) {
      ZPACK_ASSIGN_OR_RETURN(
          const std::optional<format::CommitTable> table,
          decoder_.DecodeCommitLinks(archive_.blocks(), block));
      if (table) return CheckCommits(*table, header.first_object);
    }
    ZPACK_ASSIGN_OR_RETURN(const DecodedBlock decoded,
                           decoder_.Decode(archive_.blocks(), block));
    if (decoded.trees() != nullptr) return CheckTrees(*decoded.trees());
    bool all = true;
    ZPACK_TRY(VisitRun({archive_.blocks(), decoder_},
                       RunAt(archive_.blocks(), block), decoded, {},
                       {.object = [&](ObjectNumber number, ObjectType type,
                                      ByteView content) -> Result<Visit> {
                         all = CheckObject(type, number, content);
                         return all ? Visit::kContinue : Visit::kStop;
                       }}));
    return all;
  }

 private:
  // A promised object counts as present, and an object that was lost before.
  bool IsPresent(const ObjectId& id) const {
    return id == archive_.empty_tree_id() ||
           archive_.ids().Find(id).has_value() || archive_.promises().Has(id) ||
           (archive_.lost() && archive_.lost()->Has(id));
  }

  bool IsPresent(LinkNumber link, const format::LinkDecoder& links) const {
    return !links.IsOutside(link) || IsPresent(ObjectId(links.OutsideId(link)));
  }

  bool IsShallow(ObjectNumber number) const {
    const auto& shallow = archive_.refs().shallow;
    return !shallow.empty() &&
           std::ranges::binary_search(shallow,
                                      archive_.ids()[archive_.rank(number)]);
  }

  bool CheckCommits(const format::CommitTable& table,
                    ObjectNumber first) const {
    const format::LinkDecoder links = table.links(format_);
    uint64_t parent = 0;
    for (uint32_t i = 0; i < table.commits.size(); ++i) {
      const format::CommitTable::Commit& commit = table.commits[i];
      if (!IsPresent(commit.tree, links)) return false;
      bool parents_present = true;
      for (; parent < commit.parents_end; ++parent) {
        parents_present &= IsPresent(table.parents[parent], links);
      }
      if (!parents_present && !IsShallow(first + i)) return false;
    }
    return true;
  }

  // Entries shared with the base are checked with the base.
  bool CheckTrees(const format::TreeBlock& trees) const {
    for (uint32_t index = 0; index < trees.count(); ++index) {
      if (trees.IsVerbatim(index) &&
          !CheckObject(ObjectType::kTree, {}, trees.literals(index))) {
        return false;
      }
      for (const format::TreeBlock::Edit& edit : trees.edits(index)) {
        if (edit.kind != format::TreeEditKind::kRemove &&
            edit.entry.mode != format::kGitlinkMode &&
            !IsPresent(edit.entry.child, trees.links())) {
          return false;
        }
      }
    }
    return true;
  }

  bool CheckObject(ObjectType type, ObjectNumber number,
                   ByteView content) const {
    if (type == ObjectType::kCommit) {
      const CommitLinks links = ParseCommitLinks(content, format_);
      const auto present = [this](const ObjectId& id) { return IsPresent(id); };
      return (links.tree.empty() || IsPresent(links.tree)) &&
             (std::ranges::all_of(links.parents, present) || IsShallow(number));
    }
    if (type == ObjectType::kTag) {
      const ObjectId target = ParseTagTarget(content, format_);
      return target.empty() || IsPresent(target);
    }
    TreeIterator entries(content, format_);
    TreeEntry entry;
    while (entries.Next(entry)) {
      if (!entry.is_gitlink() && !IsPresent(ObjectId(entry.id))) return false;
    }
    return true;
  }

  const ArchiveFile& archive_;
  ObjectFormat format_;
  BlockDecoder decoder_;
};

}  // namespace

Result<bool> NamesOnlyItself(const ArchiveFile& archive,
                             const std::stop_token& stop) {
  LinkCheck check(archive);
  for (size_t block = 0; block < archive.blocks().block_count(); ++block) {
    if (archive.blocks().continues_previous(block)) continue;
    ZPACK_TRY(CheckStop(stop));
    ZPACK_ASSIGN_OR_RETURN(const bool present, check.Check(block));
    if (!present) return false;
  }
  return true;
}

}  // namespace zpack
