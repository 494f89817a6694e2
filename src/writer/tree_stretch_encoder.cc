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

// The most bytes of a tree of this size and of all its bases. Short chains make
// reads fast, and a file may not stand for more than FORMAT.md, "Expansion",
// allows.
uint64_t MaxChain(uint64_t size) {
  constexpr uint64_t kUsual = uint64_t{32} << 20;
  constexpr uint64_t kTrees = 32;
  return std::clamp(kTrees * size, kUsual, format::kMaxTreeChain);
}

}  // namespace

void TreeStretchEncoder::Begin(ObjectNumber first, const BlockDestination& to) {
  builder_.Clear();
  ForgetBases();
  output_.Begin(first, to);
}

Status TreeStretchEncoder::Add(Bytes content, PathNumber path) {
  if (path != path_) {
    ForgetBases();
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
  const format::BlockLayoutBuilder& layout = builder_.layout();
  const bool full =
      layout.ReadCost(builder_.streams().raw_size()) >= block_size_ ||
      layout.content() >= format::kMaxTreeBlockContent;
  return full ? CloseBlock() : Status{};
}

void TreeStretchEncoder::AddParsed(ParsedTree tree) {
  const uint32_t position = builder_.layout().count();
  const size_t entries = tree.items.size();
  const Base* best = nullptr;
  const uint64_t max_chain = MaxChain(tree.content.size());
  // With more edits than entries, storing the whole tree is better.
  size_t limit = entries;
  const auto attempt = [&](const Base& base) {
    if (base.chain_bytes + tree.content.size() > max_chain ||
        !FindTreeEdits(parser_.names(), base.tree.items, tree.items, limit,
                       edits_)) {
      return;
    }
    best = &base;
    std::swap(edits_, best_edits_);
    limit = best_edits_.empty() ? 0 : best_edits_.size() - 1;
  };
  for (auto base = bases_.rbegin(); base != bases_.rend(); ++base) {
    attempt(*base);
    if (best != nullptr && best_edits_.size() <= kGoodEdits) break;
  }
  // All chains are too long.
  const bool begins_chain = best == nullptr;
  if (begins_chain && anchor_) attempt(*anchor_);
  uint64_t chain_bytes = tree.content.size();
  if (best != nullptr) {
    chain_bytes += best->chain_bytes;
    builder_.AddEdits(tree.content.size(), best->position, best_edits_);
  } else {
    builder_.AddWhole(tree.content.size(), begins_lineage_, tree.items);
  }
  bases_.push_back({std::move(tree), position, chain_bytes});
  if (begins_chain) anchor_ = bases_.back();
  if (bases_.size() > kBases) {
    spare_ = std::move(bases_.front().tree);
    bases_.pop_front();
  }
}

void TreeStretchEncoder::ForgetBases() {
  bases_.clear();
  anchor_.reset();
  begins_lineage_ = true;
}

Status TreeStretchEncoder::Finish() {
  return builder_.layout().count() == 0 ? Status{} : CloseBlock();
}

Status TreeStretchEncoder::CloseBlock() {
  ZPACK_TRY(output_.AddBlock(format::BlockKind::kTrees, ObjectType::kTree,
                             builder_.layout(), builder_.streams()));
  builder_.Clear();
  ForgetBases();
  return {};
}

}  // namespace zpack
