// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Answers a fetch with a pack: selects the objects and sends them.

#pragma once

#include <vector>

#include "base/index_spaces.h"
#include "serve/fetch_request.h"
#include "serve/history.h"
#include "serve/pack_reply.h"
#include "serve/upload_context.h"
#include "zpack/result.h"

namespace zpack {

// Sends the pack that `request` asks for to a client that has `haves`.
//
// Errors: those of SelectObjects and TransferObjects, after the client was told
// that the pack ends early.
Status SendPack(const FetchRequest& request,
                const std::vector<ObjectNumber>& haves, UploadContext& context,
                History& history, PackReply& reply);

}  // namespace zpack
