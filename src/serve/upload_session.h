// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Serves an open archive to one client, in any version of the protocol.

#pragma once

#include "reader/archive_file.h"
#include "zpack/result.h"
#include "zpack/serve.h"

namespace zpack {

// Errors are those of UploadPack. The client is told of an error in its
// request.
Status RunUploadSession(const ArchiveFile& archive,
                        const UploadPackOptions& options, ServeInput& input,
                        ServeOutput& output);

}  // namespace zpack
