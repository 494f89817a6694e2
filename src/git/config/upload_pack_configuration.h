// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads what git-config(1) sets for git-upload-pack. A function without state;
// any thread.

#pragma once

#include "zpack/result.h"
#include "zpack/serve.h"

namespace zpack {

// Errors as ReadUploadPackSettings.
Result<UploadPackSettings> ReadUploadPackConfiguration();

}  // namespace zpack
