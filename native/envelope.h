// The upper envelope of lines, which an exact line search walks along.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace paraphrast {

using Index = std::uint32_t;

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

}  // namespace paraphrast
