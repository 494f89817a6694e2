// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Software Heritage persistent identifiers, as their specification 1.2 defines
// them. They name objects by SHA-1 alone. Pure.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "zpack/object_id.h"
#include "zpack/refs.h"

namespace zpack {

// The type of an object; nothing if the object is missing.
using TypeOfObject =
    std::function<std::optional<ObjectType>(const ObjectId& id)>;

// "swh:1:snp:<hash>" of HEAD and all refs. A symbolic ref is an alias, also if
// it leads nowhere. A ref whose target is missing is dangling.
std::string SnapshotSwhid(const RefsSnapshot& refs,
                          const TypeOfObject& type_of);

// "swh:1:rev:<id>". REQUIRES: `commit` is the SHA-1 of a commit.
std::string RevisionSwhid(const ObjectId& commit);

}  // namespace zpack
