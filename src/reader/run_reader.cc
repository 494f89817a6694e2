// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/run_reader.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "reader/visit_run.h"

namespace zpack {
namespace {

// A chunk fits into the processor's cache, together with what it is made from.
constexpr size_t kChunkSize = size_t{512} << 10;

}  // namespace

RunReader::RunReader(const FileBlocks& file, const BulkChoice& choice,
                     std::stop_token stop)
    : file_(file),
      choice_(choice),
      stop_(std::move(stop)),
      hasher_(file.object_format()) {}

Result<Visit> RunReader::Read(const BlockRun& run, const TakeChunk& take) {
  run_ = run;
  take_ = &take;
  WantedObjects chosen;
  const Status chose = Choose(chosen);
  ZPACK_VISIT(chose ? AddObjects(chosen) : AddAllLost(chosen, chose.error()),
              Visit::kStop);
  return Flush();
}

Status RunReader::Choose(WantedObjects& chosen) {
  const ObjectNumber first = file_.first_object(run_.first);
  const uint32_t count = file_.block_object_count(run_.first);
  if (choice_.numbers) {
    chosen.resize(count);
    const auto& numbers = *choice_.numbers;
    for (auto at = std::ranges::lower_bound(numbers, first);
         at != numbers.end() && *at - first < count; ++at) {
      chosen[*at - first] = true;
    }
  }
  if (choice_.wants) {
    ZPACK_ASSIGN_OR_RETURN(const BlockObjects objects,
                           decoder_.DecodeObjects(file_, run_.first));
    chosen.resize(count, !choice_.numbers);
    for (uint32_t i = 0; i < count; ++i) {
      chosen[i] =
          chosen[i] && choice_.wants({objects.header.type, objects.sizes[i]});
    }
  }
  return {};
}

Result<Visit> RunReader::AddObjects(const WantedObjects& chosen) {
  if (!chosen.empty() && std::ranges::find(chosen, true) == chosen.end()) {
    return Visit::kContinue;
  }
  // ReadSegments refuses larger ones.
  const uint64_t max_segmented =
      std::min({choice_.max_content, file_.options().max_object_size,
                file_.options().max_block_size});
  return VisitRun(
      {file_, decoder_, stop_}, run_, chosen,
      {.object = [&](ObjectNumber number, ObjectType type,
                     ByteView content) -> Result<Visit> {
         if (content.size() > choice_.max_content) {
           chunk_->AddTooLarge(number, {type, content.size()});
         } else {
           chunk_->Add(number, type, content);
         }
         return Added();
       },
       .begin = [&](ObjectNumber number,
                    const ObjectInfo& info) -> Result<Visit> {
         if (info.size <= max_segmented) return Visit::kContinue;
         chunk_->AddTooLarge(number, info);
         return Visit::kStop;
       },
       .lost = [&](ObjectNumber number,
                   const Error& error) { return AddLost(number, error); }});
}

Result<Visit> RunReader::AddAllLost(const WantedObjects& chosen,
                                    const Error& error) {
  const uint32_t count = file_.block_object_count(run_.first);
  for (uint32_t index = 0; index < count; ++index) {
    if (!chosen.empty() && !chosen[index]) continue;
    ZPACK_VISIT(AddLost(file_.first_object(run_.first) + index, error),
                Visit::kStop);
  }
  return Visit::kContinue;
}

Result<Visit> RunReader::AddLost(ObjectNumber number, const Error& error) {
  const ObjectId id = file_.ids()[file_.rank(number)];
  chunk_->AddLost(number, LossError(file_, run_, id, error));
  return Added();
}

Result<Visit> RunReader::Added() {
  return chunk_->memory() < kChunkSize ? Visit::kContinue : Flush();
}

Result<Visit> RunReader::Flush() {
  if (chunk_->entries().empty()) return Visit::kContinue;
  hasher_.Check(
      *chunk_,
      [&](ObjectNumber number) { return file_.ids()[file_.rank(number)]; },
      [&](const ObjectId& expected, const ObjectId& actual) {
        return HashMismatch(file_, run_, expected, actual);
      });
  ZPACK_TRY(CheckStop(stop_));
  const Result<Visit> taken = (*take_)(chunk_);
  chunk_->Clear();
  return taken;
}

}  // namespace zpack
