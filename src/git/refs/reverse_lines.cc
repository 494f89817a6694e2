// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/refs/reverse_lines.h"

#include <algorithm>

#include "base/error.h"

namespace zpack {
namespace {

constexpr uint64_t kPieceSize = 64 << 10;

}  // namespace

ReverseLines::ReverseLines(const RandomAccessFile& file, size_t max_line)
    : file_(file), max_line_(max_line), unread_(file.size()) {}

Status ReverseLines::ReadPiece() {
  piece_.resize(std::min(unread_, kPieceSize));
  unread_ -= piece_.size();
  return file_.Read(unread_, piece_);
}

Result<std::optional<std::string>> ReverseLines::Next() {
  std::string line;
  bool has_end = false;
  while (unread_ != 0 || !piece_.empty()) {
    if (piece_.empty()) ZPACK_TRY(ReadPiece());
    if (!has_end) {
      if (piece_.back() != '\n') {
        return MakeError(ErrorCode::kCorrupt,
                         "the last line of '{}' has no end",
                         AtPath{file_.path()});
      }
      piece_.pop_back();
      has_end = true;
    }
    // The line feed before the line stays, as the end of the line before.
    const std::string_view text = AsText(piece_);
    const size_t at = text.rfind('\n');
    const size_t begin = at == std::string_view::npos ? 0 : at + 1;
    const std::string_view part = text.substr(begin);
    if (part.size() > max_line_ - line.size()) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "a line of '{}' is longer than {} bytes",
                       AtPath{file_.path()}, max_line_);
    }
    line.insert(line.end(), part.rbegin(), part.rend());
    piece_.resize(begin);
    if (begin != 0) break;
  }
  if (!has_end) return std::nullopt;
  std::ranges::reverse(line);
  return line;
}

}  // namespace zpack
