// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests of interrupted and killed runs share: a repository that takes long
// to convert, and a file to convert it to. Thread-compatible.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {

class InterruptionFixture : public ::testing::Test {
 protected:
  InterruptionFixture() : repo_(dir_ / "repo"), file_(dir_ / "out/x.zpack") {
    repo_.History(20);
    // Hexadecimal digits: slow to compress at high levels.
    for (uint64_t i = 0; i < 24; ++i) {
      repo_.WriteBlob(RawToHex(RandomBytes(i, 250000)));
    }
    std::filesystem::create_directories(dir_ / "out");
  }

  // Takes many times as long as it takes to send a signal.
  std::vector<std::string> SlowConvert() const {
    return {"convert", "--force",      "--progress", "--level",
            "22",      "--block-size", "64k",        "--threads",
            "1",       repo_.path(),   file_};
  }

  void ExpectSignalEnds(int signal) {
    WriteFile(file_, "old");
    ZpackProcess process(SlowConvert());
    ASSERT_TRUE(process.WaitForErr("Counting objects"));
    process.Signal(signal);
    const ProcessResult result = process.Wait();
    // Of the signal itself, so that a shell ends its script, too.
    EXPECT_EQ(result.signal, signal) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, ::testing::Not(::testing::HasSubstr("fatal")));
    EXPECT_EQ(ReadFile(file_), "old");
    // A temporary is kept only if the signal came so late that it can be used.
    const bool kept = Exists(Temporary());
    EXPECT_EQ(kept, result.err.find("hint: ") != std::string::npos);
    EXPECT_THAT(ListDirectory(dir_ / "out"), ::testing::SizeIs(kept ? 2U : 1U));
  }

  std::string Temporary() const { return dir_ / "out/.x.zpack.zpack-tmp"; }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
};

}  // namespace zpack::testing
