// The phrase table and the decoder as Python sees them: everything is checked here.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "arrays.h"
#include "decoder.h"
#include "phrase_table.h"
#include "words.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace paraphrast {

namespace {

// The table as Python has it: it keeps the arrays alive that it reads.
class BoundTable : public PhraseTable {
 public:
  explicit BoundTable(const nb::dict& arrays)
      : PhraseTable(arrays_of(arrays)),
        arrays_(nb::steal<nb::dict>(PyDict_Copy(arrays.ptr()))) {}

 private:
  static Arrays arrays_of(const nb::dict& arrays) {
    const auto bytes = [&](const char* name) {
      return view(named_array<Array<std::uint8_t>>(arrays, name));
    };
    const auto numbers = [&](const char* name) {
      return view(named_array<Array<std::uint32_t>>(arrays, name));
    };
    Arrays found;
    found.source_text = bytes("source_text");
    found.target_text = bytes("target_text");
    found.source_starts = numbers("source_starts");
    found.target_starts = numbers("target_starts");
    found.phrase_starts = numbers("phrase_starts");
    found.phrase_words = numbers("phrase_words");
    found.option_starts = numbers("option_starts");
    found.output_starts = numbers("output_starts");
    found.output_words = numbers("output_words");
    found.outputs = numbers("outputs");
    found.link_starts = numbers("link_starts");
    const auto scores = named_array<Matrix<float>>(arrays, "scores");
    const auto reordering = named_array<Matrix<float>>(arrays, "reordering");
    const auto links = named_array<Matrix<std::uint8_t>>(arrays, "links");
    found.scores = view(scores);
    found.score_count = scores.shape(1);
    found.reordering = view(reordering);
    found.reordering_count = reordering.shape(1);
    if (links.shape(1) != 2) throw nb::value_error("links must have 2 columns");
    found.links = view(links);
    return found;
  }

  nb::dict arrays_;
};

// The decoder with what it reads.
class BoundDecoder : public Decoder {
 public:
  BoundDecoder(const BoundTable& table, const nb::list& models)
      : Decoder(table, pointers(models)),
        table_(table),
        models_(nb::steal<nb::list>(PySequence_List(models.ptr()))),
        kept_table_(nb::find(table)) {}

  const PhraseTable& table() const { return table_; }

 private:
  static std::vector<const LanguageModel*> pointers(const nb::list& models) {
    std::vector<const LanguageModel*> found;
    for (const nb::handle model : models) {
      found.push_back(nb::cast<const LanguageModel*>(model));
    }
    return found;
  }

  const PhraseTable& table_;
  nb::list models_;
  nb::object kept_table_;
};

// The words of a list; `number` is the sentence's, for what there is to complain of.
std::vector<std::string> words_from(const nb::handle& list, std::size_t number) {
  const std::string place = "sentence " + std::to_string(number);
  std::vector<std::string> words;
  for (const nb::handle word : nb::cast<nb::list>(list)) {
    const auto text = utf8(word);
    if (!text) {
      throw nb::value_error((place + " holds a word that UTF-8 cannot hold").c_str());
    }
    words.emplace_back(*text);
  }
  if (words.size() >= kLongestSentence) {
    throw nb::value_error((place + " has more than 65,534 words").c_str());
  }
  return words;
}

std::vector<Forced> forced_from(const nb::handle& list, std::size_t length,
                                std::size_t number) {
  std::vector<Forced> forced;
  for (const nb::handle item : nb::cast<nb::list>(list)) {
    const auto span = nb::cast<nb::tuple>(item);
    if (span.size() != 3) throw nb::value_error("a span is (start, end, words)");
    const auto start = nb::cast<std::int64_t>(span[0]);
    const auto end = nb::cast<std::int64_t>(span[1]);
    const std::int64_t before = forced.empty() ? 0 : forced.back().end;
    if (start < before || end <= start || end > static_cast<std::int64_t>(length)) {
      throw nb::value_error("spans must be in order, apart and inside the sentence");
    }
    forced.push_back({static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end),
                      words_from(span[2], number)});
  }
  return forced;
}

std::vector<Sentence> sentences_from(const nb::list& texts, const nb::list& spans) {
  if (spans.size() != 0 && spans.size() != texts.size()) {
    throw nb::value_error("there is not one list of spans a sentence");
  }
  std::vector<Sentence> sentences(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    sentences[i].words = words_from(texts[i], i + 1);
    if (spans.size() != 0) {
      sentences[i].forced = forced_from(spans[i], sentences[i].words.size(), i + 1);
    }
  }
  return sentences;
}

template <class T>
void append(std::vector<T>& all, std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
  more = {};
}

std::vector<std::uint32_t> starts_of(const std::vector<std::uint32_t>& counts) {
  std::vector<std::uint32_t> starts{0};
  starts.reserve(counts.size() + 1);
  for (const std::uint32_t count : counts) starts.push_back(starts.back() + count);
  return starts;
}

// All sentences' translations in one, words that the table lacks numbered anew.
struct Packed {
  Translations all;
  std::vector<std::uint32_t> counts;

  Packed(std::vector<Translations>&& made, std::size_t known) {
    std::unordered_map<std::string, Word> numbers;
    for (Translations& one : made) {
      counts.push_back(static_cast<std::uint32_t>(one.scores.size()));
      for (Word& word : one.words) {
        if (word < known) continue;
        const std::string& text = one.extra[word - known];
        const auto next = static_cast<Word>(known + all.extra.size());
        const auto [place, is_new] = numbers.try_emplace(text, next);
        if (is_new) all.extra.push_back(text);
        word = place->second;
      }
      append(all.scores, one.scores);
      append(all.features, one.features);
      append(all.word_counts, one.word_counts);
      append(all.phrase_counts, one.phrase_counts);
      append(all.link_counts, one.link_counts);
      append(all.words, one.words);
      append(all.phrases, one.phrases);
      append(all.links, one.links);
    }
  }
};

nb::dict decode(const BoundDecoder& decoder, const nb::list& texts,
                const std::vector<double>& weights, const nb::list& spans, int pops,
                int stack, double beam, int options, int distortion, bool cube,
                std::optional<double> copy, std::size_t alternatives, bool distinct,
                int threads) {
  if (!(beam >= 0) || (copy && !(std::abs(*copy) <= 1e6))) {
    throw nb::value_error("the beam or the score of copies is out of range");
  }
  const Settings settings{pops, stack, beam, options, distortion, cube,
                          copy.has_value(), copy.value_or(0)};
  const std::vector<Sentence> sentences = sentences_from(texts, spans);
  const std::size_t known = decoder.table().target().size();
  std::optional<Packed> packed;
  {
    nb::gil_scoped_release released;
    packed.emplace(decoder.decode(sentences, weights, settings,
                                  {alternatives, distinct, threads}),
                   known);
  }
  Translations& all = packed->all;
  std::vector<std::int32_t> phrases;
  for (const ChosenPhrase& p : all.phrases) {
    phrases.insert(phrases.end(), {p.source_start, p.source_end, p.target_start,
                                   p.target_end, p.row});
  }
  const std::size_t rows = all.scores.size(), count = all.phrases.size();
  nb::dict found;
  const auto add_starts = [&](const char* name,
                              const std::vector<std::uint32_t>& counts) {
    found[name] = array_from(starts_of(counts), {counts.size() + 1});
  };
  add_starts("starts", packed->counts);
  add_starts("word_starts", all.word_counts);
  add_starts("phrase_starts", all.phrase_counts);
  add_starts("link_starts", all.link_counts);
  found["scores"] = array_from(std::move(all.scores), {rows});
  found["features"] =
      array_from(std::move(all.features), {rows, decoder.feature_count()});
  const std::size_t words = all.words.size(), links = all.links.size() / 2;
  found["words"] = array_from(std::move(all.words), {words});
  found["phrases"] = array_from(std::move(phrases), {count, 5});
  found["links"] = array_from(std::move(all.links), {links, 2});
  found["extra"] = nb::cast(all.extra);
  return found;
}

}  // namespace

void bind_decoder(nb::module_& module) {
  nb::class_<BoundTable>(module, "PhraseTable")
      .def(nb::init<nb::dict>(), "arrays"_a);
  nb::class_<BoundDecoder>(module, "Decoder")
      .def(nb::init<const BoundTable&, nb::list>(), "table"_a, "models"_a)
      .def_prop_ro("feature_count", &BoundDecoder::feature_count)
      .def("decode", &decode, "sentences"_a, "weights"_a, nb::kw_only(), "forced"_a,
           "pops"_a, "stack"_a, "beam"_a, "options"_a, "distortion"_a, "cube"_a,
           "copy"_a.none(), "alternatives"_a, "distinct"_a, "threads"_a);
}

}  // namespace paraphrast
