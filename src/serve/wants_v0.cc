// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/wants_v0.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "serve/object_selector.h"

namespace zpack {
namespace {

class WantsReader {
 public:
  WantsReader(UploadContext& context, History& history)
      : context_(context),
        history_(history),
        arguments_(context, history, wants_.request) {}

  Result<WantsV0> Read() {
    PacketReader& reader = context_.reader();
    while (true) {
      ZPACK_ASSIGN_OR_RETURN(const Packet packet, reader.Read());
      if (packet != Packet::kLine) break;
      ZPACK_TRY(Take(reader.line()));
    }
    wants_.request.deepen.relative = relative_;
    ZPACK_TRY(CheckAllowed());
    return std::move(wants_);
  }

 private:
  Status Take(std::string_view line) {
    constexpr std::string_view kFilter = "filter ";
    constexpr std::string_view kWant = "want ";
    ZPACK_ASSIGN_OR_RETURN(const bool known, arguments_.Parse(line));
    if (known) return {};
    if (line.starts_with(kFilter)) {
      return TakeFilter(line.substr(kFilter.size()));
    }
    if (line.starts_with(kWant)) {
      const std::string_view text = line.substr(kWant.size());
      if (const auto id = IdAt(text, context_.archive())) {
        ZPACK_TRY(TakeFeatures(text.substr(id->ToHex().size())));
        return TakeWant(*id);
      }
    }
    return MakeError(
        ErrorCode::kInvalidArgument,
        "git upload-pack: protocol error, expected to get object ID, not '{}'",
        line);
  }

  Status TakeFilter(std::string_view specification) {
    if (!filter_negotiated_) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "git upload-pack: filtering capability not negotiated");
    }
    return arguments_.ParseFilter(specification);
  }

  Status TakeWant(const ObjectId& id) {
    const auto number = history_.Find(id);
    if (!number) return NotOurRef(id.ToHex());
    arguments_.AddWant(*number);
    return {};
  }

  Status TakeFeatures(std::string_view features) {
    constexpr std::string_view kSpaces = " \t\n\r";
    while (!features.empty()) {
      const size_t end =
          std::min(features.find_first_of(kSpaces), features.size());
      ZPACK_TRY(TakeFeature(features.substr(0, end)));
      features.remove_prefix(std::min(end + 1, features.size()));
    }
    return {};
  }

  Status TakeFeature(std::string_view text) {
    constexpr std::string_view kObjectFormat = "object-format=";
    if (text.starts_with(kObjectFormat)) {
      return CheckObjectFormat(text.substr(kObjectFormat.size()),
                               context_.archive());
    }
    // As in Git, each of the others may have a value, which means nothing.
    const std::string_view feature = text.substr(0, text.find('='));
    if (feature == "multi_ack_detailed") {
      wants_.multi_ack = MultiAck::kDetailed;
    } else if (feature == "multi_ack") {
      wants_.multi_ack = std::max(wants_.multi_ack, MultiAck::kPlain);
    } else if (feature == "no-done") {
      wants_.no_done = true;
    } else if (feature == "side-band-64k") {
      wants_.max_packet = kMaxPacket;
    } else if (feature == "side-band") {
      wants_.max_packet = std::max(wants_.max_packet, kMaxSmallPacket);
    } else if (feature == "thin-pack") {
      wants_.request.thin_pack = true;
    } else if (feature == "ofs-delta") {
      wants_.request.offset_deltas = true;
    } else if (feature == "no-progress") {
      wants_.request.no_progress = true;
    } else if (feature == "include-tag") {
      wants_.request.include_tags = true;
    } else if (feature == "deepen-relative") {
      relative_ = true;
    } else if (feature == "filter") {
      filter_negotiated_ = context_.settings().allow_filter;
    }
    return {};
  }

  // Checks every want against what the settings allow.
  Status CheckAllowed() {
    const WantsAllowed& allowed = context_.settings().wants;
    if (allowed.any) return {};
    const auto tips = context_.refs().Tips(allowed.tip || allowed.reachable
                                               ? ServedRefs::Hidden::kYes
                                               : ServedRefs::Hidden::kNo);
    std::vector<ObjectNumber> others;
    for (const ObjectNumber want : wants_.request.wants) {
      if (!tips.contains(history_.id(want))) others.push_back(want);
    }
    if (others.empty()) return {};
    // An HTTP client may have seen the refs of an older file.
    const bool reachable_will_do =
        allowed.reachable || context_.options().exchange == Exchange::kRequest;
    if (!reachable_will_do) return NotOurRef(history_.id(others[0]).ToHex());
    return CheckReachable(tips, others);
  }

  Status CheckReachable(const std::unordered_set<ObjectId>& tips,
                        const std::vector<ObjectNumber>& objects) {
    SelectionRequest everything;
    everything.threads = context_.options().run.threads;
    everything.wants.reserve(tips.size());
    for (const ObjectId& tip : tips) {
      if (const auto number = history_.Find(tip)) {
        everything.wants.push_back(*number);
      }
    }
    ZPACK_ASSIGN_OR_RETURN(
        const Selection reachable,
        SelectObjects(everything, history_, context_.options().run.stop,
                      [](uint32_t) { return Status{}; }));
    for (const ObjectNumber object : objects) {
      if (!reachable.choice.chosen[object]) {
        return NotOurRef(history_.id(object).ToHex());
      }
    }
    return {};
  }

  UploadContext& context_;
  History& history_;
  WantsV0 wants_;
  FetchArguments arguments_;
  bool filter_negotiated_ = false;
  bool relative_ = false;
};

}  // namespace

Result<WantsV0> ReadWantsV0(UploadContext& context, History& history) {
  return WantsReader(context, history).Read();
}

}  // namespace zpack
