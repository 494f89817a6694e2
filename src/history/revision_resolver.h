// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Resolves revisions with suffixes and paths: 'HEAD~2', 'v1^{tree}',
// 'main:dir/file'. May be used from several threads at once.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "history/name_resolver.h"
#include "history/revision_name.h"
#include "reader/archive_file.h"
#include "reader/object_locator.h"
#include "reader/object_reader.h"
#include "zpack/result.h"

namespace zpack {

class RevisionResolver {
 public:
  // All references must outlive this object.
  RevisionResolver(const ArchiveFile& archive, ObjectLocator& locator,
                   ObjectReader& objects, NameResolver& names);

  // Errors are those of NameResolver; kNotFound if a step leads to no object;
  // and those of ObjectReader. Every object on the way is hashed, so no file
  // can make the way a circle.
  Result<ObjectId> Resolve(std::string_view name);

  // As ArchiveReader::AmbiguousRef.
  std::string_view AmbiguousRef(std::string_view name);

  // The first object that has the type `type`, or without a type, that is no
  // tag, starting with `id` and following tags and, to a tree, the commit.
  // Returns kNotFound if there is none. Other errors are those of ObjectReader.
  Result<ObjectId> Peel(ObjectId id, std::optional<ObjectType> type);

 private:
  // The commit that ':/<text>' names.
  Result<ObjectId> Search(std::string_view text,
                          const std::vector<ObjectId>& starts);
  Result<ObjectId> Follow(const ObjectId& id, const RevisionStep& step,
                          std::string_view name);
  // The object that a tag or commit names first.
  Result<ObjectId> FirstLink(const ObjectId& id, ObjectType type);
  // As Git sees them: none at a shallow boundary.
  Result<std::vector<ObjectId>> Parents(const ObjectId& commit);
  Result<ObjectId> FindPath(ObjectId tree, std::string_view path,
                            std::string_view name);
  Result<ObjectType> TypeOf(const ObjectId& id);
  Result<Bytes> Content(const ObjectId& id);

  const ArchiveFile& archive_;
  ObjectLocator& locator_;
  ObjectReader& objects_;
  NameResolver& names_;
};

}  // namespace zpack
