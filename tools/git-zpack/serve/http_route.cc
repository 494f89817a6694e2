// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/http_route.h"

#include <array>
#include <utility>

namespace zpack::cli {
namespace {

constexpr std::array<std::pair<std::string_view, HttpAction>, 5> kEndings = {
    {{"/info/refs", HttpAction::kInfoRefs},
     {"/git-upload-pack", HttpAction::kUploadPack},
     {"/git-receive-pack", HttpAction::kOtherService},
     {"/git-upload-archive", HttpAction::kOtherService},
     {"/HEAD", HttpAction::kFile}}};

}  // namespace

std::optional<HttpRoute> RouteOf(std::string_view path) {
  for (const auto& [ending, action] : kEndings) {
    if (path.ends_with(ending)) {
      path.remove_suffix(ending.size());
      return HttpRoute{action, std::string(path)};
    }
  }
  const size_t objects = path.rfind("/objects/");
  if (objects == std::string_view::npos) return std::nullopt;
  return HttpRoute{HttpAction::kFile, std::string(path.substr(0, objects))};
}

std::string_view MethodsOf(HttpAction action) {
  const bool post =
      action == HttpAction::kUploadPack || action == HttpAction::kOtherService;
  return post ? "POST" : "GET, HEAD";
}

}  // namespace zpack::cli
