#include "extraction.h"


#include <limits>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

#include "arrays.h"

namespace nb = nanobind;

namespace paraphrast {

namespace {

enum Way { kMonotone = 0, kSwap = 1, kOther = 2 };
enum Corner { kTopLeft = 0, kTopRight = 1, kBottomLeft = 2, kBottomRight = 3 };

std::uint64_t packed(int one, int two) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(one)) << 32) |
         static_cast<std::uint32_t>(two);
}

Way way(bool straight, bool crossed, bool follows, bool precedes) {
  if ((straight && !crossed) || follows) return kMonotone;
  if ((crossed && !straight) || precedes) return kSwap;
  return kOther;
}

}  // namespace

void Extractor::add(std::uint32_t pair, std::span<const std::uint32_t> source,
                    std::span<const std::uint32_t> target,
                    std::span<const Place> links) {
  read(source.size(), target.size(), links);
  spans_.clear();
  find_spans(reach_, {0, source_words_, 0, target_words_}, settings_.longest, false,
             spans_);
  if (settings_.orientation == Orientation::kPhrase) find_corners();
  share();
  const std::uint32_t words = static_cast<std::uint32_t>(
      std::min<std::size_t>(source.size() + target.size(), kNone));
  int last_first = -1, last_last = -1;
  std::uint32_t source_number = kNone;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const Span& span = spans_[i];
    if (span.source_first != last_first || span.source_last != last_last) {
      last_first = span.source_first;
      last_last = span.source_last;
      source_number = sources.intern(source.subspan(
          static_cast<std::size_t>(last_first),
          static_cast<std::size_t>(last_last - last_first + 1)));
    }
    const std::uint32_t target_number = targets.intern(target.subspan(
        static_cast<std::size_t>(span.target_first),
        static_cast<std::size_t>(span.target_last - span.target_first + 1)));
    Option& found = options[option(source_number, target_number)];
    const double counted = static_cast<double>(shares_[i]);
    found.count += counted;
    found.orientations[before(span)] += static_cast<float>(counted);
    found.orientations[3 + after(span)] += static_cast<float>(counted);
    if (words < found.example_words) {
      found.example_words = words;
      found.example = pair;
    }
    count_links(found, span, counted);
  }
}

void Extractor::read(std::size_t source_words, std::size_t target_words,
                     std::span<const Place> links) {
  reach_.clear(source_words, target_words);
  source_words_ = static_cast<int>(source_words);
  target_words_ = static_cast<int>(target_words);
  links_ = links;
  link_starts_.assign(source_words + 1, 0);
  for (std::size_t n = 0; n < links.size(); ++n) {
    const auto [i, j] = links[n];
    if (i >= source_words || j >= target_words) {
      throw std::invalid_argument("a link leads out of its sentences");
    }
    if (n && !(links[n - 1].source < i ||
               (links[n - 1].source == i && links[n - 1].target < j))) {
      throw std::invalid_argument("links are not in order");
    }
    ++link_starts_[i + 1];
    reach_.add(static_cast<int>(i), static_cast<int>(j));
  }
  std::partial_sum(link_starts_.begin(), link_starts_.end(), link_starts_.begin());
}

namespace {

// Add what a pair becomes with unlinked words around its target side.
void widen(const Reach& reach, const Bounds& bounds, const Span& tight, int longest,
           std::vector<Span>& spans) {
  Span span = tight;
  for (int low = tight.target_first; low >= bounds.target_begin; --low) {
    if (low < tight.target_first && reach.target_high[low] >= 0) break;
    if (tight.target_last - low >= longest) break;
    span.target_first = low;
    for (int high = tight.target_last; high < bounds.target_end; ++high) {
      if (high > tight.target_last && reach.target_high[high] >= 0) break;
      if (high - low >= longest) break;
      span.target_last = high;
      spans.push_back(span);
    }
  }
}

}  // namespace

void Reach::clear(std::size_t source_words, std::size_t target_words) {
  constexpr int high = std::numeric_limits<int>::max();
  if (std::max(source_words, target_words) > static_cast<std::size_t>(high - 2)) {
    throw std::invalid_argument("a text is too long");
  }
  source_low.assign(source_words, high);
  source_high.assign(source_words, -1);
  target_low.assign(target_words, high);
  target_high.assign(target_words, -1);
}

void Reach::add(int source, int target) {
  source_low[source] = std::min(source_low[source], target);
  source_high[source] = std::max(source_high[source], target);
  target_low[target] = std::min(target_low[target], source);
  target_high[target] = std::max(target_high[target], source);
}

// Grow a source run word by word. The target words it reaches, and the source words
// that those reach back, only ever become more; so a run whose target side is too
// long, or that is reached from before its start, cannot be mended by growing.
void find_spans(const Reach& reach, const Bounds& bounds, int longest, bool tight,
                std::vector<Span>& spans) {
  for (int first = bounds.source_begin; first < bounds.source_end; ++first) {
    if (tight && reach.source_high[first] < 0) continue;
    int low = std::numeric_limits<int>::max(), high = -1;
    int back = first, forth = first;
    int core_first = -1, core_last = -1;
    const auto reach_back = [&](int begin, int end) {
      for (int j = begin; j < end; ++j) {
        if (reach.target_high[j] < 0) continue;
        back = std::min(back, reach.target_low[j]);
        forth = std::max(forth, reach.target_high[j]);
      }
    };
    const int end = first + std::min(bounds.source_end - first, longest);
    for (int last = first; last < end; ++last) {
      const bool linked = reach.source_high[last] >= 0;
      if (linked) {
        if (core_first < 0) core_first = last;
        core_last = last;
        const int new_low = std::min(low, reach.source_low[last]);
        const int new_high = std::max(high, reach.source_high[last]);
        if (new_high - new_low >= longest) break;
        reach_back(new_low, std::min(low, new_high + 1));
        if (high >= 0) reach_back(high + 1, new_high + 1);
        low = new_low;
        high = new_high;
      }
      if (back < first) break;
      if (high < 0 || forth > last) continue;
      const Span span{first, last, low, high, core_first, core_last};
      if (!tight) {
        widen(reach, bounds, span, longest, spans);
      } else if (linked) {
        spans.push_back(span);
      }
    }
  }
}

void Extractor::find_corners() {
  for (auto& corners : corners_) corners.clear();
  for (const Span& span : spans_) {
    corners_[kTopLeft].push_back(packed(span.source_first, span.target_first));
    corners_[kTopRight].push_back(packed(span.source_last, span.target_first));
    corners_[kBottomLeft].push_back(packed(span.source_first, span.target_last));
    corners_[kBottomRight].push_back(packed(span.source_last, span.target_last));
  }
  for (auto& corners : corners_) std::sort(corners.begin(), corners.end());
}

// One count a tight pair, shared by all that it becomes with unlinked neighbours.
void Extractor::share() {
  shares_.assign(spans_.size(), 1.0F);
  if (!settings_.shared_counts) return;
  std::unordered_map<std::uint64_t, int> sizes;
  for (const Span& span : spans_) ++sizes[packed(span.core_first, span.core_last)];
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const Span& span = spans_[i];
    shares_[i] =
        1.0F / static_cast<float>(sizes[packed(span.core_first, span.core_last)]);
  }
}

// Before the first words and after the last ones of both sentences lies a link too.
bool Extractor::linked(int source, int target) const {
  if (source < 0 || target < 0) return source < 0 && target < 0;
  if (source >= source_words_ || target >= target_words_) {
    return source >= source_words_ && target >= target_words_;
  }
  for (std::uint32_t n = link_starts_[source]; n < link_starts_[source + 1]; ++n) {
    if (links_[n].target == static_cast<std::uint32_t>(target)) return true;
  }
  return false;
}

bool Extractor::corner(const std::vector<std::uint64_t>& corners, int source,
                       int target) const {
  return settings_.orientation == Orientation::kPhrase && source >= 0 && target >= 0 &&
         std::binary_search(corners.begin(), corners.end(), packed(source, target));
}

int Extractor::before(const Span& span) const {
  const int target = span.target_first - 1;
  return way(linked(span.source_first - 1, target),
             linked(span.source_last + 1, target),
             corner(corners_[kBottomRight], span.source_first - 1, target),
             corner(corners_[kBottomLeft], span.source_last + 1, target));
}

int Extractor::after(const Span& span) const {
  const int target = span.target_last + 1;
  return way(linked(span.source_last + 1, target),
             linked(span.source_first - 1, target),
             corner(corners_[kTopLeft], span.source_last + 1, target),
             corner(corners_[kTopRight], span.source_first - 1, target));
}

std::uint32_t Extractor::option(std::uint32_t source, std::uint32_t target) {
  const std::uint32_t hash = static_cast<std::uint32_t>(
      mixed((static_cast<std::uint64_t>(source) << 32) | target) >> 32);
  const std::uint32_t known = numbers_.find(hash, [&](std::uint32_t number) {
    return options[number].source == source && options[number].target == target;
  });
  if (known != kNone) return known;
  if (options.size() >= settings_.most) {
    throw std::overflow_error("too many phrase pairs");
  }
  options.push_back({source, target, 0.0, {}, kNone, kNone, kNone});
  return numbers_.add(hash);
}

void Extractor::count_links(Option& option, const Span& span, double weight) {
  pattern_.clear();
  for (std::uint32_t n = link_starts_[span.source_first];
       n < link_starts_[span.source_last + 1]; ++n) {
    pattern_.push_back(static_cast<std::uint8_t>(
        links_[n].source - static_cast<std::uint32_t>(span.source_first)));
    pattern_.push_back(static_cast<std::uint8_t>(
        links_[n].target - static_cast<std::uint32_t>(span.target_first)));
  }
  const std::uint32_t pattern = patterns.intern(pattern_);
  for (std::uint32_t n = option.variants; n != kNone; n = variants_[n].next) {
    if (variants_[n].pattern == pattern) {
      variants_[n].count += weight;
      return;
    }
  }
  variants_.push_back({pattern, option.variants, weight});
  option.variants = static_cast<std::uint32_t>(variants_.size() - 1);
}

std::uint32_t Extractor::links_of(const Option& option) const {
  std::uint32_t best = option.variants;
  for (std::uint32_t n = best; n != kNone; n = variants_[n].next) {
    if (variants_[n].count >= variants_[best].count) best = n;
  }
  return variants_[best].pattern;
}

namespace {

using Words = Array<std::uint32_t>;
using Starts = Array<std::int64_t>;
using Links = Pairs<std::uint32_t>;

struct Alignments {
  std::span<const Place> links;
  std::span<const std::int64_t> starts;
};

void extract_all(Extractor& extractor, const Side& source, const Side& target,
                 const Alignments& alignments) {
  const std::size_t pairs = source.sentences();
  check_starts(source.starts, source.words.size());
  check_starts(target.starts, target.words.size());
  check_starts(alignments.starts, alignments.links.size());
  const std::size_t rows = alignments.starts.size() - 1;
  if (target.sentences() != pairs || pairs >= kNone ||
      (pairs == 0 ? rows != 0 : rows % pairs != 0)) {
    throw std::invalid_argument("the sides and their links differ in number");
  }
  for (std::size_t n = 0; n < rows; ++n) {
    const std::size_t pair = n % pairs;
    const auto links = alignments.links.subspan(
        static_cast<std::size_t>(alignments.starts[n]),
        static_cast<std::size_t>(alignments.starts[n + 1] - alignments.starts[n]));
    extractor.add(static_cast<std::uint32_t>(pair), source[pair], target[pair], links);
  }
}

// The phrases of a pool in order, and the new number of each old one.
struct Ordered {
  std::vector<std::uint32_t> starts{0}, words, numbers;
};

Ordered ordered(const Pool<std::uint32_t>& pool) {
  if (pool.numbers() >= kNone) throw std::overflow_error("too many words in phrases");
  Ordered result;
  result.numbers.resize(pool.size());
  result.words.reserve(pool.numbers());
  result.starts.reserve(pool.size() + 1);
  for (const std::uint32_t number : pool.sorted()) {
    result.numbers[number] = static_cast<std::uint32_t>(result.starts.size() - 1);
    const auto run = pool[number];
    result.words.insert(result.words.end(), run.begin(), run.end());
    result.starts.push_back(static_cast<std::uint32_t>(result.words.size()));
  }
  return result;
}

struct Found {
  Ordered sources, targets;
  std::vector<std::uint32_t> phrases, outputs, link_starts{0}, examples;
  std::vector<double> counts;
  std::vector<float> orientations;
  std::vector<std::uint8_t> links;

  void reserve(std::size_t options) {
    phrases.reserve(options);
    outputs.reserve(options);
    link_starts.reserve(options + 1);
    examples.reserve(options);
    counts.reserve(options);
    orientations.reserve(6 * options);
  }
};

// Return rows in order of their numbers; equals keep the order they came in.
template <typename Number>
std::vector<std::uint32_t> counting_sorted(const std::vector<std::uint32_t>& rows,
                                           std::size_t numbers, Number&& number) {
  std::vector<std::uint32_t> places(numbers + 1, 0), result(rows.size());
  for (const std::uint32_t row : rows) ++places[number(row) + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  for (const std::uint32_t row : rows) result[places[number(row)]++] = row;
  return result;
}

Found gathered(const Extractor& extractor) {
  Found found;
  found.sources = ordered(extractor.sources);
  found.targets = ordered(extractor.targets);
  const auto& options = extractor.options;
  const auto source = [&](std::uint32_t row) {
    return found.sources.numbers[options[row].source];
  };
  const auto target = [&](std::uint32_t row) {
    return found.targets.numbers[options[row].target];
  };
  std::vector<std::uint32_t> rows(options.size());
  std::iota(rows.begin(), rows.end(), 0U);
  rows = counting_sorted(rows, extractor.targets.size(), target);
  rows = counting_sorted(rows, extractor.sources.size(), source);
  found.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    const auto& option = options[row];
    found.phrases.push_back(source(row));
    found.outputs.push_back(target(row));
    found.counts.push_back(option.count);
    found.orientations.insert(found.orientations.end(), option.orientations.begin(),
                              option.orientations.end());
    found.examples.push_back(option.example);
    const auto links = extractor.patterns[extractor.links_of(option)];
    found.links.insert(found.links.end(), links.begin(), links.end());
    if (found.links.size() / 2 >= kNone) throw std::overflow_error("too many links");
    found.link_starts.push_back(static_cast<std::uint32_t>(found.links.size() / 2));
  }
  return found;
}

nb::dict as_arrays(Found found) {
  nb::dict result;
  const std::size_t options = found.phrases.size(), links = found.links.size() / 2;
  result["phrase_starts"] = array_from(std::move(found.sources.starts));
  result["phrase_words"] = array_from(std::move(found.sources.words));
  result["output_starts"] = array_from(std::move(found.targets.starts));
  result["output_words"] = array_from(std::move(found.targets.words));
  result["phrases"] = array_from(std::move(found.phrases));
  result["outputs"] = array_from(std::move(found.outputs));
  result["counts"] = array_from(std::move(found.counts));
  result["orientations"] = array_from(std::move(found.orientations), {options, 6});
  result["link_starts"] = array_from(std::move(found.link_starts));
  result["links"] = array_from(std::move(found.links), {links, 2});
  result["examples"] = array_from(std::move(found.examples));
  return result;
}

nb::dict extract(const Words& source, const Starts& source_starts, const Words& target,
                 const Starts& target_starts, const Links& links,
                 const Starts& link_starts, int longest, bool phrase_orientation,
                 bool shared_counts, std::size_t most) {
  if (longest < 1 || longest > kLongestPhrase) {
    throw std::invalid_argument("longest must be from 1 to 15");
  }
  static_assert(sizeof(Place) == 2 * sizeof(std::uint32_t));
  std::vector<Place> places(links.shape(0));
  for (std::size_t n = 0; n < places.size(); ++n) {
    places[n] = {links.data()[2 * n], links.data()[2 * n + 1]};
  }
  Settings settings{longest,
                    phrase_orientation ? Orientation::kPhrase : Orientation::kWord,
                    shared_counts, most};
  Found found;
  {
    nb::gil_scoped_release release;
    Extractor extractor(settings);
    extract_all(extractor, {view(source), view(source_starts)},
                {view(target), view(target_starts)},
                {places, view(link_starts)});
    found = gathered(extractor);
  }
  return as_arrays(std::move(found));
}

// The spans of all phrase pairs of many sentences, by places in the rows of words.
nb::object phrase_spans(const Starts& source_starts, const Starts& target_starts,
                        const Starts& sources, const Starts& targets, int longest,
                        bool tight) {
  const auto from = view(source_starts), to = view(target_starts);
  const auto left = view(sources), right = view(targets);
  if (longest < 1) throw std::invalid_argument("longest must be at least 1");
  if (from.empty() || from.size() != to.size() || left.size() != right.size()) {
    throw std::invalid_argument("the sides and their links differ in number");
  }
  check_starts(from, static_cast<std::size_t>(from.back()));
  check_starts(to, static_cast<std::size_t>(to.back()));
  std::vector<std::int64_t> result;
  {
    nb::gil_scoped_release release;
    Reach reach;
    reach.clear(static_cast<std::size_t>(from.back()),
                static_cast<std::size_t>(to.back()));
    for (std::size_t n = 0; n < left.size(); ++n) {
      if (left[n] < 0 || left[n] >= from.back() || right[n] < 0 ||
          right[n] >= to.back()) {
        throw std::invalid_argument("a link leads out of its sentences");
      }
      reach.add(static_cast<int>(left[n]), static_cast<int>(right[n]));
    }
    std::vector<Span> spans;
    for (std::size_t i = 0; i + 1 < from.size(); ++i) {
      const Bounds bounds{static_cast<int>(from[i]), static_cast<int>(from[i + 1]),
                          static_cast<int>(to[i]), static_cast<int>(to[i + 1])};
      for (int word = bounds.source_begin; word < bounds.source_end; ++word) {
        if (reach.source_high[word] >= 0 &&
            (reach.source_low[word] < bounds.target_begin ||
             reach.source_high[word] >= bounds.target_end)) {
          throw std::invalid_argument("a link leads out of its sentences");
        }
      }
      find_spans(reach, bounds, longest, tight, spans);
    }
    result.reserve(4 * spans.size());
    for (const Span& span : spans) {
      result.insert(result.end(), {span.source_first, span.source_last + 1,
                                   span.target_first, span.target_last + 1});
    }
  }
  const std::size_t rows = result.size() / 4;
  return array_from(std::move(result), {rows, 4});
}

}  // namespace

void bind_extraction(nb::module_& module) {
  module.def("extract_phrases", &extract, nb::arg("source"), nb::arg("source_starts"),
             nb::arg("target"), nb::arg("target_starts"), nb::arg("links"),
             nb::arg("link_starts"), nb::kw_only(),
             nb::arg("longest"), nb::arg("phrase_orientation"),
             nb::arg("shared_counts"), nb::arg("most"),
             "Count the phrase pairs of a corpus; link row n is of pair n % pairs.");
  module.def("phrase_spans", &phrase_spans, nb::arg("source_starts"),
             nb::arg("target_starts"), nb::arg("sources"), nb::arg("targets"),
             nb::kw_only(), nb::arg("longest"), nb::arg("tight"),
             "Source start, source end, target start, target end of each phrase pair.");
}

}  // namespace paraphrast
