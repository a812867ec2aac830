// An n-gram model over arrays that someone else keeps alive, usually a mapped file.
//
// Words are numbers in the model's own vocabulary: 0 is <unk>, 1 is <s>, 2 is </s>.
// All probabilities are logarithms to base 10, as in ARPA files. Queries never
// allocate and never throw, and any number of threads may ask at once.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace paraphrast {

using Word = std::uint32_t;

constexpr Word kUnknown = 0;
constexpr Word kSentenceStart = 1;
constexpr Word kSentenceEnd = 2;
constexpr int kMostOrders = 6;

// What of the past a model still needs: the last words, the latest first, and no
// more of them than can still change a probability. Equal states score alike.
struct State {
  std::array<Word, kMostOrders - 1> words{};
  std::uint8_t length = 0;

  bool operator==(const State& other) const {
    if (length != other.length) return false;
    for (int i = 0; i < length; ++i) {
      if (words[i] != other.words[i]) return false;
    }
    return true;
  }
};

}  // namespace paraphrast
