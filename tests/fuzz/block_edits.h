// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Random edits of a file's blocks and of what their streams hold.
// Thread-compatible.

#pragma once

#include "fuzz/choices.h"
#include "fuzz/file_mutator.h"
#include "fuzz/file_parts.h"

namespace zpack::testing {

// Refers to its arguments.
class BlockEdits {
 public:
  BlockEdits(FileParts& parts, Choices& choices, const EditBytes& edit_bytes)
      : parts_(parts), choices_(choices), edit_bytes_(edit_bytes) {}

  void EditBlockHeader();
  void EditDirectory();
  void EditStream();
  // A block of `from`, once or many times.
  void InsertBlock(const FileParts& from);
  void ReplaceStream(FileParts other);

 private:
  // A block or stream of `parts`, or null.
  BlockPart* AnyBlock(FileParts& parts);
  StreamPart* AnyStream(FileParts& parts);
  // A part many times, which takes no room once it is compressed.
  void RepeatBytes(StreamPart& stream);
  void EditVarints(Bytes& raw);

  FileParts& parts_;
  Choices& choices_;
  const EditBytes& edit_bytes_;
};

}  // namespace zpack::testing
