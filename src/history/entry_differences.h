// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The entries in which two trees of a block differ, from the edits that lead
// from one to the other, without rebuilding either. Thread-compatible.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/index_spaces.h"
#include "format/tree_block.h"

namespace zpack {

class EntryDifferences {
 public:
  // One side of a difference.
  struct Side {
    bool exists = false;
    uint8_t mode = 0;  // index in format::kTreeModes
    LinkNumber child;

    bool operator==(const Side&) const = default;
  };
  // REQUIRES: name is that of an entry of the block.
  struct Difference {
    uint32_t name = 0;
    Side before = {};
    Side after = {};
  };

  // Finds the differences between the trees `before` and `after` of the block:
  // all of them, and maybe entries that are the same. False if there is no way
  // between the trees, or a long one.
  bool Find(const format::TreeBlock& trees, uint32_t before, uint32_t after);
  // Whether one tree is the base of the other. What was found is then in the
  // order of the entries, and otherwise in no order.
  bool is_step() const { return up_.size() + down_.size() == 1; }
  // What was found, valid until the next call.
  std::span<const Difference> found() const { return found_; }

 private:
  // Fills `up_` and `down_`. False as in Find.
  bool FindWay(const format::TreeBlock& trees, uint32_t before, uint32_t after);
  // Adds the edits of tree `index`, from the tree to its base if `is_up`. False
  // if they do not fit what came before.
  bool AddEdits(const format::TreeBlock& trees, uint32_t index, bool is_up);
  // Where the difference for entries of this name is; a new one is empty.
  size_t PlaceOf(uint32_t name, uint8_t mode);

  std::vector<uint32_t> up_;    // trees, from that before to the common base
  std::vector<uint32_t> down_;  // from that after
  std::vector<Difference> found_;
  std::vector<uint32_t> places_;  // by name and kind: one more than the place
};

}  // namespace zpack
