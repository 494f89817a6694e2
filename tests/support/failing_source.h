// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A source of objects that fails from some call on, as a repository does whose
// disk is gone. Thread-compatible.

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "object/object_source.h"

namespace zpack::testing {

// Passes everything on, and fails with `code` from its call number `fail_at`
// on. `calls` counts them.
class FailingSource final : public ObjectSource {
 public:
  FailingSource(std::unique_ptr<ObjectSource> source, int& calls, int fail_at,
                ErrorCode code)
      : source_(std::move(source)),
        calls_(calls),
        fail_at_(fail_at),
        code_(code) {}

  const std::string& path() const override { return source_->path(); }
  ObjectFormat object_format() const override {
    return source_->object_format();
  }
  Result<ObjectIdTable> ListObjects() override {
    ZPACK_TRY(Call());
    return source_->ListObjects();
  }
  Result<ObjectInfo> ReadInfo(const ObjectId& id) override {
    ZPACK_TRY(Call());
    return source_->ReadInfo(id);
  }
  Result<ObjectType> Read(const ObjectId& id, Bytes& content) override {
    ZPACK_TRY(Call());
    return source_->Read(id, content);
  }
  Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& id) override {
    ZPACK_TRY(Call());
    return source_->Open(id);
  }
  Result<RefsSnapshot> ReadRefs() override {
    ZPACK_TRY(Call());
    return source_->ReadRefs();
  }
  Result<std::vector<TipGroup>> ListOtherTips() override {
    ZPACK_TRY(Call());
    return source_->ListOtherTips();
  }
  uint64_t PackedBytes() override { return source_->PackedBytes(); }
  bool IsPartialClone() override { return source_->IsPartialClone(); }

 private:
  Status Call() {
    if (fail_at_ < 0 || calls_++ < fail_at_) return {};
    return MakeError(code_, "the source is gone");
  }

  std::unique_ptr<ObjectSource> source_;
  int& calls_;
  int fail_at_;
  ErrorCode code_;
};

}  // namespace zpack::testing
