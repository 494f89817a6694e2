// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/visit_run.h"

#include <utility>

#include "base/error.h"
#include "object/object_hasher.h"

namespace zpack {
namespace {

bool GoesOn(const Result<Visit>& answer) {
  return answer && *answer == Visit::kContinue;
}

class RunVisit {
 public:
  RunVisit(const RunSource& source, const BlockRun& run,
           const WantedObjects& wanted, const RunVisitor& visitor)
      : source_(source), run_(run), wanted_(wanted), visitor_(visitor) {}

  Result<Visit> VisitBlock(const DecodedBlock& block) {
    if (IsSegmented(run_, block)) return VisitSegments(block);
    const format::BlockHeader& header = block.objects.header;
    uint32_t next = 0;  // index of the first object that was not visited
    Result<Visit> answer = Visit::kContinue;
    const auto take = [&](size_t index, Result<Visit> said) -> Result<Visit> {
      answer = std::move(said);
      next = static_cast<uint32_t>(index) + 1;
      return GoesOn(answer) ? Visit::kContinue : Visit::kStop;
    };
    const Visitor<size_t, const Error&> lose =
        [&](size_t index, const Error& error) -> Result<Visit> {
      return take(index, (*visitor_.lost)(
                             header.first_object + static_cast<uint32_t>(index),
                             error));
    };
    const Status visited = block.ForEachObject(
        wanted_, source_.file.max_kept(),
        [&](size_t index, ByteView content) -> Result<Visit> {
          return take(index,
                      Call(*visitor_.object,
                           header.first_object + static_cast<uint32_t>(index),
                           header.type, content));
        },
        visitor_.lost ? &lose : nullptr,
        &source_.decoder.far_budget(source_.file));
    if (!GoesOn(answer) || visited) return answer;
    return Lose(next, visited.error());
  }

  // Says that the wanted objects from index `next` on are lost.
  Result<Visit> Lose(uint32_t next, const Error& error) const {
    if (!visitor_.lost) return std::unexpected(error);
    const uint32_t count = source_.file.block_object_count(run_.first);
    for (; next < count; ++next) {
      if (!wanted_.empty() && !wanted_[next]) continue;
      ZPACK_VISIT(
          (*visitor_.lost)(source_.file.first_object(run_.first) + next, error),
          Visit::kStop);
    }
    return Visit::kContinue;
  }

 private:
  // The answer of `function`, or kInterrupted.
  template <typename... Args>
  Result<Visit> Call(const Visitor<Args...>& function, Args... args) const {
    ZPACK_TRY(CheckStop(source_.stop));
    return function(std::forward<Args>(args)...);
  }

  Result<Visit> VisitSegments(const DecodedBlock& first) {
    const format::BlockHeader& header = first.objects.header;
    const ObjectInfo info{header.type, first.objects.sizes.front()};
    if (!wanted_.empty() && !wanted_.front()) return Visit::kContinue;
    if (visitor_.begin) {
      ZPACK_VISIT((*visitor_.begin)(header.first_object, info),
                  Visit::kContinue);
    }
    if (!visitor_.piece) {
      const Result<Bytes> content =
          ReadSegments(source_.file, run_, first, source_.decoder);
      if (!content) return Lose(0, content.error());
      return (*visitor_.object)(header.first_object, header.type, *content);
    }
    std::optional<ObjectHasher> hasher;
    if (visitor_.end) {
      hasher.emplace(source_.file.object_format());
      hasher->Begin(info);
    }
    Result<Visit> answer = Visit::kContinue;
    const Result<Visit> streamed = StreamSegments(
        source_.file, run_, first, source_.decoder,
        [&](ByteView bytes) -> Result<Visit> {
          if (hasher) hasher->Update(bytes);
          answer = Call(*visitor_.piece, bytes);
          return GoesOn(answer) ? Visit::kContinue : Visit::kStop;
        });
    if (!GoesOn(answer)) return answer;
    if (!streamed) return Lose(0, streamed.error());
    return hasher ? (*visitor_.end)(hasher->Finish()) : Visit::kContinue;
  }

  const RunSource& source_;
  const BlockRun& run_;
  const WantedObjects& wanted_;
  const RunVisitor& visitor_;
};

}  // namespace

Result<Visit> VisitRun(const RunSource& source, const BlockRun& run,
                       const WantedObjects& wanted, const RunVisitor& visitor) {
  const Result<DecodedBlock> block =
      source.decoder.Decode(source.file, run.first);
  RunVisit visit(source, run, wanted, visitor);
  return block ? visit.VisitBlock(*block) : visit.Lose(0, block.error());
}

Result<Visit> VisitRun(const RunSource& source, const BlockRun& run,
                       const DecodedBlock& first, const WantedObjects& wanted,
                       const RunVisitor& visitor) {
  return RunVisit(source, run, wanted, visitor).VisitBlock(first);
}

Error LossError(const FileBlocks& file, const BlockRun& run, const ObjectId& id,
                const Error& error) {
  Error lost = NewError(error.code, "object {} cannot be read: {}", id,
                        MessageText{error.message});
  lost.path = file.block_path(run.first);
  lost.offset = file.block_offset(run.first);
  return lost;
}

}  // namespace zpack
