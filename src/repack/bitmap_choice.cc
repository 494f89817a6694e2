// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/bitmap_choice.h"

namespace zpack {

bool IsBitmapAskedFor(const RepackJob& job) {
  if (job.options.bitmap) return *job.options.bitmap == Bitmap::kYes;
  return job.settings.write_bitmaps.value_or(false);
}

bool WantsBitmap(const RepackJob& job, const RepackStats& stats,
                 const ObjectChoice& choice) {
  const RepackOptions& options = job.options;
  const RepackSettings& settings = job.settings;
  if (options.publication == Publication::kNo || !job.into_repository() ||
      !settings.multi_pack_index || stats.leaves_to_alternates) {
    return false;
  }
  if (options.bitmap || settings.write_bitmaps) {
    return IsBitmapAskedFor(job) && stats.packs != 0;
  }
  return settings.bare && options.geometric == 0 &&
         options.multi_pack_index == MultiPackIndex::kLeave &&
         choice.list.ids.size() == choice.known.size() &&
         stats.names.size() == 1;
}

}  // namespace zpack
