// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/pack_sender.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/error.h"
#include "pack/pack_stream_sink.h"
#include "serve/object_selector.h"
#include "transfer/object_transfer.h"

namespace zpack {
namespace {

// A fetch of git.git's last 100 commits has 1,100 objects. kSmall instead of
// kQuick makes its pack a tenth smaller for a few milliseconds.
constexpr uint32_t kFewObjects = 10000;

// What a client lacks of a history that it mostly has consists of deltas.
// Whole files, as in a shallow clone, would take long to compress well.
PackEffort EffortFor(const Selection& selection) {
  return selection.choice.outside_bases.empty() || selection.count > kFewObjects
             ? PackEffort::kQuick
             : PackEffort::kSmall;
}

Result<Selection> Select(const SelectionRequest& request, History& history,
                         const std::stop_token& stop, PackReply& reply) {
  ZPACK_ASSIGN_OR_RETURN(
      Selection selection,
      SelectObjects(request, history, stop, [&](uint32_t count) {
        return reply.OftenProgress(
            fmt::format("Enumerating objects: {}\r", count));
      }));
  const uint32_t count = selection.count;
  ZPACK_TRY(
      reply.Progress(fmt::format("Enumerating objects: {}, done.\n"
                                 "Counting objects: 100% ({}/{}), done.\n",
                                 count, count, count)));
  return selection;
}

Status Send(const SelectionRequest& request, BaseReferences references,
            History& history, const RunOptions& run, PackReply& reply) {
  ZPACK_ASSIGN_OR_RETURN(const Selection selection,
                         Select(request, history, run.stop, reply));
  PackStreamSink sink(history.archive().header().object_format, selection.count,
                      references, EffortFor(selection),
                      [&](ByteView bytes) { return reply.Data(bytes); });
  ZPACK_TRY(TransferObjects(history.archive(), &selection.choice, run, sink,
                            [](uint64_t, uint64_t) {}));
  const ArchiveFile& archive = history.archive();
  if (selection.choice.chosen[archive.empty_tree()]) {
    // It is not in the file. As Git, so that the client's 'git fsck' finds it.
    ZPACK_TRY(sink.Begin(archive.empty_tree_id(), {ObjectType::kTree, 0}));
    ZPACK_TRY(sink.End());
  }
  ZPACK_TRY(sink.Finish({}));
  ZPACK_TRY(reply.Progress(
      fmt::format("Total {} (delta {}), reused 0 (delta 0), pack-reused 0\n",
                  selection.count, sink.deltas())));
  return reply.End();
}

}  // namespace

Status SendPack(const FetchRequest& request,
                const std::vector<ObjectNumber>& haves, UploadContext& context,
                History& history, PackReply& reply) {
  SelectionRequest selection{
      .wants = request.wants,
      .haves = haves,
      .filter = request.filter,
      .tags = request.include_tags ? &context.refs() : nullptr,
      .shallow = history.ends_early(),
      .threads = context.options().run.threads};
  // The client of a filter may lack the contents of what it has.
  selection.thin = request.thin_pack && !request.filter.is_set();
  const Status sent = Send(
      selection,
      request.offset_deltas ? BaseReferences::kOffsets : BaseReferences::kIds,
      history, context.options().run, reply);
  if (!sent) {
    // The first error is the one that counts.
    static_cast<void>(
        reply.Abort(sent.error().code == ErrorCode::kNotFound
                        ? std::string_view(sent.error().message)
                        : "aborting due to possible repository corruption on "
                          "the remote side."));
  }
  return sent;
}

}  // namespace zpack
