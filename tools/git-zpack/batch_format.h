// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The format strings of cat-file's batch modes, a subset of Git's: objectname,
// objecttype, objectsize and rest, '%%' for a percent sign.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::cli {

class BatchFormat {
 public:
  static constexpr std::string_view kDefault =
      "%(objectname) %(objecttype) %(objectsize)";

  // kInvalidArgument for an element that is not known.
  static Result<BatchFormat> Parse(std::string_view text);

  // True when lines of input are split into a name and the rest.
  bool uses_rest() const { return uses_rest_; }

  std::string Expand(const ObjectId& id, const ObjectInfo& info,
                     std::string_view rest) const;

 private:
  enum class Element { kLiteral, kName, kType, kSize, kRest };
  struct Part {
    Element element;
    std::string literal;
  };

  std::vector<Part> parts_;
  bool uses_rest_ = false;
};

}  // namespace zpack::cli
