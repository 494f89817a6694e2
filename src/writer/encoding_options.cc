// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/encoding_options.h"

#include "base/error.h"
#include "codec/zstd_codec.h"

namespace zpack {
namespace {

// What the profiles cost and save is measured in README.md.
EncodingOptions ProfileOptions(Profile profile) {
  switch (profile) {
    case Profile::kFast:
      return {5, 2'000'000, 2, 1};
    case Profile::kMax:
      return {19, 8'000'000, 12, 8};
    case Profile::kBalanced:
      break;
  }
  return {12, 2'000'000, 6, 4};
}

}  // namespace

Result<EncodingOptions> ResolveEncoding(const ConvertOptions& options) {
  EncodingOptions encoding = ProfileOptions(options.profile);
  if (options.level) encoding.level = *options.level;
  if (options.block_size) encoding.block_size = *options.block_size;
  if (encoding.level < ZstdCompressor::kMinLevel ||
      encoding.level > ZstdCompressor::kMaxLevel) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "level {} is not between {} and {}", encoding.level,
                     ZstdCompressor::kMinLevel, ZstdCompressor::kMaxLevel);
  }
  if (encoding.block_size < ConvertOptions::kMinBlockSize ||
      encoding.block_size > ConvertOptions::kMaxBlockSize) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "block size {} is not between {} and {}",
                     encoding.block_size, ConvertOptions::kMinBlockSize,
                     ConvertOptions::kMaxBlockSize);
  }
  return encoding;
}

}  // namespace zpack
