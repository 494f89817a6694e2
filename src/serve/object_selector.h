// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Decides which objects travel: those that a client wants, less those that it
// has. Walks numbers of objects and decodes no text.
//
// As with Git's pack.useSparse, a tree that the client has is read only where
// the client wants another tree of the same path, so an object that moved to
// another path may be sent although the client has it.

#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "base/index_spaces.h"
#include "serve/allowed_filter.h"
#include "serve/history.h"
#include "serve/served_refs.h"
#include "transfer/object_transfer.h"
#include "zpack/result.h"

namespace zpack {

struct SelectionRequest {
  // Sent even if the filter rejects them, as are the targets of tags.
  std::vector<ObjectNumber> wants;
  // The client has these, and what they reach.
  std::vector<ObjectNumber> haves;
  ObjectFilter filter;
  // Whether objects of the client may be bases.
  bool thin = false;
  // Refs whose tags are sent if they point at objects that are sent; null for
  // none. Only 'refs/tags/' counts, and hidden refs do not, as in Git.
  const ServedRefs* tags = nullptr;
  // Whether the history of the client ends early. If so, the trees of all haves
  // are compared, because the walk may meet none of them, and those of wants
  // that the client has.
  bool shallow = false;
  unsigned threads = 0;  // as in LogOptions
};

struct Selection {
  TransferChoice choice;
  uint32_t count = 0;  // of chosen objects
};

// Called during the selection with the number of objects chosen so far. An
// error ends the selection.
using SelectionProgress = std::function<Status(uint32_t count)>;

// Errors: kCorrupt or kNotFound if an object that is needed is damaged or
// missing; kInterrupted; those of `progress`.
Result<Selection> SelectObjects(const SelectionRequest& request,
                                History& history, const std::stop_token& stop,
                                const SelectionProgress& progress);

}  // namespace zpack
