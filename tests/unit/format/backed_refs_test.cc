// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "format/file_table.h"
#include "format/refs_chunk.h"
#include "support/matchers.h"

namespace zpack::format {
namespace {

using testing::HasCode;
using testing::IsOk;

ObjectId FilledId(uint8_t byte) { return ObjectId(Bytes(20, byte)); }

RefsSnapshot RefsBelow() {
  RefsSnapshot refs;
  refs.head_symref = "refs/heads/main";
  refs.refs = {{"refs/heads/main", FilledId(1), {}, ""},
               {"refs/heads/old", FilledId(1), {}, ""},
               {"refs/tags/v1", FilledId(2), FilledId(1), ""}};
  return refs;
}

RefsSnapshot RefsAbove() {
  RefsSnapshot refs;
  refs.head_target = FilledId(3);
  refs.refs = {{"refs/heads/alias", {}, {}, "refs/heads/main"},
               {"refs/heads/main", FilledId(3), {}, ""},
               {"refs/tags/v1", FilledId(2), FilledId(1), ""},
               {"refs/tags/v2", FilledId(4), FilledId(3), ""}};
  refs.shallow = {FilledId(5)};
  return refs;
}

BackedRefs SampleChanges() {
  BackedRefs refs = ChangesOf(RefsBelow(), RefsAbove());
  refs.below = {9, {1}, {2}, "a.zpack"};
  return refs;
}

Bytes EncodedChanges(const BackedRefs& refs) {
  Bytes payload;
  Encode(refs, payload);
  return payload;
}

TEST(BackedRefs, HoldOnlyWhatHasChanged) {
  const BackedRefs refs = SampleChanges();
  EXPECT_EQ(refs.removed, std::vector<std::string>{"refs/heads/old"});
  EXPECT_EQ(refs.changed.refs.size(), 3U);
  EXPECT_TRUE(ChangesOf(RefsBelow(), RefsBelow()).changed.refs.empty());
}

TEST(BackedRefs, LeadFromOneStateToTheOther) {
  for (const auto& [from, to] : {std::pair(RefsBelow(), RefsAbove()),
                                 std::pair(RefsAbove(), RefsBelow()),
                                 std::pair(RefsBelow(), RefsBelow())}) {
    const auto decoded = DecodeBackedRefs(EncodedChanges(ChangesOf(from, to)),
                                          ObjectFormat::kSha1);
    // Nothing says what is below.
    EXPECT_THAT(decoded, HasCode(ErrorCode::kCorrupt));
    BackedRefs changes = ChangesOf(from, to);
    changes.below.name = "a";
    const auto refs =
        DecodeBackedRefs(EncodedChanges(changes), ObjectFormat::kSha1);
    ASSERT_THAT(refs, IsOk());
    RefsSnapshot state = from;
    ASSERT_THAT(Apply(*refs, state), IsOk());
    EXPECT_THAT(CheckApplied(*refs, state), IsOk());
    EXPECT_EQ(state, to);
  }
}

TEST(BackedRefs, AreRefusedOnAnotherState) {
  const BackedRefs refs = SampleChanges();
  RefsSnapshot without = RefsBelow();
  without.refs.erase(without.refs.begin() + 1);
  EXPECT_THAT(Apply(refs, without), HasCode(ErrorCode::kCorrupt));
  RefsSnapshot with_more = RefsBelow();
  with_more.refs.push_back({"refs/tags/x", FilledId(1), {}, ""});
  ASSERT_THAT(Apply(refs, with_more), IsOk());
  EXPECT_THAT(CheckApplied(refs, with_more), HasCode(ErrorCode::kCorrupt));
  // Each is valid alone, but not both.
  RefsSnapshot conflict = RefsBelow();
  conflict.refs.insert(conflict.refs.begin(),
                       {"refs/heads/alias/x", FilledId(1), {}, ""});
  ASSERT_THAT(Apply(refs, conflict), IsOk());
  EXPECT_THAT(CheckApplied(refs, conflict), HasCode(ErrorCode::kCorrupt));
}

TEST(BackedRefs, NamesLeadNowhereElse) {
  const std::vector<std::string> names = {
      "", ".", "..", "a/b", "/a", "a\nb", "a\x7f", std::string(256, 'a')};
  for (const std::string& name : names) {
    EXPECT_FALSE(IsValidNameBelow(name)) << name;
    BackedRefs refs = SampleChanges();
    refs.below.name = name;
    EXPECT_THAT(DecodeBackedRefs(EncodedChanges(refs), ObjectFormat::kSha1),
                HasCode(ErrorCode::kCorrupt));
  }
  EXPECT_TRUE(IsValidNameBelow("...zpack"));
  EXPECT_TRUE(IsValidNameBelow(std::string(255, 'a')));
}

TEST(BackedRefs, RemovedRefsAscend) {
  BackedRefs refs = SampleChanges();
  refs.removed = {"refs/heads/b", "refs/heads/a"};
  EXPECT_THAT(DecodeBackedRefs(EncodedChanges(refs), ObjectFormat::kSha1),
              HasCode(ErrorCode::kCorrupt));
  refs.removed = {"refs/heads/a", "refs/heads/a"};
  EXPECT_THAT(DecodeBackedRefs(EncodedChanges(refs), ObjectFormat::kSha1),
              HasCode(ErrorCode::kCorrupt));
}

TEST(BackedRefs, EveryMissingByteIsAnErrorAndEveryFlippedOneTells) {
  const Bytes payload = EncodedChanges(SampleChanges());
  for (size_t at = 0; at < payload.size(); ++at) {
    EXPECT_THAT(
        DecodeBackedRefs(ByteView(payload).first(at), ObjectFormat::kSha1),
        HasCode(ErrorCode::kCorrupt));
    Bytes bad = payload;
    bad[at] ^= 0x40;
    const auto decoded = DecodeBackedRefs(bad, ObjectFormat::kSha1);
    if (decoded) {
      EXPECT_EQ(EncodedChanges(*decoded), bad);
    }
  }
}

TEST(BackedFiles, RoundTrip) {
  FileTable table;
  table.backed = true;
  table.left_out = {FileGroup::kHooks};
  table.removed = {"info/exclude"};
  table.files = {{FileGroup::kConfig, "config", false, 3, {1}},
                 {FileGroup::kReflogs, "logs/HEAD", false, 7, {2}}};
  table.continued = {false, true};
  table.piece_sizes = {30};
  table.digest = FilesDigest(table.left_out, table.files);
  Bytes payload;
  Encode(table, payload);
  const auto decoded = DecodeFileTable(payload, 30, 100, true);
  ASSERT_THAT(decoded, IsOk());
  EXPECT_EQ(decoded->removed, table.removed);
  EXPECT_EQ(decoded->files, table.files);
  EXPECT_EQ(decoded->continued, table.continued);
  EXPECT_EQ(decoded->digest, table.digest);
  // Not in a file without a file below.
  EXPECT_THAT(DecodeFileTable(payload, 30, 100), HasCode(ErrorCode::kCorrupt));
  for (size_t at = 0; at < payload.size(); ++at) {
    EXPECT_THAT(DecodeFileTable(ByteView(payload).first(at), 30, 100, true),
                HasCode(ErrorCode::kCorrupt));
  }
}

}  // namespace
}  // namespace zpack::format
