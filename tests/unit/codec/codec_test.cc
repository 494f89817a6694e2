// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// zstd and zlib.

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>

#include "codec/deflate.h"
#include "codec/zstd_codec.h"

namespace zpack {
namespace {

// Text-like bytes: compressible, but not trivially.
Bytes Sample(size_t size) {
  std::mt19937 random(42);
  Bytes out;
  while (out.size() < size) {
    const std::string word = "word" + std::to_string(random() % 500) + ' ';
    Append(out, AsBytes(word));
  }
  out.resize(size);
  return out;
}

Bytes Inflate(ByteView stream, size_t size) {
  Bytes out(size + 1);
  uLongf got = out.size();
  EXPECT_EQ(uncompress(out.data(), &got, stream.data(), stream.size()), Z_OK);
  out.resize(got);
  return out;
}

class ZstdLevels : public ::testing::TestWithParam<int> {};

TEST_P(ZstdLevels, RoundTripAndRepeat) {
  ZstdCompressor compressor(GetParam());
  ZstdDecompressor decompressor;
  for (const size_t size : {0U, 1U, 100U, 131072U, 131073U, 600000U}) {
    const Bytes raw = Sample(size);
    Bytes first;
    Bytes second;
    ASSERT_TRUE(compressor.Compress(raw, first));
    ASSERT_TRUE(compressor.Compress(raw, second));
    EXPECT_EQ(first, second) << "a reused context gives the same bytes";
    Bytes back(size);
    ASSERT_TRUE(decompressor.Decompress(first, back));
    EXPECT_EQ(back, raw);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ZstdLevels,
                         ::testing::Values(1, 3, 9, 13, 19, 22));

TEST(ZstdCompressor, StopsInTheMiddleAndGoesOnWithTheNext) {
  std::stop_source stop;
  ZstdCompressor compressor(19, stop.get_token());
  const Bytes raw = Sample(400000);
  Bytes out;
  ASSERT_TRUE(compressor.Compress(raw, out));
  stop.request_stop();
  Bytes other;
  const auto stopped = compressor.Compress(raw, other);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kInterrupted);
  // What takes no time is done.
  ASSERT_TRUE(compressor.Compress(ByteView(raw).first(1000), other));
}

TEST(ZstdCompressor, AppendsToWhatIsThere) {
  Bytes out = {1, 2, 3};
  const auto size = ZstdCompressor(3).Compress(Sample(1000), out);
  ASSERT_TRUE(size);
  EXPECT_EQ(out.size(), 3 + *size);
  EXPECT_EQ(out[2], 3);
}

TEST(ZstdDecompressor, RefusesAFrameOfAnotherSize) {
  Bytes frame;
  ASSERT_TRUE(ZstdCompressor(3).Compress(Sample(1000), frame));
  ZstdDecompressor decompressor;
  for (const size_t size : {0U, 999U, 1001U}) {
    Bytes out(size);
    const Status status = decompressor.Decompress(frame, out);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
  }
}

TEST(ZstdDecompressor, RefusesSeveralFramesAndSkippableOnes) {
  Bytes frames;
  ASSERT_TRUE(ZstdCompressor(3).Compress(Sample(500), frames));
  const Bytes one = frames;
  Append(frames, one);
  Bytes out(1000);
  EXPECT_FALSE(ZstdDecompressor().Decompress(frames, out));
  Bytes skipped = {0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 0xff};
  Append(skipped, one);
  EXPECT_FALSE(
      ZstdDecompressor().Decompress(skipped, std::span(out).first(500)));
}

TEST(ZstdDecompressor, RefusesGarbageAndTruncation) {
  Bytes frame;
  ASSERT_TRUE(ZstdCompressor(3).Compress(Sample(1000), frame));
  ZstdDecompressor decompressor;
  Bytes out(1000);
  EXPECT_FALSE(decompressor.Decompress({}, out));
  EXPECT_FALSE(decompressor.Decompress(Sample(100), out));
  EXPECT_FALSE(
      decompressor.Decompress(ByteView(frame).first(frame.size() - 1), out));
  EXPECT_TRUE(decompressor.Decompress(frame, out)) << "usable after failures";
}

// Texts of which each repeats parts of those before it.
std::vector<Bytes> Texts() {
  const Bytes all = Sample(300000);
  std::vector<Bytes> texts;
  for (const auto& [from, size] : std::vector<std::pair<size_t, size_t>>{
           {0, 200000}, {0, 0}, {100000, 200000}, {5, 1}, {0, 131072}}) {
    const ByteView text = ByteView(all).subspan(from, size);
    texts.emplace_back(text.begin(), text.end());
  }
  return texts;
}

std::vector<Bytes> Pieces(ZstdCompressor& compressor, uint64_t max_size) {
  compressor.BeginPieces(max_size);
  std::vector<Bytes> pieces;
  for (const Bytes& text : Texts()) {
    EXPECT_TRUE(compressor.CompressPiece(text, pieces.emplace_back()));
  }
  return pieces;
}

TEST(ZstdPieces, EachNeedsOnlyThoseBeforeIt) {
  const std::vector<Bytes> texts = Texts();
  for (const int level : {1, 12, 19}) {
    ZstdCompressor compressor(level);
    const std::vector<Bytes> pieces = Pieces(compressor, 1'000'000);
    EXPECT_EQ(Pieces(compressor, 1'000'000), pieces) << "a second frame";
    EXPECT_LT(pieces[4].size(), 1000U) << "a text that was there before";
    ZstdDecompressor decompressor;
    for (size_t skipped = 0; skipped <= texts.size(); ++skipped) {
      decompressor.BeginPieces();
      for (size_t i = 0; i < texts.size(); ++i) {
        if (i < skipped) {
          ASSERT_TRUE(decompressor.SkipPiece(pieces[i], texts[i].size()));
          continue;
        }
        Bytes back(texts[i].size());
        ASSERT_TRUE(decompressor.DecompressPiece(pieces[i], back));
        EXPECT_EQ(back, texts[i]);
      }
    }
  }
}

TEST(ZstdPieces, OfAnotherSizeAreRefused) {
  ZstdCompressor compressor(3);
  const std::vector<Bytes> pieces = Pieces(compressor, 1'000'000);
  const size_t size = Texts()[0].size();
  for (const size_t wrong : {size - 1, size + 1, size_t{0}, size - 131072}) {
    ZstdDecompressor decompressor;
    Bytes back(wrong);
    decompressor.BeginPieces();
    EXPECT_FALSE(decompressor.DecompressPiece(pieces[0], back)) << wrong;
    decompressor.BeginPieces();
    EXPECT_FALSE(decompressor.SkipPiece(pieces[0], wrong)) << wrong;
  }
  Bytes longer = pieces[0];
  longer.push_back(0);
  for (const ByteView piece :
       {ByteView(longer), ByteView(pieces[0]).first(9), ByteView(pieces[2])}) {
    ZstdDecompressor decompressor;
    decompressor.BeginPieces();
    Bytes back(size);
    const bool first = decompressor.DecompressPiece(piece, back).has_value();
    // The start of a block may be taken for one that goes on in the next piece.
    Bytes more(Texts()[2].size());
    EXPECT_FALSE(first && decompressor.DecompressPiece({}, {}) &&
                 decompressor.DecompressPiece(pieces[2], more))
        << piece.size();
  }
}

TEST(ZstdPieces, AFrameThatEndsIsRefused) {
  const Bytes text = Texts()[0];
  Bytes frame;
  ZstdCompressor compressor(3);
  ASSERT_TRUE(compressor.Compress(text, frame));
  Bytes skippable = {0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0};
  Append(skippable, Pieces(compressor, 1'000'000)[0]);
  for (const Bytes& piece : {frame, skippable}) {
    ZstdDecompressor decompressor;
    decompressor.BeginPieces();
    Bytes back(text.size());
    EXPECT_FALSE(decompressor.DecompressPiece(piece, back));
  }
}

TEST(ZstdPieces, AWindowAboveTheLimitIsRefused) {
  // A frame header with the window of its byte, and a stored block of a byte.
  for (const int log : {26, 27}) {
    const Bytes piece = {
        0x28, 0xb5, 0x2f, 0xfd, 0, static_cast<uint8_t>((log - 10) << 3),
        8,    0,    0,    'x'};
    ZstdDecompressor decompressor;
    decompressor.BeginPieces();
    Bytes back(1);
    EXPECT_EQ(decompressor.DecompressPiece(piece, back).has_value(),
              log <= kMaxPieceWindowLog);
  }
}

TEST(Deflater, MakesStreamsThatZlibReads) {
  Deflater deflater(6);
  for (const size_t size : {0U, 1U, 70000U}) {
    const Bytes raw = Sample(size);
    Bytes stream;
    deflater.Deflate(raw, stream);
    EXPECT_EQ(Inflate(stream, size), raw);
  }
}

TEST(StreamDeflater, MakesOneStreamOfManyPieces) {
  const Bytes raw = Sample(300000);
  Bytes stream;
  StreamDeflater deflater([&](ByteView piece) {
    Append(stream, piece);
    return Status{};
  });
  for (size_t at = 0; at < raw.size(); at += 7777) {
    const size_t size = std::min<size_t>(7777, raw.size() - at);
    ASSERT_TRUE(deflater.Append(ByteView(raw).subspan(at, size)));
  }
  ASSERT_TRUE(deflater.Finish());
  EXPECT_EQ(Inflate(stream, raw.size()), raw);
}

TEST(StreamDeflater, PassesOnAFailureOfItsSink) {
  StreamDeflater deflater([](ByteView) -> Status {
    return std::unexpected(Error{ErrorCode::kIo, "disk full"});
  });
  const Status status = deflater.Finish();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
}

TEST(Crc32, GivesThePublishedValue) {
  EXPECT_EQ(Crc32(0, AsBytes("123456789")), 0xcbf43926U);
}

}  // namespace
}  // namespace zpack
