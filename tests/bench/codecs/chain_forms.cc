// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/codecs/chain_forms.h"

#include <fstream>
#include <limits>

#include "base/error.h"
#include "bench/codecs/bench_run.h"
#include "bench/codecs/line_delta.h"
#include "delta/delta_encoder.h"
#include "pack/pack_delta.h"

namespace zpack::bench {
namespace {

constexpr uint64_t kMaxText = uint64_t{1} << 30;

Status ReadVersion(PackReader& pack, const std::string& hex, History& history) {
  const auto id = ObjectId::FromHex(hex);
  const auto rank = id ? pack.ids().Find(*id) : std::nullopt;
  if (!rank) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "'{}' is not an object of the pack", hex);
  }
  return pack.Read(*rank, history.emplace_back());
}

}  // namespace

Result<std::vector<History>> ReadHistories(const std::string& repository,
                                           const std::string& list) {
  ZPACK_ASSIGN_OR_RETURN(const auto pack, OpenOnlyPack(repository));
  std::ifstream in(list);
  std::vector<History> histories;
  for (size_t count = 0; in >> count;) {
    std::string path;
    std::getline(in, path);
    History& history = histories.emplace_back();
    for (std::string hex; count > 0 && in >> hex; --count) {
      ZPACK_TRY(ReadVersion(*pack, hex, history));
    }
  }
  if (histories.empty() || !in.eof()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "'{}' is not a list of histories", list);
  }
  return histories;
}

History MakeEntries(const History& texts, Form form) {
  if (form == Form::kTexts) return texts;
  History entries(texts.size());
  DeltaEncoder encoder(kPackTextCosts);
  Delta delta;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i == 0) {
      entries[0] = texts[0];
    } else if (form == Form::kLineDeltas) {
      EncodeLineDelta(texts[i - 1], texts[i], entries[i]);
    } else {
      delta.copies.clear();
      encoder.Encode(texts[i - 1], texts[i],
                     std::numeric_limits<uint64_t>::max(), delta);
      EncodePackDelta(texts[i - 1].size(), texts[i], delta, entries[i]);
    }
  }
  return entries;
}

Status RestoreTexts(const History& entries, Form form, History& texts) {
  texts.resize(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i == 0 || form == Form::kTexts) {
      texts[i] = entries[i];
    } else if (form == Form::kLineDeltas) {
      ZPACK_TRY(ApplyLineDelta(texts[i - 1], entries[i], texts[i]));
    } else {
      ZPACK_TRY(ApplyPackDelta(texts[i - 1], entries[i], kMaxText, texts[i]));
    }
  }
  return {};
}

}  // namespace zpack::bench
