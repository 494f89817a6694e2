// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Ways to compress the versions of files (tools/bench/chains).
//
//   chains_benchmark REPO LIST LEVEL [OPTION OF GOOGLE BENCHMARK...]
//
// LIST names the histories (ReadHistories). Speeds are bytes of text in a
// second of CPU time; making and applying deltas counts. Before a way is
// measured, the histories are compressed, restored and compared.

#include <benchmark/benchmark.h>

#include <charconv>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/codecs/chain_codec.h"
#include "bench/codecs/chain_forms.h"

namespace zpack::bench {
namespace {

size_t Sum(const std::vector<History>& histories) {
  size_t bytes = 0;
  for (const History& history : histories) {
    for (const Bytes& entry : history) bytes += entry.size();
  }
  return bytes;
}

// One way to store histories.
class Chains {
 public:
  Chains(const std::vector<History>& texts, Form form, Method method, int level)
      : texts_(texts),
        form_(form),
        entries_(Entries(texts, form)),
        codec_(method, level, entries_),
        stored_(texts.size()),
        buffers_(entries_) {
    sound_ = Compress() && Decompress() && restored_ == texts_;
  }

  bool sound() const { return sound_; }
  size_t stored_size() const { return Sum(stored_) + codec_.dictionary_size(); }
  size_t dictionary_size() const { return codec_.dictionary_size(); }

  bool Compress() {
    for (size_t i = 0; i < texts_.size(); ++i) {
      const History entries = MakeEntries(texts_[i], form_);
      if (!codec_.Compress(entries, stored_[i])) return false;
    }
    return true;
  }
  bool Decompress() {
    restored_.resize(texts_.size());
    for (size_t i = 0; i < texts_.size(); ++i) {
      if (!codec_.Decompress(stored_[i], buffers_[i]) ||
          !RestoreTexts(buffers_[i], form_, restored_[i])) {
        return false;
      }
    }
    return true;
  }

 private:
  static std::vector<History> Entries(const std::vector<History>& texts,
                                      Form form) {
    std::vector<History> entries;
    entries.reserve(texts.size());
    for (const History& history : texts) {
      entries.push_back(MakeEntries(history, form));
    }
    return entries;
  }

  const std::vector<History>& texts_;
  Form form_;
  std::vector<History> entries_;
  ChainCodec codec_;
  std::vector<History> stored_;
  std::vector<History> buffers_;
  std::vector<History> restored_;
  bool sound_ = false;
};

// A way to store the histories, which is set up when it is measured.
struct Measured {
  const std::vector<History>& texts;
  Form form;
  Method method;
  int level;
  std::optional<Chains> chains = std::nullopt;

  Chains& SetUp() {
    if (!chains) chains.emplace(texts, form, method, level);
    return *chains;
  }
};

void Measure(benchmark::State& state, Measured& measured,
             bool (Chains::*work)()) {
  Chains& chains = measured.SetUp();
  if (!chains.sound()) {
    state.SkipWithError("the histories do not come back");
    return;
  }
  for (auto _ : state) (chains.*work)();
  const size_t bytes = Sum(measured.texts);
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * bytes));
  state.counters["raw"] = static_cast<double>(bytes);
  state.counters["stored"] = static_cast<double>(chains.stored_size());
  state.counters["dictionary"] = static_cast<double>(chains.dictionary_size());
}

void Register(const std::vector<History>& texts, int level) {
  for (const auto& [form, form_name] : kForms) {
    for (const auto& [method, method_name] : kMethods) {
      if (form == Form::kTexts && method == Method::kNone) continue;
      const std::string prefix =
          std::string(form_name) + "/" + method_name + "/";
      const auto measured =
          std::make_shared<Measured>(texts, form, method, level);
      benchmark::RegisterBenchmark(
          (prefix + "compress").c_str(), [measured](benchmark::State& state) {
            Measure(state, *measured, &Chains::Compress);
          });
      benchmark::RegisterBenchmark(
          (prefix + "decompress").c_str(), [measured](benchmark::State& state) {
            Measure(state, *measured, &Chains::Decompress);
            // Memory for the next way. A further call sets it up again.
            measured->chains.reset();
          });
    }
  }
}

}  // namespace

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  int level = 0;
  if (argc == 4) {
    const std::string_view digits = argv[3];
    std::from_chars(digits.data(), digits.data() + digits.size(), level);
  }
  if (level < 1 || level > ZSTD_maxCLevel()) {
    std::cerr << "usage: chains_benchmark REPO LIST LEVEL [OPTION...]\n";
    return 129;
  }
  const Result<std::vector<History>> histories =
      ReadHistories(argv[1], argv[2]);
  if (!histories) {
    std::cerr << "fatal: " << histories.error().message << '\n';
    return 128;
  }
  Register(*histories, level);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace zpack::bench

int main(int argc, char** argv) { return zpack::bench::Main(argc, argv); }
