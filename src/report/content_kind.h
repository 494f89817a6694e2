// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Recognises contents that compression does not make smaller. Pure.

#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"

namespace zpack {

enum class ContentKind : uint8_t {
  kOther,      // no known signature
  kMedia,      // pictures, sound, video, fonts
  kArchive,    // archives and compressed files
  kEncrypted,  // encrypted files
};

struct KnownContent {
  ContentKind kind = ContentKind::kOther;
  std::string_view name;  // "PNG picture"; empty for kOther
};

// Recognises a content by its first bytes.
KnownContent RecognizeContent(ByteView content);

// The entropy of the bytes of `content`, in bits per byte: 0 to 8.
double Entropy(ByteView content);

}  // namespace zpack
