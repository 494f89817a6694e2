// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/regular_expression.h"

#include <regex.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <utility>

#include "base/error.h"
#include "base/sanitizers.h"

namespace zpack::search {
namespace {

class PosixExpression final : public RegularExpression {
 public:
  PosixExpression() = default;
  ~PosixExpression() override {
    if (is_compiled_) regfree(&compiled_);
  }
  PosixExpression(const PosixExpression&) = delete;
  PosixExpression& operator=(const PosixExpression&) = delete;

  // Call this once. Returns what is wrong, or nothing.
  std::string Compile(const std::string& pattern, int flags) {
    const int code = regcomp(&compiled_, pattern.c_str(), flags);
    is_compiled_ = code == 0;
    if (is_compiled_) return "";
    std::array<char, 256> text{};
    regerror(code, &compiled_, text.data(), text.size());
    return text.data();
  }

  Result<std::optional<MatchSpan>> Find(std::string_view text,
                                        TextStart start) override {
    const char* begin = text.data();
    if constexpr (kAddressSanitizer || kThreadSanitizer) {
      // They want a terminated text, although the end is given.
      text_ = text;
      begin = text_.c_str();
    }
    // The library takes no null pointer, even for nothing.
    if (text.empty()) begin = "";
    regmatch_t match = {.rm_so = 0,
                        .rm_eo = static_cast<regoff_t>(text.size())};
    const int flags =
        REG_STARTEND | (start == TextStart::kInLine ? REG_NOTBOL : 0);
    const int code = regexec(&compiled_, begin, 1, &match, flags);
    if (code == REG_NOMATCH) return std::nullopt;
    if (code != 0) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "a line of {} bytes needs too much memory to be "
                       "compared with a regular expression",
                       text.size());
    }
    return MatchSpan{static_cast<size_t>(match.rm_so),
                     static_cast<size_t>(match.rm_eo)};
  }

 private:
  regex_t compiled_{};
  bool is_compiled_ = false;
  std::string text_;  // reused
};

struct FreePcre2 {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  void operator()(pcre2_match_context* context) const {
    pcre2_match_context_free(context);
  }
  void operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }
};
template <typename T>
using Pcre2Ptr = std::unique_ptr<T, FreePcre2>;

std::string Pcre2Message(int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

// In Git's words, which do not quote what the pattern has.
std::unexpected<Error> Invalid(std::string_view pattern, std::string_view why) {
  return MakeError(ErrorCode::kInvalidArgument, "'{}': {}",
                   MessageText{pattern}, MessageText{why});
}

class PerlExpression final : public RegularExpression {
 public:
  PerlExpression(Pcre2Ptr<pcre2_code> code, uint32_t most_work)
      : code_(std::move(code)),
        data_(pcre2_match_data_create_from_pattern(code_.get(), nullptr)),
        context_(pcre2_match_context_create(nullptr)) {
    pcre2_set_match_limit(context_.get(), most_work);
    constexpr size_t kLeastStack = size_t{32} << 10;
    constexpr size_t kMostStack = size_t{1} << 20;
    // Without just-in-time compilation, PCRE2 interprets the pattern.
    if (pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE) == 0) {
      stack_.reset(pcre2_jit_stack_create(kLeastStack, kMostStack, nullptr));
      pcre2_jit_stack_assign(context_.get(), nullptr, stack_.get());
    }
  }

  Result<std::optional<MatchSpan>> Find(std::string_view text,
                                        TextStart start) override {
    const uint32_t flags = start == TextStart::kInLine ? PCRE2_NOTBOL : 0;
    const int code =
        pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()),
                    text.size(), 0, flags, data_.get(), context_.get());
    if (code == PCRE2_ERROR_NOMATCH) return std::nullopt;
    if (code < 0) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "pcre2_match failed with error code {}: {}", code,
                       Pcre2Message(code));
    }
    const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(data_.get());
    return MatchSpan{ends[0], ends[1]};
  }

 private:
  Pcre2Ptr<pcre2_code> code_;
  Pcre2Ptr<pcre2_match_data> data_;
  Pcre2Ptr<pcre2_match_context> context_;
  Pcre2Ptr<pcre2_jit_stack> stack_;
};

}  // namespace

std::string Pcre2Version() {
  std::array<char, 64> text{};
  pcre2_config(PCRE2_CONFIG_VERSION, text.data());
  const std::string version = text.data();
  return version.substr(0, version.find(' '));
}

Result<std::unique_ptr<RegularExpression>> CompilePosix(
    const std::string& pattern, const ExpressionOptions& options) {
  auto expression = std::make_unique<PosixExpression>();
  const std::string wrong = expression->Compile(
      pattern, REG_NEWLINE | (options.extended ? REG_EXTENDED : 0) |
                   (options.ignore_case ? REG_ICASE : 0));
  if (!wrong.empty()) return Invalid(pattern, wrong);
  return expression;
}

Result<std::unique_ptr<RegularExpression>> CompilePerl(
    std::string_view pattern, const ExpressionOptions& options) {
  uint32_t flags = options.literal ? PCRE2_LITERAL : PCRE2_MULTILINE;
  if (options.ignore_case) flags |= PCRE2_CASELESS;
  if (options.prefilter) flags |= PCRE2_NO_DOTSTAR_ANCHOR;
  if (options.utf8) {
    flags |= PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
    if (!options.literal) flags |= PCRE2_UCP;
  }
  const std::unique_ptr<pcre2_compile_context, void (*)(pcre2_compile_context*)>
      context(pcre2_compile_context_create(nullptr),
              pcre2_compile_context_free);
  if (context == nullptr) {
    return MakeError(ErrorCode::kOutOfMemory, "out of memory");
  }
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int code = 0;
  PCRE2_SIZE offset = 0;
  Pcre2Ptr<pcre2_code> compiled(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()),
                    pattern.size(), flags, &code, &offset, context.get()));
  if (compiled != nullptr) {
    constexpr uint32_t kEarly = 100'000;
    constexpr uint32_t kLate = 10'000'000;  // as by default
    return std::make_unique<PerlExpression>(std::move(compiled),
                                            options.prefilter ? kEarly : kLate);
  }
  return Invalid(pattern, Pcre2Message(code));
}

}  // namespace zpack::search
