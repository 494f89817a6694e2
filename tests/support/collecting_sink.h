// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "object/object_sink.h"
#include "zpack/refs.h"

namespace zpack::testing {

struct CollectedRepository {
  std::map<ObjectId, std::pair<ObjectType, std::string>> objects;
  std::map<std::string, std::string> files;  // contents by path
  RefsSnapshot refs;
};

// Stores contents as they are.
class WholePreparer final : public ObjectPreparer {
 public:
  void Begin(ObjectType type, Resemblance /*resemblance*/) override {
    type_ = type;
  }
  Result<PreparedObject> Prepare(ByteView content, const KnownResemblance&,
                                 Bytes& out) override {
    Append(out, content);
    PreparedObject object;
    object.type = type_;
    object.raw_size = content.size();
    return object;
  }
  void AddOutsideBase(const ObjectId&, ByteView) override {}
  void AddEarlierBase(uint32_t, ByteView) override {}

 private:
  ObjectType type_ = ObjectType::kBlob;
};

// Keeps what it takes in memory. An object that comes twice fails the test.
class CollectingSink final : public ObjectSink {
 public:
  explicit CollectingSink(CollectedRepository& collected)
      : collected_(collected) {}

  std::unique_ptr<ObjectPreparer> NewPreparer(uint64_t) const override {
    return std::make_unique<WholePreparer>();
  }
  Status Add(const ObjectId& id, const PreparedObject& object,
             ByteView stored) override {
    EXPECT_TRUE(
        collected_.objects.emplace(id, std::pair(object.type, AsText(stored)))
            .second);
    return {};
  }
  Status Begin(const ObjectId& id, const ObjectInfo& info) override {
    current_ = id;
    collected_.objects[id] = {info.type, ""};
    return {};
  }
  Status Append(ByteView piece) override {
    collected_.objects[current_].second += AsText(piece);
    return {};
  }
  Status End() override { return {}; }
  Status BeginFile(const std::string& path, bool) override {
    file_ = path;
    collected_.files[file_];
    return {};
  }
  Status AppendToFile(ByteView piece) override {
    collected_.files[file_] += AsText(piece);
    return {};
  }
  Result<uint64_t> Finish(const RefsSnapshot& refs) override {
    collected_.refs = refs;
    return 0;
  }

 private:
  CollectedRepository& collected_;
  ObjectId current_;
  std::string file_;
};

}  // namespace zpack::testing
