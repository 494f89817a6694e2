// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/gzip_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>

#include "support/matchers.h"

namespace zpack {
namespace {

using testing::HasCode;

std::string Gzip(const std::string& text) {
  constexpr int kGzip = 16;
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + kGzip, 8,
               Z_DEFAULT_STRATEGY);
  std::string out(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Gives a few bytes at a time.
class SlowInput final : public ServeInput {
 public:
  explicit SlowInput(std::string text) : text_(std::move(text)) {}
  Result<size_t> Read(std::span<uint8_t> out) override {
    const size_t size = std::min({out.size(), text_.size() - at_, size_t{3}});
    std::copy_n(text_.begin() + static_cast<ptrdiff_t>(at_), size, out.begin());
    at_ += size;
    return size;
  }

 private:
  std::string text_;
  size_t at_ = 0;
};

Result<std::string> ReadAll(ServeInput& input) {
  std::string text;
  Bytes piece(7);
  while (true) {
    auto read = input.Read(piece);
    if (!read) return std::unexpected(std::move(read).error());
    if (*read == 0) return text;
    text += AsText(ByteView(piece).first(*read));
  }
}

TEST(GzipInput, InflatesPieceByPiece) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i * i);
  SlowInput compressed(Gzip(text));
  const auto plain = Gunzip(compressed);
  EXPECT_EQ(ReadAll(*plain), text);
}

TEST(GzipInput, RefusesBombs) {
  SlowInput much(Gzip(std::string(1 << 20, 'x')));
  EXPECT_THAT(ReadAll(*Gunzip(much)), testing::IsOk());
  SlowInput bomb(Gzip(std::string(2 << 20, 'x')));
  EXPECT_THAT(ReadAll(*Gunzip(bomb)), HasCode(ErrorCode::kLimitExceeded));
}

TEST(GzipInput, RefusesDamagedAndCutStreams) {
  const std::string good = Gzip("some text that is long enough");
  for (size_t size = 0; size < good.size(); ++size) {
    SlowInput cut(good.substr(0, size));
    EXPECT_THAT(ReadAll(*Gunzip(cut)), HasCode(ErrorCode::kInvalidArgument))
        << size;
  }
  std::string bad = good;
  bad[bad.size() - 6] ^= 1;  // the checksum
  SlowInput damaged(bad);
  EXPECT_THAT(ReadAll(*Gunzip(damaged)), HasCode(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace zpack
