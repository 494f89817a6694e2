// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints commits as git-log(1) does. Thread-compatible.

#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "log/log_commit_text.h"
#include "log/log_look.h"
#include "log/message_filter.h"
#include "zpack/log.h"
#include "zpack/result.h"

namespace zpack::cli {

class CommitPrinter {
 public:
  // All must outlive the printer. `filter` tells what is highlighted.
  CommitPrinter(const LogLook& look, const LogSources& sources,
                MessageFilter& filter, std::ostream& out)
      : look_(look), sources_(sources), filter_(filter), out_(out) {}

  // Errors: those of ExpandFormat; kIo.
  Status Print(const LoggedCommit& commit);

 private:
  Result<std::string> FirstLine(const LoggedCommit& commit) const;
  Result<std::string> Styled(const LoggedCommit& commit,
                             const CommitText& text);
  // Removes the headers and the empty line from `text`.
  Status AddHeaders(const LoggedCommit& commit, std::string_view& text,
                    std::string& to);
  Status AddMerge(const LoggedCommit& commit, std::string& to) const;
  Status AddPerson(std::string_view what, std::string_view line,
                   std::string& to);
  Status AddMessage(std::string_view text, std::string& to);
  Status AddLine(std::string_view line, std::string& to);
  Status AddText(std::string_view text, MessageFilter::Field field,
                 std::string& to);

  const LogLook& look_;
  const LogSources& sources_;
  MessageFilter& filter_;
  std::ostream& out_;
  bool printed_ = false;
};

}  // namespace zpack::cli
