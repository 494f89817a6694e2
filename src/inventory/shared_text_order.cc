// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/shared_text_order.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

namespace zpack {
namespace {

// So many sets are ordered at a time.
constexpr size_t kMostSets = 16384;
// Bytes of the last sets that the next one is compared with: three quarters of
// a block of the default size.
constexpr uint64_t kComparedBytes = 1'500'000;
// Text that more sets have in common, such as a licence, says nothing about
// which of them belong together, and takes long to count.
constexpr ptrdiff_t kCommon = 300;
// Keeps a set with few samples from being the next one as soon as it shares
// one of them.
constexpr double kFewSamples = 20;
// A set with another extension has to share 1.5 times as much.
constexpr double kSameKind = 1.5 * 1.5;

// A number of a list, and a number in this list.
using Entry = std::pair<uint32_t, uint32_t>;

// Lists of numbers, one after the other in one table.
class NumberLists {
 public:
  // REQUIRES: the first numbers of `entries` are below `lists`.
  NumberLists(const std::vector<Entry>& entries, size_t lists)
      : begins_(lists + 1), numbers_(entries.size()) {
    for (const auto& [list, number] : entries) ++begins_[list + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    std::vector<uint32_t> next = begins_;
    for (const auto& [list, number] : entries) numbers_[next[list]++] = number;
  }

  std::span<const uint32_t> operator[](size_t list) const {
    return std::span(numbers_).subspan(begins_[list],
                                       begins_[list + 1] - begins_[list]);
  }
  size_t size() const { return begins_.size() - 1; }

 private:
  std::vector<uint32_t> begins_;
  std::vector<uint32_t> numbers_;
};

// The sets that have each passage of text that at least two sets have, but not
// too many.
NumberLists FindPassages(std::span<const TextSet> sets) {
  // Most samples are those of one set. Two bits tell nearly all of them without
  // a sort: is there a set with such a sample, and another one?
  constexpr unsigned kShift = 8;
  std::vector<bool> once(size_t{1} << (32 - kShift));
  std::vector<bool> again(once.size());
  for (const TextSet& set : sets) {
    for (const uint32_t sample : set.samples) {
      if (once[sample >> kShift]) again[sample >> kShift] = true;
      once[sample >> kShift] = true;
    }
  }
  std::vector<Entry> samples;
  for (uint32_t set = 0; set < sets.size(); ++set) {
    for (const uint32_t sample : sets[set].samples) {
      if (again[sample >> kShift]) samples.emplace_back(sample, set);
    }
  }
  std::ranges::sort(samples);
  std::vector<Entry> passages;
  uint32_t number = 0;
  for (auto begin = samples.begin(); begin != samples.end();) {
    const auto end = std::find_if(
        begin, samples.end(),
        [&](const Entry& entry) { return entry.first != begin->first; });
    const bool useful = end - begin > 1 && end - begin <= kCommon;
    for (; begin != end; ++begin) {
      if (useful) passages.emplace_back(number, begin->second);
    }
    if (useful) ++number;
  }
  return {passages, number};
}

// The passages of each of `sets` sets.
NumberLists PassagesOf(const NumberLists& holders, size_t sets) {
  std::vector<Entry> entries;
  for (uint32_t passage = 0; passage < holders.size(); ++passage) {
    for (const uint32_t set : holders[passage]) {
      entries.emplace_back(set, passage);
    }
  }
  return {entries, sets};
}

class SharedTextOrder {
 public:
  // `sets` must outlive this object.
  explicit SharedTextOrder(std::span<const TextSet> sets)
      : sets_(sets),
        holders_(FindPassages(sets)),
        passages_(PassagesOf(holders_, sets.size())),
        in_window_(holders_.size()),
        states_(sets.size()),
        next_free_(sets.size() + 1) {
    for (size_t i = 0; i < sets.size(); ++i) {
      states_[i].weight =
          1 / (static_cast<double>(sets[i].samples.size()) + kFewSamples);
    }
    std::iota(next_free_.begin(), next_free_.end(), 0U);
  }

  std::vector<uint32_t> Run() {
    while (order_.size() < sets_.size()) {
      Take(Next());
      while (window_bytes_ > kComparedBytes &&
             window_begin_ + 1 < order_.size()) {
        Forget(order_[window_begin_++]);
      }
    }
    return std::move(order_);
  }

 private:
  struct State {
    uint32_t shared = 0;  // passages in the window
    bool taken = false;
    bool candidate = false;  // is one of candidates_
    double weight = 0;       // greater for sets with fewer samples
  };

  // How much of the set is in the window. By the amount alone, large sets would
  // always be next, by the part alone, small ones; both make larger files, so
  // this is the square of the amount by the size.
  double Score(uint32_t set) const {
    const State& state = states_[set];
    const double shared = state.shared;
    const bool same_kind = sets_[set].kind == sets_[order_.back()].kind;
    return shared * shared * state.weight * (same_kind ? kSameKind : 1);
  }

  // The first set from `set` on that is not taken; the number of sets if there
  // is none.
  uint32_t FirstFree(uint32_t set) {
    while (next_free_[set] != set) {
      next_free_[set] = next_free_[next_free_[set]];
      set = next_free_[set];
    }
    return set;
  }

  uint32_t Next() {
    std::erase_if(candidates_, [&](uint32_t set) {
      State& state = states_[set];
      state.candidate = !state.taken && state.shared != 0;
      return !state.candidate;
    });
    uint32_t best = static_cast<uint32_t>(sets_.size());
    double best_score = 0;
    for (const uint32_t set : candidates_) {
      const double score = Score(set);
      if (score > best_score || (score == best_score && set < best)) {
        best = set;
        best_score = score;
      }
    }
    if (best == sets_.size() && !order_.empty())
      best = FirstFree(order_.back());
    return best == sets_.size() ? FirstFree(0) : best;
  }

  void Take(uint32_t set) {
    states_[set].taken = true;
    next_free_[set] = set + 1;
    order_.push_back(set);
    window_bytes_ += sets_[set].bytes;
    for (const uint32_t passage : passages_[set]) {
      if (in_window_[passage]++ != 0) continue;
      for (const uint32_t holder : holders_[passage]) {
        State& state = states_[holder];
        ++state.shared;
        if (state.taken || state.candidate) continue;
        state.candidate = true;
        candidates_.push_back(holder);
      }
    }
  }

  // Removes the set from the window.
  void Forget(uint32_t set) {
    window_bytes_ -= sets_[set].bytes;
    for (const uint32_t passage : passages_[set]) {
      if (--in_window_[passage] != 0) continue;
      for (const uint32_t holder : holders_[passage]) {
        --states_[holder].shared;
      }
    }
  }

  const std::span<const TextSet> sets_;
  const NumberLists holders_;        // sets, by passage
  const NumberLists passages_;       // by set
  std::vector<uint32_t> in_window_;  // sets, by passage
  std::vector<State> states_;
  // By set: itself if it is not taken, or else a set not after the next one
  // that is not.
  std::vector<uint32_t> next_free_;
  std::vector<uint32_t> candidates_;
  std::vector<uint32_t> order_;
  // The window is the end of order_.
  size_t window_begin_ = 0;
  uint64_t window_bytes_ = 0;
};

}  // namespace

std::vector<uint32_t> OrderBySharedText(const std::vector<TextSet>& sets) {
  std::vector<uint32_t> order;
  order.reserve(sets.size());
  for (size_t begin = 0; begin < sets.size(); begin += kMostSets) {
    const size_t count = std::min(kMostSets, sets.size() - begin);
    for (const uint32_t set :
         SharedTextOrder(std::span(sets).subspan(begin, count)).Run()) {
      order.push_back(static_cast<uint32_t>(begin) + set);
    }
  }
  return order;
}

}  // namespace zpack
