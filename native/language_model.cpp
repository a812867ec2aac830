#include "language_model.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.h"
#include "language_model_tables.h"
#include "words.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace paraphrast {

void Vocabulary::check() const {
  const std::size_t buckets = table.size() / 2;
  bool ends = false;  // an empty bucket ends every search
  for (std::size_t i = 0; i < buckets && !ends; ++i) ends = !table[2 * i + 1];
  if (starts.empty() || !std::has_single_bit(buckets) || !ends) {
    throw std::invalid_argument("the table of words is not as it should be");
  }
}

std::string_view Vocabulary::word(Word number) const {
  constexpr std::string_view kNames[] = {"<unk>", "<s>", "</s>"};
  if (number < kSpecialWords) return kNames[number];
  const std::size_t i = number - kSpecialWords;
  if (i + 1 >= starts.size()) return kNames[kUnknown];
  const std::uint32_t start = starts[i], end = starts[i + 1];
  if (end < start || end > text.size()) return kNames[kUnknown];
  return {reinterpret_cast<const char*>(text.data()) + start, end - start};
}

Word Vocabulary::find(std::string_view wanted, std::uint64_t hash) const {
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  const std::size_t mask = table.size() / 2 - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const Word number = table[2 * i + 1];
    if (number == 0) break;
    if (table[2 * i] == tag && word(number) == wanted) {
      return number < size() ? number : kUnknown;
    }
  }
  if (wanted == "<s>") return kSentenceStart;
  return wanted == "</s>" ? kSentenceEnd : kUnknown;
}

namespace {

template <typename T, typename IsEmpty>
void check_table(std::span<const T> table, IsEmpty is_empty) {
  // An empty bucket ends every search; tables that we make have one within a few.
  if (table.size() >= kNowhere || std::none_of(table.begin(), table.end(), is_empty)) {
    throw std::invalid_argument("a table of n-grams is full");
  }
}

}  // namespace

LanguageModel::LanguageModel(const Tables& tables) : tables_(tables) {
  if (tables.order < 1 || tables.order > kMostOrders) {
    throw std::invalid_argument("the order must be 1 to 6");
  }
  tables.vocabulary.check();
  if (tables.vocabulary.size() != tables.unigrams.size()) {
    throw std::invalid_argument("there is not one probability a word");
  }
  for (int n = 2; n < tables.order; ++n) {
    check_table(tables.middle[n - 1], [](const Entry& e) { return e.key == kEmptyKey; });
  }
  if (tables.order > 1) {
    check_table(tables.last, [](const LastEntry& e) { return e.rest == kNowhere; });
  }
}

namespace {

template <typename T, typename U>
std::span<const T> rows_of(const Matrix<U>& matrix, const char* name) {
  if (matrix.shape(1) * sizeof(U) != sizeof(T)) {
    throw nb::value_error((std::string(name) + ": rows of another length").c_str());
  }
  return {reinterpret_cast<const T*>(matrix.data()), matrix.shape(0)};
}

// The model as Python has it: it keeps the arrays alive that the queries read.
class BoundModel : public LanguageModel {
 public:
  BoundModel(const nb::dict& arrays, int order)
      : LanguageModel(tables_of(arrays, order)),
        arrays_(nb::steal<nb::dict>(PyDict_Copy(arrays.ptr()))) {}

 private:
  static Tables tables_of(const nb::dict& arrays, int order) {
    Tables tables;
    tables.order = std::clamp(order, 0, kMostOrders + 1);
    tables.vocabulary.text = view(named_array<Array<std::uint8_t>>(arrays, "text"));
    tables.vocabulary.starts = view(named_array<Array<std::uint32_t>>(arrays, "starts"));
    tables.vocabulary.table = view(named_array<Array<std::uint32_t>>(arrays, "lookup"));
    tables.unigrams =
        rows_of<Unigram>(named_array<Matrix<float>>(arrays, "unigrams"), "unigrams");
    for (int n = 2; n <= std::min(order, kMostOrders); ++n) {
      const std::string name = "ngrams" + std::to_string(n);
      if (n < order) {
        const auto found = named_array<Matrix<std::uint64_t>>(arrays, name.c_str());
        tables.middle[n - 1] = rows_of<Entry>(found, name.c_str());
      } else {
        const auto found = named_array<Matrix<std::uint32_t>>(arrays, name.c_str());
        tables.last = rows_of<LastEntry>(found, name.c_str());
      }
    }
    return tables;
  }

  nb::dict arrays_;
};

// Turns sentences into numbers; words that look like the model's own marks are only
// words there. All words are hashed before the first is looked up, so that memory
// answers for many at once.
class Reader {
 public:
  explicit Reader(const LanguageModel& model) : vocabulary_(model.tables().vocabulary) {}

  void add(std::string_view word) {
    hashed_.emplace_back(word, hash_of(word));
    vocabulary_.prefetch(hashed_.back().second);
  }

  // The numbers of the words added; they stay until the next call.
  std::span<const Word> numbers() {
    numbers_.clear();
    for (const auto& [word, hash] : hashed_) {
      const Word found = vocabulary_.find(word, hash);
      numbers_.push_back(found < kSpecialWords ? kUnknown : found);
    }
    hashed_.clear();
    return numbers_;
  }

 private:
  const Vocabulary& vocabulary_;
  std::vector<std::pair<std::string_view, std::uint64_t>> hashed_;
  std::vector<Word> numbers_;
};

template <typename Each>
void each_score(const LanguageModel& model, std::span<const Word> words, bool bos,
                bool eos, Each each) {
  State states[2] = {bos ? model.start() : model.empty(), State{}};
  int now = 0, matched = 0;
  constexpr std::size_t kAhead = 3;
  for (std::size_t i = 1; i < std::min(kAhead, words.size()); ++i) {
    model.prefetch(words[i - 1], words[i]);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t ahead = i + kAhead;
    if (ahead < words.size()) model.prefetch(words[ahead - 1], words[ahead]);
    const float found = model.score(states[now], words[i], states[1 - now], matched);
    each(found, matched, words[i] == kUnknown);
    now = 1 - now;
  }
  if (eos) {
    const float found = model.score(states[now], kSentenceEnd, states[1 - now], matched);
    each(found, matched, false);
  }
}

// Words are a list of strings, or a string of words between spaces.
void read_words(Reader& reader, nb::handle words) {
  if (const std::optional<std::string_view> line = utf8(words)) {
    each_word(*line, [&](std::string_view word) { reader.add(word); });
    return;
  }
  if (!nb::isinstance<nb::list>(words)) throw nb::type_error("words must be a list");
  for (const nb::handle word : nb::borrow<nb::list>(words)) {
    reader.add(utf8(word).value_or("<unk>"));
  }
}

std::pair<double, int> score_sentence(const LanguageModel& model, nb::handle words,
                                      bool bos, bool eos) {
  double total = 0;
  int unknown = 0;
  Reader reader(model);
  read_words(reader, words);
  each_score(model, reader.numbers(), bos, eos, [&](float p, int, bool oov) {
    total += p;
    unknown += oov;
  });
  return {total, unknown};
}

std::vector<std::tuple<float, int, bool>> full_scores(const LanguageModel& model,
                                                      nb::handle words, bool bos,
                                                      bool eos) {
  Reader reader(model);
  read_words(reader, words);
  std::vector<std::tuple<float, int, bool>> scores;
  each_score(model, reader.numbers(), bos, eos,
             [&](float p, int n, bool oov) { scores.emplace_back(p, n, oov); });
  return scores;
}

// Of each line: its log probability, that of its unknown words, words, unknown words.
nb::object score_lines(const LanguageModel& model, const nb::list& lines, bool bos,
                       bool eos) {
  std::vector<std::string_view> texts;
  std::vector<nb::object> kept;
  texts.reserve(lines.size());
  kept.reserve(lines.size());
  for (const nb::handle line : lines) {
    kept.push_back(nb::borrow(line));
    const std::optional<std::string_view> text = utf8(line);
    if (!text) throw nb::value_error("a line is not text that UTF-8 can hold");
    texts.push_back(*text);
  }
  std::vector<double> table(4 * texts.size());
  {
    nb::gil_scoped_release released;
    Reader reader(model);
    double* row = table.data();
    for (const std::string_view text : texts) {
      each_word(text, [&](std::string_view word) { reader.add(word); });
      each_score(model, reader.numbers(), bos, eos, [&](float p, int, bool oov) {
        row[0] += p;
        if (oov) row[1] += p;
        row[2] += 1;
        row[3] += oov;
      });
      row += 4;
    }
  }
  return array_from(std::move(table), {texts.size(), 4});
}

SpeltNgrams spelt(const Matrix<std::uint32_t>& words, const Matrix<float>* values,
                  int order, std::size_t vocabulary) {
  if (words.shape(1) != static_cast<std::size_t>(order)) {
    throw nb::value_error("n-grams of another order");
  }
  SpeltNgrams found{order, {}, {}, {}};
  found.words.assign(words.data(), words.data() + words.size());
  for (const Word word : found.words) {
    if (word >= vocabulary) throw nb::value_error("a word number is out of range");
  }
  found.probability.resize(words.shape(0));
  found.backoff.resize(words.shape(0));
  if (!values) return found;
  if (values->shape(0) != words.shape(0) || values->shape(1) != 2) {
    throw nb::value_error("there are not two values an n-gram");
  }
  for (std::size_t i = 0; i < words.shape(0); ++i) {
    found.probability[i] = values->data()[2 * i];
    found.backoff[i] = values->data()[2 * i + 1];
    if (!(found.probability[i] <= 0) || !std::isfinite(found.backoff[i])) {
      throw nb::value_error("a probability is over 1, or a back-off not finite");
    }
  }
  return found;
}

nb::dict tables_from(const std::vector<Matrix<std::uint32_t>>& ngrams,
                     const std::vector<Matrix<float>>& values) {
  if (values.empty() || values.size() > kMostOrders || ngrams.size() + 1 != values.size()) {
    throw nb::value_error("the order must be 1 to 6");
  }
  const Matrix<float>& alone = values[0];
  if (alone.shape(1) != 2 || alone.shape(0) < kSpecialWords) {
    throw nb::value_error("there are not two values a word");
  }
  std::vector<float> probability, backoff;
  for (std::size_t i = 0; i < alone.shape(0); ++i) {
    probability.push_back(alone.data()[2 * i]);
    backoff.push_back(alone.data()[2 * i + 1]);
    if (!(probability.back() <= 0) || !std::isfinite(backoff.back())) {
      throw nb::value_error("a probability is over 1, or a back-off not finite");
    }
  }
  std::vector<SpeltNgrams> longer;
  for (std::size_t i = 0; i < ngrams.size(); ++i) {
    longer.push_back(
        spelt(ngrams[i], &values[i + 1], static_cast<int>(i) + 2, alone.shape(0)));
  }
  BuiltTables built;
  {
    nb::gil_scoped_release released;
    built = build_tables(linked_levels(std::move(probability), std::move(backoff),
                                       std::move(longer)));
  }
  return arrays_of(std::move(built));
}

nb::tuple ngrams_of(const LanguageModel& model, int order) {
  if (order < 1 || order > model.order()) throw nb::value_error("no such order");
  SpeltNgrams found;
  {
    nb::gil_scoped_release released;
    found = spelt_ngrams(model, order);
  }
  const std::size_t rows = found.size();
  std::vector<float> values(2 * rows);
  for (std::size_t i = 0; i < rows; ++i) {
    values[2 * i] = found.probability[i];
    values[2 * i + 1] = found.backoff[i];
  }
  return nb::make_tuple(
      array_from(std::move(found.words), {rows, static_cast<std::size_t>(order)}),
      array_from(std::move(values), {rows, 2}));
}

}  // namespace

nb::dict arrays_of(BuiltTables&& built) {
  nb::dict arrays;
  std::vector<float> unigrams(2 * built.unigrams.size());
  std::memcpy(unigrams.data(), built.unigrams.data(), 4 * unigrams.size());
  arrays["unigrams"] = array_from(std::move(unigrams), {built.unigrams.size(), 2});
  int order = 2;
  for (std::vector<Entry>& table : built.middle) {
    const std::size_t rows = table.size();
    std::vector<std::uint64_t> flat(2 * rows);
    std::memcpy(flat.data(), table.data(), 8 * flat.size());
    table = {};
    const std::string name = "ngrams" + std::to_string(order++);
    arrays[name.c_str()] = array_from(std::move(flat), {rows, 2});
  }
  if (!built.last.empty()) {
    const std::size_t rows = built.last.size();
    std::vector<std::uint32_t> flat(3 * rows);
    std::memcpy(flat.data(), built.last.data(), 4 * flat.size());
    const std::string name = "ngrams" + std::to_string(order);
    arrays[name.c_str()] = array_from(std::move(flat), {rows, 3});
  }
  return arrays;
}

void bind_language_model(nb::module_& module) {
  nb::class_<State>(module, "LanguageModelState")
      .def_prop_ro("words",
                   [](const State& state) {
                     const auto* const words = state.words.data();
                     return nb::tuple(nb::cast(
                         std::vector<Word>(words, words + state.length)));
                   })
      .def("__eq__",
           [](const State& state, nb::handle other) {
             State right;
             return nb::try_cast(other, right) && state == right;
           })
      .def("__hash__", &State::hash);
  // Registered as LanguageModel, so that the decoder can take one as a pointer.
  nb::class_<LanguageModel>(module, "LanguageModelBase");
  nb::class_<BoundModel, LanguageModel>(module, "LanguageModel")
      .def(nb::init<nb::dict, int>(), "arrays"_a, "order"_a)
      .def_prop_ro("order", &BoundModel::order)
      .def_prop_ro("size", &BoundModel::size)
      .def("find",
           [](const BoundModel& model, nb::str word) {
             const std::optional<std::string_view> text = utf8(word);
             return text ? model.find(*text) : kUnknown;
           })
      .def("word",
           [](const BoundModel& model, Word number) {
             if (number >= model.size()) throw nb::index_error("no such word");
             const std::string_view word = model.tables().vocabulary.word(number);
             return nb::str(word.data(), word.size());
           })
      .def("start", &BoundModel::start)
      .def("empty", &BoundModel::empty)
      .def("score",
           [](const BoundModel& model, const State& from, Word word) {
             State to;
             const float found = model.score(from, word, to);
             return std::make_pair(found, to);
           })
      .def("score_sentence", &score_sentence, "words"_a, "bos"_a = true, "eos"_a = true)
      .def("full_scores", &full_scores, "words"_a, "bos"_a = true, "eos"_a = true)
      .def("score_lines", &score_lines, "lines"_a, "bos"_a = true, "eos"_a = true)
      .def("ngrams", &ngrams_of, "order"_a);
  module.def("language_model_tables", &tables_from, "ngrams"_a, "values"_a);
  module.def(
      "first_duplicate",
      [](const Matrix<std::uint32_t>& words) {
        const auto order = static_cast<int>(std::min<std::size_t>(words.shape(1), 99));
        if (order < 1 || order > kMostOrders) throw nb::value_error("no such order");
        return first_duplicate(spelt(words, nullptr, order, kNowhere));
      },
      "ngrams"_a);
  module.def(
      "vocabulary_table",
      [](const Array<std::uint8_t>& text, const Array<std::uint32_t>& starts) {
        if (starts.size() == 0) throw nb::value_error("no places of words");
        std::vector<std::uint32_t> table = vocabulary_table(view(text), view(starts));
        const std::size_t size = table.size();
        return array_from(std::move(table), {size});
      },
      "text"_a, "starts"_a);
}

}  // namespace paraphrast
