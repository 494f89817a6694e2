// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/library_versions.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <xxhash.h>

namespace zpack {

std::string FmtVersion() {
  return fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
                     FMT_VERSION % 100);
}

std::string XxhashVersion() {
  const unsigned version = XXH_versionNumber();
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100,
                     version % 100);
}

std::string OpensslVersion() {
  return OpenSSL_version(OPENSSL_FULL_VERSION_STRING);
}

}  // namespace zpack
