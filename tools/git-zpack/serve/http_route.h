// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a URL asks for. Pure.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zpack::cli {

enum class HttpAction : uint8_t {
  kInfoRefs,      // GET of info/refs
  kUploadPack,    // POST to git-upload-pack
  kOtherService,  // POST to git-receive-pack or git-upload-archive
  kFile,          // GET of a file of the repository: the dumb protocol
};

struct HttpRoute {
  HttpAction action;
  std::string repository;  // the path before the part that names the action
};

// Returns nothing if the path is none of a Git client.
std::optional<HttpRoute> RouteOf(std::string_view path);

// Returns the methods that an action has, as in the header Allow.
std::string_view MethodsOf(HttpAction action);

}  // namespace zpack::cli
