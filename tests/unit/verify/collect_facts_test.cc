// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/collect_facts.h"

#include <gtest/gtest.h>

#include <string>

#include "convert/convert_source.h"
#include "object/swhid.h"
#include "support/matchers.h"
#include "support/memory_source.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using testing::IsOk;

TEST(CollectFacts, TheSnapshotAndTheHeadHaveTheirIdentifiers) {
  const testing::TempDir directory;
  testing::MemorySource source = testing::SampleHistory(3);
  const std::string path = directory / "a.zpack";
  ASSERT_THAT(ConvertSource([&](SourceUse) { return source.Open(); },
                            PosixFileSystem(), path, {}),
              IsOk());
  const auto archive =
      ArchiveFile::Open(*PosixFileSystem().OpenForRead(path), {});
  ASSERT_THAT(archive, IsOk());
  const auto facts = CollectFacts(**archive, "hash", {});
  ASSERT_THAT(facts, IsOk());
  const ObjectId head = source.refs.Resolve("HEAD");
  EXPECT_EQ(facts->head_target, head);
  EXPECT_EQ(facts->revision_swhid, RevisionSwhid(head));
  EXPECT_TRUE(facts->snapshot_swhid.starts_with("swh:1:snp:"));
}

}  // namespace
}  // namespace zpack
