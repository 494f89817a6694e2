// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the conversations of all protocol versions share. Thread-compatible.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "reader/archive_file.h"
#include "serve/fetch_request.h"
#include "serve/history.h"
#include "serve/pkt_line.h"
#include "serve/served_refs.h"
#include "zpack/result.h"
#include "zpack/serve.h"

namespace zpack {

class UploadContext {
 public:
  // Both ends of a conversation.
  struct Streams {
    ServeInput& input;
    ServeOutput& output;
  };

  // Shows `refs`. The arguments must outlive this object.
  UploadContext(const ArchiveFile& archive, const RefsSnapshot& refs,
                const UploadPackOptions& options, const Streams& streams)
      : archive_(archive),
        options_(options),
        refs_(refs, options.settings),
        reader_(streams.input),
        writer_(streams.output) {}

  const ArchiveFile& archive() const { return archive_; }
  const UploadPackOptions& options() const { return options_; }
  const UploadPackSettings& settings() const { return options_.settings; }
  const ServedRefs& refs() const { return refs_; }
  PacketReader& reader() { return reader_; }
  PacketWriter& writer() { return writer_; }

  // The history of the archive, as it is without a request. Loads the whole
  // index.
  Result<History*> FreshHistory();

 private:
  const ArchiveFile& archive_;
  const UploadPackOptions& options_;
  ServedRefs refs_;
  PacketReader reader_;
  PacketWriter writer_;
  std::unique_ptr<History> history_;
};

// "agent=git-zpack/1.2.3"
std::string AgentCapability();
// "object-format=sha1"
std::string ObjectFormatCapability(const ArchiveFile& archive);

// The id at the beginning of `text`. As in Git, anything may follow.
std::optional<ObjectId> IdAt(std::string_view text, const ArchiveFile& archive);

// Checks that the client has the object format of the archive.
Status CheckObjectFormat(std::string_view client, const ArchiveFile& archive);

// kInvalidArgument: "upload-pack: not our ref <id>".
std::unexpected<Error> NotOurRef(std::string_view id);

// Parses the arguments of a fetch that all versions have in common.
class FetchArguments {
 public:
  FetchArguments(const UploadContext& context, History& history,
                 FetchRequest& request)
      : context_(context), history_(history), request_(request) {}

  // Returns false if `line` is no such argument. Errors: kInvalidArgument for a
  // malformed value, or an object that is unknown or has the wrong type.
  Result<bool> Parse(std::string_view line);

  // Takes the filter. Errors are those of ParseObjectFilter, and
  // kInvalidArgument for a second filter.
  Status ParseFilter(std::string_view specification);

  // Adds an object to the wants.
  void AddWant(ObjectNumber number) {
    if (wanted_.insert(number).second) request_.wants.push_back(number);
  }

 private:
  Result<bool> ParseShallow(std::string_view id);
  Result<bool> ParseDeepen(std::string_view depth);
  Result<bool> ParseDeepenSince(std::string_view time);
  Result<bool> ParseDeepenNot(std::string_view ref);

  const UploadContext& context_;
  History& history_;
  FetchRequest& request_;
  bool has_filter_ = false;
  std::unordered_set<ObjectNumber> wanted_;
  std::unordered_set<ObjectNumber> shallow_;
  std::unordered_set<ObjectNumber> not_of_;
};

}  // namespace zpack
