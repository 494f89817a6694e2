// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds what a name stands for, as Git does (gitrevisions(7)): an id, a ref, or
// the beginning of an id. May be used from several threads at once.

#pragma once

#include <string_view>

#include "reader/archive_file.h"
#include "reader/object_locator.h"
#include "reader/object_reader.h"
#include "zpack/result.h"

namespace zpack {

class NameResolver {
 public:
  // All of them outlive this.
  NameResolver(const ArchiveFile& archive, ObjectLocator& locator,
               ObjectReader& objects)
      : archive_(archive), locator_(locator), objects_(objects) {}

  // kNotFound when nothing has that name, kAmbiguous, listing the candidates,
  // for an abbreviation of several ids. Else errors as ObjectLocator.
  Result<ObjectId> Resolve(std::string_view name);

  // Type and size of an object. Errors as ObjectLocator and ObjectReader.
  Result<ObjectInfo> ReadInfo(const ObjectId& id);

 private:
  Result<ObjectId> ResolveAbbreviation(std::string_view name);
  std::unexpected<Error> NoSuchName(std::string_view name) const;

  const ArchiveFile& archive_;
  ObjectLocator& locator_;
  ObjectReader& objects_;
};

}  // namespace zpack
