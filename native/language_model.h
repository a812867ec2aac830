// An n-gram model over arrays that someone else keeps alive, usually a mapped file.
//
// Words are numbers in the model's own vocabulary: 0 is <unk>, 1 is <s>, 2 is </s>.
// All probabilities are logarithms to base 10, as in ARPA files. Queries never
// allocate and never throw, and any number of threads may ask at once.
//
// An n-gram is found from its last word backwards: each order has a hash table with
// linear probing, whose key is exact, not a digest: the bucket of the n-gram without
// its first word, and that first word. So there are no false hits, and a model can
// be written out again. Every n-gram's prefix and suffix are in the tables too.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace paraphrast {

using Word = std::uint32_t;

constexpr Word kUnknown = 0;
constexpr Word kSentenceStart = 1;
constexpr Word kSentenceEnd = 2;
constexpr Word kSpecialWords = 3;
constexpr int kMostOrders = 6;

// What of the past a model still needs: the last words, the latest first, and no
// more of them than can still change a probability. Equal states score alike.
// Take them from `start`, `empty` and `score`; the weights are not for others.
struct State {
  std::array<Word, kMostOrders - 1> words{};
  std::uint8_t length = 0;
  std::array<float, kMostOrders - 1> backoffs{};

  bool operator==(const State& other) const {
    if (length != other.length) return false;
    for (int i = 0; i < length; ++i) {
      if (words[i] != other.words[i]) return false;
    }
    return true;
  }

  std::uint64_t hash() const {
    std::uint64_t mixed = length;
    for (int i = 0; i < length; ++i) {
      mixed = (mixed ^ words[i]) * 0x9E3779B97F4A7C15u;
      mixed ^= mixed >> 32;
    }
    return mixed;
  }
};

// The sign of a stored probability is free, as all are at most 0: a set sign says
// that a longer n-gram ends with this one. A stored back-off of -0.0 says that no
// longer n-gram begins with this one, so that a state need not keep it.
struct Unigram {
  float probability;
  float backoff;
};

struct Entry {
  std::uint64_t key;
  float probability;
  float backoff;
};

struct LastEntry {
  Word first;
  std::uint32_t rest;
  float probability;
};

constexpr std::uint64_t kEmptyKey = ~std::uint64_t{0};
constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

inline std::uint64_t ngram_key(std::uint32_t rest, Word first) {
  return (std::uint64_t{rest} << 32) | first;
}

inline std::size_t bucket_of(std::uint64_t key, std::size_t buckets) {
  const std::uint64_t mixed = (key ^ (key >> 29)) * 0x9E3779B97F4A7C15u;
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>((Wide{mixed} * buckets) >> 64);
}

inline std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3u;
  }
  hash = (hash ^ (hash >> 32)) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

inline bool ends_longer(float stored) { return std::signbit(stored); }
inline bool begins_longer(float backoff) {
  return std::bit_cast<std::uint32_t>(backoff) != 0x80000000u;
}

// Words in the order of their bytes, and a table that finds them: pairs of the upper
// half of a word's hash and its number, or 0 where there is none.
struct Vocabulary {
  std::span<const std::uint8_t> text;
  std::span<const std::uint32_t> starts;
  std::span<const std::uint32_t> table;

  // Throws std::invalid_argument if `find` could run astray.
  void check() const;
  std::size_t size() const { return kSpecialWords + starts.size() - 1; }
  std::string_view word(Word number) const;
  Word find(std::string_view word) const { return find(word, hash_of(word)); }
  Word find(std::string_view word, std::uint64_t hash) const;
  // Ask for the memory that finding a word of this hash will read.
  void prefetch(std::uint64_t hash) const {
    __builtin_prefetch(&table[2 * (hash & (table.size() / 2 - 1))]);
  }
};

class LanguageModel {
 public:
  struct Tables {
    int order = 1;
    Vocabulary vocabulary;
    std::span<const Unigram> unigrams;
    std::array<std::span<const Entry>, kMostOrders> middle;  // by order - 1
    std::span<const LastEntry> last;                         // empty if order is 1
  };

  // Throws std::invalid_argument if a query could run astray.
  explicit LanguageModel(const Tables& tables);

  int order() const { return tables_.order; }
  std::size_t size() const { return tables_.unigrams.size(); }
  const Tables& tables() const { return tables_; }

  // The number of a word; kUnknown if the model does not have it.
  Word find(std::string_view word) const { return tables_.vocabulary.find(word); }

  State empty() const { return State{}; }
  State start() const {
    State state;
    if (order() > 1) {
      state.length = 1;
      state.words[0] = kSentenceStart;
      state.backoffs[0] = tables_.unigrams[kSentenceStart].backoff;
    }
    return state;
  }

  // log10 p(word | from); `to` is what remains and must not be `from`. Words are
  // numbers from `find`; one that is out of range counts as unknown.
  float score(const State& from, Word word, State& to) const {
    int matched;
    return score(from, word, to, matched);
  }

  // The same, and the length of the longest n-gram that was found.
  float score(const State& from, Word word, State& to, int& matched) const {
    if (word >= tables_.unigrams.size()) word = kUnknown;
    const Unigram& alone = tables_.unigrams[word];
    float probability = alone.probability;
    std::uint32_t bucket = word;
    int kept = tables_.order > 1 && begins_longer(alone.backoff) ? 1 : 0;
    to.backoffs[0] = alone.backoff;
    matched = 1;
    while (ends_longer(probability) && matched <= from.length) {
      const Word first = from.words[matched - 1];
      if (matched + 1 == tables_.order) {
        const LastEntry* const found = find_last(bucket, first);
        if (found) {
          probability = found->probability;
          ++matched;
        }
        break;
      }
      const Entry* const found = find_middle(matched, bucket, first);
      if (!found) break;
      probability = found->probability;
      to.backoffs[matched] = found->backoff;
      bucket = static_cast<std::uint32_t>(found - tables_.middle[matched].data());
      ++matched;
      if (begins_longer(found->backoff)) kept = matched;
    }
    to.length = static_cast<std::uint8_t>(kept);
    to.words[0] = word;
    for (int i = 1; i < kept; ++i) to.words[i] = from.words[i - 1];
    probability = -std::abs(probability);
    for (int i = matched; i <= from.length; ++i) probability += from.backoffs[i - 1];
    return probability;
  }

  // Ask for the memory that scoring a word after another will read first.
  void prefetch(Word before, Word word) const {
    __builtin_prefetch(&tables_.unigrams[word]);
    const std::uint64_t key = ngram_key(word, before);
    if (tables_.order > 2) {
      const std::span<const Entry> table = tables_.middle[1];
      __builtin_prefetch(&table[bucket_of(key, table.size())]);
    } else if (tables_.order == 2) {
      __builtin_prefetch(&tables_.last[bucket_of(key, tables_.last.size())]);
    }
  }

 private:
  const Entry* find_middle(int index, std::uint32_t rest, Word first) const {
    const std::span<const Entry> table = tables_.middle[index];
    const std::uint64_t key = ngram_key(rest, first);
    for (std::size_t i = bucket_of(key, table.size());;) {
      if (table[i].key == key) return &table[i];
      if (table[i].key == kEmptyKey) return nullptr;
      if (++i == table.size()) i = 0;
    }
  }

  const LastEntry* find_last(std::uint32_t rest, Word first) const {
    const std::span<const LastEntry> table = tables_.last;
    for (std::size_t i = bucket_of(ngram_key(rest, first), table.size());;) {
      if (table[i].first == first && table[i].rest == rest) return &table[i];
      if (table[i].rest == kNowhere) return nullptr;
      if (++i == table.size()) i = 0;
    }
  }

  Tables tables_;
};

}  // namespace paraphrast
