// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Tables of Git with each byte changed, and cut off at each length. Header,
// footer and blocks of logs have checksums. Blocks of refs have none: there, a
// changed byte may be the byte of an id or of a name, which no reader can see.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/matchers.h"
#include "support/memory_table.h"
#include "support/temp_dir.h"
#include "unit/reftable/reftable_texts.h"

namespace zpack::reftable {
namespace {

using testing::HasCode;
using testing::IsOk;
using testing::ReadTable;
using testing::TableRecords;

// A table of the fixture, and where its parts are.
struct Sample {
  Bytes bytes;
  ObjectFormat format = ObjectFormat::kSha1;
  TableRecords records;
  uint64_t first_record = 0;
  uint64_t refs_end = 0;  // where padding, an index or another section begins
  uint64_t logs_begin = 0;
  uint64_t logs_end = 0;
  uint64_t footer = 0;

  // The distance of places to be changed. A table of many blocks takes long to
  // read, and its blocks are alike.
  size_t step() const { return bytes.size() < 2000 ? 1 : 13; }
};

std::vector<Sample> SamplesOf(const std::string& fixture) {
  std::vector<Sample> samples;
  const std::string directory = testing::ReftableFixture(fixture);
  for (const std::string& name : testing::ListDirectory(directory)) {
    if (!name.ends_with(".ref")) continue;
    Sample sample;
    const std::string content = testing::ReadFile(directory + '/' + name);
    sample.bytes.assign(content.begin(), content.end());
    sample.format = testing::FormatOfFixture(fixture);
    const auto table = testing::OpenTable(sample.bytes, sample.format);
    testing::Require(table.has_value(), "the fixture is not a table");
    sample.records = *testing::ReadTables({*table});
    const TableFooter& footer = (*table)->footer();
    const uint64_t end = (*table)->end();
    sample.footer = end;
    sample.first_record = footer.header.size() + kBlockHeaderSize;
    sample.logs_begin = (*table)->Begin(BlockType::kLog).value_or(end);
    sample.logs_end =
        footer.log_index_position == 0 ? end : footer.log_index_position;
    sample.refs_end = sample.logs_begin;
    for (const uint64_t position :
         {footer.ref_index_position, footer.object_position}) {
      if (position != 0) sample.refs_end = std::min(sample.refs_end, position);
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

bool IsRefusal(ErrorCode code) {
  return code == ErrorCode::kSourceCorrupt || code == ErrorCode::kUnsupported ||
         code == ErrorCode::kLimitExceeded;
}

class DamageTest : public ::testing::TestWithParam<std::string> {};

// What was read of a damaged table although the byte at `at` was changed.
void ExpectHarmless(const Sample& sample, size_t at,
                    const TableRecords& damaged) {
  EXPECT_EQ(damaged.logs, sample.records.logs) << "byte " << at;
  if (at >= sample.first_record && at < sample.refs_end) {
    EXPECT_TRUE(std::ranges::is_sorted(
        damaged.refs, {}, [](const auto& record) { return record.ref.name; }))
        << "byte " << at;
    return;
  }
  EXPECT_EQ(damaged.refs, sample.records.refs) << "byte " << at;
}

TEST_P(DamageTest, IsRefusedOrDoesNoHarm) {
  for (const Sample& sample : SamplesOf(GetParam())) {
    for (size_t at = 0; at < sample.bytes.size(); at += sample.step()) {
      for (const unsigned change : {0x01, 0x08, 0x80, 0xff}) {
        Bytes bytes = sample.bytes;
        bytes[at] ^= static_cast<uint8_t>(change);
        const auto damaged = ReadTable(bytes, sample.format);
        if (damaged) {
          ExpectHarmless(sample, at, *damaged);
          EXPECT_GE(at, sample.first_record - kBlockHeaderSize);
          EXPECT_LT(at, sample.footer);
        } else {
          EXPECT_TRUE(IsRefusal(damaged.error().code))
              << damaged.error().message;
          EXPECT_EQ(damaged.error().path, "memory.zpack");
        }
      }
    }
  }
}

TEST_P(DamageTest, OfTheLengthIsRefused) {
  for (const Sample& sample : SamplesOf(GetParam())) {
    for (size_t size = 0; size < sample.bytes.size(); size += sample.step()) {
      const Bytes front(sample.bytes.begin(),
                        sample.bytes.begin() + static_cast<ptrdiff_t>(size));
      EXPECT_THAT(ReadTable(front, sample.format),
                  HasCode(ErrorCode::kSourceCorrupt));
    }
    Bytes longer = sample.bytes;
    longer.push_back(0);
    EXPECT_THAT(ReadTable(longer, sample.format),
                HasCode(ErrorCode::kSourceCorrupt));
  }
}

// The footer stays, and some bytes before it are missing.
TEST_P(DamageTest, ThatTakesBytesOutDoesNoHarmToLogs) {
  for (const Sample& sample : SamplesOf(GetParam())) {
    for (size_t at = sample.first_record; at < sample.logs_end;
         at += sample.step()) {
      Bytes bytes = sample.bytes;
      bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(at));
      const auto damaged = ReadTable(bytes, sample.format);
      if (damaged) {
        EXPECT_EQ(damaged->logs, sample.records.logs) << at;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, DamageTest,
                         ::testing::Values("sha1", "sha256", "stack", "index"));

}  // namespace
}  // namespace zpack::reftable
