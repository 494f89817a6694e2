// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/file_header.h"

#include <algorithm>

#include "base/error.h"
#include "base/hash.h"
#include "format/block_form.h"

namespace zpack::format {
namespace {

bool IsFeatureName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.';
  });
}

Result<std::vector<std::string>> DecodeFeatures(ByteReader& in,
                                                uint16_t count) {
  std::vector<std::string> features;
  for (uint16_t i = 0; i < count; ++i) {
    const std::string_view name = AsText(in.Raw(in.U8()));
    if (!IsFeatureName(name)) {
      return MakeError(ErrorCode::kCorrupt, "bad feature name in header");
    }
    features.emplace_back(name);
  }
  return features;
}

}  // namespace

size_t FileHeader::EncodedSize() const {
  size_t size = kFixedHeaderSize + kChecksumSize;
  for (const auto& name : required_features) size += 1 + name.size();
  for (const auto& name : optional_features) size += 1 + name.size();
  return size;
}

void Encode(const FileHeader& header, Bytes& out) {
  const size_t start = out.size();
  ByteWriter to(out);
  to.U32(kPackSignature);
  to.U32(kPackVersion);
  to.U32(header.object_count);
  to.Raw(kSignature);
  to.U16(header.major);
  to.U16(header.minor);
  to.U32(static_cast<uint32_t>(header.EncodedSize()));
  to.U32(static_cast<uint32_t>(header.object_format));
  to.U8(static_cast<uint8_t>(ObjectIdWidth(header.object_format)));
  to.U8(0);   // unused
  to.U16(0);  // reserved
  to.U64(header.table_of_contents_offset);
  to.U64(header.file_size);
  to.U16(static_cast<uint16_t>(header.required_features.size()));
  to.U16(static_cast<uint16_t>(header.optional_features.size()));
  for (const auto* list :
       {&header.required_features, &header.optional_features}) {
    for (const std::string& name : *list) {
      to.U8(static_cast<uint8_t>(name.size()));
      to.Raw(AsBytes(name));
    }
  }
  to.U64(Checksum(ByteView(out).subspan(start)));
}

Result<size_t> DecodeHeaderSize(ByteView start) {
  ByteReader in(start);
  const uint32_t pack_signature = in.U32();
  const uint32_t pack_version = in.U32();
  in.U32();
  const bool signed_here =
      std::ranges::equal(in.Raw(kSignature.size()), kSignature);
  // Git packs have neither of the two. A file with only one is a damaged .zpack
  // file.
  if (pack_version != kPackVersion && !signed_here) {
    return MakeError(ErrorCode::kUnsupported, "not a .zpack file");
  }
  if (pack_signature != kPackSignature || pack_version != kPackVersion ||
      !signed_here) {
    return MakeError(ErrorCode::kCorrupt, "damaged signature in header");
  }
  in.U32();
  const uint32_t size = in.U32();
  if (!in.ok() || size < kFixedHeaderSize + kChecksumSize ||
      size > kMaxHeaderSize) {
    return MakeError(ErrorCode::kCorrupt, "bad header size {}", size);
  }
  return size;
}

Result<FileHeader> DecodeFileHeader(
    ByteView bytes, const std::vector<std::string>& known_features) {
  ZPACK_ASSIGN_OR_RETURN(const size_t size, DecodeHeaderSize(bytes));
  if (size != bytes.size()) {
    return MakeError(ErrorCode::kCorrupt, "truncated header");
  }
  const ByteView content = bytes.first(size - kChecksumSize);
  if (ByteReader(bytes.last(kChecksumSize)).U64() != Checksum(content)) {
    return MakeError(ErrorCode::kCorrupt, "bad checksum in header");
  }
  ByteReader in(content);
  FileHeader header;
  in.Raw(8);
  header.object_count = in.U32();
  in.Raw(kSignature.size());
  header.major = in.U16();
  header.minor = in.U16();
  if (header.major != kFormatMajor || header.minor > kFormatMinor) {
    return MakeError(ErrorCode::kUnsupported,
                     "format version {}.{} needs a newer git-zpack (this one "
                     "reads {}.{})",
                     header.major, header.minor, kFormatMajor, kFormatMinor);
  }
  in.U32();
  const uint32_t object_format = in.U32();
  const uint8_t id_width = in.U8();
  in.U8();  // unused
  const uint16_t reserved = in.U16();
  header.table_of_contents_offset = in.U64();
  header.file_size = in.U64();
  const uint16_t required = in.U16();
  const uint16_t optional = in.U16();
  ZPACK_ASSIGN_OR_RETURN(header.required_features,
                         DecodeFeatures(in, required));
  ZPACK_ASSIGN_OR_RETURN(header.optional_features,
                         DecodeFeatures(in, optional));
  for (const std::string& name : header.required_features) {
    if (!HasFeature(known_features, name)) {
      return MakeError(ErrorCode::kUnsupported,
                       "required feature '{}' needs a newer git-zpack", name);
    }
  }
  if (object_format != static_cast<uint32_t>(ObjectFormat::kSha1) &&
      object_format != static_cast<uint32_t>(ObjectFormat::kSha256)) {
    return MakeError(ErrorCode::kUnsupported,
                     "object format {:#010x} needs a newer git-zpack",
                     object_format);
  }
  header.object_format = static_cast<ObjectFormat>(object_format);
  if (!in.exhausted() || reserved != 0 ||
      id_width != ObjectIdWidth(header.object_format)) {
    return MakeError(ErrorCode::kCorrupt, "bad field in header");
  }
  return header;
}

bool HasFeature(const std::vector<std::string>& features,
                std::string_view feature) {
  return std::ranges::find(features, feature) != features.end();
}

const std::vector<std::string>& BlockFeatures() {
  static const std::vector<std::string> features = [] {
    std::vector<std::string> names;
    for (const BlockForm& form : BlockForms()) {
      if (!form.feature.empty()) names.emplace_back(form.feature);
    }
    names.emplace_back(kGroupsFeature);
    return names;
  }();
  return features;
}

const std::vector<std::string>& KnownFeatures() {
  static const std::vector<std::string> features = [] {
    std::vector<std::string> names = BlockFeatures();
    names.emplace_back(kBackingFeature);
    names.emplace_back(kDerivedIdsFeature);
    names.emplace_back(kPromisedFeature);
    return names;
  }();
  return features;
}

}  // namespace zpack::format
