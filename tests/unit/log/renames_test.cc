// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/renames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stop_token>
#include <string>
#include <vector>

#include "support/matchers.h"
#include "support/rename_fixture.h"

namespace zpack::log {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using zpack::testing::HasCode;
using zpack::testing::IsOk;

TEST(Renames, EqualFilesPreferTheSameName) {
  const FilesByPath before = {{"a/x", Text(0, 9)}, {"b/y", Text(0, 9)}};
  EXPECT_THAT(LinesOf(before, {{"c/y", Text(0, 9)}}, {}),
              ElementsAre("D\ta/x", "R100\tb/y\tc/y"));
  EXPECT_THAT(LinesOf(before, {{"c/z", Text(0, 9)}}, {}),
              ElementsAre("D\tb/y", "R100\ta/x\tc/z"));
}

TEST(Renames, EmptyFilesAreEqual) {
  EXPECT_THAT(LinesOf({{"a", {}}}, {{"b", {}}, {"c", {}}}, {}),
              ElementsAre("R100\ta\tb", "A\tc"));
}

TEST(Renames, LinksAndSubmodulesOnlyIfEqualAndOfOneType) {
  const TreeFile link = {0120000, "target"};
  const TreeFile module = {0160000, std::string(40, '5')};
  EXPECT_THAT(
      LinesOf({{"a", link}, {"m", module}},
              {{"b", link}, {"n", module}, {"x", {.content = "target"}}}, {}),
      ElementsAre("R100\ta\tb", "R100\tm\tn", "A\tx"));
  EXPECT_THAT(LinesOf({{"a", {0120000, LinesFrom(0, 9)}}},
                      {{"b", {0120000, LinesFrom(0, 10)}}}, {}),
              ElementsAre("D\ta", "A\tb"));
  // The bit for programs does not matter.
  EXPECT_THAT(
      LinesOf({{"a", Text(0, 9)}}, {{"b", {0100755, LinesFrom(0, 9)}}}, {}),
      ElementsAre("R100\ta\tb"));
}

TEST(Renames, AUniqueNameGoesBeforeAMoreSimilarFile) {
  const FilesByPath before = {{"a/x", Text(0, 20)}, {"b/y", Text(1, 19)}};
  const FilesByPath after = {{"c/x", Text(4, 16)}, {"d/z", Text(0, 19)}};
  EXPECT_THAT(LinesOf(before, after, {}),
              ElementsAre("R080\ta/x\tc/x", "R094\tb/y\td/z"));
  // With copies, the similarity decides.
  EXPECT_THAT(LinesOf(before, after, {.search = RenameSearch::kCopies}),
              ElementsAre("R084\tb/y\tc/x", "R094\ta/x\td/z"));
}

TEST(Renames, TheLastCopyOfARemovedFileIsARename) {
  const FilesByPath before = {{"a", Text(0, 9)}, {"k", Text(100, 9)}};
  const FilesByPath after = {{"b", Text(0, 9)},
                             {"c", Text(0, 10)},
                             {"k", Text(100, 8)},
                             {"l", Text(100, 9)}};
  EXPECT_THAT(LinesOf(before, after, {.search = RenameSearch::kCopies}),
              ElementsAre("C100\ta\tb", "R090\ta\tc", "M\tk", "C100\tk\tl"));
  EXPECT_THAT(LinesOf(before, after, {}),
              ElementsAre("R100\ta\tb", "A\tc", "M\tk", "A\tl"));
}

TEST(Renames, UnchangedFilesAreSourcesOnlyIfWanted) {
  const FilesByPath before = {{"a", Text(0, 9)}};
  const FilesByPath after = {{"a", Text(0, 9)}, {"b", Text(0, 9)}};
  EXPECT_THAT(LinesOf(before, after, {.search = RenameSearch::kCopies}),
              ElementsAre("A\tb"));
  EXPECT_THAT(LinesOf(before, after, {.search = RenameSearch::kCopiesHarder}),
              ElementsAre("C100\ta\tb"));
  EXPECT_THAT(LinesOf(before, before, {.search = RenameSearch::kCopiesHarder}),
              IsEmpty());
}

TEST(Renames, OnlyOneFileIsLookedFor) {
  const FilesByPath before = {{"a", Text(0, 9)}, {"b", Text(20, 9)}};
  const FilesByPath after = {{"c", Text(0, 9)}, {"d", Text(20, 8)}};
  EXPECT_THAT(LinesOf(before, after, {.only = "d"}),
              ElementsAre("D\ta", "A\tc", "R088\tb\td"));
}

TEST(Renames, AboveTheLimitOnlyEqualFiles) {
  FilesByPath before;
  FilesByPath after;
  for (int i = 0; i < 4; ++i) {
    before.insert_or_assign("old" + std::to_string(i), Text(100 * i, 9));
    after.insert_or_assign("new" + std::to_string(i),
                           Text(100 * i, i == 0 ? 9 : 10));
  }
  const std::vector<std::string> equal = {
      "R100\told0\tnew0", "A\tnew1", "A\tnew2", "A\tnew3",
      "D\told1",          "D\told2", "D\told3"};
  const auto with_limit = [&](uint64_t limit) {
    return LinesOf(before, after, {.limit = limit});
  };
  EXPECT_EQ(with_limit(2), equal);
  EXPECT_EQ(with_limit(3).size(), 4u);
  EXPECT_EQ(with_limit(0).size(), 4u);
  EXPECT_EQ(with_limit(UINT64_MAX).size(), 4u);
  EXPECT_EQ(LinesOf(before, after, {.min_similarity = kMostSimilar}), equal);
}

TEST(Renames, AboveTheLimitUnchangedFilesAreNoSources) {
  FilesByPath before = {{"a", Text(0, 9)}, {"u", Text(50, 9)}};
  const FilesByPath after = {
      {"b", Text(0, 10)}, {"c", Text(50, 10)}, {"u", Text(50, 9)}};
  EXPECT_THAT(LinesOf(before, after,
                      {.search = RenameSearch::kCopiesHarder, .limit = 2}),
              ElementsAre("R090\ta\tb", "C090\tu\tc"));
  before.insert_or_assign("v", Text(90, 9));
  EXPECT_THAT(LinesOf(before, after,
                      {.search = RenameSearch::kCopiesHarder, .limit = 2}),
              ElementsAre("R090\ta\tb", "A\tc", "D\tv"));
  EXPECT_THAT(LinesOf(before, after,
                      {.search = RenameSearch::kCopiesHarder, .limit = 1}),
              ElementsAre("D\ta", "A\tb", "A\tc", "D\tv"));
}

TEST(Renames, FilesOfVeryDifferentSizeAreNotRead) {
  ContentTable contents;
  std::vector<FilePair> pairs =
      PairsOf({{"a", Text(0, 9)}}, {{"b", Text(0, 90)}}, RenameSearch::kRenames,
              contents);
  EXPECT_THAT(FindRenames({}, contents, pairs), IsOk());
  EXPECT_EQ(contents.texts_read, 0);
  EXPECT_EQ(pairs.size(), 2u);
}

TEST(Renames, EachTextIsReadOnce) {
  FilesByPath before;
  FilesByPath after;
  for (int i = 0; i < 8; ++i) {
    before.insert_or_assign("old" + std::to_string(i), Text(100 * i, 9));
    after.insert_or_assign("new" + std::to_string(i), Text(100 * i, 10));
  }
  ContentTable contents;
  std::vector<FilePair> pairs =
      PairsOf(before, after, RenameSearch::kRenames, contents);
  EXPECT_THAT(FindRenames({}, contents, pairs), IsOk());
  EXPECT_EQ(contents.texts_read, 16);
}

TEST(Renames, ErrorsOfReadingAndStopsArePassedOn) {
  ContentTable contents;
  const std::vector<FilePair> pairs =
      PairsOf({{"a", Text(0, 9)}}, {{"b", Text(0, 10)}}, RenameSearch::kRenames,
              contents);
  std::stop_source stop;
  stop.request_stop();
  std::vector<FilePair> stopped = pairs;
  EXPECT_THAT(FindRenames({.stop = stop.get_token()}, contents, stopped),
              HasCode(ErrorCode::kInterrupted));
  contents.fails = true;
  std::vector<FilePair> unread = pairs;
  EXPECT_THAT(FindRenames({}, contents, unread), HasCode(ErrorCode::kNotFound));
}

}  // namespace
}  // namespace zpack::log
