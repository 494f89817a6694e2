// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/upload_session.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "object/ref_name.h"
#include "serve/protocol_v0.h"
#include "serve/protocol_v2.h"
#include "serve/upload_context.h"

namespace zpack {
namespace {

// The refs whose objects are in the file. As in Git, no client sees the others.
RefsSnapshot RefsThatExist(const ArchiveFile& archive) {
  RefsSnapshot refs = archive.refs();
  const auto is_absent = [&](const ObjectId& id) {
    return !id.empty() && !archive.ids().Find(id);
  };
  std::erase_if(refs.refs, [&](const Ref& ref) {
    return !ref.symbolic() && is_absent(ref.target);
  });
  if (is_absent(refs.head_target)) refs.head_target = {};
  return refs;
}

// `ref` as clients of a namespace see it; nullopt if it leads nowhere. A chain
// of symbolic refs is one to its end, or none if the end is outside.
std::optional<Ref> InNamespace(const Ref& ref, std::string_view prefix,
                               const RefsSnapshot& all) {
  Ref shown = ref;
  shown.name.erase(0, prefix.size());
  if (!ref.symbolic()) return shown;
  std::string_view end = all.ResolveName(ref.name);
  if (SkipPrefix(prefix, end)) {
    shown.symref_target = end;
    return shown;
  }
  const Ref* const target = all.Find(end);
  if (target == nullptr) return std::nullopt;
  shown.symref_target.clear();
  shown.target = target->target;
  shown.peeled = target->peeled;
  return shown;
}

// The refs of a namespace, with the names that clients see.
RefsSnapshot RefsOfNamespace(const RefsSnapshot& all, std::string_view prefix) {
  RefsSnapshot refs;
  refs.shallow = all.shallow;
  for (const Ref& ref : all.refs) {
    if (!ref.name.starts_with(prefix)) continue;
    auto shown = InNamespace(ref, prefix, all);
    if (!shown) continue;
    if (shown->name == kHeadName) {
      refs.head_symref = std::move(shown->symref_target);
      refs.head_target = shown->target;
    } else if (shown->name.starts_with("refs/")) {
      refs.refs.push_back(*std::move(shown));
    }
  }
  return refs;
}

}  // namespace

Status RunUploadSession(const ArchiveFile& archive,
                        const UploadPackOptions& options, ServeInput& input,
                        ServeOutput& output) {
  std::optional<RefsSnapshot> served_refs;
  if (archive.has_lost()) {
    ZPACK_TRY(archive.LoadIndex());
    served_refs = RefsThatExist(archive);
  }
  if (const std::string& prefix = options.settings.ref_namespace;
      !prefix.empty()) {
    served_refs =
        RefsOfNamespace(served_refs ? *served_refs : archive.refs(), prefix);
  }
  UploadContext context(archive, served_refs ? *served_refs : archive.refs(),
                        options, {input, output});
  Status served = options.protocol == ServeProtocol::kV2 ? ServeV2(context)
                                                         : ServeV0(context);
  if (served) return context.writer().Send();
  const ErrorCode code = served.error().code;
  // kNotFound: something that the client wants needs an object that is not in
  // the file.
  if (code == ErrorCode::kInvalidArgument ||
      code == ErrorCode::kLimitExceeded || code == ErrorCode::kNotFound) {
    // The error of the request counts, even if the client is gone.
    const Status told = context.writer().Line(
        ("ERR " + served.error().message).substr(0, 1000));
    if (told) static_cast<void>(context.writer().Send());
  }
  return served;
}

}  // namespace zpack
