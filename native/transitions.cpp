#include "transitions.h"

namespace paraphrast {

namespace {
const double kLogTen = 2.302585092994045684;
}

Transitions::Transitions(const Scoring& scoring)
    : scoring_(scoring), models_(scoring.models.size()), after_(models_) {}

void Transitions::begin(const SentenceOptions& options) {
  options_ = &options;
  index_.clear();
  state_index_.clear();
  transitions_.clear();
  parts_.clear();
  states_.clear();
  for (std::size_t model = 0; model < models_; ++model) {
    after_[model] = scoring_.models[model]->start();
  }
  interned(after_.data());
}

std::uint32_t Transitions::add(std::uint32_t state, std::uint32_t output) {
  double score = 0;
  const bool ends = output == kNone;
  const auto words = ends ? std::span<const Word>{} : options_->output_words(output);
  for (std::size_t model = 0; model < models_; ++model) {
    const LanguageModel& asked = *scoring_.models[model];
    State from = states_[state * models_ + model], to;
    double sum = 0;
    for (const Word word : words) {
      sum += floored_score(asked, from, options_->model_word(model, word), to);
      from = to;
    }
    if (ends) {
      sum += floored_score(asked, from, kSentenceEnd, to);
      from = asked.empty();
    }
    after_[model] = from;
    parts_.push_back(sum * kLogTen);
    score += scoring_.model_weights[model] * sum * kLogTen;
  }
  const std::uint32_t next = interned(after_.data());
  transitions_.push_back({score, next});
  return static_cast<std::uint32_t>(transitions_.size() - 1);
}

std::uint32_t Transitions::interned(const State* states) {
  std::uint64_t hash = 0;
  for (std::size_t model = 0; model < models_; ++model) {
    const State& state = states[model];
    hash = mixed(hash + state.length + 1);
    for (int i = 0; i < state.length; ++i) hash = mixed(hash ^ state.words[i]);
  }
  const auto same = [&](std::uint32_t number) {
    for (std::size_t model = 0; model < models_; ++model) {
      if (!(states_[number * models_ + model] == states[model])) return false;
    }
    return true;
  };
  std::uint32_t& found = state_index_.at(hash, same);
  if (found == kNone) {
    // Without models there is one state and nothing to keep of it.
    found = models_ == 0 ? 0 : static_cast<std::uint32_t>(states_.size() / models_);
    states_.insert(states_.end(), states, states + models_);
  }
  return found;
}

}  // namespace paraphrast
