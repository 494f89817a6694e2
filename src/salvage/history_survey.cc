// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "salvage/history_survey.h"

#include "base/error.h"
#include "object/object_links.h"
#include "reader/block_decoder.h"
#include "reader/visit_run.h"
#include "salvage/fatal_error.h"

namespace zpack {

Status VisitProven(const Salvaging& salvaging, size_t row,
                   BlockDecoder& decoder,
                   const std::function<Status(ObjectNumber, ByteView)>& visit) {
  const FileBlocks& file = salvaging.file;
  WantedObjects proven(file.block_object_count(row));
  for (uint32_t i = 0; i < proven.size(); ++i) {
    proven[i] = salvaging.ids.IsProven(file.first_object(row) + i);
  }
  ZPACK_TRY(VisitRun(
      {file, decoder, salvaging.run.stop}, RunAt(file, row), proven,
      {.object = [&](ObjectNumber number, ObjectType /*type*/,
                     ByteView content) { return visit(number, content); }}));
  return {};
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
