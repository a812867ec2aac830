// Interpolated modified Kneser-Ney (Chen & Goodman, 1998), as lmplz of KenLM has it.
//
// Highest-order n-grams count as often as they stand in the text; a shorter one
// counts the different words before it, unless it opens a sentence. One <s> opens a
// sentence, </s> closes it. <unk> has what the last level, a uniform one, gives it.
//
// Memory: 8 bytes a running word, and at the peak about 100 a distinct n-gram of the
// largest order and 40 of the others; `limit` stops the work when it would need more.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "language_model_tables.h"

namespace paraphrast {

// Words numbered in order of appearance.
class WordNumbers {
 public:
  WordNumbers();
  std::uint32_t number(std::string_view word);
  std::uint32_t find(std::string_view word) const;  // kNowhere if it is not there
  std::string_view word(std::uint32_t number) const;
  std::size_t size() const { return starts_.size() - 1; }
  std::size_t bytes() const;

 private:
  std::size_t place(std::string_view word) const;

  std::vector<char> letters_;
  std::vector<std::uint32_t> starts_{0};
  std::vector<std::uint32_t> table_;
};

struct EstimateSettings {
  int order = 3;
  std::array<std::uint64_t, kMostOrders> prune{};  // drop what stands so often or less
  std::uint64_t minimum_count = 1;                 // rarer words become <unk>
  std::size_t most_words = 0;                      // the most frequent ones; 0: all
};

// What was found about one order.
struct OrderReport {
  std::size_t counted = 0;
  std::size_t kept = 0;
  std::array<double, 4> discounts{};
  bool fallback = false;  // too little text for discounts: 0.5, 1 and 1.5 were taken
};

struct Estimate {
  std::vector<std::uint8_t> text;
  std::vector<std::uint32_t> starts;
  BuiltTables tables;
  std::vector<OrderReport> orders;
};

class TooMuchMemory {};

class Estimator {
 public:
  explicit Estimator(std::size_t limit) : limit_(limit) {}

  // Take a sentence of words between spaces; <unk>, <s> and </s> count as unknown.
  void add(std::string_view line);
  std::uint64_t words() const { return ids_.size(); }
  std::uint64_t sentences() const { return sentences_; }

  // Estimate from all that was added, and forget it. `vocabulary`, if given, is the
  // whole vocabulary: other words become <unk>, and words not in the text get what
  // <unk> gets.
  Estimate estimate(const EstimateSettings& settings,
                    const std::vector<std::string_view>* vocabulary);

  std::mutex mutex;  // for callers that let other threads in

 private:
  void check(std::size_t more) const;
  std::vector<std::uint32_t> chosen(const EstimateSettings& settings) const;
  // Write the words down in order; returns where each of `numbers_` stands.
  std::vector<Word> set_vocabulary(std::vector<std::string_view>&& words,
                                   Estimate& estimate) const;
  // The text in the vocabulary's numbers, with <s> and </s>; forgets the rest.
  std::vector<Word> marked_text(const std::vector<Word>& places);

  std::size_t limit_;
  WordNumbers numbers_;
  std::vector<std::uint32_t> ids_;  // sentences, each closed by kNowhere
  std::uint64_t sentences_ = 0;
};

}  // namespace paraphrast
