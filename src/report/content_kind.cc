// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report/content_kind.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace zpack {
namespace {

using namespace std::string_view_literals;

struct Signature {
  size_t offset;
  std::string_view bytes;
  KnownContent content;
};

constexpr std::array kSignatures = {
    Signature{0, "\x89PNG"sv, {ContentKind::kMedia, "PNG picture"}},
    Signature{0, "\xff\xd8\xff"sv, {ContentKind::kMedia, "JPEG picture"}},
    Signature{0, "GIF8"sv, {ContentKind::kMedia, "GIF picture"}},
    Signature{8, "WEBP"sv, {ContentKind::kMedia, "WebP picture"}},
    Signature{4, "ftypavif"sv, {ContentKind::kMedia, "AVIF picture"}},
    Signature{4, "ftypheic"sv, {ContentKind::kMedia, "HEIC picture"}},
    Signature{4, "ftyp"sv, {ContentKind::kMedia, "MPEG-4 video"}},
    Signature{0, "\x1a\x45\xdf\xa3"sv, {ContentKind::kMedia, "Matroska video"}},
    Signature{0, "OggS"sv, {ContentKind::kMedia, "Ogg sound or video"}},
    Signature{0, "fLaC"sv, {ContentKind::kMedia, "FLAC sound"}},
    Signature{0, "ID3"sv, {ContentKind::kMedia, "MP3 sound"}},
    Signature{0, "wOFF"sv, {ContentKind::kMedia, "WOFF font"}},
    Signature{0, "wOF2"sv, {ContentKind::kMedia, "WOFF2 font"}},
    Signature{0, "%PDF"sv, {ContentKind::kMedia, "PDF document"}},
    Signature{0, "PK\x03\x04"sv, {ContentKind::kArchive, "Zip archive"}},
    Signature{0, "\x1f\x8b"sv, {ContentKind::kArchive, "gzip file"}},
    Signature{0, "BZh"sv, {ContentKind::kArchive, "bzip2 file"}},
    Signature{0, "\xfd\x37zXZ\0"sv, {ContentKind::kArchive, "xz file"}},
    Signature{0, "\x28\xb5\x2f\xfd"sv, {ContentKind::kArchive, "zstd file"}},
    Signature{0, "7z\xbc\xaf\x27\x1c"sv, {ContentKind::kArchive, "7z archive"}},
    Signature{0, "Rar!"sv, {ContentKind::kArchive, "RAR archive"}},
    Signature{0, "\x04\x22\x4d\x18"sv, {ContentKind::kArchive, "lz4 file"}},
    Signature{0, "\0GITCRYPT\0"sv, {ContentKind::kEncrypted, "git-crypt file"}},
    Signature{0, "Salted__"sv, {ContentKind::kEncrypted, "OpenSSL file"}},
    Signature{
        0, "age-encryption.org/"sv, {ContentKind::kEncrypted, "age file"}},
    Signature{
        0, "$ANSIBLE_VAULT;"sv, {ContentKind::kEncrypted, "Ansible vault"}},
    Signature{0,
              "-----BEGIN PGP MESSAGE"sv,
              {ContentKind::kEncrypted, "PGP message"}},
};

}  // namespace

KnownContent RecognizeContent(ByteView content) {
  for (const Signature& signature : kSignatures) {
    if (content.size() < signature.offset + signature.bytes.size()) continue;
    if (std::ranges::equal(
            content.subspan(signature.offset, signature.bytes.size()),
            AsBytes(signature.bytes))) {
      return signature.content;
    }
  }
  return {};
}

double Entropy(ByteView content) {
  if (content.empty()) return 0;
  std::array<uint64_t, 256> counts{};
  for (const uint8_t byte : content) ++counts[byte];
  double bits = 0;
  for (const uint64_t count : counts) {
    if (count == 0) continue;
    const double share =
        static_cast<double>(count) / static_cast<double>(content.size());
    bits -= share * std::log2(share);
  }
  return bits;
}

}  // namespace zpack
