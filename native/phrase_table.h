// A phrase table over arrays that someone else keeps alive, usually a mapped file.
//
// The arrays are those of paraphrast/phrase/table.py. Every offset, number and order
// is checked once, when the view is made; nothing is checked again afterwards, and
// any number of threads may read at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "language_model.h"

namespace paraphrast {

constexpr Word kNoWord = 0xFFFFFFFF;
constexpr std::size_t kLongestPhrase = 15;
constexpr std::size_t kReorderingScores = 6;

// Distinct strings in order, as paraphrast/text/strings.py packs them.
class Strings {
 public:
  Strings() = default;
  // Throws std::invalid_argument, naming `what`, unless the strings are in order.
  Strings(std::span<const std::uint8_t> text, std::span<const std::uint32_t> starts,
          const char* what);

  std::size_t size() const { return starts_.size() - 1; }
  std::string_view operator[](std::size_t index) const {
    return {text_ + starts_[index], starts_[index + 1] - starts_[index]};
  }
  Word find(std::string_view wanted) const;  // kNoWord if it is not there

 private:
  const char* text_ = nullptr;
  std::span<const std::uint32_t> starts_;
};

struct Range {
  std::uint32_t first, last;
};

class PhraseTable {
 public:
  struct Arrays {
    std::span<const std::uint8_t> source_text, target_text;
    std::span<const std::uint32_t> source_starts, target_starts;
    std::span<const std::uint32_t> phrase_starts, phrase_words, option_starts;
    std::span<const std::uint32_t> output_starts, output_words, outputs;
    std::span<const float> scores, reordering;
    std::size_t score_count = 0, reordering_count = 0;
    std::span<const std::uint32_t> link_starts;
    std::span<const std::uint8_t> links;  // two a link
  };

  // Throws std::invalid_argument that says what is wrong with the arrays.
  explicit PhraseTable(const Arrays& arrays);

  const Strings& source() const { return source_; }
  const Strings& target() const { return target_; }
  std::size_t score_count() const { return a_.score_count; }
  bool has_reordering() const { return a_.reordering_count != 0; }
  std::uint32_t output_count() const {
    return static_cast<std::uint32_t>(a_.output_starts.size() - 1);
  }

  // The target word spelt as this source word, or kNoWord.
  Word twin(Word source) const { return twins_[source]; }

  // Call found(length, phrase) for every phrase that starts `words`, shortest first.
  // Words that the table does not know are kNoWord.
  template <class Found>
  void phrases_at(std::span<const Word> words, Found&& found) const {
    Range range{0, static_cast<std::uint32_t>(a_.phrase_starts.size() - 1)};
    for (std::uint32_t depth = 0; depth < words.size(); ++depth) {
      range = narrowed(range, depth, words[depth]);
      if (range.first == range.last) return;
      if (length(range.first) == depth + 1) found(depth + 1, range.first);
    }
  }

  std::span<const Word> phrase(std::uint32_t phrase) const {
    return a_.phrase_words.subspan(a_.phrase_starts[phrase], length(phrase));
  }
  Range options(std::uint32_t phrase) const {
    return {a_.option_starts[phrase], a_.option_starts[phrase + 1]};
  }
  std::uint32_t output(std::uint32_t option) const { return a_.outputs[option]; }
  std::span<const Word> output_words(std::uint32_t output) const {
    const std::uint32_t start = a_.output_starts[output];
    return a_.output_words.subspan(start, a_.output_starts[output + 1] - start);
  }
  std::span<const float> scores(std::uint32_t option) const {
    return a_.scores.subspan(option * a_.score_count, a_.score_count);
  }
  // Six scores, or none if the table has no reordering.
  std::span<const float> reordering(std::uint32_t option) const {
    return a_.reordering.subspan(option * a_.reordering_count, a_.reordering_count);
  }
  // Source place, target place, source place, ...
  std::span<const std::uint8_t> links(std::uint32_t option) const {
    const std::size_t start = a_.link_starts[option];
    return a_.links.subspan(2 * start, 2 * (a_.link_starts[option + 1] - start));
  }

 private:
  std::uint32_t length(std::uint32_t phrase) const {
    return a_.phrase_starts[phrase + 1] - a_.phrase_starts[phrase];
  }
  Range narrowed(Range range, std::uint32_t depth, Word word) const;
  void check_phrases() const;
  void check_options() const;
  void check_links() const;

  Arrays a_;
  Strings source_, target_;
  std::vector<Word> twins_;
};

}  // namespace paraphrast
