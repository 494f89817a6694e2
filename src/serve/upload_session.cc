// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/upload_session.h"

#include <optional>
#include <vector>

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

}  // namespace

Status RunUploadSession(const ArchiveFile& archive,
                        const UploadPackOptions& options, ServeInput& input,
                        ServeOutput& output) {
  std::optional<RefsSnapshot> sound;
  if (archive.has_lost()) {
    ZPACK_TRY(archive.LoadIndex());
    sound = RefsThatExist(archive);
  }
  UploadContext context(archive, sound ? *sound : archive.refs(), options,
                        {input, output});
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
