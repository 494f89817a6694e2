// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "salvage/salvaged_refs.h"

#include <algorithm>
#include <string>
#include <utility>

#include "object/object_hasher.h"
#include "object/peel.h"

namespace zpack {
namespace {

constexpr const char* kHeads = "refs/heads/";
constexpr const char* kSalvaged = "refs/salvaged/";

class RefChooser {
 public:
  RefChooser(const Salvaging& salvaging, const SalvagedParts& parts,
             const HistorySurvey& survey, SalvageReport& report)
      : salvaging_(salvaging),
        known_(parts.refs),
        lost_before_(parts.lost_before),
        survey_(survey),
        report_(report),
        empty_tree_(EmptyTreeId(salvaging.file.object_format())),
        peeler_(salvaging.file.object_format(),
                {.type = [this](const ObjectId& id) { return TypeOf(id); },
                 .target =
                     [this](const ObjectId& id) {
                       const auto tag = survey_.tags.find(id);
                       return tag == survey_.tags.end() ? ObjectId()
                                                        : tag->second;
                     }}) {}

  RefsSnapshot Choose() {
    report_.refs_known = known_.has_value();
    if (known_) TakeKnown();
    report_.refs = refs_.refs.size();
    if (!known_ || !report_.lost_refs.empty() || report_.lost_objects != 0) {
      AddTips();
    }
    std::ranges::sort(refs_.refs, {}, &Ref::name);
    ChooseHead();
    return std::move(refs_);
  }

 private:
  // Git knows the empty tree without storing it.
  bool IsThere(const ObjectId& id) const {
    return salvaging_.ids.Find(id).has_value() || id == empty_tree_;
  }

  // What was lost before has not been lost by the damage.
  bool IsKept(const ObjectId& id) const {
    return IsThere(id) || lost_before_.Has(id);
  }

  std::optional<ObjectType> TypeOf(const ObjectId& id) const {
    const auto number = salvaging_.ids.Find(id);
    if (!number) return std::nullopt;
    const size_t row = salvaging_.blocks.table().FindBlock(*number);
    return salvaging_.blocks.block(row).header.type;
  }

  void TakeKnown() {
    for (const Ref& ref : known_->refs) {
      // A symbolic ref leads nowhere without the last ref. One that led nowhere
      // before is not lost.
      const ObjectId target = known_->Resolve(ref.name);
      if (!target.empty() && !IsKept(target)) {
        report_.lost_refs.push_back({ref.name, target});
        continue;
      }
      Ref kept = ref;
      if (!ref.symbolic()) kept.peeled = peeler_.Peel(ref.target);
      refs_.refs.push_back(std::move(kept));
    }
    for (const ObjectId& id : known_->shallow) {
      if (IsThere(id)) refs_.shallow.push_back(id);
    }
  }

  // Adds refs to the commits and tags that nothing names.
  void AddTips() {
    std::vector<ObjectId> named = survey_.parents;
    for (const auto& [tag, target] : survey_.tags) named.push_back(target);
    for (const Ref& ref : refs_.refs) named.push_back(ref.target);
    if (known_) named.push_back(known_->head_target);
    std::ranges::sort(named);
    const auto add = [&](const ObjectId& id) {
      if (std::ranges::binary_search(named, id)) return;
      refs_.refs.push_back({kSalvaged + id.ToHex(), id, peeler_.Peel(id), {}});
      ++report_.new_refs;
    };
    for (const SurveyedCommit& commit : survey_.commits) {
      add(salvaging_.ids.Id(commit.number));
    }
    for (const auto& [tag, target] : survey_.tags) add(tag);
  }

  void ChooseHead() {
    if (known_ &&
        (!known_->head_symref.empty() || IsKept(known_->head_target))) {
      refs_.head_symref = known_->head_symref;
      refs_.head_target = known_->head_target;
    } else {
      if (known_) report_.lost_refs.push_back({"HEAD", known_->head_target});
      refs_.head_symref = DefaultHead();
    }
    report_.head = refs_.head_symref.empty() ? refs_.head_target.ToHex()
                                             : refs_.head_symref;
  }

  std::string DefaultHead() const {
    for (const char* name : {"refs/heads/main", "refs/heads/master"}) {
      if (refs_.Find(name) != nullptr) return name;
    }
    for (const Ref& ref : refs_.refs) {
      if (ref.name.starts_with(kHeads)) return ref.name;
    }
    return "refs/heads/main";
  }

  const Salvaging& salvaging_;
  const std::optional<RefsSnapshot>& known_;
  const LostObjects& lost_before_;
  const HistorySurvey& survey_;
  SalvageReport& report_;
  const ObjectId empty_tree_;
  TagPeeler peeler_;
  RefsSnapshot refs_;
};

}  // namespace

RefsSnapshot SalvageRefs(const Salvaging& salvaging, const SalvagedParts& parts,
                         const HistorySurvey& survey, SalvageReport& report) {
  return RefChooser(salvaging, parts, survey, report).Choose();
}

}  // namespace zpack
