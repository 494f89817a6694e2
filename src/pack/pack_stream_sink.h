// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a version 2 pack (gitformat-pack(5)) to a stream. Thread-compatible.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/hash.h"
#include "codec/deflate.h"
#include "object/object_sink.h"
#include "pack/pack_entry_preparer.h"
#include "zpack/result.h"

namespace zpack {

enum class BaseReferences : uint8_t {
  kOffsets,  // bases in the pack are named by their offset
  kIds,      // for clients without the capability 'ofs-delta'
};

class PackStreamSink final : public ObjectSink {
 public:
  using Output = std::function<Status(ByteView)>;

  // The pack will have `object_count` objects in `format`.
  PackStreamSink(ObjectFormat format, uint32_t object_count,
                 BaseReferences references, PackEffort effort, Output output);

  Retraction retraction() const override { return Retraction::kImpossible; }
  std::unique_ptr<ObjectPreparer> NewPreparer(uint64_t window) const override;
  Status Add(const ObjectId& id, const PreparedObject& object,
             ByteView stored) override;
  Status Begin(const ObjectId& id, const ObjectInfo& info) override;
  Status Append(ByteView piece) override;
  Status End() override;
  // Writes the end of the pack and returns the bytes of the pack. The refs are
  // not used. kInternal if the number of objects is not the one announced.
  Result<uint64_t> Finish(const RefsSnapshot& refs) override;

  uint32_t deltas() const { return deltas_; }

 private:
  Status Write(ByteView bytes);

  Output output_;
  BaseReferences references_;
  PackEffort effort_;
  uint32_t object_count_;
  Hasher hasher_;
  uint64_t size_ = 0;
  uint32_t deltas_ = 0;
  Bytes buffer_;
  std::vector<uint64_t> offsets_;  // of all entries
  std::vector<ObjectId> ids_;      // with kIds
  std::optional<StreamDeflater> deflater_;
};

}  // namespace zpack
