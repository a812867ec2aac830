#include "best_paths.h"

#include <algorithm>

namespace paraphrast {

namespace {
constexpr std::size_t kMostPaths = 4'000'000;
}

BestPaths::BestPaths(std::vector<Hypothesis>& hypotheses, std::uint32_t last)
    : hypotheses_(hypotheses), last_(last) {
  add(hypotheses[last].score, kNone, 0, last);
}

bool BestPaths::next(std::vector<std::uint32_t>& options) {
  if (queue_.empty() || paths_.size() > kMostPaths) return false;
  const auto worse = [&](std::uint32_t one, std::uint32_t other) {
    const double first = paths_[one].score, second = paths_[other].score;
    return first != second ? first < second : one > other;
  };
  std::pop_heap(queue_.begin(), queue_.end(), worse);
  const std::uint32_t path = queue_.back();
  queue_.pop_back();
  trace(path);
  options.clear();
  for (std::size_t i = traced_.size(); i-- > 0;) {
    const std::uint32_t option = hypotheses_[traced_[i]].option;
    if (option != kNone) options.push_back(option);
  }
  // Paths that leave at the same place by the next best way, and paths that leave
  // this one further back.
  const Path here = paths_[path];
  const std::uint32_t beside = hypotheses_[here.hypothesis].next;
  if (here.parent != kNone && beside != kNone) {
    const double change =
        hypotheses_[beside].score - hypotheses_[here.hypothesis].score;
    add(here.score + change, here.parent, here.depth, beside);
  }
  const std::uint32_t from = here.parent == kNone ? 0 : here.depth + 1;
  for (std::uint32_t depth = from; depth < traced_.size(); ++depth) {
    const std::uint32_t winner = traced_[depth];
    const std::uint32_t loser = first_loser(winner);
    if (loser == kNone) continue;
    const double change = hypotheses_[loser].score - hypotheses_[winner].score;
    add(here.score + change, path, depth, loser);
  }
  return true;
}

void BestPaths::add(double score, std::uint32_t parent, std::uint32_t depth,
                    std::uint32_t hypothesis) {
  queue_.push_back(static_cast<std::uint32_t>(paths_.size()));
  paths_.push_back({score, parent, depth, hypothesis});
  std::push_heap(queue_.begin(), queue_.end(),
                 [&](std::uint32_t one, std::uint32_t other) {
                   const double first = paths_[one].score;
                   const double second = paths_[other].score;
                   return first != second ? first < second : one > other;
                 });
}

// Follow a path: where it and its ancestors leave is set, all else is the best way.
void BestPaths::trace(std::uint32_t path) {
  chain_.clear();
  for (std::uint32_t i = path; i != kNone; i = paths_[i].parent) chain_.push_back(i);
  traced_.clear();
  std::uint32_t place = last_;
  for (std::size_t left = chain_.size(); place != kNone;) {
    while (left > 0 && paths_[chain_[left - 1]].depth == traced_.size()) {
      place = paths_[chain_[--left]].hypothesis;
    }
    traced_.push_back(place);
    place = hypotheses_[place].previous;
  }
}

// Return the best hypothesis that was recombined with a winner; the others follow it
// in order.
std::uint32_t BestPaths::first_loser(std::uint32_t winner) {
  if (!hypotheses_[winner].sorted) {
    losers_.clear();
    for (std::uint32_t i = hypotheses_[winner].losers; i != kNone;) {
      losers_.push_back(i);
      i = hypotheses_[i].next;
    }
    std::sort(losers_.begin(), losers_.end(),
              [&](std::uint32_t one, std::uint32_t other) {
                const double first = hypotheses_[one].score;
                const double second = hypotheses_[other].score;
                return first != second ? first > second : one < other;
              });
    std::uint32_t next = kNone;
    for (std::size_t i = losers_.size(); i-- > 0;) {
      hypotheses_[losers_[i]].next = next;
      next = losers_[i];
    }
    hypotheses_[winner].losers = next;
    hypotheses_[winner].sorted = true;
  }
  return hypotheses_[winner].losers;
}

}  // namespace paraphrast
