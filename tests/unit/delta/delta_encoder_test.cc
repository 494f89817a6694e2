// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "delta/delta_encoder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/deltas.h"

namespace zpack {
namespace {

using testing::ApplyDelta;
using testing::Below;
using testing::Edited;
using testing::Random;
using testing::RandomText;
using testing::ToBytes;

constexpr uint64_t kAnyLength = UINT64_MAX;
constexpr int kSeeds = 400;

uint64_t Distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

// Where the encoder expects a copy: behind the one before it and as many bytes
// as there are literals between them. A suffix that base and target share is
// expected where it is.
uint64_t CostOf(size_t base_size, size_t target_size, const Delta& delta,
                const DeltaCosts& costs) {
  uint64_t cost = 0;
  uint64_t done = 0;
  uint64_t expected = 0;
  for (const DeltaCopy& copy : delta.copies) {
    const uint64_t end = uint64_t{copy.offset} + copy.length;
    done += uint64_t{copy.literals} + copy.length;
    expected += copy.literals;
    if (done == target_size && end == base_size) expected = copy.offset;
    cost += uint64_t{copy.literals} * costs.literal +
            costs.Copy(Distance(copy.offset, expected));
    expected = end;
  }
  return cost + (target_size - done) * costs.literal;
}

// The same where it is stored (delta_block_builder.cc): every copy that ends
// the object is expected where the base ends.
uint64_t StoredCostOf(size_t base_size, size_t target_size, const Delta& delta,
                      const DeltaCosts& costs) {
  uint64_t cost = 0;
  uint64_t done = 0;
  uint64_t expected = 0;
  for (const DeltaCopy& copy : delta.copies) {
    done += uint64_t{copy.literals} + copy.length;
    expected = done == target_size ? base_size - copy.length
                                   : expected + copy.literals;
    cost += uint64_t{copy.literals} * costs.literal +
            costs.Copy(Distance(copy.offset, expected));
    expected = uint64_t{copy.offset} + copy.length;
  }
  return cost + (target_size - done) * costs.literal;
}

class DeltaEncoderTest : public ::testing::Test {
 protected:
  // Encodes without a limit; the result must give the target.
  Delta Encode(ByteView base, ByteView target) {
    Delta delta;
    EXPECT_TRUE(encoder_.Encode(base, target, kAnyLength, delta));
    const auto applied = ApplyDelta(base, target, delta);
    EXPECT_TRUE(applied) << "a copy outside of base or target";
    if (applied) {
      EXPECT_EQ(AsText(*applied), AsText(target));
    }
    return delta;
  }

  const DeltaCosts costs_;
  DeltaEncoder encoder_{costs_};
};

TEST_F(DeltaEncoderTest, TurnsTheBaseIntoAnyTarget) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Bytes base = RandomText(random, Below(random, 6000));
    const auto edits = static_cast<unsigned>(Below(random, 12));
    const Bytes target = Edited(random, base, edits);
    Encode(base, target);
    Encode(target, base);
    if (HasFailure()) return;
  }
}

TEST_F(DeltaEncoderTest, TurnsRepetitionsIntoEachOther) {
  // Few different bytes: every window has many places in the base.
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto letters = 1 + Below(random, 3);
    const auto draw = [&](size_t size) {
      Bytes bytes(size);
      for (uint8_t& byte : bytes) {
        byte = static_cast<uint8_t>('a' + Below(random, letters));
      }
      return bytes;
    };
    const Bytes base = draw(Below(random, 600));
    Encode(base, draw(Below(random, 600)));
    Encode(base, Edited(random, base, 3));
    if (HasFailure()) return;
  }
}

TEST_F(DeltaEncoderTest, HandlesEveryPairOfOddContents) {
  Random random(1);
  const Bytes text = RandomText(random, 1000);
  std::vector<Bytes> contents = {{},
                                 ToBytes("a"),
                                 ToBytes("aaaa"),
                                 ToBytes("aaaaaa"),
                                 Bytes(1, 0),
                                 text,
                                 ToBytes("ab"),
                                 Bytes(1000, 0),
                                 Bytes(1001, 0),
                                 Bytes(1 << 16, 0xff)};
  for (const size_t size : {8, 15, 16, 17, 31, 32, 33, 48}) {
    contents.emplace_back(text.begin(),
                          text.begin() + static_cast<ptrdiff_t>(size));
    contents.emplace_back(text.end() - static_cast<ptrdiff_t>(size),
                          text.end());
  }
  Bytes twice = text;
  Append(twice, text);
  contents.push_back(twice);
  Append(twice, Bytes(twice));
  contents.push_back(twice);
  for (size_t i = 0; i < contents.size(); ++i) {
    for (size_t j = 0; j < contents.size(); ++j) {
      SCOPED_TRACE(std::to_string(i) + ", " + std::to_string(j));
      Encode(contents[i], contents[j]);
    }
  }
}

TEST_F(DeltaEncoderTest, HandlesPiecesOfAnySizeAtAnyPlace) {
  // Around the windows of 16 bytes.
  Random random(2);
  const Bytes base = RandomText(random, 400);
  for (size_t begin = 90; begin < 110; ++begin) {
    for (size_t size = 0; size < 70; ++size) {
      SCOPED_TRACE(std::to_string(begin) + ", " + std::to_string(size));
      Bytes target = ToBytes("#");
      Append(target, ByteView(base).subspan(begin, size));
      target.push_back('#');
      const Delta delta = Encode(base, target);
      // 31 bytes hold a whole window wherever they begin.
      constexpr size_t kAlwaysFound = 31;
      const uint64_t copied = costs_.Copy(begin) + 2 * costs_.literal;
      if (size >= kAlwaysFound && copied < target.size() * costs_.literal) {
        ASSERT_EQ(delta.copies.size(), 1U);
        EXPECT_EQ(delta.copies[0].length, size);
        EXPECT_EQ(delta.copies[0].offset, begin);
      }
      if (HasFailure()) return;
    }
  }
}

TEST_F(DeltaEncoderTest, TakesTwoCopiesForALineThatChanged) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Bytes begin = RandomText(random, 200 + Below(random, 3000));
    const Bytes end = RandomText(random, 200 + Below(random, 3000));
    const auto with = [&](std::string_view line) {
      Bytes bytes = begin;
      Append(bytes, AsBytes(line));
      Append(bytes, end);
      return bytes;
    };
    const Bytes base = with("THE LINE AS IT WAS BEFORE\n");
    for (const std::string_view line :
         {"A LINE OF SOME OTHER TEXT\n", "SHORT\n", "",
          "A LINE THAT IS LONGER THAN WHAT WAS THERE BEFORE\n"}) {
      const Bytes target = with(line);
      const Delta delta = Encode(base, target);
      ASSERT_EQ(delta.copies.size(), 2U);
      EXPECT_EQ(delta.copies[0].literals, 0U);
      EXPECT_LE(delta.copies[1].literals, line.size());
      EXPECT_EQ(delta.cost,
                2 * costs_.copy + delta.copies[1].literals * costs_.literal);
    }
  }
}

TEST_F(DeltaEncoderTest, GoesOnBehindReplacedBytesAmongEqualLines) {
  // The index would find the first of the equal lines, not those at hand.
  std::string base;
  std::string target;
  constexpr size_t kReplaced = 50;
  for (size_t i = 0; i < kReplaced; ++i) {
    for (int line = 0; line < 20; ++line) {
      base += "a line that stands in many places\n";
    }
    target.append(base, target.size());
    base += fmt::format("number {:04}\n", i);
    target += fmt::format("number {:04}\n", 7000 + i);
  }
  base += "end\n";
  target += "end.\n";
  const Delta delta = Encode(AsBytes(base), AsBytes(target));
  ASSERT_EQ(delta.copies.size(), kReplaced);
  EXPECT_EQ(delta.cost, CostOf(base.size(), target.size(), delta, costs_));
  uint64_t literals = 0;
  for (const DeltaCopy& copy : delta.copies) literals += copy.literals;
  EXPECT_LE(literals, kReplaced * 4);
  EXPECT_LE(delta.cost, kReplaced * (costs_.copy + 4 * costs_.literal) +
                            16 * costs_.literal);
}

TEST_F(DeltaEncoderTest, TakesOneCopyForTheSameContent) {
  Random random(3);
  const Bytes text = RandomText(random, 5000);
  const Delta delta = Encode(text, text);
  ASSERT_EQ(delta.copies.size(), 1U);
  EXPECT_EQ(delta.copies[0].length, text.size());
  EXPECT_EQ(delta.cost, costs_.copy);
}

TEST_F(DeltaEncoderTest, CopiesWhatWasMoved) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Bytes first = RandomText(random, 100 + Below(random, 3000));
    const Bytes second = RandomText(random, 100 + Below(random, 3000));
    Bytes base = first;
    Append(base, second);
    Bytes target = second;
    Append(target, first);
    const Delta delta = Encode(base, target);
    ASSERT_EQ(delta.copies.size(), 2U);
    EXPECT_EQ(delta.copies[0].literals + delta.copies[1].literals, 0U);
    EXPECT_EQ(delta.copies[0].offset, first.size());
    EXPECT_EQ(delta.copies[1].offset, 0U);
  }
}

TEST_F(DeltaEncoderTest, LongCopyReplacesShortOnesThatWereFoundFirst) {
  // What the target begins with stands in pieces where the base is indexed, and
  // whole where it is not.
  constexpr DeltaCosts kDeflatedAlone = {48, 240, 0, 0};
  DeltaEncoder encoder(kDeflatedAlone);
  Random random(8);
  const Bytes target = RandomText(random, 400);
  for (size_t offset = 1; offset < 16; ++offset) {
    Bytes base;
    for (size_t piece = 0; piece < 4; ++piece) {
      Append(base, ByteView(target).subspan(piece * 16, 16));
      Append(base, RandomText(random, 32));
    }
    Append(base, RandomText(random, offset));
    const size_t whole = base.size();
    Append(base, target);
    // No common end.
    base.push_back('#');
    Delta delta;
    ASSERT_TRUE(encoder.Encode(base, target, kAnyLength, delta));
    const auto applied = ApplyDelta(base, target, delta);
    ASSERT_TRUE(applied);
    EXPECT_EQ(*applied, target);
    ASSERT_EQ(delta.copies.size(), 1U);
    EXPECT_EQ(delta.copies[0].offset, whole);
    EXPECT_EQ(delta.cost, kDeflatedAlone.copy);
  }
}

TEST_F(DeltaEncoderTest, CopiesNothingFromUnrelatedContent) {
  Random random(4);
  const Bytes base = RandomText(random, 20000);
  const Bytes target = RandomText(random, 20000);
  const Delta delta = Encode(base, target);
  EXPECT_TRUE(delta.copies.empty());
  const uint64_t whole = target.size() * costs_.literal;
  EXPECT_EQ(delta.cost, whole);
  Delta limited;
  EXPECT_FALSE(encoder_.Encode(base, target, whole, limited));
}

TEST_F(DeltaEncoderTest, CopiesOnlyWhatCostsMoreAsLiterals) {
  const size_t worth = costs_.copy / costs_.literal + 1;
  const Bytes base(worth, 'a');
  Bytes target(worth, 'a');
  EXPECT_EQ(Encode(base, target).copies.size(), 1U);
  target.back() = 'b';
  EXPECT_TRUE(Encode(base, target).copies.empty()) << "a prefix too short";
  target = base;
  target.front() = 'b';
  EXPECT_TRUE(Encode(base, target).copies.empty()) << "a suffix too short";
}

TEST_F(DeltaEncoderTest, NeverCostsMoreThanLiteralsAlone) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Random random(seed);
    const Bytes base = RandomText(random, Below(random, 3000));
    const Bytes target = Edited(random, base, 20);
    ASSERT_LE(Encode(base, target).cost, target.size() * costs_.literal)
        << "seed " << seed;
  }
}

TEST_F(DeltaEncoderTest, AddsUpWhatTheCopiesAndLiteralsCost) {
  uint64_t said = 0;
  uint64_t stored = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Random random(seed);
    const Bytes base = RandomText(random, Below(random, 6000));
    const auto edits = static_cast<unsigned>(Below(random, 12));
    const Bytes target = Edited(random, base, edits);
    const Delta delta = Encode(base, target);
    ASSERT_EQ(delta.cost, CostOf(base.size(), target.size(), delta, costs_))
        << "seed " << seed;
    said += delta.cost;
    stored += StoredCostOf(base.size(), target.size(), delta, costs_);
  }
  EXPECT_GT(said * 1000, stored * 995);
  EXPECT_LT(said * 1000, stored * 1005);
}

TEST_F(DeltaEncoderTest, StaysBelowTheLimitOrFails) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Bytes base = RandomText(random, 1 + Below(random, 6000));
    const auto edits = static_cast<unsigned>(Below(random, 12));
    const Bytes target = Edited(random, base, edits);
    const uint64_t cost = Encode(base, target).cost;
    Delta limited;
    EXPECT_FALSE(encoder_.Encode(base, target, 0, limited));
    EXPECT_FALSE(encoder_.Encode(base, target, cost / 2, limited));
    EXPECT_FALSE(encoder_.Encode(base, target, cost, limited));
    ASSERT_TRUE(encoder_.Encode(base, target, cost + 1, limited));
    EXPECT_EQ(limited.cost, cost);
    const auto applied = ApplyDelta(base, target, limited);
    ASSERT_TRUE(applied);
    EXPECT_EQ(*applied, target);
  }
}

// Appends a text to `base` and `target` that begins with windows that the base
// has more often than are tried. So the copy is found behind them, and what it
// replaces costs more than the whole delta.
void AddTextFoundLate(Random& random, Bytes& base, Bytes& target) {
  constexpr size_t kWindow = 16;
  std::vector<Bytes> windows(12);
  for (Bytes& window : windows) window = RandomText(random, kWindow);
  base.resize(base.size() / kWindow * kWindow);
  for (int i = 0; i < 12; ++i) {
    std::ranges::shuffle(windows, random);
    for (const Bytes& window : windows) Append(base, window);
  }
  Bytes text;
  std::ranges::shuffle(windows, random);
  for (const Bytes& window : windows) Append(text, window);
  Append(text, RandomText(random, 200));
  Append(base, text);
  Append(target, text);
}

// Otherwise a delta that another limit gave could not stand for it.
TEST_F(DeltaEncoderTest, GivesTheSameWithEveryLimitFromTheLeastOn) {
  size_t above_the_cost = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Bytes base = RandomText(random, Below(random, 6000));
    Bytes target = Edited(random, base, 1 + Below(random, 30));
    // Nothing matches for long.
    if (seed % 2 == 0) Append(target, RandomText(random, 3000));
    if (seed % 3 == 0) Append(target, base);
    if (seed % 5 == 0) {
      AddTextFoundLate(random, base, target);
      Append(base, RandomText(random, 50));  // the text is no suffix
    }
    DeltaEncoder encoder{DeltaCosts{}};
    Delta any;
    ASSERT_TRUE(encoder.Encode(base, target, kAnyLength, any));
    const uint64_t least = encoder.least_limit();
    ASSERT_GT(least, any.cost);
    above_the_cost += least > any.cost + 1 ? 1 : 0;
    for (const uint64_t limit : {least, least - 1, least + Below(random, 1000),
                                 Below(random, least), uint64_t{0}}) {
      SCOPED_TRACE(limit);
      Delta delta;
      ASSERT_EQ(encoder.Encode(base, target, limit, delta), limit >= least);
      if (limit < least) continue;
      EXPECT_EQ(encoder.least_limit(), least);
      EXPECT_EQ(delta.cost, any.cost);
      ASSERT_EQ(delta.copies.size(), any.copies.size());
      for (size_t i = 0; i < any.copies.size(); ++i) {
        EXPECT_EQ(delta.copies[i].literals, any.copies[i].literals);
        EXPECT_EQ(delta.copies[i].length, any.copies[i].length);
        EXPECT_EQ(delta.copies[i].offset, any.copies[i].offset);
      }
    }
  }
  EXPECT_GT(above_the_cost, 0U);
}

TEST_F(DeltaEncoderTest, CostsNothingOnlyForNothing) {
  Delta delta;
  EXPECT_TRUE(encoder_.Encode({}, {}, 1, delta));
  EXPECT_EQ(delta.cost, 0U);
  EXPECT_FALSE(encoder_.Encode({}, {}, 0, delta));
}

TEST_F(DeltaEncoderTest, ForgetsWhatItEncodedBefore) {
  Random random(5);
  const Bytes base = RandomText(random, 3000);
  const Bytes target = Edited(random, base, 8);
  const Delta first = Encode(base, target);
  for (const size_t size : {50000, 100, 3000, 0}) {
    const Bytes other = RandomText(random, size);
    Encode(other, Edited(random, other, 5));
  }
  const Delta again = Encode(base, target);
  EXPECT_EQ(again.cost, first.cost);
  ASSERT_EQ(again.copies.size(), first.copies.size());
  for (size_t i = 0; i < first.copies.size(); ++i) {
    EXPECT_EQ(again.copies[i].literals, first.copies[i].literals);
    EXPECT_EQ(again.copies[i].length, first.copies[i].length);
    EXPECT_EQ(again.copies[i].offset, first.copies[i].offset);
  }
}

TEST_F(DeltaEncoderTest, IsNotHeldUpByOneWindowInAllPlaces) {
  // Quadratic work on a megabyte would not end in the time of a test.
  Bytes base(1 << 20, 0);
  Bytes target(1 << 20, 0);
  for (size_t i = 0; i < base.size(); i += 100) base[i] = 1;
  for (size_t i = 0; i < target.size(); i += 77) target[i] = 2;
  Encode(base, target);
  Encode(Bytes(1 << 20, 0), target);
}

}  // namespace
}  // namespace zpack
