// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/promises_chunk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "support/matchers.h"

namespace zpack::format {
namespace {

using ::testing::HasSubstr;
using zpack::testing::HasCode;
using zpack::testing::IsError;
using zpack::testing::IsOk;

constexpr size_t kWidth = 20;

ObjectIdTable Ids(std::initializer_list<uint8_t> starts,
                  ObjectFormat format = ObjectFormat::kSha1) {
  Bytes bytes;
  for (const uint8_t start : starts) {
    bytes.push_back(start);
    bytes.insert(bytes.end(), ObjectIdWidth(format) - 1, 0);
  }
  return *ObjectIdTable::FromSorted(format, bytes);
}

Promises SamplePromises() {
  return {{{"other", "/srv/x.git", "blob:limit=1k"},
           {"origin", "https://example.com/x", ""}},
          Ids({1, 2, 0xff})};
}

Bytes Encoded(const Promises& promises) {
  Bytes payload;
  Encode(promises, payload);
  return payload;
}

Result<Promises> Decoded(const Bytes& payload) {
  return DecodePromises(payload, ObjectFormat::kSha1);
}

// The payload with one remote, this count, and these ids.
Bytes WithIds(uint64_t count, const std::vector<uint8_t>& starts) {
  Bytes payload;
  ByteWriter to(payload);
  to.Varint(1);
  for (const char* text : {"o", "u", "f"}) {
    to.LengthPrefixed(AsBytes(std::string_view(text)));
  }
  to.Varint(count);
  for (const uint8_t start : starts) {
    payload.push_back(start);
    payload.insert(payload.end(), kWidth - 1, 0);
  }
  return payload;
}

TEST(PromisesChunk, RoundTrips) {
  for (const ObjectFormat format :
       {ObjectFormat::kSha1, ObjectFormat::kSha256}) {
    Promises promises = SamplePromises();
    promises.ids = Ids({1, 2, 0xff}, format);
    const auto decoded = DecodePromises(Encoded(promises), format);
    ASSERT_THAT(decoded, IsOk());
    EXPECT_EQ(*decoded, promises);
  }
}

TEST(PromisesChunk, HasTheBytesOfTheSpecification) {
  Bytes expected = {1, 1, 'o', 1, 'u', 1, 'f', 2};
  for (const uint8_t start : {3, 4}) {
    expected.push_back(start);
    expected.insert(expected.end(), kWidth - 1, 0);
  }
  EXPECT_EQ(Encoded({{{"o", "u", "f"}}, Ids({3, 4})}), expected);
}

TEST(PromisesChunk, RefusesACountThatDoesNotFit) {
  ASSERT_THAT(Decoded(WithIds(2, {1, 2})), IsOk());
  for (const uint64_t count : {uint64_t{0}, uint64_t{1}, uint64_t{3},
                               ~uint64_t{0} / kWidth + 1, ~uint64_t{0}}) {
    EXPECT_THAT(Decoded(WithIds(count, {1, 2})),
                IsError(ErrorCode::kCorrupt, HasSubstr("bad number of ids")))
        << count;
  }
  EXPECT_THAT(Decoded(WithIds(0, {})), HasCode(ErrorCode::kCorrupt));
}

TEST(PromisesChunk, RefusesIdsOutOfOrderAndTwice) {
  EXPECT_THAT(Decoded(WithIds(2, {2, 1})),
              IsError(ErrorCode::kCorrupt, HasSubstr("bad order of ids")));
  EXPECT_THAT(Decoded(WithIds(2, {2, 2})), HasCode(ErrorCode::kCorrupt));
}

TEST(PromisesChunk, RefusesTheNullId) {
  EXPECT_THAT(Decoded(WithIds(2, {0, 1})),
              IsError(ErrorCode::kCorrupt, HasSubstr("bad id")));
}

TEST(PromisesChunk, RefusesEveryTruncation) {
  const Bytes payload = Encoded(SamplePromises());
  for (size_t size = 0; size < payload.size(); ++size) {
    const auto end = payload.begin() + static_cast<ptrdiff_t>(size);
    EXPECT_THAT(Decoded(Bytes(payload.begin(), end)),
                HasCode(ErrorCode::kCorrupt))
        << size;
  }
  Bytes longer = payload;
  longer.push_back(0);
  EXPECT_THAT(Decoded(longer), HasCode(ErrorCode::kCorrupt));
}

TEST(PromisesChunk, RefusesTooFewAndTooManyRemotes) {
  Promises promises = SamplePromises();
  promises.remotes.clear();
  EXPECT_THAT(Decoded(Encoded(promises)), HasCode(ErrorCode::kCorrupt));
  for (size_t i = 0; i < kMaxPromisorRemotes; ++i) {
    promises.remotes.push_back({std::to_string(i), "", ""});
  }
  EXPECT_THAT(Decoded(Encoded(promises)), IsOk());
  promises.remotes.push_back({"more", "", ""});
  EXPECT_THAT(Decoded(Encoded(promises)), HasCode(ErrorCode::kCorrupt));
}

TEST(PromisesChunk, RefusesRemotesThatCouldMisleadGit) {
  for (const PromisorRemote& remote :
       {PromisorRemote{"", "u", ""}, PromisorRemote{"a b", "u", ""},
        PromisorRemote{"../x", "u", ""},
        PromisorRemote{"--upload-pack=x", "u", ""},
        PromisorRemote{"o", "a\nb", ""},
        PromisorRemote{"o", "u", std::string("a\0b", 3)},
        PromisorRemote{"o", std::string(4096, 'u'), ""}}) {
    EXPECT_THAT(Decoded(Encoded({{remote}, Ids({1})})),
                IsError(ErrorCode::kCorrupt, HasSubstr("bad remote")));
  }
  EXPECT_THAT(Decoded(Encoded({{{"o", "", ""}, {"o", "", ""}}, Ids({1})})),
              HasCode(ErrorCode::kCorrupt));
}

}  // namespace
}  // namespace zpack::format
