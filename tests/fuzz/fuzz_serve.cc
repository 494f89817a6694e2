// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What clients send: the first byte chooses protocol, exchange and settings,
// the rest is the request. '@' and a letter stand for the ids of the sample
// file, so that a fuzzer can name objects.

#include <algorithm>
#include <memory>
#include <string>

#include "fuzz/fuzz_target.h"
#include "serve/upload_session.h"
#include "support/conversation.h"
#include "support/memory_file.h"
#include "support/sample_file.h"

namespace {

using namespace zpack;

const ArchiveFile& Sample() {
  static const std::unique_ptr<ArchiveFile> archive = [] {
    auto opened =
        ArchiveFile::Open(std::make_unique<zpack::testing::MemoryFile>(
                              zpack::testing::SampleFile()),
                          {});
    return *std::move(opened);
  }();
  return *archive;
}

UploadPackOptions OptionsOf(uint8_t choice) {
  UploadPackOptions options;
  options.run.threads = 1;
  options.protocol = static_cast<ServeProtocol>(choice % 3);
  options.exchange = static_cast<Exchange>(choice / 3 % 3);
  options.settings.advertise_object_info = true;
  options.settings.advertise_sideband_all = true;
  options.settings.wants = {.tip = choice / 9 % 4 == 1,
                            .reachable = choice / 9 % 4 == 2,
                            .any = choice / 9 % 4 == 3};
  if (choice >= 36 * 4) options.settings.hidden_refs = {"refs/heads"};
  return options;
}

std::string WithIds(std::string_view text) {
  std::string request;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '@' || at + 1 == text.size()) {
      request += text[at];
      continue;
    }
    const auto letter = static_cast<uint8_t>(text[++at]);
    const ObjectNumber number(letter % Sample().object_count());
    request += Sample().ids()[Sample().rank(number)].ToHex();
  }
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text = AsText(ByteView(data + 1, size - 1));
  zpack::testing::Converse(Sample(), OptionsOf(data[0]), WithIds(text));
  return 0;
}
