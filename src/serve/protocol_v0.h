// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Versions 0 and 1 of Git's protocol (gitprotocol-pack(5)).

#pragma once

#include "serve/upload_context.h"
#include "zpack/result.h"

namespace zpack {

// Holds the part of a conversation that the options of `context` ask for.
// Errors are those of UploadPack. The client has not been told of
// kInvalidArgument.
Status ServeV0(UploadContext& context);

}  // namespace zpack
