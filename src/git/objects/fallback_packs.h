// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What no PackReader reads: objects of packs that it refuses, objects whose
// entry is damaged, to say what is wrong, and a few objects of a repository
// whose packs are not worth scanning. A pack is opened when it is needed. May
// be used from several threads at once.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "git/objects/packed_objects.h"
#include "object/object_source.h"
#include "pack/pack_file_pool.h"
#include "pack/pack_lookup.h"
#include "zpack/result.h"

namespace zpack {

// What becomes of a pack whose header or last bytes are not those that its
// index states. What is read of it has to be hashed.
enum class UnmatchedPacks : uint8_t { kRefuse, kRead };

struct FallbackOptions {
  // Objects of more bytes are read only in pieces.
  uint64_t max_object = 0;
  UnmatchedPacks unmatched = UnmatchedPacks::kRefuse;
};

class FallbackPacks {
 public:
  // `path` is the name of the repository in messages. `packs` are those that
  // IndexedPacks names; `readers` read some of them.
  FallbackPacks(ObjectFormat format, std::string path,
                const std::vector<std::string>& packs,
                std::shared_ptr<const PackedObjects> readers,
                const FallbackOptions& options);

  // Every object of the packs. kSourceCorrupt if the index of a pack is bad.
  Result<ObjectIdTable> List() const;
  // The ids in the index of a pack, which the packs need not have. Errors are
  // those of ReadPackIndexIds.
  Result<ObjectIdTable> ReadIds(const std::string& pack) const;
  // As the methods of ObjectSource. kNotFound if the packs do not have the
  // object; kSourceCorrupt if it is damaged, or if a pack cannot be opened that
  // may have it.
  Result<ObjectInfo> ReadInfo(const ObjectId& id) const;
  Result<ObjectType> Read(const ObjectId& id, Bytes& content) const;
  Result<std::unique_ptr<ObjectStream>> OpenStream(const ObjectId& id) const;
  // An entry of a pack, valid as long as the packs.
  struct Delta {
    const PackLookup* pack = nullptr;
    PackLookup::DeltaEntry entry;
  };
  // The deltas of an object in all packs that can be opened. Errors: kIo.
  Result<std::vector<Delta>> Deltas(const ObjectId& id) const;

 private:
  struct Pack {
    std::string path;  // without extension
    // Not needed as long as the reader of the pack does not have an object.
    const PackReader* reader = nullptr;
    std::unique_ptr<PackLookup> lookup = {};
    std::optional<Error> problem = {};  // why there is none
  };

  Result<std::unique_ptr<PackLookup>> MakeLookup(const std::string& pack) const;
  // Opens a pack, unless it is open, or bad. REQUIRES: mutex_ is locked.
  void Open(Pack& pack) const;
  // Where an object is, and why not all packs could be searched.
  struct Places {
    struct Place {
      const Pack* pack;
      PackRank rank;
    };
    std::vector<Place> all;
    std::optional<Error> refused;
  };
  Places FindPlaces(const ObjectId& id) const;
  // Calls `use` for each place until it succeeds.
  template <typename T, typename Use>
  Result<T> AtOnePlace(const ObjectId& id, const Places& places, Use use) const;
  // Whether it takes reading to know which copy is right.
  static bool HasCopies(const Places& places);

  ObjectFormat format_;
  std::string path_;
  std::shared_ptr<const PackedObjects> readers_;
  FallbackOptions options_;
  mutable std::optional<PackFilePool> pool_;  // with many packs
  mutable std::mutex mutex_;                  // guards opening
  mutable std::vector<Pack> packs_;           // what was opened stays so
};

}  // namespace zpack
