// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An open file of WideHistory.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "convert/convert_source.h"
#include "reader/archive_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/memory_source.h"
#include "support/temp_dir.h"

namespace zpack::testing {

class HistoryTest : public ::testing::Test {
 protected:
  explicit HistoryTest(int commits) : source_(WideHistory(commits)) {}

  void SetUp() override {
    for (const auto& [id, object] : source_.objects()) {
      if (object.type == ObjectType::kCommit) commits_.push_back(id);
    }
    const std::string path = directory_ / "x.zpack";
    ASSERT_THAT(ConvertSource([&](SourceUse) { return source_.Open(); },
                              PosixFileSystem(), path, ConvertOptions{}),
                IsOk());
    const std::string bytes = ReadFile(path);
    auto opened = ArchiveFile::Open(
        std::make_unique<MemoryFile>(Bytes(bytes.begin(), bytes.end())),
        ReadOptions{});
    ASSERT_THAT(opened, IsOk());
    archive_ = *std::move(opened);
  }

  TempDir directory_;
  MemorySource source_;
  std::vector<ObjectId> commits_;
  std::unique_ptr<ArchiveFile> archive_;
};

}  // namespace zpack::testing
