// What may be done with each part of a sentence, and how good it looks on its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "coverage.h"
#include "index.h"
#include "language_model.h"
#include "phrase_table.h"

namespace paraphrast {

// Numbers in the place of an option of the table.
constexpr std::int32_t kCopied = -1;  // a word the table does not know
constexpr std::int32_t kForced = -2;  // a span whose translation was given
constexpr std::int32_t kKept = -3;    // a word the table knows but never keeps

constexpr std::uint32_t kLongestSentence = 0xFFFF;

// The features, in the order of paraphrast/phrase/features.py.
constexpr std::size_t kFixedFeatures = 5;

struct Settings {
  int pops = 1000;        // hypotheses made a stack by cube pruning
  int stack = 1000;       // hypotheses expanded a stack
  double beam = std::numeric_limits<double>::infinity();  // furthest from the best
  int options = 20;       // options a source phrase; 0: all
  int distortion = 6;     // furthest jump; 0: monotone; -1: any
  bool cube = true;       // cube pruning; else every hypothesis by every option
  bool copy = false;      // every word may be kept, at the price of `copy_score`
  double copy_score = 0;  // each table score of such a word
};

// A span of a sentence whose translation is given.
struct Forced {
  std::uint32_t start, end;
  std::vector<std::string> words;
};

struct Sentence {
  std::vector<std::string> words;
  std::vector<Forced> forced;  // in order, not overlapping
};

// The table, the models and the weights that hypotheses are scored by.
struct Scoring {
  const PhraseTable& table;
  std::vector<const LanguageModel*> models;
  std::vector<std::vector<Word>> model_words;  // of each model, by target word
  Settings settings;
  double distortion = 0, words = 0, phrases = 0, unknown = 0, kept = 0;
  std::vector<double> model_weights{};  // by natural logarithm
  std::vector<double> table_weights{};
  std::array<double, kReorderingScores> reordering{};
};

// The model's number of a word of a sentence; its own marks are only words there.
inline Word model_number(const LanguageModel& model, std::string_view word) {
  const Word number = model.find(word);
  return number < kSpecialWords ? kUnknown : number;
}

// log10 p(word | from), never so small that a weighted sum of many loses its order.
inline double floored_score(const LanguageModel& model, const State& from, Word word,
                            State& to) {
  return std::max(-100.0, static_cast<double>(model.score(from, word, to)));
}

using Orientations = std::array<double, 3>;  // monotone, swap, other

struct Option {
  double isolated;      // weighted features that depend on the option alone
  double estimate;      // and the language models without context
  Orientations before;  // weighted: how it follows what came before
  std::uint32_t after;  // number of its weighted scores for what comes after
  std::uint32_t output;
  std::int32_t row;  // of the table, or kCopied, kForced, kKept
  std::uint16_t start, end;
  std::uint16_t kept;
  std::uint16_t length;  // target words
};

// The options of a span: first..last of the sentence's options, best first.
struct Span {
  std::uint32_t end, first, last;
};

class SentenceOptions {
 public:
  explicit SentenceOptions(const Scoring& scoring);

  void begin(const Sentence& sentence);

  std::uint32_t length() const { return length_; }
  const Option& operator[](std::uint32_t option) const { return options_[option]; }
  // The spans that start at a word, shortest first.
  std::span<const Span> spans_at(std::uint32_t start) const {
    return {spans_.data() + span_starts_[start],
            spans_.data() + span_starts_[start + 1]};
  }
  const Orientations& after(std::uint32_t number) const { return afters_[number]; }
  std::span<const Word> output_words(std::uint32_t output) const;
  // The model's number of a target word of this sentence.
  Word model_word(std::size_t model, Word target) const;
  // Words that are not in the table, numbered from the table's last word on.
  const std::vector<std::string>& extra() const { return extra_; }

  // Return what the words not covered will score at best, models without context.
  double future(const Coverage& coverage) const;

 private:
  struct Prepared {
    std::uint32_t first, last;
  };

  void add_phrases(const Sentence& sentence, std::uint32_t start, std::uint32_t end);
  void add_phrase(std::uint32_t start, std::uint32_t length, std::uint32_t phrase);
  void add_given(std::uint32_t start, std::uint32_t end, std::int32_t row,
                 std::span<const std::string> words, const Sentence& sentence);
  void add_kept(const Sentence& sentence, std::uint32_t start);
  const Prepared& prepared(std::uint32_t phrase);
  Option scored(std::uint32_t phrase, std::uint32_t row) const;
  void finish(Option& option, std::uint32_t row);
  double models_alone(std::span<const Word> words) const;
  Word target_word(const std::string& word);
  void estimate_future();

  const Scoring& scoring_;
  std::uint32_t length_ = 0;
  std::vector<Word> source_;
  std::vector<Option> options_;
  std::vector<Span> spans_;
  std::vector<std::uint32_t> span_starts_;

  // Target phrases that are not of the table, numbered from its last output on.
  std::vector<Word> given_words_;
  std::vector<std::uint32_t> given_starts_;
  std::vector<std::string> extra_;
  std::unordered_map<std::string, Word> extra_numbers_;
  std::vector<Word> extra_model_words_;  // one a model and word

  std::uint32_t width_ = 0;   // longest inner span with an estimate
  std::vector<double> best_;  // by start and length - 1
  std::vector<double> rest_;  // from a word to the end

  // What a source phrase's options score never changes between sentences.
  std::unordered_map<std::uint32_t, Prepared> prepared_;
  std::vector<Option> prepared_options_;
  std::vector<Option> considered_;
  std::vector<Orientations> afters_;
  Index after_index_;
};

}  // namespace paraphrast
