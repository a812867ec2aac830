// Which source words a hypothesis has covered, in sixteen bytes for any sentence.
//
// With a distortion limit nothing lies covered further than the limit past the first
// gap, so the first gap and the 64 words from it on are the whole truth. Without one
// that holds for sentences of up to 64 words; longer ones get a limit (see `reach`).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace paraphrast {

constexpr std::uint32_t kWindow = 64;
// Without a limit, what lies covered in a long sentence could be almost anything.
constexpr std::uint32_t kLongReach = 12;

struct Coverage {
  std::uint32_t gap = 0;   // the first word not covered
  std::uint64_t mask = 0;  // bit i: word gap + i is covered; bit 0 never is

  bool operator==(const Coverage&) const = default;

  bool covers(std::uint32_t place) const {
    const std::uint32_t bit = place - gap;
    return bit < kWindow && (mask >> bit & 1);
  }

  // Tell whether words start..end are all free; start is not before the gap.
  bool is_free(std::uint32_t start, std::uint32_t end) const {
    const std::uint32_t first = start - gap;
    if (first >= kWindow) return true;
    return (mask >> first & ones(end - start)) == 0;
  }

  // Return the coverage with words start..end, which are free. Unless start is the
  // gap, end is within the window.
  Coverage with(std::uint32_t start, std::uint32_t end) const {
    if (start > gap) return {gap, mask | ones(end - start) << (start - gap)};
    const std::uint32_t length = end - start;
    const std::uint64_t rest = length < kWindow ? mask >> length : 0;
    const auto more = static_cast<std::uint32_t>(std::countr_one(rest));
    return {end + more, more < kWindow ? rest >> more : 0};
  }

 private:
  static std::uint64_t ones(std::uint32_t count) {
    return count < kWindow ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
  }
};

// Return how far past the first gap a phrase may end: the distortion limit, or without
// one the sentence's length, as far as the window holds it.
inline std::uint32_t reach(int limit, std::uint32_t length) {
  if (limit < 0) return length <= kWindow ? length : kLongReach;
  return std::min(static_cast<std::uint32_t>(limit), kWindow);
}

}  // namespace paraphrast
