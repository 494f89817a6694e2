// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/codecs/line_delta.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"

namespace zpack::bench {
namespace {

// A line that occurs more often does not begin a match: an empty line, say.
constexpr size_t kMaxOccurrences = 512;

struct Range {
  uint32_t begin = 0;
  uint32_t end = 0;
};
// Lines of the base and of the target that are to be compared.
struct Pair {
  Range base;
  Range target;
};
struct Run {
  uint32_t base = 0;
  uint32_t target = 0;
  uint32_t length = 0;
};

struct Lines {
  std::vector<uint32_t> numbers;  // equal lines have equal numbers
  std::vector<uint32_t> offsets;  // of each line, and of the end
};

class LineMatcher {
 public:
  LineMatcher(ByteView base, ByteView target)
      : base_(Split(base)), target_(Split(target)) {
    places_.resize(known_.size());
    for (uint32_t i = 0; i < base_.numbers.size(); ++i) {
      places_[base_.numbers[i]].push_back(i);
    }
    rows_.resize(base_.numbers.size() + 1);
    lengths_.resize(base_.numbers.size() + 1);
  }

  // Runs of equal lines, ascending in both texts.
  std::vector<Run> Match();

  uint32_t BaseOffset(uint32_t line) const { return base_.offsets[line]; }
  uint32_t TargetOffset(uint32_t line) const { return target_.offsets[line]; }
  uint32_t base_lines() const { return Count(base_); }
  uint32_t target_lines() const { return Count(target_); }

 private:
  static uint32_t Count(const Lines& lines) {
    return static_cast<uint32_t>(lines.numbers.size());
  }
  Lines Split(ByteView text);
  Run Longest(const Pair& pair);

  std::unordered_map<std::string_view, uint32_t> known_;
  Lines base_;
  Lines target_;
  std::vector<std::vector<uint32_t>> places_;  // in the base, by line number
  // Length of the run that ends before each line of the base, and the step of
  // the search that found it.
  std::vector<uint64_t> rows_;
  std::vector<uint32_t> lengths_;
  uint64_t row_ = 1;
};

Lines LineMatcher::Split(ByteView text) {
  Lines lines;
  std::string_view rest = AsText(text);
  lines.offsets.push_back(0);
  while (!rest.empty()) {
    const size_t feed = rest.find('\n');
    const size_t size = feed == std::string_view::npos ? rest.size() : feed + 1;
    const auto next = static_cast<uint32_t>(known_.size());
    lines.numbers.push_back(
        known_.try_emplace(rest.substr(0, size), next).first->second);
    rest.remove_prefix(size);
    lines.offsets.push_back(static_cast<uint32_t>(text.size() - rest.size()));
  }
  return lines;
}

Run LineMatcher::Longest(const Pair& pair) {
  Run best;
  row_ += 2;  // so that no run continues from an earlier search
  for (uint32_t i = pair.target.begin; i < pair.target.end; ++i, ++row_) {
    const auto& places = places_[target_.numbers[i]];
    if (places.size() > kMaxOccurrences) continue;
    // From the last place back, so that lengths of the line before are intact.
    for (auto at = std::ranges::lower_bound(places, pair.base.end);
         at != places.begin() && *(at - 1) >= pair.base.begin; --at) {
      const uint32_t j = *(at - 1);
      const uint32_t length = (rows_[j] == row_ - 1 ? lengths_[j] : 0) + 1;
      rows_[j + 1] = row_;
      lengths_[j + 1] = length;
      if (length > best.length) {
        best = {j + 1 - length, i + 1 - length, length};
      }
    }
  }
  return best;
}

std::vector<Run> LineMatcher::Match() {
  std::vector<Run> runs;
  std::vector<Pair> open = {{{0, base_lines()}, {0, target_lines()}}};
  const auto equal = [&](uint32_t base, uint32_t target) {
    return base_.numbers[base] == target_.numbers[target];
  };
  while (!open.empty()) {
    Pair pair = open.back();
    open.pop_back();
    auto& [base, target] = pair;
    Run front{base.begin, target.begin, 0};
    while (base.begin < base.end && target.begin < target.end &&
           equal(base.begin, target.begin)) {
      ++base.begin, ++target.begin, ++front.length;
    }
    Run back;
    while (base.begin < base.end && target.begin < target.end &&
           equal(base.end - 1, target.end - 1)) {
      back = {--base.end, --target.end, back.length + 1};
    }
    if (front.length > 0) runs.push_back(front);
    if (back.length > 0) runs.push_back(back);
    if (base.begin == base.end || target.begin == target.end) continue;
    const Run run = Longest(pair);
    if (run.length == 0) continue;
    runs.push_back(run);
    open.push_back({{base.begin, run.base}, {target.begin, run.target}});
    open.push_back({{run.base + run.length, base.end},
                    {run.target + run.length, target.end}});
  }
  std::ranges::sort(runs, {}, &Run::target);
  return runs;
}

}  // namespace

void EncodeLineDelta(ByteView base, ByteView target, Bytes& out) {
  LineMatcher matcher(base, target);
  std::vector<Run> runs = matcher.Match();
  runs.push_back({matcher.base_lines(), matcher.target_lines(), 0});
  out.clear();
  ByteWriter writer(out);
  uint32_t base_at = 0;
  uint32_t target_at = 0;
  for (const Run& run : runs) {
    if (run.base > base_at || run.target > target_at) {
      const uint32_t from = matcher.TargetOffset(target_at);
      const uint32_t size = matcher.TargetOffset(run.target) - from;
      writer.U32(matcher.BaseOffset(base_at));
      writer.U32(matcher.BaseOffset(run.base));
      writer.U32(size);
      writer.Raw(target.subspan(from, size));
    }
    base_at = run.base + run.length;
    target_at = run.target + run.length;
  }
}

Status ApplyLineDelta(ByteView base, ByteView delta, Bytes& out) {
  ByteReader in(delta);
  out.clear();
  uint32_t at = 0;
  while (in.remaining() > 0) {
    const uint32_t begin = in.U32();
    const uint32_t end = in.U32();
    const ByteView bytes = in.Raw(in.U32());
    if (!in.ok() || begin < at || end < begin || end > base.size()) {
      return MakeError(ErrorCode::kCorrupt, "a delta of lines is malformed");
    }
    Append(out, base.subspan(at, begin - at));
    Append(out, bytes);
    at = end;
  }
  Append(out, base.subspan(at));
  return {};
}

}  // namespace zpack::bench
