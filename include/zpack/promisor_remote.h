// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the missing objects of a partial clone can be fetched. A plain value;
// thread-compatible.

#pragma once

#include <string>

namespace zpack {

// A remote of a partial clone. The values are those of Git's configuration.
struct PromisorRemote {
  std::string name;
  // Without a password, and without a user name unless the URL is one of ssh.
  // Empty if none is configured.
  std::string url;
  std::string filter;  // such as "blob:none"; empty if none is configured

  friend bool operator==(const PromisorRemote&,
                         const PromisorRemote&) = default;
};

}  // namespace zpack
