// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Resolves names as Git does (gitrevisions(7)): an id, a ref, or an abbreviated
// id. May be used from several threads at once.

#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "reader/archive_file.h"
#include "reader/object_locator.h"
#include "reader/object_reader.h"
#include "zpack/result.h"

namespace zpack {

class NameResolver {
 public:
  // All references must outlive this object.
  NameResolver(const ArchiveFile& archive, ObjectLocator& locator,
               ObjectReader& objects)
      : archive_(archive), locator_(locator), objects_(objects) {}

  // Whether an object is of use where a name stands.
  using Wanted = std::function<bool(const ObjectId&)>;

  // Returns kNotFound if nothing has this name. If several ids begin with it,
  // takes the only one of them that is wanted. Returns kAmbiguous, listing the
  // candidates, if there is no such one. Other errors are those of
  // ObjectLocator.
  Result<ObjectId> Resolve(std::string_view name, const Wanted& wanted = {});

  // The same for an abbreviated id of any length alone, never for a ref.
  Result<ObjectId> ResolveAbbreviation(std::string_view name,
                                       const Wanted& wanted = {});

  // Whether `name` is that of a ref, and also that of another ref, or an id, or
  // an abbreviation of a single id. False if ids cannot be read.
  bool IsAmbiguous(std::string_view name);

  // Returns type and size of an object. Errors are those of ObjectLocator and
  // ObjectReader.
  Result<ObjectInfo> ReadInfo(const ObjectId& id);

 private:
  // The id that `name` is if it is as long as one.
  std::optional<ObjectId> WholeId(std::string_view name) const;
  // The objects of all refs of this name, in the order in which Git looks for
  // them.
  std::vector<ObjectId> RefsNamed(std::string_view name) const;
  std::unexpected<Error> NoSuchName(std::string_view name) const;

  const ArchiveFile& archive_;
  ObjectLocator& locator_;
  ObjectReader& objects_;
};

}  // namespace zpack
