// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/covered_data.h"

#include <algorithm>

#include "base/error.h"

namespace zpack {

uint64_t CoveredFileSize(const ParityShape& shape) {
  if (!shape.embedded()) return shape.data_size;
  return shape.data_size + shape.set_size() + kAfterSet + kUncoveredEnd;
}

void ForEachPiece(
    const ParityShape& shape, uint64_t offset, uint64_t size,
    const std::function<void(uint64_t, uint64_t, uint64_t)>& visit) {
  const uint64_t end = std::min(offset + size, shape.data_size);
  if (offset < std::min(end, shape.gap)) {
    visit(offset, offset, std::min(end, shape.gap) - offset);
  }
  const uint64_t begin = std::max(offset, shape.gap);
  if (begin < end) {
    visit(begin, begin + shape.set_size() + kAfterSet, end - begin);
  }
}

Status ReadOrZeros(const RandomAccessFile& file, uint64_t offset,
                   std::span<uint8_t> out) {
  const uint64_t there =
      offset < file.size()
          ? std::min<uint64_t>(out.size(), file.size() - offset)
          : 0;
  std::ranges::fill(out.subspan(there), uint8_t{0});
  return there == 0 ? Status{} : file.Read(offset, out.first(there));
}

Status ReadCovered(const RandomAccessFile& file, const ParityShape& shape,
                   uint64_t offset, std::span<uint8_t> out) {
  Status status;
  uint64_t filled = 0;
  ForEachPiece(shape, offset, out.size(),
               [&](uint64_t data, uint64_t at, uint64_t size) {
                 if (!status) return;
                 status =
                     ReadOrZeros(file, at, out.subspan(data - offset, size));
                 filled = data - offset + size;
               });
  std::ranges::fill(out.subspan(filled), uint8_t{0});
  return status;
}

}  // namespace zpack
