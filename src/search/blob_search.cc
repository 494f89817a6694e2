// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/blob_search.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/parallel.h"
#include "reader/decoders.h"
#include "reader/object_run.h"
#include "reader/visit_run.h"
#include "search/copied_lines.h"
#include "search/line_matcher.h"
#include "search/text_pieces.h"

namespace zpack::search {
namespace {

// The lines of an object that may be a base.
struct KnownLines {
  std::vector<MatchingLine> lines;
  std::vector<uint32_t> names;
};

class BlobSearcher {
 public:
  BlobSearcher(const FileBlocks& file, const BlobSearch& search,
               LineMatcher matcher)
      : file_(file), search_(search), matcher_(std::move(matcher)) {}

  // Searches the blobs of the blocks [first, end), none of which continues an
  // object that begins before.
  Status Search(size_t first, size_t end) {
    while (first < end) {
      ZPACK_TRY(CheckStop(search_.stop));
      const BlockRun run = RunAt(file_, first);
      first = run.last;
      if (!Choose(run)) continue;
      ZPACK_ASSIGN_OR_RETURN(const format::BlockView view,
                             decoder_.Load(file_, run.first));
      if (view.header.type != ObjectType::kBlob) continue;
      ZPACK_ASSIGN_OR_RETURN(const DecodedBlock block,
                             decoder_.Decode(file_, run.first, view));
      ZPACK_TRY(SearchRun(run, block));
    }
    return {};
  }

 private:
  // Sets `wanted_`. False if no object of the run is wanted.
  bool Choose(const BlockRun& run) {
    wanted_.clear();
    if (!search_.numbers) return true;
    const ObjectNumber begin = file_.first_object(run.first);
    const uint32_t count = file_.block_object_count(run.first);
    auto number = std::ranges::lower_bound(*search_.numbers, begin);
    for (; number != search_.numbers->end() && *number - begin < count;
         ++number) {
      wanted_.resize(count);
      wanted_[*number - begin] = true;
    }
    return !wanted_.empty();
  }

  bool IsWanted(uint32_t index) const {
    return wanted_.empty() || wanted_[index];
  }

  Status SearchRun(const BlockRun& run, const DecodedBlock& block) {
    const ObjectNumber first = block.objects.header.first_object;
    known_.assign(block.objects.sizes.size(), {});
    std::optional<TextPieces> pieces;
    Status searched;  // the pieces
    RunVisitor visitor;
    visitor.object = [&](ObjectNumber number, ObjectType,
                         ByteView content) -> Status {
      return SearchObject(block, number, number - first, AsText(content));
    };
    visitor.begin = [&](ObjectNumber, const ObjectInfo&) -> Status {
      pieces.emplace(matcher_, static_cast<bool>(search_.name));
      return {};
    };
    visitor.piece = [&](ByteView bytes) -> Result<Visit> {
      if (search_.piece) {
        ZPACK_TRY(search_.piece(first, AsText(bytes)));
        return Visit::kContinue;
      }
      searched = pieces->Add(AsText(bytes));
      return searched && !IsLeftOut(*pieces) ? Visit::kContinue : Visit::kStop;
    };
    const RunSource source = {file_, decoder_, search_.stop};
    ZPACK_TRY(VisitRun(source, run, block, wanted_, visitor));
    if (!pieces || search_.piece) return {};
    if (IsLeftOut(*pieces)) {
      return search_.visit({.number = first, .binary = true});
    }
    if (searched) searched = pieces->Finish();
    return searched ? PassPieces(first, *pieces)
                    : Fail(first, searched.error());
  }

  bool IsLeftOut(const TextPieces& pieces) const {
    return search_.leaves_out_binary && pieces.binary();
  }

  Status Fail(ObjectNumber number, const Error& error) const {
    const Error named = NewError(error.code, "object {} cannot be searched: {}",
                                 file_.id(number), MessageText{error.message});
    if (!search_.fail) return std::unexpected(named);
    search_.fail(number, named);
    return {};
  }

  Status SearchObject(const DecodedBlock& block, ObjectNumber number,
                      uint32_t index, std::string_view text) {
    const auto base =
        block.layout() == nullptr ? std::nullopt : block.layout()->base(index);
    carried_.clear();
    const KnownLines* of_base = nullptr;
    if (base && !block.layout()->IsFar(*base) && IsWanted(*base)) {
      of_base = &known_[*base];
      block.ReadDelta(index, delta_);
      ZPACK_TRY(FindCarriedLines(text, delta_,
                                 {block.objects.sizes[*base], of_base->lines},
                                 matcher_, carried_));
    } else {
      ZPACK_TRY(FindCarriedLines(text, {}, {}, matcher_, carried_));
    }
    KnownLines& known = known_[index];
    ZPACK_TRY(Keep(text, of_base, known));
    if (search_.number_lines) NumberLines(text, known.lines);
    ZPACK_ASSIGN_OR_RETURN(const bool accepted, matcher_.AcceptsFile(text));
    if (!accepted) return {};
    return search_.visit(
        {number, text, IsBinary(text), known.lines, known.names});
  }

  // Turns what was carried over and found into `known`.
  Status Keep(std::string_view text, const KnownLines* base,
              KnownLines& known) {
    known.lines.reserve(carried_.size());
    for (const CarriedLine& line : carried_) known.lines.push_back(line.line);
    if (!search_.name) return {};
    known.names.reserve(carried_.size());
    for (const CarriedLine& carried : carried_) {
      if (carried.of_base != CarriedLine::kNew) {
        known.names.push_back(base->names[carried.of_base]);
        continue;
      }
      const MatchingLine& line = carried.line;
      ZPACK_ASSIGN_OR_RETURN(
          const uint32_t name,
          search_.name(text.substr(line.begin, line.end - line.begin)));
      known.names.push_back(name);
    }
    return {};
  }

  Status PassPieces(ObjectNumber number, const TextPieces& pieces) {
    std::vector<uint32_t> names;
    for (const std::string& text : pieces.texts()) {
      if (!search_.name) break;
      ZPACK_ASSIGN_OR_RETURN(const uint32_t name, search_.name(text));
      names.push_back(name);
    }
    return search_.visit(
        {number, std::nullopt, pieces.binary(), pieces.lines(), names});
  }

  const FileBlocks& file_;
  const BlobSearch& search_;
  LineMatcher matcher_;
  BlockDecoder decoder_;
  WantedObjects wanted_;
  std::vector<KnownLines> known_;  // by index of an object in its block
  // Reused:
  Delta delta_;
  std::vector<CarriedLine> carried_;
};

// Blocks that a thread takes at once: the blocks of a group are decompressed
// from its beginning.
std::vector<size_t> Shares(const FileBlocks& file) {
  const bool groups =
      format::HasFeature(file.features(), format::kGroupsFeature);
  const size_t least = groups ? 64 : 1;
  std::vector<size_t> starts;
  for (size_t block = 0; block < file.block_count();) {
    starts.push_back(block);
    block = std::min(block + least, file.block_count());
    while (block < file.block_count() && file.continues_previous(block)) {
      ++block;
    }
  }
  starts.push_back(file.block_count());
  return starts;
}

}  // namespace

Status SearchBlobs(const FileBlocks& file, const BlobSearch& search) {
  // Says what is wrong with the query even if there are no blobs.
  ZPACK_TRY(LineMatcher::Compile(search.query));
  const std::vector<size_t> starts = Shares(file);
  size_t next = 0;
  const PipelineThreads threads = {
      std::min<unsigned>(ResolveThreads(search.threads),
                         MaxDecoders(file.blocks_stored_size())),
      search.stop};
  using Searcher = Result<std::unique_ptr<BlobSearcher>>;
  return RunOrderedPipeline<size_t>(
      threads,
      [&]() -> Searcher {
        ZPACK_ASSIGN_OR_RETURN(LineMatcher matcher,
                               LineMatcher::Compile(search.query));
        return std::make_unique<BlobSearcher>(file, search, std::move(matcher));
      },
      [&](size_t& share) -> Result<bool> {
        share = next++;
        return share + 1 < starts.size();
      },
      [&](size_t share, const Searcher& searcher) -> Status {
        if (!searcher) return std::unexpected(searcher.error());
        return (*searcher)->Search(starts[share], starts[share + 1]);
      },
      [](size_t) { return Status{}; });
}

}  // namespace zpack::search
