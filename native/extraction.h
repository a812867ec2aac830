// Phrase pairs of a corpus with word links (Och, Tillmann and Ney 1999; Koehn 2003).
//
// A run of source words and a run of target words are a phrase pair when a link joins
// them and none leads out of either; outermost words may be without links. Each is
// counted with the way its neighbours lie, the links inside, and a pair that shows it.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "phrase_pool.h"

namespace paraphrast {

constexpr int kLongestPhrase = 15;

// Who says how a phrase lies to its neighbour: one word's link, or a whole phrase.
enum class Orientation { kWord, kPhrase };

// One side of a corpus: the words of sentence i are words[starts[i]:starts[i + 1]].
struct Side {
  std::span<const std::uint32_t> words;
  std::span<const std::int64_t> starts;

  std::size_t sentences() const { return starts.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t sentence) const {
    return words.subspan(static_cast<std::size_t>(starts[sentence]),
                         static_cast<std::size_t>(starts[sentence + 1] -
                                                  starts[sentence]));
  }
};

struct Settings {
  int longest = 7;
  Orientation orientation = Orientation::kWord;
  bool shared_counts = false;
  std::size_t most = 0;
};

// A link, by positions in the sentences; in order of the source, then the target.
struct Place {
  std::uint32_t source;
  std::uint32_t target;
};

// A phrase pair, by positions in the rows of words; both ends are part of the span.
struct Span {
  int source_first, source_last, target_first, target_last;
  int core_first, core_last;  // The outermost source words that have links.
};

// The first and the last word that each word is linked to; -1 is no last one.
struct Reach {
  std::vector<int> source_low, source_high;
  std::vector<int> target_low, target_high;

  void clear(std::size_t source_words, std::size_t target_words);
  void add(int source, int target);
};

// Where a sentence pair begins and ends in the rows of words.
struct Bounds {
  int source_begin, source_end, target_begin, target_end;
};

// Append the phrase pairs of a sentence pair, at most ``longest`` words on a side. With
// ``tight`` their outermost words have links.
void find_spans(const Reach& reach, const Bounds& bounds, int longest, bool tight,
                std::vector<Span>& spans);

class Extractor {
 public:
  explicit Extractor(const Settings& settings) : settings_(settings) {}

  // Count the phrase pairs of a sentence pair.
  void add(std::uint32_t pair, std::span<const std::uint32_t> source,
           std::span<const std::uint32_t> target, std::span<const Place> links);

  struct Option {
    std::uint32_t source;
    std::uint32_t target;
    double count;
    std::array<float, 6> orientations;
    std::uint32_t example;
    std::uint32_t example_words;
    std::uint32_t variants;  // The newest of a chain.
  };

  // The commonest links inside an option; of equals, those seen first.
  std::uint32_t links_of(const Option& option) const;

  Pool<std::uint32_t> sources;
  Pool<std::uint32_t> targets;
  Pool<std::uint8_t> patterns;
  std::vector<Option> options;

 private:
  struct Variant {
    std::uint32_t pattern;
    std::uint32_t next;
    double count;
  };
  void read(std::size_t source_words, std::size_t target_words,
            std::span<const Place> links);
  void find_corners();
  void share();
  bool linked(int source, int target) const;
  bool corner(const std::vector<std::uint64_t>& corners, int source, int target) const;
  int before(const Span& span) const;
  int after(const Span& span) const;
  std::uint32_t option(std::uint32_t source, std::uint32_t target);
  void count_links(Option& option, const Span& span, double weight);

  Settings settings_;
  NumberTable numbers_;
  std::vector<Variant> variants_;

  // Of the sentence pair at hand.
  int source_words_ = 0, target_words_ = 0;
  std::span<const Place> links_;
  std::vector<std::uint32_t> link_starts_;  // By source word.
  Reach reach_;
  std::vector<Span> spans_;
  std::vector<float> shares_;
  std::array<std::vector<std::uint64_t>, 4> corners_;
  std::vector<std::uint8_t> pattern_;
};

void bind_extraction(nanobind::module_& module);

}  // namespace paraphrast
