// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The second part of a fetch in protocol v0: the client names what it has, and
// the server says what it knows.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/index_spaces.h"
#include "serve/negotiation.h"
#include "serve/upload_context.h"
#include "serve/wants_v0.h"
#include "zpack/result.h"

namespace zpack {

class AcknowledgmentsV0 {
 public:
  // The arguments must outlive this object.
  AcknowledgmentsV0(UploadContext& context, History& history,
                    const WantsV0& wants)
      : context_(context),
        wants_(wants),
        negotiation_(history, context.options().run.stop) {}

  // Reads haves and answers them. Returns true if the pack follows, and false
  // if the client will continue in another request. Errors are those of
  // UploadPack.
  Result<bool> Exchange();

  const std::vector<ObjectNumber>& haves() const {
    return negotiation_.haves();
  }

 private:
  Status TakeHave(std::string_view text);
  // Ends a round of haves. Returns true if the pack follows.
  Result<bool> EndRound();
  Status EndAll();

  UploadContext& context_;
  const WantsV0& wants_;
  Negotiation negotiation_;
  std::string last_common_;  // hexadecimal
  bool got_common_ = false;  // in this round
  bool got_other_ = false;
  bool sent_ready_ = false;
};

}  // namespace zpack
