// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"

#include <system_error>

namespace zpack {

Error IoError(std::string_view action, std::string_view path,
              int error_number) {
  return {ErrorCode::kIo,
          FormatMessage("cannot {} '{}': {}", action, path,
                        std::generic_category().message(error_number))};
}

Status CheckStop(const std::stop_token& stop) {
  if (stop.stop_requested()) {
    return MakeError(ErrorCode::kInterrupted, "interrupted");
  }
  return {};
}

}  // namespace zpack
