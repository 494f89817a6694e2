// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The command 'fetch' of gitprotocol-v2(5).

#pragma once

#include "serve/upload_context.h"
#include "zpack/result.h"

namespace zpack {

// Reads the arguments and answers with acknowledgments or with a pack. Errors
// are those of UploadPack.
Status AnswerFetch(UploadContext& context);

}  // namespace zpack
