// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/promises.h"

#include <algorithm>
#include <string>

#include "object/ref_name.h"

namespace zpack {
namespace {

constexpr size_t kMaxValue = 4095;

}  // namespace

bool IsValidRemoteName(std::string_view name) {
  // Git passes the name to 'git fetch', which would take it for an option.
  return !name.starts_with('-') &&
         IsValidRefName("refs/remotes/" + std::string(name));
}

bool IsValidRemoteValue(std::string_view text) {
  return text.size() <= kMaxValue && std::ranges::none_of(text, [](char c) {
           return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
         });
}

}  // namespace zpack
