// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "salvage/salvaging.h"

#include "base/error.h"
#include "base/parallel.h"
#include "reader/object_prover.h"
#include "salvage/fatal_error.h"

namespace zpack {

Status Salvaging::Note(size_t row, const Error& error) const {
  if (IsFatal(error)) return std::unexpected(error);
  damages.push_back(NewError(error.code, "block at offset {} of '{}': {}",
                             AtOffset{blocks.block(row).offset},
                             AtPath{file.path()}, MessageText{error.message}));
  return {};
}

Status ProveSalvaged(const Salvaging& salvaging) {
  return ProveObjects(
      {.file = salvaging.file,
       .ids = salvaging.ids,
       .threads = ResolveThreads(salvaging.run.threads),
       .stop = salvaging.run.stop,
       .has_block = [&](size_t row) { return salvaging.blocks.IsBlock(row); },
       .lose = [&](size_t row, uint32_t /*objects*/,
                   const Error& error) { return salvaging.Note(row, error); },
       .differs =
           [&](size_t row, const ObjectId& expected, const ObjectId& actual) {
             salvaging.damages.push_back(NewError(
                 ErrorCode::kCorrupt,
                 "object {} hashes to {} at offset {} of '{}'", expected,
                 actual, AtOffset{salvaging.blocks.block(row).offset},
                 AtPath{salvaging.file.path()}));
           }});
}

}  // namespace zpack
