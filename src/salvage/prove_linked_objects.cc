// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writers store commits before their trees, directories before their entries,
// and new commits before old ones. One pass over the blocks from the last to
// the first therefore does most of the work.

#include <algorithm>
#include <cstring>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/hex.h"
#include "object/object_hasher.h"
#include "reader/block_decoder.h"
#include "salvage/fatal_error.h"
#include "salvage/object_prover.h"

namespace zpack {
namespace {

// How many times the maximum expansion of the file may be decoded.
constexpr uint64_t kMaxDecodings = 2;

// Positions of the ids in a commit: "tree ", then "parent " in each line.
constexpr size_t kTreeLabel = 5;
constexpr size_t kParentLabel = 7;

class LinkedProver {
 public:
  explicit LinkedProver(const Salvaging& salvaging)
      : salvaging_(salvaging),
        hasher_(salvaging.file.object_format()),
        hex_width_(2 * ObjectIdWidth(salvaging.file.object_format())) {}

  Status Run() {
    std::vector<size_t> trees;
    std::vector<size_t> commits;
    for (size_t row = salvaging_.blocks.row_count(); row-- > 0;) {
      if (!salvaging_.blocks.IsBlock(row)) continue;
      const format::BlockKind kind = salvaging_.blocks.block(row).header.kind;
      if (kind == format::BlockKind::kTrees) trees.push_back(row);
      if (kind == format::BlockKind::kCommits) commits.push_back(row);
    }
    do {
      progress_ = false;
      ZPACK_TRY(Pass(trees, [&](size_t row) { return ProveTrees(row); }));
      ZPACK_TRY(Pass(commits, [&](size_t row) { return ProveCommits(row); }));
    } while (progress_);
    return {};
  }

 private:
  // Proves what can be proven in each block of `rows`, and removes the blocks
  // in which nothing is left to prove.
  Status Pass(std::vector<size_t>& rows,
              const std::function<Result<bool>(size_t)>& prove) {
    std::vector<size_t> left;
    for (const size_t row : rows) {
      ZPACK_TRY(CheckStop(salvaging_.run.stop));
      if (gave_up_) break;
      const Result<bool> done = prove(row);
      if (!done) {
        ZPACK_TRY(salvaging_.Note(row, done.error()));
      } else if (!*done) {
        left.push_back(row);
      }
    }
    rows = std::move(left);
    return {};
  }

  // Counts bytes that are decoded. If they are too many, the order of the
  // objects must be hostile.
  Status CountWork(uint64_t bytes) {
    work_ += bytes;
    const format::Expansion& limit = salvaging_.file.expansion().limit();
    if (work_ / kMaxDecodings <= std::max(limit.content, limit.decoded)) {
      return {};
    }
    gave_up_ = true;
    return MakeError(ErrorCode::kLimitExceeded,
                     "more than {} bytes had to be decoded to rebuild trees "
                     "and commits",
                     work_);
  }

  // True if the id of `link` is known.
  bool Knows(LinkNumber link) const {
    return link.value() >= salvaging_.file.object_count() ||
           salvaging_.ids.IsKnown(ObjectNumber(link.value()));
  }

  void SetProven(ObjectNumber number, const ObjectId& id) {
    salvaging_.ids.SetProven(number, id);
    progress_ = true;
  }

  // Returns true if all trees of the block are proven.
  Result<bool> ProveTrees(size_t row) {
    ZPACK_ASSIGN_OR_RETURN(const DecodedBlock block,
                           decoder_.Decode(salvaging_.file, row));
    salvaging_.ids.AddBlock(row);
    const ObjectNumber first = block.objects.header.first_object;
    const format::TreeBlock& trees = *block.trees();
    while (true) {
      ZPACK_TRY(CountWork(trees.layout().content));
      WantedObjects wanted = TreesWithGoodChildren(
          trees, [this](const format::TreeBlock::Entry& entry) {
            return Knows(entry.child);
          });
      bool all = true;
      bool any = false;
      for (uint32_t index = 0; index < trees.count(); ++index) {
        all = all && wanted[index];
        if (salvaging_.ids.IsProven(first + index)) wanted[index] = false;
        any = any || wanted[index];
      }
      if (!any) return all;
      std::vector<std::pair<uint32_t, ObjectId>> proven;
      const Status rebuilt = block.ForEachObject(
          wanted, salvaging_.file.max_kept(),
          [&](size_t index, ByteView content) -> Status {
            ZPACK_TRY(CheckStop(salvaging_.run.stop));
            proven.emplace_back(static_cast<uint32_t>(index),
                                hasher_.Hash(ObjectType::kTree, content));
            return {};
          });
      if (!rebuilt) {
        salvaging_.ids.Retract(row);
        return std::unexpected(rebuilt.error());
      }
      for (const auto& [index, id] : proven) SetProven(first + index, id);
    }
  }

  // The links of the commits of a block; none for verbatim commits.
  Result<std::vector<std::vector<LinkNumber>>> ReadLinks(
      size_t row, const format::BlockHeader& header) {
    ZPACK_ASSIGN_OR_RETURN(const format::BlockStreams streams,
                           decoder_.DecodeCommitColumns(salvaging_.file, row));
    format::CommitColumns columns(
        streams, {header.first_object, salvaging_.file.object_count(),
                  salvaging_.file.object_format()});
    ZPACK_TRY(columns.Check(header.object_count));
    std::vector<std::vector<LinkNumber>> links(header.object_count);
    format::CommitRow commit;
    for (auto& of_commit : links) {
      ZPACK_TRY(columns.Next(commit));
      if (commit.verbatim) continue;
      of_commit.push_back(commit.tree);
      of_commit.insert(of_commit.end(), commit.parents.begin(),
                       commit.parents.end());
    }
    return links;
  }

  // Writes the ids of `links` into a commit.
  void FillIn(const std::vector<LinkNumber>& links, std::span<uint8_t> commit) {
    size_t at = 0;
    for (size_t i = 0; i < links.size(); ++i) {
      at += i == 0 ? kTreeLabel : kParentLabel;
      if (links[i].value() < salvaging_.file.object_count()) {
        const std::string hex =
            salvaging_.ids.Id(ObjectNumber(links[i].value())).ToHex();
        std::memcpy(&commit[at], hex.data(), hex.size());
      }
      at += hex_width_ + 1;
    }
  }

  // Returns true if all commits of the block are proven.
  Result<bool> ProveCommits(size_t row) {
    ZPACK_ASSIGN_OR_RETURN(DecodedBlock block,
                           decoder_.Decode(salvaging_.file, row));
    const format::BlockHeader& header = block.objects.header;
    ZPACK_TRY(CountWork(block.contents().size()));
    ZPACK_ASSIGN_OR_RETURN(const auto links, ReadLinks(row, header));
    salvaging_.ids.AddBlock(row);
    auto& whole = std::get<WholeObjects>(block.form);
    // By number of an object: the commits of the block that wait for its id.
    std::unordered_map<uint32_t, std::vector<uint32_t>> waiting;
    std::vector<size_t> missing(links.size());
    std::deque<uint32_t> ready;
    size_t left = links.size();
    for (uint32_t index = 0; index < links.size(); ++index) {
      if (salvaging_.ids.IsProven(header.first_object + index)) {
        --left;
        continue;
      }
      for (const LinkNumber link : links[index]) {
        if (Knows(link)) continue;
        ++missing[index];
        waiting[link.value()].push_back(index);
      }
      if (missing[index] == 0) ready.push_back(index);
    }
    for (; !ready.empty(); ready.pop_front()) {
      const uint32_t index = ready.front();
      const std::span<uint8_t> content(&whole.contents[whole.offsets[index]],
                                       block.objects.sizes[index]);
      FillIn(links[index], content);
      const ObjectNumber number = header.first_object + index;
      SetProven(number, hasher_.Hash(ObjectType::kCommit, content));
      --left;
      const auto waits = waiting.find(number.value());
      if (waits == waiting.end()) continue;
      for (const uint32_t other : waits->second) {
        if (--missing[other] == 0) ready.push_back(other);
      }
    }
    return left == 0;
  }

  const Salvaging& salvaging_;
  BlockDecoder decoder_;
  ObjectHasher hasher_;
  size_t hex_width_;
  uint64_t work_ = 0;
  bool gave_up_ = false;
  bool progress_ = false;
};

}  // namespace

Status ProveLinkedObjects(const Salvaging& salvaging) {
  if (salvaging.ids.has_index()) return {};
  return LinkedProver(salvaging).Run();
}

bool IsGitlink(const format::TreeBlock::Entry& entry) {
  return entry.mode == format::kGitlinkMode;
}

std::vector<bool> TreesWithGoodChildren(
    const format::TreeBlock& trees,
    const std::function<bool(const format::TreeBlock::Entry&)>& good) {
  const auto key = [](const format::TreeBlock::Entry& entry) {
    return uint64_t{entry.child.value()} << 1 | uint64_t{IsGitlink(entry)};
  };
  // Every child of a tree comes from an edit of the tree or of one of its
  // bases.
  std::unordered_map<uint64_t, bool> known;
  bool all_good = true;
  for (uint32_t index = 0; index < trees.count(); ++index) {
    for (const format::TreeBlock::Edit& edit : trees.edits(index)) {
      if (edit.kind == format::TreeEditKind::kRemove) continue;
      const auto [at, is_new] = known.emplace(key(edit.entry), true);
      if (is_new) at->second = good(edit.entry);
      all_good = all_good && at->second;
    }
  }
  std::vector<bool> result(trees.count(), true);
  if (all_good) return result;
  const std::vector<uint32_t> last_uses = trees.layout().LastUses();
  std::vector<format::TreeBlock::Entries> kept(trees.count());
  static const format::TreeBlock::Entries none;
  format::TreeBlock::Entries entries;
  for (uint32_t index = 0; index < trees.count(); ++index) {
    if (trees.IsVerbatim(index)) continue;
    const auto base = trees.base(index);
    trees.ApplyEdits(index, base ? kept[*base] : none, entries);
    result[index] = std::ranges::all_of(entries, [&](const auto& entry) {
      return known.find(key(entry))->second;
    });
    if (base && last_uses[*base] == index) kept[*base] = {};
    if (last_uses[index] != index) kept[index] = entries;
  }
  return result;
}

}  // namespace zpack
