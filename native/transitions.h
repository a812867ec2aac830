// What the language models say of a target phrase after what came before.
//
// The models' states after a hypothesis are interned, so that hypotheses compare them
// as one number; and what a phrase costs after a state is worked out once a sentence,
// however many hypotheses meet it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "index.h"
#include "language_model.h"
#include "options.h"

namespace paraphrast {

struct Transition {
  double score;         // the models' weighted sum
  std::uint32_t state;  // the states after the phrase
};

class Transitions {
 public:
  explicit Transitions(const Scoring& scoring);

  // Forget all states and start a sentence; `options` must outlive its decoding.
  void begin(const SentenceOptions& options);

  // The states at the start of a sentence.
  std::uint32_t start() const { return 0; }

  // Return the number of the transition from a state by a target phrase, or by the
  // end of the sentence if `output` is kNone.
  std::uint32_t number(std::uint32_t state, std::uint32_t output) {
    const std::uint64_t key = std::uint64_t{state} << 32 | output;
    std::uint32_t& found = index_.at(mixed(key), [](std::uint32_t) { return true; });
    if (found == kNone) {
      found = static_cast<std::uint32_t>(transitions_.size());
      return add(state, output);
    }
    return found;
  }
  const Transition& operator[](std::uint32_t number) const {
    return transitions_[number];
  }
  // Natural logarithms, one a model.
  std::span<const double> parts(std::uint32_t number) const {
    return {parts_.data() + number * models_, models_};
  }

 private:
  std::uint32_t add(std::uint32_t state, std::uint32_t output);
  std::uint32_t interned(const State* states);

  const Scoring& scoring_;
  const std::size_t models_;
  const SentenceOptions* options_ = nullptr;
  Index index_, state_index_;
  std::vector<Transition> transitions_;
  std::vector<double> parts_;
  std::vector<State> states_;  // one a model and number
  std::vector<State> after_;
};

}  // namespace paraphrast
