// See line_search.h. Every array is checked when it comes in, so that no loop below
// can leave its bounds whatever a caller gives; numbers that are not finite are
// refused, because no order among them means anything.
#include "line_search.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace paraphrast {
namespace {

using Index = std::uint32_t;
template <typename T>
using Row = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using NewRow = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <typename T>
using NewTable = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

template <typename T>
struct Owned {
  std::unique_ptr<T[]> data;
  size_t size;
  explicit Owned(size_t length) : data(new T[length > 0 ? length : 1]()), size(length) {}

  NewRow<T> row() {
    T* raw = data.release();
    nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return NewRow<T>(raw, {size}, owner);
  }
  NewTable<T> table(size_t columns) {
    T* raw = data.release();
    nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return NewTable<T>(raw, {columns > 0 ? size / columns : 0, columns}, owner);
  }
};

[[noreturn]] void refuse(const char* what) { throw std::invalid_argument(what); }

template <typename T>
bool all_finite(const T* values, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    if (!std::isfinite(values[i])) return false;
  }
  return true;
}

// Starts of consecutive ranges that fill 0 … total.
void check_starts(const Row<std::int64_t>& starts, size_t total, const char* what) {
  const size_t size = starts.size();
  if (size == 0 || starts.data()[0] != 0) refuse(what);
  for (size_t i = 1; i < size; ++i) {
    if (starts.data()[i] < starts.data()[i - 1]) refuse(what);
  }
  if (static_cast<std::uint64_t>(starts.data()[size - 1]) != total) refuse(what);
}

// The lines y = intercept + slope · t that are highest somewhere, by slope: the upper
// hull of the points (slope, intercept), by quickhull. Most candidates are under the
// first chords, so that this costs a few passes where sorting would cost many.
class Envelope {
 public:
  // Fills `winners` with places of lines, from t = -inf on, and `turns` with the t at
  // which each but the first takes over, strictly increasing. False: not finite.
  bool find(const double* slopes, const double* intercepts, Index size) {
    slopes_ = slopes;
    intercepts_ = intercepts;
    winners.clear();
    turns.clear();
    if (size == 0) return true;
    if (!corners(size) || !add(left_)) return false;
    if (slopes[left_] == slopes[right_]) return true;
    return between(left_, right_, top_, size) && add(right_);
  }

  std::vector<Index> winners;
  std::vector<double> turns;

 private:
  // Points between two lines by slope, or (where `said` is not kNone) a line to say.
  struct Part {
    Index left, right;
    size_t begin, end;
    Index said;
  };
  static constexpr Index kNone = std::numeric_limits<Index>::max();

  // Finds the lines of the smallest and the largest slope, the highest of each, and
  // the one that is highest at t = 0; of equals the first. False: not a number.
  bool corners(Index size) {
    // Values first, four at a time so that none waits for another; then who has them.
    double least[4], most[4], highest[4];
    std::fill_n(least, 4, slopes_[0]);
    std::fill_n(most, 4, slopes_[0]);
    std::fill_n(highest, 4, intercepts_[0]);
    const auto take = [&](Index lane, Index i) {
      const double slope = slopes_[i], intercept = intercepts_[i];
      least[lane] = slope < least[lane] ? slope : least[lane];
      most[lane] = slope > most[lane] ? slope : most[lane];
      highest[lane] = intercept > highest[lane] ? intercept : highest[lane];
    };
    Index i = 0;
    for (; i + 4 <= size; i += 4) {
      for (Index lane = 0; lane < 4; ++lane) take(lane, i + lane);
    }
    for (; i < size; ++i) take(0, i);
    for (int lane = 1; lane < 4; ++lane) {
      least[0] = std::min(least[0], least[lane]);
      most[0] = std::max(most[0], most[lane]);
      highest[0] = std::max(highest[0], highest[lane]);
    }
    left_ = right_ = top_ = kNone;
    for (i = 0; i < size; ++i) {
      const double slope = slopes_[i], intercept = intercepts_[i];
      if (slope == least[0] && (left_ == kNone || intercept > intercepts_[left_])) left_ = i;
      if (slope == most[0] && (right_ == kNone || intercept > intercepts_[right_])) right_ = i;
      if (intercept == highest[0] && (top_ == kNone || slope < slopes_[top_])) top_ = i;
    }
    return left_ != kNone && right_ != kNone && top_ != kNone;
  }

  // Whatever lies under the two chords to the top, which is nearly everything, is
  // looked at once.
  bool between(Index left, Index right, Index top, Index size) {
    const double highest = intercepts_[top];
    points_.resize(2 * static_cast<size_t>(size));
    spare_.resize(size);
    const double before_width = slopes_[top] - slopes_[left];
    const double before_rise = highest - intercepts_[left];
    const double after_width = slopes_[right] - slopes_[top];
    const double after_fall = highest - intercepts_[right];
    size_t first = 0, second = 0;
    for (Index i = 0; i < size; ++i) {  // without branches, which none could foresee
      const double depth = intercepts_[i] - highest;
      const double beside = slopes_[i] - slopes_[top];
      points_[first] = i;
      first += (beside < 0) & (before_width * depth - before_rise * beside > 0);
      spare_[second] = i;
      second += (beside > 0) & (after_width * depth + after_fall * beside > 0);
    }
    std::copy_n(spare_.begin(), second, points_.begin() + first);
    parts_.clear();
    parts_.push_back({top, right, first, first + second, kNone});
    parts_.push_back({0, 0, 0, 0, top});
    parts_.push_back({left, top, 0, first, kNone});
    while (!parts_.empty()) {
      const Part part = parts_.back();
      parts_.pop_back();
      if (part.said == kNone) {
        split(part);
      } else if (!add(part.said)) {
        return false;
      }
    }
    return true;
  }

  // Each split takes its top out of the points, so that there is an end to it even
  // where rounding makes the hull look bent.
  void split(const Part& part) {
    Index top = kNone;
    double highest = 0;
    for (size_t at = part.begin; at < part.end; ++at) {
      const double height = above(part.left, part.right, points_[at]);
      if (height > highest) {
        highest = height;
        top = points_[at];
      }
    }
    if (top == kNone) return;
    size_t middle = part.begin, others = 0;
    for (size_t at = part.begin; at < part.end; ++at) {
      const Index point = points_[at];
      if (slopes_[point] < slopes_[top]) {
        if (above(part.left, top, point) > 0) points_[middle++] = point;
      } else if (slopes_[point] > slopes_[top]) {
        if (above(top, part.right, point) > 0) spare_[others++] = point;
      }
    }
    std::copy_n(spare_.begin(), others, points_.begin() + middle);
    parts_.push_back({top, part.right, middle, middle + others, kNone});
    parts_.push_back({0, 0, 0, 0, top});
    parts_.push_back({part.left, top, part.begin, middle, kNone});
  }

  double above(Index left, Index right, Index point) const {
    return (slopes_[right] - slopes_[left]) * (intercepts_[point] - intercepts_[left]) -
           (intercepts_[right] - intercepts_[left]) * (slopes_[point] - slopes_[left]);
  }

  // Lines come by slope; one that never gets to be highest is taken back.
  bool add(Index line) {
    while (!winners.empty()) {
      const Index last = winners.back();
      const double width = slopes_[line] - slopes_[last];
      if (!(width > 0)) return true;  // equal slopes: the first said is the higher
      const double turn = (intercepts_[last] - intercepts_[line]) / width;
      if (!std::isfinite(turn)) return false;
      if (turns.empty() || turn > turns.back()) {
        turns.push_back(turn);
        break;
      }
      winners.pop_back();
      turns.pop_back();
    }
    winners.push_back(line);
    return true;
  }

  const double* slopes_ = nullptr;
  const double* intercepts_ = nullptr;
  Index left_ = 0, right_ = 0, top_ = 0;
  std::vector<Index> points_, spare_;
  std::vector<Part> parts_;
};

struct Turn {
  double at;
  Index before, after;
  bool operator<(const Turn& other) const {
    return at != other.at ? at < other.at : before < other.before;
  }
};

// N-best lists: features by column, the lists' starts, statistics by candidate.
class Lists {
 public:
  Lists(Table<float> features, Row<std::int64_t> starts, Table<double> statistics)
      : features_(std::move(features)),
        starts_(std::move(starts)),
        statistics_(std::move(statistics)) {
    number_ = features_.shape(0);
    size_ = features_.shape(1);
    columns_ = statistics_.shape(1);
    if (size_ >= std::numeric_limits<Index>::max()) refuse("too many candidates");
    if (statistics_.shape(0) != size_) refuse("statistics must have a row a candidate");
    check_starts(starts_, size_, "starts must rise from 0 to the number of candidates");
    bool finite;
    {
      nb::gil_scoped_release release;
      finite = all_finite(features_.data(), number_ * size_) &&
               all_finite(statistics_.data(), columns_ * size_);
    }
    if (!finite) refuse("features and statistics must be finite");
  }

  size_t size() const { return size_; }

  NewRow<double> scores(Row<double> weights) const {
    check_weights(weights);
    Owned<double> found(size_);
    bool finite;
    {
      nb::gil_scoped_release release;
      add_up(weights.data(), 0, size_, found.data.get());
      finite = all_finite(found.data.get(), size_);
    }
    if (!finite) refuse("weights or features are too large");
    return found.row();
  }

  NewRow<std::int64_t> best(Row<double> scores) const {
    check_scores(scores);
    const size_t lists = starts_.size() - 1;
    Owned<std::int64_t> found(lists);
    {
      nb::gil_scoped_release release;
      for (size_t list = 0; list < lists; ++list) {
        const auto [begin, end] = range(list);
        std::int64_t best = begin < end ? static_cast<std::int64_t>(begin) : -1;
        for (size_t i = begin; i < end; ++i) {
          if (scores.data()[i] > scores.data()[best]) best = static_cast<std::int64_t>(i);
        }
        found.data[list] = best;
      }
    }
    return found.row();
  }

  std::pair<NewRow<double>, NewTable<double>> line(Row<double> scores,
                                                   Row<double> direction) const {
    // Not whether all are finite, for time: a line that is not makes no corner.
    if (scores.size() != size_) refuse("one score a candidate, please");
    check_weights(direction);
    std::vector<Turn> turns;
    std::vector<double> sum(columns_);
    bool finite;
    {
      nb::gil_scoped_release release;
      finite = all_turns(scores.data(), direction.data(), turns, sum);
      std::sort(turns.begin(), turns.end());
    }
    if (!finite) refuse("weights or features are too large");
    size_t places = 0;
    for (size_t i = 0; i < turns.size(); ++i) {
      if (i == 0 || turns[i].at != turns[i - 1].at) ++places;
    }
    Owned<double> at(places), sums((places + 1) * columns_);
    {
      nb::gil_scoped_release release;
      add_turns(turns, sum, at.data.get(), sums.data.get());
    }
    return {at.row(), sums.table(columns_)};
  }

  // One pass of k-best MIRA over the lists in `order`: the weights after it, and the
  // sum of the weights after each list, and each list's hope. Where `free` is 0 the
  // weight stays.
  nb::tuple mira(Row<std::int64_t> order, Row<double> weights, Row<double> gains,
                 Row<double> free, double largest) const {
    check_weights(weights);
    check_weights(free);
    check_scores(gains);
    const auto lists = static_cast<std::int64_t>(starts_.size() - 1);
    for (size_t i = 0; i < order.size(); ++i) {
      if (order.data()[i] < 0 || order.data()[i] >= lists) refuse("order: no such list");
    }
    if (!(largest > 0) || !std::isfinite(largest)) refuse("the step must be positive");
    Owned<double> now(number_), sum(number_);
    Owned<std::int64_t> hopes(static_cast<size_t>(lists));
    std::copy_n(weights.data(), number_, now.data.get());
    {
      nb::gil_scoped_release release;
      std::fill_n(hopes.data.get(), hopes.size, -1);
      std::vector<double> scores;
      for (size_t i = 0; i < order.size(); ++i) {
        const auto list = static_cast<size_t>(order.data()[i]);
        hopes.data[list] =
            update(list, gains.data(), free.data(), largest, now.data.get(), scores);
        for (size_t k = 0; k < number_; ++k) sum.data[k] += now.data[k];
      }
    }
    return nb::make_tuple(now.row(), sum.row(), hopes.row());
  }

 private:
  std::pair<size_t, size_t> range(size_t list) const {
    return {static_cast<size_t>(starts_.data()[list]),
            static_cast<size_t>(starts_.data()[list + 1])};
  }

  void check_weights(const Row<double>& weights) const {
    if (weights.size() != number_) refuse("one weight a feature, please");
    if (!all_finite(weights.data(), weights.size())) refuse("weights must be finite");
  }

  void check_scores(const Row<double>& scores) const {
    if (scores.size() != size_) refuse("one score a candidate, please");
    if (!all_finite(scores.data(), scores.size())) refuse("scores must be finite");
  }

  void add_up(const double* weights, size_t begin, size_t end, double* found) const {
    std::fill_n(found, end - begin, 0.0);
    for (size_t k = 0; k < number_; ++k) {
      const double weight = weights[k];
      if (weight == 0) continue;
      const float* column = features_.data() + k * size_ + begin;
      for (size_t i = 0; i < end - begin; ++i) {
        found[i] += weight * static_cast<double>(column[i]);
      }
    }
  }

  bool all_turns(const double* scores, const double* direction,
                 std::vector<Turn>& turns, std::vector<double>& sum) const {
    Envelope envelope;
    // Along few features list by list, in a buffer that stays near; along many at
    // once, since jumping from column to column for each list costs more.
    const bool few = number_ - static_cast<size_t>(std::count(
                                   direction, direction + number_, 0.0)) <= 2;
    std::vector<double> slopes(few ? 0 : size_);
    if (!few) add_up(direction, 0, size_, slopes.data());
    for (size_t list = 0; list + 1 < starts_.size(); ++list) {
      const auto [begin, end] = range(list);
      if (begin == end) continue;
      if (few) {
        slopes.resize(std::max(slopes.size(), end - begin));
        add_up(direction, begin, end, slopes.data());
      }
      if (!envelope.find(slopes.data() + (few ? 0 : begin), scores + begin,
                         static_cast<Index>(end - begin))) {
        return false;
      }
      const auto& winners = envelope.winners;
      const double* first = statistics(begin + winners[0]);
      for (size_t k = 0; k < columns_; ++k) sum[k] += first[k];
      // A turn between candidates that count alike changes nothing.
      for (size_t i = 1; i < winners.size(); ++i) {
        const size_t before = begin + winners[i - 1], after = begin + winners[i];
        if (!std::equal(statistics(before), statistics(before) + columns_,
                        statistics(after))) {
          turns.push_back({envelope.turns[i - 1], static_cast<Index>(before),
                           static_cast<Index>(after)});
        }
      }
    }
    return true;
  }

  const double* statistics(size_t candidate) const {
    return statistics_.data() + candidate * columns_;
  }

  void add_turns(const std::vector<Turn>& turns, std::vector<double>& sum, double* at,
                 double* sums) const {
    size_t place = 0;
    for (size_t i = 0; i < turns.size(); ++i) {
      if (i == 0 || turns[i].at != turns[i - 1].at) {
        std::copy(sum.begin(), sum.end(), sums + place * columns_);
        at[place++] = turns[i].at;
      }
      const double* before = statistics(turns[i].before);
      const double* after = statistics(turns[i].after);
      for (size_t k = 0; k < columns_; ++k) sum[k] += after[k] - before[k];
    }
    std::copy(sum.begin(), sum.end(), sums + place * columns_);
  }

  // Moves the weights for one list and returns its hope, -1 for an empty list.
  std::int64_t update(size_t list, const double* gains, const double* free,
                      double largest, double* weights,
                      std::vector<double>& scores) const {
    const auto [begin, end] = range(list);
    if (begin == end) return -1;
    scores.resize(end - begin);
    add_up(weights, begin, end, scores.data());
    size_t hope = 0, fear = 0;
    for (size_t i = 1; i < end - begin; ++i) {
      const double gain = gains[begin + i];
      if (scores[i] + gain > scores[hope] + gains[begin + hope]) hope = i;
      if (scores[i] - gain > scores[fear] - gains[begin + fear]) fear = i;
    }
    const double loss = gains[begin + hope] - gains[begin + fear] -
                        (scores[hope] - scores[fear]);
    double norm = 0;
    for (size_t k = 0; k < number_; ++k) {
      const double apart = free[k] * difference(k, begin, hope, fear);
      norm += apart * apart;
    }
    if (loss > 0 && norm > 0) {
      const double step = std::min(largest, loss / norm);
      for (size_t k = 0; k < number_; ++k) {
        weights[k] += step * free[k] * difference(k, begin, hope, fear);
      }
    }
    return static_cast<std::int64_t>(begin + hope);
  }

  double difference(size_t feature, size_t begin, size_t hope, size_t fear) const {
    const float* column = features_.data() + feature * size_ + begin;
    return static_cast<double>(column[hope]) - static_cast<double>(column[fear]);
  }

  Table<float> features_;
  Row<std::int64_t> starts_;
  Table<double> statistics_;
  size_t number_ = 0, size_ = 0, columns_ = 0;
};

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

NewTable<double> ngram_counts(Row<std::int64_t> sentences, Row<std::int64_t> starts,
                              Row<std::uint32_t> words,
                              Row<std::int64_t> sentence_starts,
                              Row<std::int64_t> reference_starts,
                              Row<std::uint32_t> reference_words, int order) {
  if (order < 1 || order > 16) refuse("order must be 1 to 16");
  if (starts.size() != sentences.size() + 1) refuse("one more start than candidates");
  check_starts(starts, words.size(), "starts must rise from 0 to the number of words");
  check_starts(reference_starts, reference_words.size(),
               "reference starts must rise from 0 to the number of words");
  check_starts(sentence_starts, reference_starts.size() - 1,
               "sentence starts must rise from 0 to the number of references");
  const auto known = static_cast<std::int64_t>(sentence_starts.size()) - 1;
  for (size_t i = 0; i < sentences.size(); ++i) {
    if (sentences.data()[i] < 0 || sentences.data()[i] >= known) {
      refuse("there is no such sentence");
    }
  }
  const auto columns = static_cast<size_t>(2 + 2 * order);
  Owned<double> rows(sentences.size() * columns);
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
                       rows.data.get() + i * columns);
    }
  }
  return rows.table(columns);
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
std::pair<NewRow<std::uint64_t>, NewRow<std::uint64_t>> candidate_keys(
    Row<std::int64_t> sentences, Row<std::int64_t> starts, Row<std::uint32_t> words,
    Table<float> features) {
  const size_t size = sentences.size();
  if (starts.size() != size + 1) refuse("one more start than candidates");
  if (features.shape(0) != size) refuse("features must have a row a candidate");
  check_starts(starts, words.size(), "starts must rise from 0 to the number of words");
  Owned<std::uint64_t> outputs(size), whole(size);
  {
    nb::gil_scoped_release release;
    const size_t number = features.shape(1);
    for (size_t i = 0; i < size; ++i) {
      std::uint64_t hash = mixed(1, static_cast<std::uint64_t>(sentences.data()[i]));
      for (std::int64_t w = starts.data()[i]; w < starts.data()[i + 1]; ++w) {
        hash = mixed(hash, words.data()[w]);
      }
      outputs.data[i] = hash;
      hash = mixed(hash, 2);
      for (size_t k = 0; k < number; ++k) {
        const float value = features.data()[i * number + k] + 0.0f;  // -0 is 0
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        hash = mixed(hash, bits);
      }
      whole.data[i] = hash;
    }
  }
  return {outputs.row(), whole.row()};
}

}  // namespace

void bind_line_search(nb::module_& module) {
  nb::class_<Lists>(module, "Lists",
                    "N-best lists to tune on; it keeps the arrays it is given.")
      .def(nb::init<Table<float>, Row<std::int64_t>, Table<double>>(), "features"_a,
           "starts"_a, "statistics"_a)
      .def("__len__", &Lists::size)
      .def("scores", &Lists::scores, "weights"_a)
      .def("best", &Lists::best, "scores"_a)
      .def("line", &Lists::line, "scores"_a, "direction"_a)
      .def("mira", &Lists::mira, "order"_a, "weights"_a, "gains"_a,
           "free"_a, "largest"_a);
  module.def("ngram_counts", &ngram_counts, "sentences"_a, "starts"_a, "words"_a,
             "sentence_starts"_a, "reference_starts"_a, "reference_words"_a, "order"_a);
  module.def("candidate_keys", &candidate_keys, "sentences"_a, "starts"_a, "words"_a,
             "features"_a);
}

}  // namespace paraphrast
