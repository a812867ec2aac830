// The decoder: many sentences at once, each with its best translations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "options.h"

namespace paraphrast {

struct ChosenPhrase {
  std::int32_t source_start, source_end, target_start, target_end;
  std::int32_t row;  // of the table, or kCopied, kForced, kKept
};

// The translations of a sentence, best first, packed: of each its score, its features,
// and how many of the words, phrases and links that follow are its own.
struct Translations {
  std::vector<double> scores;
  std::vector<double> features;
  std::vector<std::uint32_t> word_counts, phrase_counts, link_counts;
  std::vector<Word> words;  // from the table's size on: numbers of `extra`
  std::vector<ChosenPhrase> phrases;
  std::vector<std::uint32_t> links;  // source place, target place, ...
  std::vector<std::string> extra;
};

struct Request {
  std::size_t alternatives = 1;
  bool distinct = false;  // no two translations of the same words
  int threads = 1;
};

class Decoder {
 public:
  // The table and the models must outlive the decoder.
  Decoder(const PhraseTable& table, std::vector<const LanguageModel*> models);

  std::size_t feature_count() const;

  // Decode sentences of at most kLongestSentence words, with spans that are in order,
  // inside the sentence and apart. Throws std::invalid_argument for weights that are
  // too many, too few or too large.
  std::vector<Translations> decode(const std::vector<Sentence>& sentences,
                                   const std::vector<double>& weights,
                                   const Settings& settings,
                                   const Request& request) const;

 private:
  Scoring scoring(const std::vector<double>& weights, const Settings& settings) const;

  const PhraseTable& table_;
  std::vector<const LanguageModel*> models_;
  std::vector<std::vector<Word>> model_words_;
};

}  // namespace paraphrast
