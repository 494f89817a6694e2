// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "salvage/history_survey.h"

#include "base/error.h"
#include "object/object_links.h"
#include "reader/block_decoder.h"
#include "reader/object_run.h"
#include "salvage/fatal_error.h"

namespace zpack {

Status VisitProven(const Salvaging& salvaging, size_t row,
                   BlockDecoder& decoder,
                   const std::function<Status(ObjectNumber, ByteView)>& visit) {
  const FileBlocks& file = salvaging.file;
  const BlockRun run = RunAt(file, row);
  const ObjectNumber first = file.first_object(row);
  ZPACK_ASSIGN_OR_RETURN(const DecodedBlock block, decoder.Decode(file, row));
  if (IsSegmented(run, block)) {
    if (!salvaging.ids.IsProven(first)) return {};
    ZPACK_ASSIGN_OR_RETURN(const Bytes content,
                           ReadSegments(file, run, block, decoder));
    return visit(first, content);
  }
  WantedObjects wanted(block.objects.sizes.size());
  for (uint32_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = salvaging.ids.IsProven(first + i);
  }
  return block.ForEachObject(
      wanted, file.max_kept(), [&](size_t index, ByteView content) -> Status {
        ZPACK_TRY(CheckStop(salvaging.run.stop));
        return visit(first + static_cast<uint32_t>(index), content);
      });
}

Result<HistorySurvey> SurveyHistory(const Salvaging& salvaging) {
  const ObjectFormat format = salvaging.file.object_format();
  HistorySurvey survey;
  BlockDecoder decoder;
  for (size_t row = 0; row < salvaging.blocks.row_count(); ++row) {
    if (!salvaging.blocks.IsBlock(row)) continue;
    const format::BlockHeader& header = salvaging.blocks.block(row).header;
    const bool commits = header.type == ObjectType::kCommit;
    if ((!commits && header.type != ObjectType::kTag) ||
        header.segment_offset != 0) {
      continue;
    }
    const Status visited = VisitProven(
        salvaging, row, decoder,
        [&](ObjectNumber number, ByteView content) -> Status {
          if (!commits) {
            survey.tags[salvaging.ids.Id(number)] =
                ParseTagTarget(content, format);
            return {};
          }
          const CommitLinks links = ParseCommitLinks(content, format);
          survey.parents.insert(survey.parents.end(), links.parents.begin(),
                                links.parents.end());
          survey.commits.push_back({number, links.tree, survey.parents.size()});
          return {};
        });
    if (!visited && IsFatal(visited.error())) {
      return std::unexpected(visited.error());
    }
  }
  return survey;
}

}  // namespace zpack
