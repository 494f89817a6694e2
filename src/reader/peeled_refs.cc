// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/peeled_refs.h"

#include <optional>

#include "base/error.h"
#include "object/peel.h"
#include "reader/object_reader.h"

namespace zpack {

Result<std::vector<PeeledMismatch>> FindPeeledMismatches(const PackFile& pack) {
  ObjectReader objects(pack);
  Status readable;
  const auto note = [&](const Error& error) {
    if (readable && error.code == ErrorCode::kIo) {
      readable = std::unexpected(error);
    }
  };
  const TagReader reader = {
      [&](const ObjectId& id) -> std::optional<ObjectType> {
        const auto rank = pack.ids().Find(id);
        if (!rank) return std::nullopt;
        const auto info = objects.ReadInfo(pack.number(*rank));
        if (info) return info->type;
        note(info.error());
        return std::nullopt;
      },
      [&](const ObjectId& id) -> std::optional<Bytes> {
        const auto rank = pack.ids().Find(id);
        if (!rank) return std::nullopt;
        Bytes content;
        const auto type = objects.Read(pack.number(*rank), content);
        if (type) return content;
        note(type.error());
        return std::nullopt;
      }};
  std::vector<PeeledMismatch> mismatches;
  for (const Ref& ref : pack.refs().refs) {
    if (ref.symbolic()) continue;
    const ObjectId actual =
        PeelTag(ref.target, pack.header().object_format, reader);
    ZPACK_TRY(readable);
    if (actual != ref.peeled) {
      mismatches.push_back({ref.name, ref.peeled, actual});
    }
  }
  return mismatches;
}

}  // namespace zpack
