// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens the file that a caller names by a path or a URL. A function without
// state; any thread.

#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/file.h"
#include "http/page_loader.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Opens `name` for reading: a URL if it begins with 'http://' or 'https://',
// otherwise a path. Reads from a URL fail with kInterrupted once `stop` is
// requested.
//
// Errors: those of FileSystem::OpenForRead; for a URL kNotFound if the server
// has no such file, kUnsupported if the server does not send parts of the file
// and `options` do not allow to download it, kIo and kInterrupted.
Result<std::unique_ptr<RandomAccessFile>> OpenForReading(
    const std::string& name, const ReadOptions& options,
    const std::stop_token& stop = {}, DiskPages disk_pages = DiskPages::kAll);

}  // namespace zpack
