// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The refs of an archive as clients see them. Immutable; any thread.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "zpack/refs.h"
#include "zpack/result.h"
#include "zpack/serve.h"

namespace zpack {

class ServedRefs {
 public:
  struct Shown {
    std::string_view name;
    ObjectId id;
    // Empty unless `id` is a tag. Of a detached HEAD, known only if a ref has
    // the same target: no object is read.
    ObjectId peeled;
    // Where a chain of symbolic refs ends; empty unless the ref is symbolic.
    std::string_view symref_target;
  };

  // The arguments must outlive this object. `refs` are those of the namespace,
  // with their names in it.
  ServedRefs(const RefsSnapshot& refs, const UploadPackSettings& settings)
      : refs_(refs), settings_(settings) {}

  // Calls `visit` with HEAD, unless it is unborn, and with each ref, in the
  // order of names. Leaves out hidden and broken refs.
  Status ForEach(const std::function<Status(const Shown&)>& visit) const;

  // The end of the chain from HEAD, even if HEAD is hidden; empty if HEAD is
  // detached or unborn.
  std::string_view HeadTarget() const;

  // The end of the chain from an unborn HEAD; empty if HEAD is not unborn or
  // hidden.
  std::string_view UnbornHead() const;

  // The ref with this full name; nullopt if there is none, or it is hidden.
  std::optional<Shown> Find(std::string_view name) const;

  // The refs that a short name stands for, by Git's rules (gitrevisions(7)).
  std::vector<ObjectId> Expand(std::string_view name) const;

  enum class Hidden : uint8_t { kNo, kYes };
  // The ids of all refs and HEAD, with or without the hidden ones.
  std::unordered_set<ObjectId> Tips(Hidden hidden) const;

 private:
  bool IsHidden(std::string_view name) const;
  std::optional<Shown> Show(const Ref& ref) const;
  std::optional<Shown> ShowSymbolic(std::string_view name) const;
  std::optional<Shown> ShowHead() const;

  const RefsSnapshot& refs_;
  const UploadPackSettings& settings_;
};

}  // namespace zpack
