// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/upload_session.h"

#include "serve/protocol_v0.h"
#include "serve/protocol_v2.h"
#include "serve/upload_context.h"

namespace zpack {

Status RunUploadSession(const ArchiveFile& archive,
                        const UploadPackOptions& options, ServeInput& input,
                        ServeOutput& output) {
  UploadContext context(archive, options, input, output);
  Status served = options.protocol == ServeProtocol::kV2 ? ServeV2(context)
                                                         : ServeV0(context);
  if (served) return context.writer().Send();
  const ErrorCode code = served.error().code;
  if (code == ErrorCode::kInvalidArgument ||
      code == ErrorCode::kLimitExceeded) {
    // The error of the request counts, even if the client is gone.
    const Status told = context.writer().Line(
        ("ERR " + served.error().message).substr(0, 1000));
    if (told) static_cast<void>(context.writer().Send());
  }
  return served;
}

}  // namespace zpack
