#include "language_model_tables.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace paraphrast {
namespace {

// Two thirds full: short probes, and at least one empty bucket to end them.
std::size_t buckets_for(std::size_t entries) {
  const std::size_t buckets = entries + entries / 2 + 1;
  if (buckets >= kNowhere) throw std::length_error("too many n-grams of one order");
  return buckets;
}

// Finds rows of n-grams of one order by their words.
class NgramIndex {
 public:
  explicit NgramIndex(const SpeltNgrams& ngrams) : ngrams_(ngrams) {
    grow(2 * ngrams.size() + 16);
  }

  // The row of these words, or kNowhere.
  std::uint32_t find(const Word* words) const { return rows_[place(words)]; }

  // Note a row; false if its words have a row already.
  bool insert(std::uint32_t row) {
    if (2 * (used_ + 1) > rows_.size()) grow(2 * rows_.size());
    const std::size_t at = place(ngrams_.row(row));
    if (rows_[at] != kNowhere) return false;
    rows_[at] = row;
    ++used_;
    return true;
  }

 private:
  std::size_t place(const Word* words) const {
    std::uint64_t hash = 0;
    for (int i = 0; i < ngrams_.order; ++i) {
      hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    }
    const std::size_t bytes = sizeof(Word) * ngrams_.order;
    for (std::size_t i = bucket_of(hash, rows_.size());;) {
      if (rows_[i] == kNowhere) return i;
      if (!std::memcmp(ngrams_.row(rows_[i]), words, bytes)) return i;
      if (++i == rows_.size()) i = 0;
    }
  }

  void grow(std::size_t buckets) {
    std::vector<std::uint32_t> old(buckets, kNowhere);
    old.swap(rows_);
    for (const std::uint32_t row : old) {
      if (row != kNowhere) rows_[place(ngrams_.row(row))] = row;
    }
  }

  const SpeltNgrams& ngrams_;
  std::vector<std::uint32_t> rows_;
  std::size_t used_ = 0;
};

void check_rows(std::size_t rows) {
  if (rows >= kNowhere) throw std::length_error("too many n-grams of one order");
}

// Insert what `longer` needs of the order below and lacks; NaN marks it.
void add_missing(const SpeltNgrams& longer, SpeltNgrams& below, NgramIndex& index) {
  for (std::size_t i = 0; i < longer.size(); ++i) {
    for (const Word* const part : {longer.row(i), longer.row(i) + 1}) {
      if (index.find(part) != kNowhere) continue;
      check_rows(below.size() + 1);
      const auto row = static_cast<std::uint32_t>(below.size());
      below.words.insert(below.words.end(), part, part + below.order);
      below.probability.push_back(std::numeric_limits<float>::quiet_NaN());
      below.backoff.push_back(0.0F);
      index.insert(row);
    }
  }
}

NgramIndex indexed(const SpeltNgrams& ngrams) {
  check_rows(ngrams.size());
  NgramIndex index(ngrams);
  for (std::size_t i = 0; i < ngrams.size(); ++i) {
    if (!index.insert(static_cast<std::uint32_t>(i))) {
      throw std::invalid_argument("an n-gram occurs twice");
    }
  }
  return index;
}

Level linked(SpeltNgrams& ngrams, const NgramIndex* below, const Level& lower) {
  Level level;
  const std::size_t rows = ngrams.size();
  level.prefix.resize(rows);
  level.suffix.resize(rows);
  level.first.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const Word* const words = ngrams.row(i);
    level.first[i] = words[0];
    level.prefix[i] = below ? below->find(words) : words[0];
    level.suffix[i] = below ? below->find(words + 1) : words[1];
    float& probability = ngrams.probability[i];
    if (std::isnan(probability)) {
      probability = std::min(0.0F, lower.backoff[level.prefix[i]] +
                                       lower.probability[level.suffix[i]]);
    }
  }
  level.probability = std::move(ngrams.probability);
  level.backoff = std::move(ngrams.backoff);
  return level;
}

float stored_backoff(float backoff, bool begins_longer) {
  if (backoff != 0.0F) return backoff;
  return begins_longer ? 0.0F : -0.0F;
}

// Which rows of the order below some n-gram begins or ends with.
struct Uses {
  std::vector<bool> begins, ends;

  Uses(const Level* longer, std::size_t rows) : begins(rows), ends(rows) {
    if (!longer) return;
    for (const std::uint32_t row : longer->prefix) begins[row] = true;
    for (const std::uint32_t row : longer->suffix) ends[row] = true;
  }
};

float stored_probability(float probability, bool ends_longer) {
  return ends_longer ? -std::abs(probability) : std::abs(probability);
}

std::vector<Entry> middle_table(const Level& level, const Uses& uses,
                                std::vector<std::uint32_t>& buckets) {
  const std::size_t rows = level.probability.size();
  std::vector<Entry> table(buckets_for(rows), Entry{kEmptyKey, 0.0F, 0.0F});
  std::vector<std::uint32_t> own(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t key = ngram_key(buckets[level.suffix[row]], level.first[row]);
    std::size_t i = bucket_of(key, table.size());
    while (table[i].key != kEmptyKey) {
      if (++i == table.size()) i = 0;
    }
    table[i] = {key, stored_probability(level.probability[row], uses.ends[row]),
                stored_backoff(level.backoff[row], uses.begins[row])};
    own[row] = static_cast<std::uint32_t>(i);
  }
  buckets = std::move(own);
  return table;
}

std::vector<LastEntry> last_table(const Level& level,
                                  const std::vector<std::uint32_t>& buckets) {
  const std::size_t rows = level.probability.size();
  std::vector<LastEntry> table(buckets_for(rows), LastEntry{0, kNowhere, 0.0F});
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint32_t rest = buckets[level.suffix[row]];
    const Word first = level.first[row];
    std::size_t i = bucket_of(ngram_key(rest, first), table.size());
    while (table[i].rest != kNowhere) {
      if (++i == table.size()) i = 0;
    }
    table[i] = {first, rest, stored_probability(level.probability[row], false)};
  }
  return table;
}

}  // namespace

BuiltTables build_tables(std::vector<Level>&& levels) {
  BuiltTables built;
  const std::size_t words = levels[0].probability.size();
  {
    const Uses uses(levels.size() > 1 ? &levels[1] : nullptr, words);
    built.unigrams.resize(words);
    for (std::size_t i = 0; i < words; ++i) {
      built.unigrams[i] = {stored_probability(levels[0].probability[i], uses.ends[i]),
                           stored_backoff(levels[0].backoff[i], uses.begins[i])};
    }
  }
  std::vector<std::uint32_t> buckets(words);
  std::iota(buckets.begin(), buckets.end(), 0U);
  for (std::size_t n = 1; n < levels.size(); ++n) {
    if (n + 1 == levels.size()) {
      built.last = last_table(levels[n], buckets);
    } else {
      const Uses uses(&levels[n + 1], levels[n].probability.size());
      built.middle.push_back(middle_table(levels[n], uses, buckets));
    }
    levels[n] = Level{};
  }
  return built;
}

std::vector<Level> linked_levels(std::vector<float> probability,
                                 std::vector<float> backoff,
                                 std::vector<SpeltNgrams>&& longer) {
  std::vector<NgramIndex> indexes;
  indexes.reserve(longer.size());
  for (const SpeltNgrams& ngrams : longer) indexes.push_back(indexed(ngrams));
  for (std::size_t n = longer.size(); n-- > 1;) {
    add_missing(longer[n], longer[n - 1], indexes[n - 1]);
  }
  std::vector<Level> levels(1);
  levels[0].probability = std::move(probability);
  levels[0].backoff = std::move(backoff);
  for (std::size_t n = 0; n < longer.size(); ++n) {
    levels.push_back(linked(longer[n], n ? &indexes[n - 1] : nullptr, levels[n]));
  }
  return levels;
}

std::int64_t first_duplicate(const SpeltNgrams& ngrams) {
  check_rows(ngrams.size());
  NgramIndex index(ngrams);
  for (std::size_t i = 0; i < ngrams.size(); ++i) {
    if (!index.insert(static_cast<std::uint32_t>(i))) return static_cast<std::int64_t>(i);
  }
  return -1;
}

namespace {

// Spell the n-gram in a bucket of the table of this order; false if the bucket is
// empty or, in a file that was tampered with, leads nowhere.
bool spell(const LanguageModel::Tables& tables, int order, std::size_t bucket,
           Word* words) {
  for (int n = order; n > 1; ++words) {
    std::uint32_t rest = kNowhere;
    if (n == tables.order) {
      *words = tables.last[bucket].first;
      rest = tables.last[bucket].rest;
    } else if (tables.middle[n - 1][bucket].key != kEmptyKey) {
      *words = static_cast<Word>(tables.middle[n - 1][bucket].key);
      rest = static_cast<std::uint32_t>(tables.middle[n - 1][bucket].key >> 32);
    }
    --n;
    const std::size_t size =
        n == 1 ? tables.unigrams.size() : tables.middle[n - 1].size();
    if (rest >= size || *words >= tables.unigrams.size()) return false;
    bucket = rest;
  }
  *words = static_cast<Word>(bucket);
  return true;
}

}  // namespace

SpeltNgrams spelt_ngrams(const LanguageModel& model, int order) {
  const LanguageModel::Tables& tables = model.tables();
  const bool last = order == tables.order && order > 1;
  const std::size_t size = order == 1 ? tables.unigrams.size()
                           : last     ? tables.last.size()
                                      : tables.middle[order - 1].size();
  SpeltNgrams found{order, {}, {}, {}};
  std::vector<std::uint32_t> buckets;
  for (std::size_t bucket = 0; bucket < size; ++bucket) {
    found.words.resize((buckets.size() + 1) * order);
    if (spell(tables, order, bucket, found.words.data() + buckets.size() * order)) {
      buckets.push_back(static_cast<std::uint32_t>(bucket));
    }
  }
  found.words.resize(buckets.size() * order);
  std::vector<std::uint32_t> rows(buckets.size());
  std::iota(rows.begin(), rows.end(), 0U);
  std::sort(rows.begin(), rows.end(), [&](std::uint32_t left, std::uint32_t right) {
    return std::lexicographical_compare(found.row(left), found.row(left) + order,
                                        found.row(right), found.row(right) + order);
  });
  SpeltNgrams sorted{order, {}, {}, {}};
  sorted.words.reserve(found.words.size());
  for (const std::uint32_t row : rows) {
    const std::uint32_t bucket = buckets[row];
    sorted.words.insert(sorted.words.end(), found.row(row), found.row(row) + order);
    const float probability = order == 1 ? tables.unigrams[bucket].probability
                              : last     ? tables.last[bucket].probability
                                         : tables.middle[order - 1][bucket].probability;
    const float backoff = order == 1 ? tables.unigrams[bucket].backoff
                          : last     ? -0.0F
                                     : tables.middle[order - 1][bucket].backoff;
    sorted.probability.push_back(-std::abs(probability));
    sorted.backoff.push_back(backoff);
  }
  return sorted;
}

std::vector<std::uint32_t> vocabulary_table(std::span<const std::uint8_t> text,
                                            std::span<const std::uint32_t> starts) {
  const std::size_t words = starts.size() - 1;
  const std::size_t buckets = std::bit_ceil(2 * (words + 1));
  std::vector<std::uint32_t> table(2 * buckets);
  for (std::size_t word = 0; word < words; ++word) {
    const std::uint32_t start = starts[word], end = starts[word + 1];
    if (end < start || end > text.size()) {
      throw std::invalid_argument("the words' places are not in order");
    }
    const auto* const letters = reinterpret_cast<const char*>(text.data());
    const std::uint64_t hash = hash_of({letters + start, end - start});
    std::size_t i = hash & (buckets - 1);
    while (table[2 * i + 1]) i = (i + 1) & (buckets - 1);
    table[2 * i] = static_cast<std::uint32_t>(hash >> 32);
    table[2 * i + 1] = static_cast<std::uint32_t>(word) + kSpecialWords;
  }
  return table;
}

}  // namespace paraphrast
