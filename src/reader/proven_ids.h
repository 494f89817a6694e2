// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The ids of the objects of a file without an index, or of a damaged file, by
// number, as far as they are known, and which objects are proven: decoded and
// hashed to their ids. Different threads may write different blocks. A block
// may be read by others once it is written.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "format/block_table.h"
#include "object/object_id_table.h"
#include "reader/file_blocks.h"
#include "zpack/object_id.h"

namespace zpack {

class ProvenIds {
 public:
  // `index` is that of the file, or null. Without it, `stated` has ids that are
  // known before anything is proven: for each number from 0 on, an id, or zeros
  // if it is not known; numbers after those have no known ids. All must outlive
  // this object.
  ProvenIds(const format::BlockTable& table, const FileIndex* index,
            ObjectFormat format, ByteView stated = {});

  bool has_index() const { return index_ != nullptr; }
  // Whether the id of `number` is known. The object need not be there.
  bool IsKnown(ObjectNumber number) const;
  // Zeros if the id is not known.
  ObjectId Id(ObjectNumber number) const;

  // Whether nothing says that the object `number` has another id.
  bool IsExpected(ObjectNumber number, const ObjectId& id) const {
    return !IsStated(number) || Id(number) == id;
  }

  // Whether the object is proven.
  bool IsProven(ObjectNumber number) const;
  // Makes room for the objects of a block. Called before SetProven.
  void AddBlock(size_t row);
  // The object `number` hashes to `id`. REQUIRES: IsExpected(number, id).
  void SetProven(ObjectNumber number, const ObjectId& id);
  // Forgets what was proven of a block.
  void Retract(size_t row);

  // After everything is proven: sorts the proven objects by id. Of several with
  // the same id, only the first stays proven. Changes nothing that Id returns.
  void Sort();
  // REQUIRES: Sort was called.
  uint32_t proven_count() const { return sorted_.size(); }
  std::optional<ObjectNumber> Find(const ObjectId& id) const;
  const ObjectIdTable& sorted() const { return sorted_; }

 private:
  struct Row {
    Bytes ids;  // empty with an index
    std::vector<bool> proven;
  };

  // Whether the id is known without a proof.
  bool IsStated(ObjectNumber number) const;
  ByteView Stated(ObjectNumber number) const;
  // The row of `number`, with the position in it. Null if its block is lost.
  const Row* Locate(ObjectNumber number, size_t& position) const;

  const format::BlockTable& table_;
  const FileIndex* index_;
  ByteView stated_;
  size_t width_;
  ObjectFormat format_;
  ObjectId unknown_;
  std::vector<Row> rows_;
  ObjectIdTable sorted_;
  std::vector<ObjectNumber> numbers_;  // by rank in `sorted_`
};

}  // namespace zpack
