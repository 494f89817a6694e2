// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli.h"

namespace zpack::cli {
namespace {

using ::testing::UnorderedElementsAre;

// Who only reads need not end in order, and would take as long for it as the
// largest block takes to decode.
TEST(Commands, OnlyThoseThatWriteOutliveASignal) {
  std::vector<std::string> interruptible;
  for (const Command& command : Commands()) {
    if (command.interruptible) interruptible.emplace_back(command.name);
  }
  EXPECT_THAT(
      interruptible,
      UnorderedElementsAre("archive", "consolidate", "convert", "protect",
                           "repack", "repair", "report", "restore", "salvage"));
}

}  // namespace
}  // namespace zpack::cli
