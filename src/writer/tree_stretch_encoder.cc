// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/tree_stretch_encoder.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "format/limits.h"
#include "writer/tree_edits.h"

namespace zpack {
namespace {

// Number of previous trees of the path that a tree is compared with.
constexpr size_t kBases = 8;
// The search for a base ends at this number of edits.
constexpr size_t kGoodEdits = 1;

}  // namespace

void TreeStretchEncoder::Begin(ObjectNumber first, const BlockDestination& to) {
  builder_.Clear();
  bases_.clear();
  begins_lineage_ = true;
  output_.Begin(first, to);
}

Status TreeStretchEncoder::Add(Bytes content, PathNumber path) {
  if (path != path_) {
    bases_.clear();
    begins_lineage_ = true;
  }
  path_ = path;
  ParsedTree tree = std::move(spare_);
  tree.content = std::move(content);
  static const ParsedTree nothing;
  if (parser_.Parse(bases_.empty() ? nothing : bases_.back().tree, tree)) {
    AddParsed(std::move(tree));
    begins_lineage_ = false;
  } else {
    builder_.AddVerbatim(tree.content);
  }
  // The next tree may add as much as the other half.
  const format::BlockLayoutBuilder& layout = builder_.layout();
  const bool full =
      layout.ReadCost(builder_.streams().raw_size()) >= block_size_ ||
      layout.content() >= format::kMaxBlockContent / 2;
  return full ? CloseBlock() : Status{};
}

void TreeStretchEncoder::AddParsed(ParsedTree tree) {
  const uint32_t position = builder_.layout().count();
  const size_t entries = tree.items.size();
  const Base* best = nullptr;
  // With more edits than entries, storing the whole tree is better.
  size_t limit = entries;
  for (auto base = bases_.rbegin(); base != bases_.rend(); ++base) {
    if (base->chain_bytes + tree.content.size() > max_chain_ ||
        !FindTreeEdits(parser_.names(), base->tree.items, tree.items, limit,
                       edits_)) {
      continue;
    }
    best = &*base;
    std::swap(edits_, best_edits_);
    if (best_edits_.size() <= kGoodEdits) break;
    limit = best_edits_.size() - 1;
  }
  uint64_t chain_bytes = tree.content.size();
  if (best != nullptr) {
    chain_bytes += best->chain_bytes;
    builder_.AddEdits(tree.content.size(), best->position, best_edits_);
  } else {
    builder_.AddWhole(tree.content.size(), begins_lineage_, tree.items);
  }
  bases_.push_back({std::move(tree), position, chain_bytes});
  if (bases_.size() > kBases) {
    spare_ = std::move(bases_.front().tree);
    bases_.pop_front();
  }
}

Status TreeStretchEncoder::Finish() {
  return builder_.layout().count() == 0 ? Status{} : CloseBlock();
}

Status TreeStretchEncoder::CloseBlock() {
  ZPACK_TRY(output_.AddBlock(format::BlockKind::kTrees, ObjectType::kTree,
                             builder_.layout(), builder_.streams()));
  builder_.Clear();
  bases_.clear();
  begins_lineage_ = true;
  return {};
}

}  // namespace zpack
