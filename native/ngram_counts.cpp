// N-gram counts and hashes of many candidates at once, for tuning. Every array is
// checked when it comes in, so that no loop can leave its bounds.
#include "arrays.h"

#include <cstring>
#include <limits>

namespace nb = nanobind;
using namespace nb::literals;

namespace paraphrast {
namespace {

using Index = std::uint32_t;

// The n-grams of a sentence's references. An n-gram is the number of the n-gram
// before its last word and that word, so that equal numbers are equal n-grams.
class References {
 public:
  explicit References(size_t order) : order_(order) {}

  void start(size_t words) {
    size_t slots = 16;
    while (slots < 2 * words * order_ + 2) slots *= 2;
    keys_.assign(slots, 0);
    numbers_.assign(slots, 0);
    most_.assign(1, 0);
    seen_.assign(1, 0);
    lengths_.clear();
  }

  void add(const std::uint32_t* words, size_t length) {
    lengths_.push_back(length);
    for (size_t begin = 0; begin < length; ++begin) {
      Index number = 0;
      for (size_t n = 0; n < order_ && begin + n < length; ++n) {
        number = *slot(number, words[begin + n], true);
        if (++seen_[number] > most_[number]) most_[number] = seen_[number];
      }
    }
    std::fill(seen_.begin(), seen_.end(), 0);
  }

  // Writes: length, nearest reference's length, matches by n, n-grams by n.
  void count(const std::uint32_t* words, size_t length, double* row) {
    row[0] = static_cast<double>(length);
    row[1] = static_cast<double>(nearest(length));
    for (size_t n = 0; n < order_; ++n) {
      row[2 + n] = 0;
      row[2 + order_ + n] = length > n ? static_cast<double>(length - n) : 0;
    }
    for (size_t begin = 0; begin < length; ++begin) {
      Index number = 0;
      for (size_t n = 0; n < order_ && begin + n < length; ++n) {
        const Index* found = slot(number, words[begin + n], false);
        if (found == nullptr) break;
        number = *found;
        touched_.push_back(number);
        if (seen_[number]++ < most_[number]) row[2 + n] += 1;
      }
    }
    for (const Index number : touched_) seen_[number] = 0;
    touched_.clear();
  }

 private:
  // Of two that are equally near, the shorter one.
  size_t nearest(size_t length) const {
    size_t best = 0, distance = std::numeric_limits<size_t>::max();
    for (const size_t other : lengths_) {
      const size_t far = other > length ? other - length : length - other;
      if (far < distance || (far == distance && other < best)) {
        best = other;
        distance = far;
      }
    }
    return best;
  }

  Index* slot(Index number, std::uint32_t word, bool grow) {
    const std::uint64_t key = (static_cast<std::uint64_t>(number) << 32) | word;
    size_t at = static_cast<size_t>((key * 0x9E3779B97F4A7C15u) >> 20);
    for (;; ++at) {
      at &= keys_.size() - 1;
      if (numbers_[at] == 0) break;
      if (keys_[at] == key) return &numbers_[at];
    }
    if (!grow) return nullptr;
    keys_[at] = key;
    numbers_[at] = static_cast<Index>(most_.size());
    most_.push_back(0);
    seen_.push_back(0);
    return &numbers_[at];
  }

  size_t order_;
  std::vector<std::uint64_t> keys_;
  std::vector<Index> numbers_, most_, seen_, touched_;
  std::vector<size_t> lengths_;
};

nb::object ngram_counts(Array<std::int64_t> sentences, Array<std::int64_t> starts,
                              Array<std::uint32_t> words,
                              Array<std::int64_t> sentence_starts,
                              Array<std::int64_t> reference_starts,
                              Array<std::uint32_t> reference_words, int order) {
  if (order < 1 || order > 16) refuse("order must be 1 to 16");
  if (starts.size() != sentences.size() + 1) refuse("one more start than candidates");
  check_starts(view(starts), words.size(), "starts must rise from 0 to the number of words");
  check_starts(view(reference_starts), reference_words.size(),
               "reference starts must rise from 0 to the number of words");
  check_starts(view(sentence_starts), reference_starts.size() - 1,
               "sentence starts must rise from 0 to the number of references");
  const auto known = static_cast<std::int64_t>(sentence_starts.size()) - 1;
  for (size_t i = 0; i < sentences.size(); ++i) {
    if (sentences.data()[i] < 0 || sentences.data()[i] >= known) {
      refuse("there is no such sentence");
    }
  }
  const auto columns = static_cast<size_t>(2 + 2 * order);
  std::vector<double> rows(sentences.size() * columns);
  {
    nb::gil_scoped_release release;
    References references(static_cast<size_t>(order));
    std::int64_t current = -1;
    for (size_t i = 0; i < sentences.size(); ++i) {
      if (sentences.data()[i] != current) {
        current = sentences.data()[i];
        const std::int64_t first = sentence_starts.data()[current];
        const std::int64_t last = sentence_starts.data()[current + 1];
        const std::int64_t* at = reference_starts.data();
        references.start(static_cast<size_t>(at[last] - at[first]));
        for (std::int64_t r = first; r < last; ++r) {
          references.add(reference_words.data() + at[r],
                         static_cast<size_t>(at[r + 1] - at[r]));
        }
      }
      const std::int64_t begin = starts.data()[i];
      references.count(words.data() + begin,
                       static_cast<size_t>(starts.data()[i + 1] - begin),
                       rows.data() + i * columns);
    }
  }
  return array_from(std::move(rows), {sentences.size(), columns});
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15u + (hash << 6) + (hash >> 2);
  hash ^= hash >> 30;
  hash *= 0xBF58476D1CE4E5B9u;
  hash ^= hash >> 27;
  hash *= 0x94D049BB133111EBu;
  return hash ^ (hash >> 31);
}

// Of each candidate a number for its sentence and words, and one for these and its
// features. Two that differ have the same number once in some 10^19 comparisons.
nb::tuple candidate_keys(
    Array<std::int64_t> sentences, Array<std::int64_t> starts, Array<std::uint32_t> words,
    Matrix<float> features) {
  const size_t size = sentences.size();
  if (starts.size() != size + 1) refuse("one more start than candidates");
  if (features.shape(0) != size) refuse("features must have one row per candidate");
  check_starts(view(starts), words.size(), "starts must rise from 0 to the number of words");
  std::vector<std::uint64_t> outputs(size), whole(size);
  {
    nb::gil_scoped_release release;
    const size_t number = features.shape(1);
    for (size_t i = 0; i < size; ++i) {
      std::uint64_t hash = mixed(1, static_cast<std::uint64_t>(sentences.data()[i]));
      for (std::int64_t w = starts.data()[i]; w < starts.data()[i + 1]; ++w) {
        hash = mixed(hash, words.data()[w]);
      }
      outputs[i] = hash;
      hash = mixed(hash, 2);
      for (size_t k = 0; k < number; ++k) {
        const float value = features.data()[i * number + k] + 0.0f;  // -0 is 0
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        hash = mixed(hash, bits);
      }
      whole[i] = hash;
    }
  }
  return nb::make_tuple(array_from(std::move(outputs)), array_from(std::move(whole)));
}

}  // namespace

void bind_ngram_counts(nb::module_& module) {
  module.def("ngram_counts", &ngram_counts, "sentences"_a, "starts"_a, "words"_a,
             "sentence_starts"_a, "reference_starts"_a, "reference_words"_a, "order"_a);
  module.def("candidate_keys", &candidate_keys, "sentences"_a, "starts"_a, "words"_a,
             "features"_a);
}

}  // namespace paraphrast
