// N-best lists to tune on: what line search and MIRA both read.
#pragma once

#include "arrays.h"

namespace paraphrast {

struct Turn {
  double at;
  std::uint32_t before, after;
  bool operator<(const Turn& other) const {
    return at != other.at ? at < other.at : before < other.before;
  }
};

// Features by column, the lists' starts, statistics by candidate. Every array is checked
// when it comes in, so that no loop can leave its bounds whatever a caller gives; numbers
// that are not finite are refused, because no order among them means anything.
class Lists {
 public:
  Lists(Matrix<float> features, Array<std::int64_t> starts, Matrix<double> statistics);

  size_t size() const { return size_; }
  nanobind::object scores(Array<double> weights) const;
  nanobind::object best(Array<double> scores) const;
  // Where the best candidates change along a line of weights, and the statistics' sums.
  nanobind::tuple line(Array<double> scores, Array<double> direction) const;
  // One pass of k-best MIRA over the lists in `order`: the weights after it, and the
  // sum of the weights after each list, and each list's hope. Where `free` is 0 the
  // weight stays.
  nanobind::tuple mira(Array<std::int64_t> order, Array<double> weights,
                       Array<double> gains, Array<double> free, double largest) const;

 private:
  std::pair<size_t, size_t> range(size_t list) const {
    return {static_cast<size_t>(starts_.data()[list]),
            static_cast<size_t>(starts_.data()[list + 1])};
  }
  const double* statistics(size_t candidate) const {
    return statistics_.data() + candidate * columns_;
  }
  double difference(size_t feature, size_t begin, size_t hope, size_t fear) const {
    const float* column = features_.data() + feature * size_ + begin;
    return static_cast<double>(column[hope]) - static_cast<double>(column[fear]);
  }
  void check_weights(const Array<double>& weights) const;
  void check_scores(const Array<double>& scores) const;
  void add_up(const double* weights, size_t begin, size_t end, double* found) const;
  bool all_turns(const double* scores, const double* direction,
                 std::vector<Turn>& turns, std::vector<double>& sum) const;
  void add_turns(const std::vector<Turn>& turns, std::vector<double>& sum, double* at,
                 double* sums) const;
  // Moves the weights for one list and returns its hope, -1 for an empty list.
  std::int64_t update(size_t list, const double* gains, const double* free,
                      double largest, double* weights,
                      std::vector<double>& scores) const;

  Matrix<float> features_;
  Array<std::int64_t> starts_;
  Matrix<double> statistics_;
  size_t number_ = 0, size_ = 0, columns_ = 0;
};

}  // namespace paraphrast
