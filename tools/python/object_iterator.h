// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// All objects of an archive, one after the other. May be used from several
// threads at once.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ahead_iterator.h"
#include "zpack/archive_reader.h"

namespace zpack::python {

struct ReadObject {
  ObjectId id;
  ObjectType type = ObjectType::kBlob;
  uint64_t size = 0;
  // Absent if the object is larger than BulkOptions::max_content.
  std::optional<std::vector<uint8_t>> content;

  uint64_t Weight() const {
    return sizeof(ReadObject) + (content ? content->size() : 0);
  }
};

using ObjectIterator = AheadIterator<ReadObject>;

inline OwnedIterator<ReadObject> ReadAhead(
    const std::shared_ptr<ArchiveReader>& reader, const BulkOptions& options,
    std::shared_ptr<Users> users) {
  const auto work = [reader, options](
                        const std::stop_token& stop,
                        const ObjectIterator::Take& take) -> Status {
    BulkOptions own = options;
    own.stop = stop;
    return reader->ReadAll(own, [&](const ObjectView& object) -> Result<Visit> {
      ReadObject read{object.id, object.info.type, object.info.size,
                      std::nullopt};
      if (object.content) {
        read.content.emplace(object.content->begin(), object.content->end());
      }
      return take(std::move(read));
    });
  };
  return MakeIterator<ReadObject>(work, std::move(users));
}

}  // namespace zpack::python
