// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/block_form.h"

#include <algorithm>
#include <array>

namespace zpack::format {
namespace {

using enum StreamKind;

constexpr std::array kWhole = {kSizes, kContents};
constexpr std::array kDelta = {kSizes,       kBases,       kLiteralLengths,
                               kCopyLengths, kCopyOffsets, kLiterals};
constexpr std::array kFarDelta = {kSizes,          kBases,       kFarBases,
                                  kLiteralLengths, kCopyLengths, kCopyOffsets,
                                  kLiterals};
constexpr std::array kTree = {
    kSizes, kBases, kLiterals, kEditCounts,       kEditRuns,  kEditKinds,
    kNames, kModes, kChildren, kChildDifferences, kNameTexts, kOutsideIds};
constexpr std::array kCommit = {kOutsideIds, kRootTrees,    kParentCounts,
                                kParents,    kIdentities,   kIdentityTexts,
                                kTimes,      kTimeZones,    kHeaderSizes,
                                kHeaders,    kMessageSizes, kMessages};

constexpr std::array kBlobs = {ObjectType::kBlob};
constexpr std::array kTreesOnly = {ObjectType::kTree};
constexpr std::array kCommitsOnly = {ObjectType::kCommit};
constexpr std::array kBlobsOrTrees = {ObjectType::kBlob, ObjectType::kTree};

constexpr std::array<BlockForm, 6> kForms = {
    {{BlockKind::kObjects, "objects", "", kAllObjectTypes, kWhole},
     {BlockKind::kSegment, "segment", "", kAllObjectTypes, kWhole},
     {BlockKind::kDeltas, "deltas", "deltas", kBlobs, kDelta, kLiterals},
     {BlockKind::kTrees, "trees", "trees", kTreesOnly, kTree},
     {BlockKind::kCommits, "commits", "commits", kCommitsOnly, kCommit,
      kMessages},
     {BlockKind::kFarDeltas, "far-deltas", "far-bases", kBlobsOrTrees,
      kFarDelta}}};

// By number.
constexpr std::array<std::string_view, kStreamKindEnd> kStreamNames = {
    "",
    "sizes",
    "contents",
    "bases",
    "literal-lengths",
    "copy-lengths",
    "copy-offsets",
    "literals",
    "edit-counts",
    "edit-runs",
    "edit-kinds",
    "names",
    "modes",
    "children",
    "child-differences",
    "name-texts",
    "outside-ids",
    "root-trees",
    "parent-counts",
    "parents",
    "identities",
    "identity-texts",
    "times",
    "time-zones",
    "header-sizes",
    "headers",
    "message-sizes",
    "messages",
    "far-bases"};

}  // namespace

std::span<const BlockForm> BlockForms() { return kForms; }

const BlockForm* FindBlockForm(BlockKind kind) {
  const auto* const at = std::ranges::find(kForms, kind, &BlockForm::kind);
  return at == kForms.end() ? nullptr : at;
}

std::string_view KindName(BlockKind kind) {
  const BlockForm* const form = FindBlockForm(kind);
  return form == nullptr ? "unknown" : form->name;
}

std::string_view KindName(StreamKind kind) {
  return IsKnown(kind) ? kStreamNames[static_cast<size_t>(kind)] : "unknown";
}

bool IsKnown(StreamKind kind) {
  const auto number = static_cast<size_t>(kind);
  return number != 0 && number < kStreamNames.size();
}

}  // namespace zpack::format
