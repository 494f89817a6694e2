// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Clients that make a server look at its history again and again. Each of these
// takes less than a second, and took minutes or hours.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "serve/upload_session.h"
#include "support/conversation.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/memory_source.h"
#include "support/sample_file.h"

namespace zpack {
namespace {

using testing::Answer;
using testing::IsOk;
using testing::Pkt;

constexpr uint32_t kMany = 20'000;

// Two lines of commits. The commits of one are newer.
class LongNegotiationTest : public ::testing::Test {
 protected:
  LongNegotiationTest() {
    const ObjectId tree = source_.AddTree({});
    old_ = AddLine(tree, 1);
    new_ = AddLine(tree, 1'000'000);
  }

  std::vector<ObjectId> AddLine(const ObjectId& tree, uint64_t time) {
    std::vector<ObjectId> line;
    for (uint32_t i = 0; i < kMany; ++i) {
      line.push_back(source_.AddCommit(
          tree, i == 0 ? std::vector<ObjectId>{} : std::vector{line.back()},
          time + i, std::to_string(time + i)));
    }
    return line;
  }

  Answer Ask(const std::string& request) {
    const auto archive = *ArchiveFile::OpenWithoutIndex(
        std::make_unique<testing::MemoryFile>(testing::FileOf(source_)), {});
    UploadPackOptions options;
    options.run.threads = 1;
    options.exchange = Exchange::kRequest;
    options.settings.wants.any = true;
    return testing::Converse(*archive, options, request);
  }

  static std::string Unknown(uint32_t number) {
    return fmt::format("have {:040x}", number);
  }

  testing::MemorySource source_ = testing::SampleHistory(0);
  std::vector<ObjectId> old_;
  std::vector<ObjectId> new_;
};

TEST_F(LongNegotiationTest, EachHaveMayMakeTheServerWalk) {
  std::string request =
      Pkt("want " + new_.back().ToHex() + " multi_ack side-band-64k") + "0000";
  for (uint32_t i = 0; i < kMany; ++i) {
    request += Pkt("have " + old_[i].ToHex());
    request += Pkt(Unknown(i));
  }
  const Answer answer = Ask(request + Pkt("done"));
  EXPECT_THAT(answer.status, IsOk());
  EXPECT_EQ(testing::ObjectsIn(testing::PackIn(answer.bytes)), kMany + 1);
}

TEST_F(LongNegotiationTest, EachUnknownHaveMayMakeTheServerLookAtAllWants) {
  std::string request =
      Pkt("want " + new_.back().ToHex() + " multi_ack_detailed side-band-64k");
  for (const ObjectId& id : new_) request += Pkt("want " + id.ToHex());
  request += "0000" + Pkt("have " + old_.front().ToHex());
  for (uint32_t i = 0; i < kMany; ++i) request += Pkt(Unknown(i));
  const Answer answer = Ask(request + Pkt("done"));
  EXPECT_THAT(answer.status, IsOk());
  EXPECT_EQ(testing::ObjectsIn(testing::PackIn(answer.bytes)), kMany + 1);
}

TEST_F(LongNegotiationTest, EachWantMayBeATagOfATag) {
  std::string request =
      Pkt("want " + new_.back().ToHex() + " multi_ack_detailed side-band-64k");
  ObjectId tag = new_.back();
  for (uint32_t i = 0; i < kMany; ++i) {
    tag = source_.AddTag(tag, i == 0 ? ObjectType::kCommit : ObjectType::kTag,
                         std::to_string(i));
    request += Pkt("want " + tag.ToHex());
  }
  const Answer answer =
      Ask(request + Pkt("deepen 1") + "0000" + Pkt("have " + tag.ToHex()) +
          Pkt(Unknown(1)) + Pkt("done"));
  EXPECT_THAT(answer.status, IsOk());
}

}  // namespace
}  // namespace zpack
