// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/block_form.h"

#include <algorithm>
#include <array>

#include "format/file_header.h"

namespace zpack::format {
namespace {

using enum StreamKind;

constexpr std::array kWhole = {kSizes, kContents};
constexpr std::array kDelta = {kSizes,       kBases,       kLiteralLengths,
                               kCopyLengths, kCopyOffsets, kLiterals};
constexpr std::array kTree = {
    kSizes, kBases, kLiterals, kEditCounts,       kEditRuns,  kEditKinds,
    kNames, kModes, kChildren, kChildDifferences, kNameTexts, kOutsideIds};
constexpr std::array kCommit = {kOutsideIds, kRootTrees,    kParentCounts,
                                kParents,    kIdentities,   kIdentityTexts,
                                kTimes,      kTimeZones,    kHeaderSizes,
                                kHeaders,    kMessageSizes, kMessages};

constexpr std::array<BlockForm, 5> kForms = {
    {{BlockKind::kObjects, "", std::nullopt, kWhole},
     {BlockKind::kSegment, "", std::nullopt, kWhole},
     {BlockKind::kDeltas, kDeltasFeature, ObjectType::kBlob, kDelta},
     {BlockKind::kTrees, kTreesFeature, ObjectType::kTree, kTree},
     {BlockKind::kCommits, kCommitsFeature, ObjectType::kCommit, kCommit}}};

}  // namespace

std::span<const BlockForm> BlockForms() { return kForms; }

const BlockForm* FindBlockForm(BlockKind kind) {
  const auto* const at = std::ranges::find(kForms, kind, &BlockForm::kind);
  return at == kForms.end() ? nullptr : at;
}

}  // namespace zpack::format
