// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the objects of packs where the PackReaders of an ObjectDatabase cannot:
// very large objects, packs that PackReader refuses, damage to be reported. May
// be used from several threads at once.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "git/objects/packed_objects.h"
#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

class FallbackPacks {
 public:
  virtual ~FallbackPacks() = default;

  // Every object of the packs, if an index could not be read by other means.
  virtual Result<ObjectIdTable> List() const = 0;
  // As the methods of ObjectSource; kNotFound if the packs do not have the
  // object.
  virtual Result<ObjectInfo> ReadInfo(const ObjectId& id) const = 0;
  virtual Result<ObjectType> Read(const ObjectId& id, Bytes& content) const = 0;
  virtual Result<std::unique_ptr<ObjectStream>> OpenStream(
      const ObjectId& id) const = 0;
};

// The packs of SHA-1 objects in `object_directories`, read by libgit2. `path`
// is the name of the repository in messages. kGit if they cannot be opened.
Result<std::unique_ptr<FallbackPacks>> OpenLibgit2Packs(
    std::string path, const std::vector<std::string>& object_directories);

// libgit2 < 2.0: reads SHA-256 objects only in experimental builds.
// Packs that libgit2 cannot read, because their objects are not in SHA-1: the
// same readers, without a limit on the size of an object. If `packs` lacks a
// pack that could not be opened, that is the error for an object that no other
// pack has.
std::unique_ptr<FallbackPacks> MakeReaderPacks(
    std::string path, std::shared_ptr<const PackedObjects> packs);

}  // namespace zpack
