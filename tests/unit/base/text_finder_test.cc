// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text_finder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace zpack {
namespace {

TEST(TextFinder, FindsWhatStringViewFinds) {
  std::mt19937 random(1);
  // Few different bytes, so that there are many occurrences, overlapping ones,
  // and texts that almost occur.
  constexpr std::string_view kBytes("ab\0\xff ", 5);
  const auto make = [&](size_t size, size_t bytes) {
    std::string text(size, 'a');
    for (char& c : text) c = kBytes[random() % bytes];
    return text;
  };
  size_t found = 0;
  for (int round = 0; round < 20000; ++round) {
    const size_t bytes = 1 + random() % kBytes.size();
    const std::string in = make(random() % 120, bytes);
    const TextFinder finder(make(1 + random() % 12, bytes));
    for (size_t from = 0; from <= in.size(); from += 1 + random() % 20) {
      const size_t expected = in.find(finder.text(), from);
      ASSERT_EQ(finder.Find(in, from), expected)
          << "'" << finder.text() << "' from " << from << " in '" << in << "'";
      if (expected != std::string::npos) ++found;
    }
  }
  EXPECT_GT(found, 10000);
}

TEST(TextFinder, FindsATextAtEachPosition) {
  const TextFinder finder("needle");
  for (size_t size = 6; size < 140; ++size) {
    for (size_t at = 0; at + 6 <= size; ++at) {
      std::string in(size, 'e');
      in.replace(at, 6, finder.text());
      ASSERT_EQ(finder.Find(in), at) << size;
      ASSERT_EQ(finder.Find(in, at), at) << size;
      ASSERT_EQ(finder.Find(in, at + 1), std::string::npos) << size;
    }
  }
}

TEST(TextFinder, ATextMayBeLongerThanWhatIsSearched) {
  const TextFinder finder(std::string(1000, 'x'));
  EXPECT_EQ(finder.Find(std::string(999, 'x')), std::string::npos);
  EXPECT_EQ(finder.Find(""), std::string::npos);
  EXPECT_EQ(finder.Find(std::string(1002, 'x'), 2), 2);
}

}  // namespace
}  // namespace zpack
