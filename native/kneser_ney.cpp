#include "kneser_ney.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "arrays.h"
#include "words.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace paraphrast {

WordNumbers::WordNumbers() : table_(1024, kNowhere) {}

std::string_view WordNumbers::word(std::uint32_t number) const {
  return {letters_.data() + starts_[number], starts_[number + 1] - starts_[number]};
}

std::size_t WordNumbers::place(std::string_view wanted) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t i = hash_of(wanted) & mask;
  while (table_[i] != kNowhere && word(table_[i]) != wanted) i = (i + 1) & mask;
  return i;
}

std::uint32_t WordNumbers::find(std::string_view wanted) const {
  return table_[place(wanted)];
}

std::uint32_t WordNumbers::number(std::string_view wanted) {
  std::size_t i = place(wanted);
  if (table_[i] != kNowhere) return table_[i];
  if (letters_.size() + wanted.size() >= kNowhere || size() + kSpecialWords >= kNowhere) {
    throw std::length_error("too many different words");
  }
  const auto number = static_cast<std::uint32_t>(size());
  letters_.insert(letters_.end(), wanted.begin(), wanted.end());
  starts_.push_back(static_cast<std::uint32_t>(letters_.size()));
  table_[i] = number;
  if (2 * size() > table_.size()) {
    table_.assign(2 * table_.size(), kNowhere);
    for (std::uint32_t old = 0; old < size(); ++old) table_[place(word(old))] = old;
  }
  return number;
}

std::size_t WordNumbers::bytes() const {
  return letters_.capacity() + 4 * (starts_.capacity() + table_.capacity());
}

namespace {

bool is_mark(std::string_view word) {
  return word == "<unk>" || word == "<s>" || word == "</s>";
}

// The distinct n-grams of one order while they are counted.
struct Counts {
  std::vector<std::uint32_t> prefix, suffix, first, raw;

  std::size_t size() const { return raw.size(); }
};

class Limit {
 public:
  explicit Limit(std::size_t bytes) : bytes_(bytes) {}
  void use(std::size_t bytes) {
    used_ += bytes;
    if (bytes_ && used_ > bytes_) throw TooMuchMemory();
  }
  void release(std::size_t bytes) { used_ -= bytes; }

 private:
  std::size_t bytes_;
  std::size_t used_ = 0;
};

// Numbers pairs of a prefix and a last word in order of appearance.
class PairNumbers {
 public:
  explicit PairNumbers(Limit& limit) : limit_(limit) { resize(1 << 10); }
  ~PairNumbers() { limit_.release(sizeof(Slot) * slots_.size()); }

  // The pair's number, which is `next` if it is new.
  std::uint32_t number(std::uint32_t prefix, Word word, std::uint32_t next) {
    const std::uint64_t key = ngram_key(prefix, word);
    Slot& slot = place(key);
    if (slot.number != kNowhere) return slot.number;
    slot = {key, next};
    if (++used_ * 3 > slots_.size() * 2) resize(2 * slots_.size());
    return next;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t number = kNowhere;
  };

  Slot& place(std::uint64_t key) {
    std::size_t i = bucket_of(key, slots_.size());
    while (slots_[i].number != kNowhere && slots_[i].key != key) {
      if (++i == slots_.size()) i = 0;
    }
    return slots_[i];
  }

  void resize(std::size_t slots) {
    limit_.use(sizeof(Slot) * slots);
    std::vector<Slot> old(slots);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != kNowhere) place(slot.key) = slot;
    }
    limit_.release(sizeof(Slot) * old.size());
  }

  Limit& limit_;
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

Counts counted_words(const std::vector<Word>& ids, std::size_t vocabulary) {
  Counts counts;
  counts.raw.resize(vocabulary);
  counts.first.resize(vocabulary);
  std::iota(counts.first.begin(), counts.first.end(), 0U);
  for (const Word word : ids) ++counts.raw[word];
  return counts;
}

// Count the n-grams one longer than those whose rows stand at their last words;
// afterwards the rows are the longer ones', or kNowhere too near a sentence's start.
Counts counted_longer(const std::vector<Word>& ids, std::vector<std::uint32_t>& rows,
                      const Counts& shorter, Limit& limit) {
  Counts counts;
  PairNumbers numbers(limit);
  std::uint32_t before = kNowhere;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::uint32_t suffix = rows[i];
    rows[i] = kNowhere;
    if (before != kNowhere && ids[i] != kSentenceStart) {
      const auto next = static_cast<std::uint32_t>(counts.size());
      const std::uint32_t row = numbers.number(before, ids[i], next);
      if (row == next) {
        if (counts.raw.size() == counts.raw.capacity()) {
          limit.use(16 * std::max<std::size_t>(counts.size(), 1));
        }
        counts.prefix.push_back(before);
        counts.suffix.push_back(suffix);
        counts.first.push_back(shorter.first[before]);
        counts.raw.push_back(0);
      }
      ++counts.raw[row];
      rows[i] = row;
    }
    before = suffix;
  }
  return counts;
}

// Counts as Kneser-Ney has them; `longer` is nothing for the highest order.
std::vector<std::uint32_t> adjusted_counts(const Counts& counts, const Counts* longer) {
  std::vector<std::uint32_t> adjusted = counts.raw;
  if (longer) {
    for (std::size_t i = 0; i < adjusted.size(); ++i) {
      if (counts.first[i] != kSentenceStart) adjusted[i] = 0;
    }
    for (const std::uint32_t row : longer->suffix) {
      if (counts.first[row] != kSentenceStart) ++adjusted[row];
    }
  }
  return adjusted;
}

void find_discounts(const std::vector<std::uint32_t>& counts, OrderReport& report) {
  std::array<double, 5> times{};
  for (const std::uint32_t count : counts) {
    if (count < 5) ++times[count];
  }
  report.fallback = times[1] == 0 || times[2] == 0 || times[3] == 0;
  const double y = report.fallback ? 0 : times[1] / (times[1] + 2 * times[2]);
  for (int k = 1; k <= 3 && !report.fallback; ++k) {
    const double found = k - (k + 1) * y * times[k + 1] / times[k];
    report.discounts[k] = found;
    report.fallback = found < 0 || found > k;
  }
  if (report.fallback) report.discounts = {0, 0.5, 1.0, 1.5};
}

float logarithm(double probability) {
  if (probability <= 0) return -99.0F;
  return static_cast<float>(std::max(-99.0, std::log10(probability)));
}

// Probabilities of one order, and the back-offs of the order below. A pruned n-gram
// gives its whole count to the shorter context.
class Smoothing {
 public:
  Smoothing(const Counts& counts, std::vector<std::uint32_t> adjusted,
            std::uint64_t prune, std::size_t contexts, const OrderReport& report)
      : adjusted_(std::move(adjusted)), total_(contexts), free_(contexts) {
    for (std::size_t i = 0; i < adjusted_.size(); ++i) {
      const std::uint32_t context = counts.prefix.empty() ? 0 : counts.prefix[i];
      total_[context] += adjusted_[i];
      free_[context] +=
          prune && counts.raw[i] <= prune ? adjusted_[i] : discount(i, report);
    }
    for (std::size_t i = 0; i < contexts; ++i) {
      // A context that nothing follows leaves all to the shorter one.
      free_[i] = total_[i] > 0 ? free_[i] / total_[i] : 1;
    }
  }

  double discount(std::size_t row, const OrderReport& report) const {
    return report.discounts[std::min<std::uint32_t>(adjusted_[row], 3)];
  }
  // What a context leaves to the shorter one.
  double left(std::size_t context) const { return free_[context]; }
  double probability(std::size_t row, std::size_t context, double below,
                     const OrderReport& report) const {
    const double own = total_[context] > 0
                           ? (adjusted_[row] - discount(row, report)) / total_[context]
                           : 0;
    return own + free_[context] * below;
  }

 private:
  std::vector<std::uint32_t> adjusted_;
  std::vector<double> total_, free_;
};

// Drop the pruned n-grams of a level; `places` becomes their new rows.
Level pruned_level(const Counts& counts, const std::vector<double>& probability,
                   std::uint64_t prune, const std::vector<std::uint32_t>& below,
                   std::vector<std::uint32_t>& places) {
  Level level;
  places.assign(counts.size(), kNowhere);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (prune && counts.raw[i] <= prune) continue;
    places[i] = static_cast<std::uint32_t>(level.probability.size());
    level.first.push_back(counts.first[i]);
    level.probability.push_back(logarithm(probability[i]));
    if (counts.prefix.empty()) continue;
    level.prefix.push_back(below[counts.prefix[i]]);
    level.suffix.push_back(below[counts.suffix[i]]);
  }
  level.backoff.resize(level.probability.size());
  return level;
}

void set_backoffs(Level& level, const std::vector<std::uint32_t>& places,
                  const Smoothing& longer) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] != kNowhere) level.backoff[places[i]] = logarithm(longer.left(i));
  }
}

std::vector<Level> smoothed(std::vector<Counts>&& counts,
                            const EstimateSettings& settings,
                            std::vector<OrderReport>& reports) {
  std::vector<Level> levels;
  // Of the order below: interpolated probabilities, and rows after pruning.
  std::vector<double> below;
  std::vector<std::uint32_t> places_below;
  const double uniform = 1.0 / static_cast<double>(counts[0].size() - 1);
  for (std::size_t n = 0; n < counts.size(); ++n) {
    Counts& own = counts[n];
    std::vector<std::uint32_t> adjusted =
        adjusted_counts(own, n + 1 < counts.size() ? &counts[n + 1] : nullptr);
    if (n == 0) adjusted[kSentenceStart] = 0;
    OrderReport& report = reports.emplace_back();
    find_discounts(adjusted, report);
    report.counted = own.size();
    const std::uint64_t prune = settings.prune[n];
    const Smoothing smoothing(own, std::move(adjusted), prune, n ? below.size() : 1,
                              report);
    std::vector<double> probability(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::size_t context = n ? own.prefix[i] : 0;
      const double shorter = n ? below[own.suffix[i]] : uniform;
      probability[i] = smoothing.probability(i, context, shorter, report);
    }
    if (n == 0) probability[kSentenceStart] = 0;  // it is never predicted
    if (n > 0) set_backoffs(levels.back(), places_below, smoothing);
    std::vector<std::uint32_t> places;
    levels.push_back(pruned_level(own, probability, prune, places_below, places));
    own = Counts{};
    report.kept = levels.back().probability.size();
    below = std::move(probability);
    places_below = std::move(places);
  }
  return levels;
}

}  // namespace

void Estimator::check(std::size_t more) const {
  const std::size_t used = 4 * ids_.capacity() + numbers_.bytes() + more;
  if (limit_ && used > limit_) throw TooMuchMemory();
}

void Estimator::add(std::string_view line) {
  const std::size_t before = ids_.capacity();
  each_word(line, [&](std::string_view word) { ids_.push_back(numbers_.number(word)); });
  ids_.push_back(kNowhere);
  ++sentences_;
  if (ids_.size() + 2 * sentences_ >= kNowhere) throw std::length_error("too much text");
  if (ids_.capacity() != before) check(0);
}

std::vector<std::uint32_t> Estimator::chosen(const EstimateSettings& settings) const {
  std::vector<std::uint64_t> counts(numbers_.size());
  for (const std::uint32_t id : ids_) {
    if (id != kNowhere) ++counts[id];
  }
  std::vector<std::uint32_t> words;
  for (std::uint32_t i = 0; i < numbers_.size(); ++i) {
    if (counts[i] >= settings.minimum_count && !is_mark(numbers_.word(i))) {
      words.push_back(i);
    }
  }
  if (settings.most_words && words.size() > settings.most_words) {
    std::sort(words.begin(), words.end(), [&](std::uint32_t left, std::uint32_t right) {
      if (counts[left] != counts[right]) return counts[left] > counts[right];
      return numbers_.word(left) < numbers_.word(right);
    });
    words.resize(settings.most_words);
  }
  return words;
}

std::vector<Word> Estimator::set_vocabulary(std::vector<std::string_view>&& words,
                                            Estimate& estimate) const {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  estimate.starts.push_back(0);
  std::vector<Word> places(numbers_.size(), kUnknown);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (estimate.text.size() + words[i].size() >= kNowhere) {
      throw std::length_error("too many different words");
    }
    estimate.text.insert(estimate.text.end(), words[i].begin(), words[i].end());
    estimate.starts.push_back(static_cast<std::uint32_t>(estimate.text.size()));
    const std::uint32_t old = numbers_.find(words[i]);
    if (old != kNowhere) places[old] = static_cast<Word>(i) + kSpecialWords;
  }
  return places;
}

std::vector<Word> Estimator::marked_text(const std::vector<Word>& places) {
  std::vector<Word> ids;
  ids.reserve(ids_.size() + sentences_);
  bool inside = false;
  for (const std::uint32_t id : ids_) {
    if (!inside) ids.push_back(kSentenceStart);
    inside = id != kNowhere;
    ids.push_back(inside ? places[id] : kSentenceEnd);
  }
  ids_ = {};
  numbers_ = WordNumbers();
  sentences_ = 0;
  return ids;
}

Estimate Estimator::estimate(const EstimateSettings& settings,
                             const std::vector<std::string_view>* vocabulary) {
  std::vector<std::string_view> words;
  if (vocabulary) {
    words = *vocabulary;
    std::erase_if(words, is_mark);
  } else {
    for (const std::uint32_t i : chosen(settings)) words.push_back(numbers_.word(i));
  }
  Estimate estimate;
  const std::vector<Word> places = set_vocabulary(std::move(words), estimate);
  const std::size_t size = estimate.starts.size() - 1 + kSpecialWords;
  Limit limit(limit_);
  limit.use(8 * (ids_.size() + sentences_) + estimate.text.size() + 40 * size);
  std::vector<Word> ids = marked_text(places);
  std::vector<Counts> counts;
  counts.push_back(counted_words(ids, size));
  std::vector<std::uint32_t> rows = ids;
  for (int n = 2; n <= settings.order; ++n) {
    counts.push_back(counted_longer(ids, rows, counts.back(), limit));
  }
  ids = {};
  rows = {};
  std::size_t largest = 0;
  for (const Counts& level : counts) largest = std::max(largest, level.size());
  limit.use(60 * largest);
  estimate.tables =
      build_tables(smoothed(std::move(counts), settings, estimate.orders));
  return estimate;
}

namespace {

nb::list reports_of(const std::vector<OrderReport>& reports) {
  nb::list found;
  for (const OrderReport& report : reports) {
    nb::dict row;
    row["counted"] = report.counted;
    row["kept"] = report.kept;
    row["discounts"] = nb::make_tuple(report.discounts[1], report.discounts[2],
                                      report.discounts[3]);
    row["fallback"] = report.fallback;
    found.append(row);
  }
  return found;
}

void add_lines(Estimator& estimator, const nb::list& lines) {
  std::vector<std::string_view> texts;
  std::vector<nb::object> kept;
  for (const nb::handle line : lines) {
    kept.push_back(nb::borrow(line));
    const std::optional<std::string_view> text = utf8(line);
    if (!text) throw nb::value_error("a line is not text that UTF-8 can hold");
    texts.push_back(*text);
  }
  nb::gil_scoped_release released;
  const std::lock_guard alone(estimator.mutex);
  for (const std::string_view text : texts) estimator.add(text);
}

nb::tuple estimated(Estimator& estimator, int order,
                    const std::vector<std::uint64_t>& prune, std::uint64_t minimum_count,
                    std::size_t most_words, const std::optional<nb::list>& vocabulary) {
  if (order < 1 || order > kMostOrders) throw nb::value_error("the order must be 1 to 6");
  EstimateSettings settings{order, {}, minimum_count, most_words};
  for (std::size_t i = 0; i < settings.prune.size() && !prune.empty(); ++i) {
    settings.prune[i] = prune[std::min(i, prune.size() - 1)];
    if (i == 0 ? settings.prune[i] != 0 : settings.prune[i] < settings.prune[i - 1]) {
      throw nb::value_error("pruning must start at 0 and never fall");
    }
  }
  std::vector<std::string_view> words;
  std::vector<nb::object> kept;
  for (const nb::handle word : vocabulary ? *vocabulary : nb::list()) {
    kept.push_back(nb::borrow(word));
    const std::optional<std::string_view> text = utf8(word);
    if (!text) throw nb::value_error("a word is not text that UTF-8 can hold");
    words.push_back(*text);
  }
  Estimate found;
  {
    nb::gil_scoped_release released;
    const std::lock_guard alone(estimator.mutex);
    found = estimator.estimate(settings, vocabulary ? &words : nullptr);
  }
  const std::size_t letters = found.text.size(), places = found.starts.size();
  std::vector<std::uint32_t> table = vocabulary_table(found.text, found.starts);
  const std::size_t buckets = table.size();
  nb::dict arrays = arrays_of(std::move(found.tables));
  arrays["text"] = array_from(std::move(found.text), {letters});
  arrays["starts"] = array_from(std::move(found.starts), {places});
  arrays["lookup"] = array_from(std::move(table), {buckets});
  return nb::make_tuple(arrays, reports_of(found.orders));
}

}  // namespace

void bind_kneser_ney(nb::module_& module) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const TooMuchMemory&) {
      PyErr_SetString(PyExc_MemoryError, "the limit on memory is reached");
    }
  });
  nb::class_<Estimator>(module, "LanguageModelEstimator")
      .def(nb::init<std::size_t>(), "memory"_a = 0)
      .def("add", &add_lines, "lines"_a)
      .def_prop_ro("sentences", &Estimator::sentences)
      .def_prop_ro("words",
                   [](const Estimator& own) { return own.words() - own.sentences(); })
      .def("estimate", &estimated, "order"_a, "prune"_a, "minimum_count"_a = 1,
           "most_words"_a = 0, "vocabulary"_a = nb::none());
}

}  // namespace paraphrast
