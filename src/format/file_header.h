// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The compatibility header at the start of a file (FORMAT.md, "Header"). Pure.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "format/constants.h"
#include "zpack/object_id.h"
#include "zpack/result.h"
#include "zpack/version.h"

namespace zpack::format {

struct FileHeader {
  uint32_t object_count = 0;
  uint16_t major = kFormatMajor;
  uint16_t minor = kFormatMinor;
  ObjectFormat object_format = ObjectFormat::kSha1;
  uint64_t table_of_contents_offset = 0;
  uint64_t file_size = 0;
  // Each name has 1 to 255 characters: a-z, 0-9, '-' and '.'.
  std::vector<std::string> required_features;
  std::vector<std::string> optional_features;

  // Bytes of the encoded header. Depends only on the features.
  size_t EncodedSize() const;
};

void Encode(const FileHeader& header, Bytes& out);

// Size in bytes of the header that begins with `start`, the first
// kFixedHeaderSize bytes of the file. kUnsupported if the file is not a .zpack
// file; kCorrupt if the signature is damaged or the size is out of range.
Result<size_t> DecodeHeaderSize(ByteView start);

// Decodes a whole header. kCorrupt if the header is damaged; kUnsupported, with
// 'needs a newer git-zpack', if the version is newer or a required feature is
// not in `known_features`.
Result<FileHeader> DecodeFileHeader(
    ByteView bytes, const std::vector<std::string>& known_features);

// Whether `features`, those of a file, have this one.
bool HasFeature(const std::vector<std::string>& features,
                std::string_view feature);

// The file has a list of promised objects.
inline constexpr std::string_view kPromisedFeature = "promised";
// The file has no ids; they are computed from the objects.
inline constexpr std::string_view kDerivedIdsFeature = "derived-ids";
// The file depends on another one, whose objects it does not hold.
inline constexpr std::string_view kBackingFeature = "backing";
// Blocks have streams of the codec StreamCodec::kContinued.
inline constexpr std::string_view kGroupsFeature = "groups";

// The features that a block can need: those of the block kinds (BlockForm) and
// of the stream codecs. Blocks that are read without the header of their file,
// as after damage, may use all of them.
const std::vector<std::string>& BlockFeatures();
// The required features that this version of the library supports.
const std::vector<std::string>& KnownFeatures();

}  // namespace zpack::format
