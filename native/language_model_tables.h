// Making the tables that a LanguageModel reads.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <vector>

#include "language_model.h"

namespace paraphrast {

// The n-grams of one order, a row each. `prefix` and `suffix` are rows of the order
// below: the n-gram without its last and without its first word (unused for words).
struct Level {
  std::vector<std::uint32_t> prefix;
  std::vector<std::uint32_t> suffix;
  std::vector<Word> first;
  std::vector<float> probability;
  std::vector<float> backoff;
};

struct BuiltTables {
  std::vector<Unigram> unigrams;
  std::vector<std::vector<Entry>> middle;  // of the orders from 2 to the last but one
  std::vector<LastEntry> last;
};

// Fill the tables from the levels, words first, and give the levels' memory back.
BuiltTables build_tables(std::vector<Level>&& levels);

// The n-grams of one order, spelt out: row i is words[i * order .. (i + 1) * order].
struct SpeltNgrams {
  int order;
  std::vector<Word> words;
  std::vector<float> probability;
  std::vector<float> backoff;

  std::size_t size() const { return probability.size(); }
  const Word* row(std::size_t i) const { return words.data() + i * order; }
};

// Link n-grams to their prefixes and suffixes. Those that are missing, as pruning of
// other tools leaves them, are added with the probability that backing off gives.
std::vector<Level> linked_levels(std::vector<float> probability,
                                 std::vector<float> backoff,
                                 std::vector<SpeltNgrams>&& longer);

// The row of the first n-gram that has stood before, or -1.
std::int64_t first_duplicate(const SpeltNgrams& ngrams);

// The n-grams of a model in order of their words; nothing is lost in the tables.
SpeltNgrams spelt_ngrams(const LanguageModel& model, int order);

// The table that `Vocabulary::find` uses.
std::vector<std::uint32_t> vocabulary_table(std::span<const std::uint8_t> text,
                                            std::span<const std::uint32_t> starts);

// The tables as Python's arrays, by the names that a file gives them.
nanobind::dict arrays_of(BuiltTables&& built);

}  // namespace paraphrast
