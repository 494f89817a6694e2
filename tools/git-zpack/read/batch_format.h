// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Format strings of the batch modes of cat-file. They support a subset of Git's
// elements: objectname, objecttype, objectsize and rest, and '%%' for a percent
// sign.

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

  // Returns kInvalidArgument if an element is unknown.
  static Result<BatchFormat> Parse(std::string_view text);

  // True if input lines are split into a name and the rest.
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
