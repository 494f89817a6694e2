// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The refs that lead to a commit, as git-log(1) prints them beside it.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "zpack/object_id.h"
#include "zpack/refs.h"

namespace zpack::cli {

class Decorations {
 public:
  enum class Names : uint8_t { kShort, kFull };
  enum class Colors : uint8_t { kWithout, kWith };

  // Around all names.
  enum class Brackets : uint8_t { kWithout, kWith };

  Decorations(const RefsSnapshot& refs, Names names);

  // Empty for a commit without refs.
  std::string Of(const ObjectId& commit, Brackets brackets,
                 Colors colors) const;
  // The names alone, whole: HEAD first.
  std::vector<std::string> NamesOf(const ObjectId& commit) const;

 private:
  enum class Kind : uint8_t {
    kOther,
    kBranch,
    kRemote,
    kTag,
    kStash,
    kHead,
    kGrafted,
  };
  struct Entry {
    Kind kind;
    std::string name;
  };

  static Kind KindOf(std::string_view name);
  static std::string_view ColorOf(Kind kind);
  void AddRef(const RefsSnapshot& refs, const Ref& ref);
  std::string Shown(const Entry& entry) const;

  Names names_;
  std::string head_;  // the branch that is checked out
  // The last one is printed first.
  std::unordered_map<ObjectId, std::vector<Entry>> entries_;
};

}  // namespace zpack::cli
