// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "salvage/hole_survey.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "format/expansion.h"
#include "object/object_hasher.h"
#include "object/object_links.h"
#include "reader/block_decoder.h"
#include "reader/tree_children.h"
#include "salvage/fatal_error.h"

namespace zpack {
namespace {

// Maximum number of components of a path.
constexpr size_t kMaxDepth = 1000;

// Where an object occurs in a tree.
struct Place {
  ObjectNumber tree;
  std::string name;
};

class HoleSurvey {
 public:
  HoleSurvey(const Salvaging& salvaging, const SalvagedParts& parts,
             const RefsSnapshot& refs, const HistorySurvey& history,
             SalvageReport& report)
      : salvaging_(salvaging),
        parts_(parts),
        refs_(refs),
        history_(history),
        report_(report),
        empty_tree_(EmptyTreeId(parts.format)) {}

  Status Run() {
    ZPACK_TRY(SurveyTrees());
    SurveyCommits();
    for (const auto& [tag, target] : history_.tags) {
      if (!target.empty() && !IsThere(target)) {
        missing_[target].by = "tag " + tag.ToHex();
      }
    }
    for (auto& [id, object] : missing_) {
      object.id = id;
      Locate(object);
      report_.missing.push_back(std::move(object));
    }
    std::ranges::sort(report_.missing, {}, &MissingObject::id);
    for (const Ref& ref : refs_.refs) {
      if (!ref.symbolic() && IsIncomplete(ref.target)) {
        report_.incomplete_refs.push_back({ref.name, ref.target});
      }
    }
    if (!refs_.head_target.empty() && IsIncomplete(refs_.head_target)) {
      report_.incomplete_refs.push_back({"HEAD", refs_.head_target});
    }
    return {};
  }

 private:
  // Git knows the empty tree without storing it.
  bool IsThere(const ObjectId& id) const {
    return salvaging_.ids.Find(id) || parts_.promises.Has(id) ||
           parts_.lost_before.Has(id) || id == empty_tree_;
  }

  bool IsBad(const ObjectId& id) const {
    const auto number = salvaging_.ids.Find(id);
    return number && bad_.contains(number->value());
  }

  // Finds the trees that miss objects, directly or below: block by block, as
  // long as there are more.
  Status SurveyTrees() {
    const SalvagedBlocks& blocks = salvaging_.blocks;
    bool first = true;
    do {
      changed_ = false;
      for (size_t row = blocks.row_count(); row-- > 0;) {
        ZPACK_TRY(CheckStop(salvaging_.run.stop));
        if (!blocks.IsBlock(row)) continue;
        const format::BlockHeader& header = blocks.block(row).header;
        if (header.type != ObjectType::kTree || header.segment_offset != 0) {
          continue;
        }
        const Status surveyed = header.kind == format::BlockKind::kTrees
                                    ? SurveyTreeBlock(row)
                                    : SurveyWholeTrees(row);
        if (!surveyed && IsFatal(surveyed.error())) return surveyed;
        if (!surveyed && first) {
          ZPACK_TRY(salvaging_.Note(row, surveyed.error()));
        }
        if (work_ / format::kMaxDecodings > Limit()) return {};
      }
      first = false;
    } while (changed_ && !bad_.empty());
    return {};
  }

  uint64_t Limit() const {
    const format::Expansion& limit = salvaging_.file.expansion().limit();
    return std::max(limit.content, limit.decoded);
  }

  Status SurveyTreeBlock(size_t row) {
    ZPACK_ASSIGN_OR_RETURN(const DecodedBlock block,
                           decoder_.Decode(salvaging_.file, row));
    const format::TreeBlock& trees = *block.trees();
    const ObjectNumber first = block.objects.header.first_object;
    for (bool more = true; more && work_ / format::kMaxDecodings <= Limit();) {
      more = false;
      work_ += trees.layout().content;
      const std::vector<bool> good = TreesWithGoodChildren(
          trees, [&](const format::TreeBlock::Entry& entry) {
            return IsGood(trees, entry);
          });
      for (uint32_t index = 0; index < trees.count(); ++index) {
        const ObjectNumber number = first + index;
        if (!salvaging_.ids.IsProven(number)) continue;
        if (trees.IsVerbatim(index)) {
          more = SurveyContent(number, trees.literals(index)) || more;
        } else if (!good[index] && bad_.insert(number.value()).second) {
          NotePlaces(trees, index, number);
          more = true;
        }
      }
      changed_ = changed_ || more;
    }
    return {};
  }

  Status SurveyWholeTrees(size_t row) {
    return VisitProven(salvaging_, row, decoder_,
                       [&](ObjectNumber number, ByteView content) -> Status {
                         work_ += content.size();
                         changed_ = SurveyContent(number, content) || changed_;
                         return {};
                       });
  }

  ObjectId IdOf(const format::TreeBlock& trees, LinkNumber link) const {
    return trees.links().IsOutside(link)
               ? ObjectId(trees.links().OutsideId(link))
               : salvaging_.ids.Id(format::LinkDecoder::Object(link));
  }

  bool IsGood(const format::TreeBlock& trees,
              const format::TreeBlock::Entry& entry) const {
    if (IsGitlink(entry)) return true;
    const ObjectId id = IdOf(trees, entry.child);
    return IsThere(id) && !IsBad(id);
  }

  // Notes what the edits of a bad tree add that is missing or bad. What its
  // base has was noted with the base.
  void NotePlaces(const format::TreeBlock& trees, uint32_t index,
                  ObjectNumber tree) {
    for (const format::TreeBlock::Edit& edit : trees.edits(index)) {
      if (edit.kind == format::TreeEditKind::kRemove ||
          IsGood(trees, edit.entry)) {
        continue;
      }
      NotePlace(IdOf(trees, edit.entry.child), tree, trees.name(edit.entry));
    }
  }

  void NotePlace(const ObjectId& id, ObjectNumber tree, std::string_view name) {
    if (!IsThere(id)) {
      missing_[id].by = "tree " + salvaging_.ids.Id(tree).ToHex();
    }
    places_.try_emplace(id, tree, std::string(name));
  }

  // Looks at the entries of a tree. Returns true if the tree turns out to be
  // bad.
  bool SurveyContent(ObjectNumber number, ByteView content) {
    TreeIterator entries(content, parts_.format);
    TreeEntry entry;
    bool bad = false;
    while (entries.Next(entry)) {
      if (entry.is_gitlink()) continue;
      const ObjectId id(entry.id);
      if (IsThere(id) && !IsBad(id)) continue;
      NotePlace(id, number, entry.name);
      bad = true;
    }
    return bad && bad_.insert(number.value()).second;
  }

  // Finds the commits that miss objects.
  void SurveyCommits() {
    const std::unordered_set<ObjectId> shallow(refs_.shallow.begin(),
                                               refs_.shallow.end());
    std::unordered_map<ObjectId, std::vector<ObjectNumber>> children;
    std::vector<ObjectNumber> queue;
    size_t begin = 0;
    for (const SurveyedCommit& commit : history_.commits) {
      const ObjectId id = salvaging_.ids.Id(commit.number);
      bool bad = false;
      if (!IsThere(commit.tree)) {
        NoteMissing(commit.tree, id);
        bad = true;
      } else if (IsBad(commit.tree)) {
        roots_.try_emplace(commit.tree, id);
        bad = true;
      }
      for (size_t i = begin; i < commit.parents_end; ++i) {
        const ObjectId& parent = history_.parents[i];
        if (shallow.contains(id)) break;
        if (IsThere(parent)) {
          children[parent].push_back(commit.number);
        } else {
          NoteMissing(parent, id);
          bad = true;
        }
      }
      begin = commit.parents_end;
      if (bad && bad_.insert(commit.number.value()).second) {
        queue.push_back(commit.number);
      }
    }
    while (!queue.empty()) {
      const ObjectId id = salvaging_.ids.Id(queue.back());
      queue.pop_back();
      for (const ObjectNumber child : children[id]) {
        if (bad_.insert(child.value()).second) queue.push_back(child);
      }
    }
  }

  void NoteMissing(const ObjectId& id, const ObjectId& commit) {
    MissingObject& object = missing_[id];
    object.by = "commit " + commit.ToHex();
    object.commit = commit;
  }

  // Finds the path of a missing object and a commit that has the path.
  void Locate(MissingObject& object) const {
    if (!object.commit.empty()) return;
    std::vector<std::string_view> names;
    ObjectId id = object.id;
    for (auto at = places_.find(id);
         at != places_.end() && names.size() < kMaxDepth;
         at = places_.find(id)) {
      names.push_back(at->second.name);
      id = salvaging_.ids.Id(at->second.tree);
      const auto root = roots_.find(id);
      if (root == roots_.end()) continue;
      object.commit = root->second;
      break;
    }
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      if (!object.path.empty()) object.path += '/';
      object.path += *name;
    }
  }

  bool IsIncomplete(ObjectId id) const {
    for (size_t steps = 0; steps <= history_.tags.size(); ++steps) {
      const auto tag = history_.tags.find(id);
      if (tag == history_.tags.end()) break;
      id = tag->second;
    }
    return !IsThere(id) || IsBad(id);
  }

  const Salvaging& salvaging_;
  const SalvagedParts& parts_;
  const RefsSnapshot& refs_;
  const HistorySurvey& history_;
  SalvageReport& report_;
  ObjectId empty_tree_;
  BlockDecoder decoder_;
  uint64_t work_ = 0;
  bool changed_ = false;
  // Numbers of trees and commits that are there and miss something.
  std::unordered_set<uint32_t> bad_;
  std::map<ObjectId, MissingObject> missing_;
  // Of missing objects and of bad trees: where each occurred first.
  std::unordered_map<ObjectId, Place> places_;
  // Of bad root trees: a commit.
  std::unordered_map<ObjectId, ObjectId> roots_;
};

}  // namespace

Status SurveyHoles(const Salvaging& salvaging, const SalvagedParts& parts,
                   const RefsSnapshot& refs, const HistorySurvey& survey,
                   SalvageReport& report) {
  return HoleSurvey(salvaging, parts, refs, survey, report).Run();
}

}  // namespace zpack
