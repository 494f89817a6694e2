// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/damage_hints.h"

#include <fmt/format.h>

#include <ostream>

#include "zpack/quote.h"

namespace zpack::cli {

void PrintDamageHints(const std::string& path, ParityHint parity,
                      std::ostream& err) {
  const std::string file = QuoteForShell(path);
  if (parity == ParityHint::kEnough) {
    err << fmt::format(
        "hint: the parity can repair the file: git zpack repair {}\n", file);
    return;
  }
  if (parity == ParityHint::kDamaged) {
    err << fmt::format(
        "hint: only the parity is damaged; to make it again: git zpack repair "
        "--in-place {}\n",
        file);
    return;
  }
  if (parity == ParityHint::kGone) {
    err << fmt::format(
        "hint: only the parity is damaged; to make it again: git zpack protect "
        "{}\n",
        file);
    return;
  }
  if (parity == ParityHint::kUnknown) {
    err << fmt::format("hint: if the file has parity: git zpack repair {}\n",
                       file);
  }
  err << fmt::format(
      "hint: to restore all but the damaged objects: git zpack restore "
      "--keep-going {} <directory>\n"
      "hint: if that fails, for what is left of the file: git zpack salvage {} "
      "<directory>\n",
      file, file);
}

}  // namespace zpack::cli
