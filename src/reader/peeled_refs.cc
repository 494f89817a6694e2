// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/peeled_refs.h"

#include <optional>

#include "object/peel.h"
#include "reader/object_reader.h"

namespace zpack {

std::vector<PeeledMismatch> FindPeeledMismatches(const PackFile& pack) {
  ObjectReader objects(pack);
  const TagReader reader = {
      [&](const ObjectId& id) -> std::optional<ObjectType> {
        const auto rank = pack.ids().Find(id);
        if (!rank) return std::nullopt;
        const auto info = objects.ReadInfo(pack.number(*rank));
        return info ? std::optional(info->type) : std::nullopt;
      },
      [&](const ObjectId& id) -> std::optional<Bytes> {
        Bytes content;
        const auto rank = pack.ids().Find(id);
        if (!rank || !objects.Read(pack.number(*rank), content)) {
          return std::nullopt;
        }
        return content;
      }};
  std::vector<PeeledMismatch> mismatches;
  for (const Ref& ref : pack.refs().refs) {
    if (ref.symbolic()) continue;
    const ObjectId actual =
        PeelTag(ref.target, pack.header().object_format, reader);
    if (actual != ref.peeled) {
      mismatches.push_back({ref.name, ref.peeled, actual});
    }
  }
  return mismatches;
}

}  // namespace zpack
