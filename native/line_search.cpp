// N-best lists: scores, and the exact line search of MERT (Och 2003).
#include "envelope.h"
#include "lists.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace paraphrast {

Lists::Lists(Matrix<float> features, Array<std::int64_t> starts, Matrix<double> statistics)
    : features_(std::move(features)),
      starts_(std::move(starts)),
      statistics_(std::move(statistics)) {
  number_ = features_.shape(0);
  size_ = features_.shape(1);
  columns_ = statistics_.shape(1);
  if (size_ >= std::numeric_limits<Index>::max()) refuse("too many candidates");
  if (statistics_.shape(0) != size_) refuse("statistics must have one row per candidate");
  check_starts(view(starts_), size_, "starts must rise from 0 to the number of candidates");
  bool finite;
  {
    nb::gil_scoped_release release;
    finite = all_finite(view(features_)) &&
             all_finite(view(statistics_));
  }
  if (!finite) refuse("features and statistics must be finite");
}

nb::object Lists::scores(Array<double> weights) const {
  check_weights(weights);
  std::vector<double> found(size_);
  bool finite;
  {
    nb::gil_scoped_release release;
    add_up(weights.data(), 0, size_, found.data());
    finite = all_finite(std::span<const double>(found));
  }
  if (!finite) refuse("weights or features are too large");
  return array_from(std::move(found));
}

nb::object Lists::best(Array<double> scores) const {
  check_scores(scores);
  const size_t lists = starts_.size() - 1;
  std::vector<std::int64_t> found(lists);
  {
    nb::gil_scoped_release release;
    for (size_t list = 0; list < lists; ++list) {
      const auto [begin, end] = range(list);
      std::int64_t best = begin < end ? static_cast<std::int64_t>(begin) : -1;
      for (size_t i = begin; i < end; ++i) {
        if (scores.data()[i] > scores.data()[best]) best = static_cast<std::int64_t>(i);
      }
      found[list] = best;
    }
  }
  return array_from(std::move(found));
}

nb::tuple Lists::line(Array<double> scores, Array<double> direction) const {
  // Not whether all are finite, for time: a line that is not makes no corner.
  if (scores.size() != size_) refuse("one score per candidate");
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
  std::vector<double> at(places), sums((places + 1) * columns_);
  {
    nb::gil_scoped_release release;
    add_turns(turns, sum, at.data(), sums.data());
  }
  return nb::make_tuple(array_from(std::move(at)),
                        array_from(std::move(sums), {places + 1, columns_}));
}

void Lists::check_weights(const Array<double>& weights) const {
  if (weights.size() != number_) refuse("one weight per feature");
  if (!all_finite(view(weights))) refuse("weights must be finite");
}

void Lists::check_scores(const Array<double>& scores) const {
  if (scores.size() != size_) refuse("one score per candidate");
  if (!all_finite(view(scores))) refuse("scores must be finite");
}

void Lists::add_up(const double* weights, size_t begin, size_t end, double* found) const {
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

bool Lists::all_turns(const double* scores, const double* direction,
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

void Lists::add_turns(const std::vector<Turn>& turns, std::vector<double>& sum, double* at,
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

void bind_line_search(nb::module_& module) {
  nb::class_<Lists>(module, "Lists",
                    "N-best lists to tune on; it keeps the arrays it is given.")
      .def(nb::init<Matrix<float>, Array<std::int64_t>, Matrix<double>>(), "features"_a,
           "starts"_a, "statistics"_a)
      .def("__len__", &Lists::size)
      .def("scores", &Lists::scores, "weights"_a)
      .def("best", &Lists::best, "scores"_a)
      .def("line", &Lists::line, "scores"_a, "direction"_a)
      .def("mira", &Lists::mira, "order"_a, "weights"_a, "gains"_a,
           "free"_a, "largest"_a);
}

}  // namespace paraphrast
