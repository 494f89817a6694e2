// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "read/content_writer.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "common_options.h"
#include "named_output.h"
#include "spool_file.h"

namespace zpack::cli {

Status WritePiece(std::span<const uint8_t> piece, std::ostream& out) {
  out.write(reinterpret_cast<const char*>(piece.data()),
            static_cast<std::streamsize>(piece.size()));
  if (out) return {};
  return std::unexpected(NamedOutput{out}.Failure());
}

Status ContentWriter::Write(const ObjectId& id, const ObjectInfo& info,
                            std::string_view head) {
  if (info.size > held_ && large_ == LargeContent::kSpool) {
    auto spool = SpoolFile::Create();
    if (!spool) return std::unexpected(spool.error());
    const Status spooled =
        reader_.Stream(id, [&](std::span<const uint8_t> piece) {
          return GoOn(spool->Append(piece));
        });
    if (!spooled) return spooled;
    out_ << head;
    return spool->ForEachPiece([&](std::span<const uint8_t> piece) {
      return WritePiece(piece, out_);
    });
  }
  // Stream calls this function only after it has hashed the object, except for
  // large objects.
  bool begun = false;
  const Status written =
      reader_.Stream(id, [&](std::span<const uint8_t> piece) {
        if (!begun) out_ << head;
        begun = true;
        return GoOn(WritePiece(piece, out_));
      });
  if (written && !begun) out_ << head;
  return written;
}

}  // namespace zpack::cli
