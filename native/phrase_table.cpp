#include "phrase_table.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace paraphrast {

namespace {

// The message is put together only when it is needed: this runs for every number.
void require(bool holds, const char* name, const char* otherwise = "") {
  if (!holds) [[unlikely]] throw std::invalid_argument(std::string(name) + otherwise);
}

// Check that `starts` cuts `total` things into `count` runs of at most `longest`.
void check_starts(std::span<const std::uint32_t> starts, std::size_t count,
                  std::size_t total, std::size_t longest, const char* name) {
  require(starts.size() == count + 1 && starts[0] == 0 && starts[count] == total,
          name, " does not fit the arrays it cuts");
  for (std::size_t i = 0; i < count; ++i) {
    require(starts[i] <= starts[i + 1], name, " goes backwards");
    require(starts[i + 1] - starts[i] <= longest, name, " holds too long a run");
  }
}

void check_below(std::span<const std::uint32_t> numbers, std::size_t limit,
                 const char* name) {
  for (const std::uint32_t number : numbers) {
    require(number < limit, name, " holds a number out of range");
  }
}

void check_finite(std::span<const float> numbers, const char* name) {
  for (const float number : numbers) {
    require(std::isfinite(number), name, " holds a number not finite");
  }
}

std::size_t count_of(std::span<const std::uint32_t> starts, const char* name) {
  require(!starts.empty(), name, " is empty");
  require(starts.size() < kNoWord, name, " is too long");
  return starts.size() - 1;
}

}  // namespace

Strings::Strings(std::span<const std::uint8_t> text,
                 std::span<const std::uint32_t> starts, const char* what)
    : text_(reinterpret_cast<const char*>(text.data())), starts_(starts) {
  check_starts(starts, count_of(starts, what), text.size(), text.size(), what);
  for (std::size_t i = 1; i < size(); ++i) {
    require((*this)[i - 1] < (*this)[i], what, " are not in order");
  }
}

Word Strings::find(std::string_view wanted) const {
  std::size_t low = 0, high = size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if ((*this)[middle] < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < size() && (*this)[low] == wanted ? static_cast<Word>(low) : kNoWord;
}

PhraseTable::PhraseTable(const Arrays& arrays)
    : a_(arrays),
      source_(arrays.source_text, arrays.source_starts, "source words"),
      target_(arrays.target_text, arrays.target_starts, "target words") {
  check_phrases();
  check_options();
  check_links();
  twins_.reserve(source_.size());
  Word target = 0;
  for (std::size_t i = 0; i < source_.size(); ++i) {
    while (target < target_.size() && target_[target] < source_[i]) ++target;
    const bool same = target < target_.size() && target_[target] == source_[i];
    twins_.push_back(same ? target : kNoWord);
  }
}

void PhraseTable::check_phrases() const {
  const std::size_t phrases = count_of(a_.phrase_starts, "phrase_starts");
  check_starts(a_.phrase_starts, phrases, a_.phrase_words.size(), kLongestPhrase,
               "phrase_starts");
  check_below(a_.phrase_words, source_.size(), "phrase_words");
  for (std::uint32_t i = 0; i < phrases; ++i) {
    require(length(i) > 0, "a source phrase is empty");
    if (i == 0) continue;
    const auto before = phrase(i - 1), after = phrase(i);
    require(std::lexicographical_compare(before.begin(), before.end(), after.begin(),
                                         after.end()),
            "source phrases are not in order");
  }
  const std::size_t outputs = count_of(a_.output_starts, "output_starts");
  check_starts(a_.output_starts, outputs, a_.output_words.size(), kLongestPhrase,
               "output_starts");
  check_below(a_.output_words, target_.size(), "output_words");
}

void PhraseTable::check_options() const {
  const std::size_t phrases = a_.phrase_starts.size() - 1;
  const std::size_t options = a_.outputs.size();
  require(options < 0x7FFFFFFF, "there are too many options");
  check_starts(a_.option_starts, phrases, options, options, "option_starts");
  check_below(a_.outputs, output_count(), "outputs");
  require(a_.reordering_count == 0 || a_.reordering_count == kReorderingScores,
          "reordering must have 6 or 0 columns");
  require(a_.scores.size() == options * a_.score_count, "scores do not fit the options");
  require(a_.reordering.size() == options * a_.reordering_count,
          "reordering does not fit the options");
  check_finite(a_.scores, "scores");
  check_finite(a_.reordering, "reordering");
}

void PhraseTable::check_links() const {
  const std::size_t options = a_.outputs.size();
  check_starts(a_.link_starts, options, a_.links.size() / 2,
               kLongestPhrase * kLongestPhrase, "link_starts");
  for (std::uint32_t i = 0; i + 1 < a_.phrase_starts.size(); ++i) {
    const Range range = this->options(i);
    for (std::uint32_t option = range.first; option < range.last; ++option) {
      const auto pairs = links(option);
      const std::size_t words = output_words(output(option)).size();
      for (std::size_t k = 0; k < pairs.size(); k += 2) {
        require(pairs[k] < length(i) && pairs[k + 1] < words,
                "links point outside their phrases");
      }
    }
  }
}

Range PhraseTable::narrowed(Range range, std::uint32_t depth, Word word) const {
  // All phrases of the range share their first `depth` words, so the one that ends
  // there comes first and the others are in order of the word that follows.
  if (word == kNoWord) return {0, 0};
  const auto comes_before = [&](std::uint32_t phrase, std::uint64_t wanted) {
    return length(phrase) == depth ||
           a_.phrase_words[a_.phrase_starts[phrase] + depth] < wanted;
  };
  const auto bound = [&](std::uint32_t low, std::uint64_t wanted) {
    std::uint32_t high = range.last;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (comes_before(middle, wanted)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  const std::uint32_t first = bound(range.first, word);
  return {first, bound(first, std::uint64_t{word} + 1)};
}

}  // namespace paraphrast
