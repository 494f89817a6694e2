// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_entry_stream.h"

#include "base/error.h"

namespace zpack {

std::unexpected<Error> PackEntryStream::Damaged(std::string_view why) const {
  return MakeError(ErrorCode::kCorrupt,
                   "the entry that ends at offset {} of '{}' is too {}",
                   AtOffset{end_}, AtPath{path_}, why);
}

Status PackEntryStream::Read(std::span<uint8_t> out) {
  if (out.size() > left_) {
    return MakeError(ErrorCode::kCorrupt, "an object of {} bytes ends early",
                     info_.size);
  }
  left_ -= out.size();
  ZPACK_ASSIGN_OR_RETURN(const size_t filled, inflater_.Inflate(out));
  if (filled != out.size()) return Damaged("short");
  if (left_ != 0) return {};
  uint8_t more = 0;
  ZPACK_ASSIGN_OR_RETURN(const size_t extra, inflater_.Inflate({&more, 1}));
  return extra == 0 ? Status{} : Damaged("long");
}

}  // namespace zpack
