// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The command 'ls-refs' of gitprotocol-v2(5).

#pragma once

#include "serve/upload_context.h"
#include "zpack/result.h"

namespace zpack {

// Reads the arguments and lists the refs. Errors are those of UploadPack.
Status AnswerListRefs(UploadContext& context);

}  // namespace zpack
