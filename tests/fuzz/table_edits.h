// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Random edits of all of a file but its blocks. Thread-compatible.

#pragma once

#include <string>
#include <vector>

#include "fuzz/choices.h"
#include "fuzz/file_mutator.h"
#include "fuzz/file_parts.h"

namespace zpack::testing {

// Refers to its arguments.
class TableEdits {
 public:
  TableEdits(FileParts& parts, Choices& choices, const EditBytes& edit_bytes)
      : parts_(parts), choices_(choices), edit_bytes_(edit_bytes) {}

  void EditHeader();
  void EditChunks();
  void EditRows();
  void EditIds();
  void EditRefs();

 private:
  void EditNames(std::vector<std::string>& names);
  // The payload of chunks `id` as bytes.
  void EditPayload(uint32_t id);
  void EditRef(Ref& ref);
  ObjectId AnyId();
  std::string AnyRefName();

  FileParts& parts_;
  Choices& choices_;
  const EditBytes& edit_bytes_;
};

}  // namespace zpack::testing
