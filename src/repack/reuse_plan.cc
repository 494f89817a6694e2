// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/reuse_plan.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace zpack {
namespace {

class ReusePlanner {
 public:
  ReusePlanner(ObjectSource& source, const ObjectList& list,
               const IndexedVector<PathNumber, bool>& undeltified,
               const ReuseRules& rules)
      : source_(source),
        list_(list),
        undeltified_(undeltified),
        islands_(rules.islands),
        max_depth_(std::min<unsigned>(rules.max_depth,
                                      std::numeric_limits<uint16_t>::max())) {
    plan_.kinds.resize(list.ids.size());
  }

  ReusePlan Run(PackReuse rule) {
    plan_.rule = rule;
    if (rule == PackReuse::kNothing) return std::move(plan_);
    if (rule == PackReuse::kDeltas) {
      plan_.bases.resize(list_.ids.size(), ReusePlan::kNoBase);
      packs_.resize(list_.ids.size(), kNoPack);
    }
    for (const ListRank rank : list_.ids.ranks()) Look(rank);
    if (rule == PackReuse::kDeltas) {
      CutChains();
      FindKnown();
    }
    return std::move(plan_);
  }

 private:
  static constexpr PackNumber kNoPack{0xffffffff};

  bool IsUndeltified(ListRank rank) const {
    return list_.types[rank] == ObjectType::kBlob &&
           undeltified_[list_.paths[rank]];
  }

  // Determines how the object is stored now.
  void Look(ListRank rank) {
    const auto form = source_.FindPacked(list_.ids[rank]);
    if (!form) return;
    if (!packs_.empty()) packs_[rank] = form->pack;
    if (form->base.empty()) {
      plan_.kinds[rank] = Reuse::kWhole;
      return;
    }
    if (plan_.bases.empty() || max_depth_ == 0) return;
    const auto base = list_.ids.Find(form->base);
    if (!base || list_.types[*base] != list_.types[rank] ||
        IsUndeltified(rank) || IsUndeltified(*base) ||
        (islands_ != nullptr && !islands_->MayBeBase(rank, *base))) {
      return;
    }
    plan_.bases[rank] = *base;
  }

  // Fills roots, distances and heights. A delta that closes a cycle, or whose
  // chain is too long, becomes a root.
  void CutChains() {
    const uint32_t count = list_.ids.size();
    plan_.roots.resize(count, ReusePlan::kNoBase);
    plan_.distances.resize(count);
    plan_.heights.resize(count);
    ListMarks pending(count);
    std::vector<ListRank> chain;
    for (const ListRank rank : list_.ids.ranks()) {
      for (ListRank at = rank; plan_.roots[at] == ReusePlan::kNoBase;
           at = plan_.bases[at]) {
        chain.push_back(at);
        pending[at] = true;
        ListRank& base = plan_.bases[at];
        if (base != ReusePlan::kNoBase && pending[base]) {
          base = ReusePlan::kNoBase;
        }
        if (base == ReusePlan::kNoBase) break;
      }
      for (; !chain.empty(); chain.pop_back()) {
        pending[chain.back()] = false;
        Settle(chain.back());
      }
    }
  }

  // REQUIRES: Settle has been called for the base.
  void Settle(ListRank rank) {
    ListRank& base = plan_.bases[rank];
    if (base != ReusePlan::kNoBase && plan_.distances[base] == max_depth_) {
      base = ReusePlan::kNoBase;
    }
    if (base == ReusePlan::kNoBase) {
      plan_.roots[rank] = rank;
      return;
    }
    const ListRank root = plan_.roots[base];
    plan_.kinds[rank] = Reuse::kDelta;
    plan_.roots[rank] = root;
    plan_.distances[rank] = plan_.distances[base] + 1;
    plan_.heights[root] = std::max(plan_.heights[root], plan_.distances[rank]);
  }

  // The pack with most objects is assumed to be the result of a delta search.
  void FindKnown() {
    std::unordered_map<PackNumber, uint32_t> counts;
    PackNumber main = kNoPack;
    for (const PackNumber pack : packs_) {
      if (pack != kNoPack) ++counts[pack];
    }
    for (const auto& [pack, count] : counts) {
      if (main == kNoPack || count > counts[main] ||
          (count == counts[main] && pack < main)) {
        main = pack;
      }
    }
    plan_.known.resize(packs_.size());
    for (const ListRank rank : packs_.indexes()) {
      plan_.known[rank] = main != kNoPack && packs_[rank] == main;
      if (plan_.known[rank] && plan_.kinds[rank] == Reuse::kWhole) {
        plan_.kinds[rank] = Reuse::kSettled;
      }
    }
  }

  ObjectSource& source_;
  const ObjectList& list_;
  const IndexedVector<PathNumber, bool>& undeltified_;
  const DeltaIslands* islands_;
  unsigned max_depth_;
  IndexedVector<ListRank, PackNumber> packs_;
  ReusePlan plan_;
};

}  // namespace

ReusePlan PlanReuse(ObjectSource& source, const ObjectList& list,
                    const IndexedVector<PathNumber, bool>& undeltified,
                    const ReuseRules& rules) {
  return ReusePlanner(source, list, undeltified, rules).Run(rules.reuse);
}

}  // namespace zpack
