#include "cooccurrence.h"


#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "extraction.h"
#include "arrays.h"
#include "phrase_pool.h"

namespace nb = nanobind;

namespace paraphrast {

namespace {

using Words = Array<std::uint32_t>;
using Starts = Array<std::int64_t>;
using Sentences = std::vector<std::uint32_t>;

// Of each phrase the sentences in which it stands, each once and in order.
std::vector<Sentences> sentences_of(const Side& corpus, const Side& phrases) {
  Pool<std::uint32_t> pool;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < phrases.sentences(); ++i) {
    if (pool.intern(phrases[i]) != i) {
      throw std::invalid_argument("a phrase is given twice");
    }
    longest = std::max(longest, phrases[i].size());
  }
  std::vector<Sentences> found(phrases.sentences());
  for (std::size_t sentence = 0; sentence < corpus.sentences(); ++sentence) {
    const auto words = corpus[sentence];
    for (std::size_t start = 0; start < words.size(); ++start) {
      const std::size_t most = std::min(longest, words.size() - start);
      for (std::size_t length = 1; length <= most; ++length) {
        const std::uint32_t phrase = pool.find(words.subspan(start, length));
        if (phrase == kNone) continue;
        Sentences& list = found[phrase];
        if (list.empty() || list.back() != sentence) {
          list.push_back(static_cast<std::uint32_t>(sentence));
        }
      }
    }
  }
  return found;
}

// Look the shorter list up in the longer one, which ever less of is left.
std::uint32_t shared(const Sentences& one, const Sentences& two) {
  const Sentences& few = one.size() < two.size() ? one : two;
  const Sentences& many = one.size() < two.size() ? two : one;
  std::uint32_t count = 0;
  auto from = many.begin();
  for (const std::uint32_t sentence : few) {
    from = std::lower_bound(from, many.end(), sentence);
    if (from == many.end()) break;
    count += *from == sentence;
  }
  return count;
}

std::vector<std::uint32_t> sizes(const std::vector<Sentences>& lists) {
  std::vector<std::uint32_t> result(lists.size());
  std::transform(lists.begin(), lists.end(), result.begin(), [](const Sentences& list) {
    return static_cast<std::uint32_t>(list.size());
  });
  return result;
}

nb::tuple cooccurrences(const Words& source, const Starts& source_starts,
                        const Words& target, const Starts& target_starts,
                        const Words& phrase_words, const Starts& phrase_starts,
                        const Words& output_words, const Starts& output_starts,
                        const Words& phrases, const Words& outputs) {
  std::vector<std::uint32_t> in_source, in_target, in_both;
  {
    nb::gil_scoped_release release;
    const Side sides[] = {{view(source), view(source_starts)},
                          {view(target), view(target_starts)},
                          {view(phrase_words), view(phrase_starts)},
                          {view(output_words), view(output_starts)}};
    for (const Side& side : sides) check_starts(side.starts, side.words.size());
    const auto options = view(phrases), options_outputs = view(outputs);
    if (sides[0].sentences() != sides[1].sentences() || sides[0].sentences() >= kNone ||
        options.size() != options_outputs.size()) {
      throw std::invalid_argument("arrays differ in length");
    }
    const auto with_source = sentences_of(sides[0], sides[2]);
    const auto with_target = sentences_of(sides[1], sides[3]);
    in_both.reserve(options.size());
    for (std::size_t row = 0; row < options.size(); ++row) {
      if (options[row] >= with_source.size() ||
          options_outputs[row] >= with_target.size()) {
        throw std::invalid_argument("an option names no phrase");
      }
      in_both.push_back(
          shared(with_source[options[row]], with_target[options_outputs[row]]));
    }
    in_source = sizes(with_source);
    in_target = sizes(with_target);
  }
  return nb::make_tuple(array_from(std::move(in_source)), array_from(std::move(in_target)),
                        array_from(std::move(in_both)));
}

}  // namespace

void bind_cooccurrence(nb::module_& module) {
  module.def("cooccurrences", &cooccurrences, nb::arg("source"),
             nb::arg("source_starts"), nb::arg("target"), nb::arg("target_starts"),
             nb::arg("phrase_words"), nb::arg("phrase_starts"),
             nb::arg("output_words"), nb::arg("output_starts"), nb::arg("phrases"),
             nb::arg("outputs"),
             "Count the sentence pairs with each source phrase, each target phrase, "
             "and both phrases of each option.");
}

}  // namespace paraphrast
