// Updates of weights by hope and fear, list by list (Cherry and Foster 2012).
#include "lists.h"

namespace nb = nanobind;

namespace paraphrast {

nb::tuple Lists::mira(Array<std::int64_t> order, Array<double> weights,
                      Array<double> gains, Array<double> free, double largest) const {
  check_weights(weights);
  check_weights(free);
  check_scores(gains);
  const auto lists = static_cast<std::int64_t>(starts_.size() - 1);
  for (size_t i = 0; i < order.size(); ++i) {
    if (order.data()[i] < 0 || order.data()[i] >= lists) refuse("order: no such list");
  }
  if (!(largest > 0) || !std::isfinite(largest)) refuse("the step must be positive");
  std::vector<double> now(weights.data(), weights.data() + number_), sum(number_);
  std::vector<std::int64_t> hopes(static_cast<size_t>(lists), -1);
  {
    nb::gil_scoped_release release;
    std::vector<double> scores;
    for (size_t i = 0; i < order.size(); ++i) {
      const auto list = static_cast<size_t>(order.data()[i]);
      hopes[list] =
          update(list, gains.data(), free.data(), largest, now.data(), scores);
      for (size_t k = 0; k < number_; ++k) sum[k] += now[k];
    }
  }
  return nb::make_tuple(array_from(std::move(now)), array_from(std::move(sum)),
                        array_from(std::move(hopes)));
}

std::int64_t Lists::update(size_t list, const double* gains, const double* free,
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

}  // namespace paraphrast
