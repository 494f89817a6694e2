// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/build_options.h"

#include <fmt/format.h>

#include "base/batch_hash.h"
#include "base/library_versions.h"
#include "base/sanitizers.h"
#include "codec/codec_versions.h"
#include "codec/zstd_codec.h"
#include "format/file_header.h"
#include "git/libgit2_options.h"
#include "http/http_client.h"
#include "parity/galois_region.h"
#include "search/regular_expression.h"

namespace zpack {
namespace {

std::string BuildKind() {
  std::string kind;
#ifdef NDEBUG
  kind = "without assertions";
#else
  kind = "with assertions";
#endif
  if constexpr (kAddressSanitizer) kind += ", AddressSanitizer";
  if constexpr (kThreadSanitizer) kind += ", ThreadSanitizer";
  return kind;
}

std::string Processor() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return fmt::format("other, {} bits", sizeof(void*) * 8);
#endif
}

}  // namespace

std::vector<BuildOption> BuildOptions() {
  return {{"cpu", Processor()},
          {"compiler", __VERSION__},
          {"build", BuildKind()},
          {"zstd", std::string(ZstdVersion())},
          {"zlib", ZlibVersion()},
          {"libdeflate", LibdeflateVersion()},
          {"libgit2", Libgit2Version()},
          {"libcurl", CurlVersion()},
          {"PCRE2", search::Pcre2Version()},
          {"OpenSSL", OpensslVersion()},
          {"xxHash", XxhashVersion()},
          {"fmt", FmtVersion()},
          {"hashing", BatchHasher::Description()},
          {"parity", AvailableRegionOperations().front().name},
          {"features",
           fmt::format("{}", fmt::join(format::KnownFeatures(), ", "))}};
}

}  // namespace zpack
