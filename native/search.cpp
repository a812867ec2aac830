#include "search.h"

#include <algorithm>
#include <cstdlib>

namespace paraphrast {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
// Sentences of more words than this are searched with smaller stacks, so that time
// and memory stay what they are for one of this length.
constexpr std::size_t kFullSearch = 400;

std::size_t affordable(int wanted, std::size_t length) {
  const auto count = static_cast<std::size_t>(std::max(1, wanted));
  if (length <= kFullSearch) return count;
  return std::max<std::size_t>(1, count * kFullSearch / length);
}

}  // namespace

Search::Search(const Scoring& scoring)
    : scoring_(scoring), options_(scoring), transitions_(scoring) {}

std::uint32_t Search::run(const Sentence& sentence, bool keep_losers) {
  keep_losers_ = keep_losers;
  begin(sentence);
  for (std::uint32_t covered = 0; covered < length_; ++covered) {
    Stack& stack = stacks_[covered];
    if (scoring_.settings.cube) fill(stack);
    prune(stack);
    if (scoring_.settings.cube) {
      release(stack);
      add_edges(stack, covered);
    } else {
      expand(stack, covered);
    }
  }
  if (scoring_.settings.cube) {
    fill(stacks_[length_]);
    release(stacks_[length_]);
  }
  // All hypotheses of the whole sentence have been recombined into one.
  return stacks_[length_].hypotheses.front();
}

void Search::begin(const Sentence& sentence) {
  options_.begin(sentence);
  transitions_.begin(options_);
  length_ = options_.length();
  reach_ = reach(scoring_.settings.distortion, length_);
  pops_ = affordable(scoring_.settings.pops, length_);
  most_ = affordable(scoring_.settings.stack, length_);
  hypotheses_.clear();
  vertices_.clear();
  vertex_index_.clear();
  recombined_.clear();
  ordered_.clear();
  if (stacks_.size() <= length_) stacks_.resize(length_ + 1);
  for (std::uint32_t i = 0; i <= length_; ++i) {
    stacks_[i].hypotheses.clear();
    stacks_[i].edges.clear();
    stacks_[i].best = stacks_[i].bound = kNever;
  }
  Hypothesis root{};
  root.previous = root.option = root.losers = root.next = kNone;
  root.vertex = vertex(Coverage{});
  root.state = transitions_.start();
  root.swap = kNoSwap;
  root.total = vertices_[root.vertex].future;
  hypotheses_.push_back(root);
  stacks_[0].hypotheses.push_back(0);
  stacks_[0].best = root.total;
}

// Keep the best hypotheses of a stack and put them in order, vertex by vertex.
void Search::prune(Stack& stack) {
  auto& kept = stack.hypotheses;
  const auto better = [&](std::uint32_t one, std::uint32_t other) {
    const double first = hypotheses_[one].total, second = hypotheses_[other].total;
    return first != second ? first > second : one < other;
  };
  const double worst = stack.best - scoring_.settings.beam;
  std::erase_if(kept, [&](std::uint32_t i) { return hypotheses_[i].total < worst; });
  if (kept.size() > most_) {
    const auto last = kept.begin() + static_cast<std::ptrdiff_t>(most_);
    std::nth_element(kept.begin(), last, kept.end(), better);
    kept.erase(last, kept.end());
  }
  std::sort(kept.begin(), kept.end(), [&](std::uint32_t one, std::uint32_t other) {
    const std::uint32_t first = hypotheses_[one].vertex;
    const std::uint32_t second = hypotheses_[other].vertex;
    return first != second ? first < second : better(one, other);
  });
  for (const std::uint32_t i : kept) {
    Vertex& vertex = vertices_[hypotheses_[i].vertex];
    if (vertex.first == vertex.last) {
      vertex.first = static_cast<std::uint32_t>(ordered_.size());
    }
    ordered_.push_back(i);
    vertex.last = static_cast<std::uint32_t>(ordered_.size());
  }
}

// Call use(start, span) for all spans that the distortion limit allows next. As in
// Moses, a phrase that leaves the first gap open must end near enough to it for the
// way back.
template <class Use>
void Search::for_spans(const Coverage& coverage, Use&& use) const {
  const std::uint32_t gap = coverage.gap;
  const std::uint32_t last = std::min(length_, gap + std::max(1u, reach_));
  for (std::uint32_t start = gap; start < last; ++start) {
    if (coverage.covers(start)) continue;
    for (const Span& span : options_.spans_at(start)) {
      if (!coverage.is_free(start, span.end)) break;
      if (start > gap && span.end - gap > reach_) break;
      use(start, span);
    }
  }
}

void Search::add_edges(const Stack& stack, std::uint32_t covered) {
  std::uint32_t done = kNone;
  for (const std::uint32_t i : stack.hypotheses) {
    const std::uint32_t from = hypotheses_[i].vertex;
    if (from == done) continue;
    done = from;
    const Coverage coverage = vertices_[from].coverage;
    for_spans(coverage, [&](std::uint32_t start, const Span& span) {
      const std::uint32_t to = vertex(coverage.with(start, span.end));
      const Vertex& next = vertices_[to];
      auto& edges = stacks_[covered + span.end - start].edges;
      if (edges.capacity() == 0 && !spare_.empty()) {
        edges.swap(spare_.back());
        spare_.pop_back();
      }
      edges.push_back({from, to, span.first, span.last,
                       next.future + jump_back(span.end, next.coverage)});
    });
  }
}

// Give the room of a stack's edges, which are done with, to the next stacks.
void Search::release(Stack& stack) {
  if (stack.edges.capacity() == 0) return;
  stack.edges.clear();
  spare_.emplace_back().swap(stack.edges);
}

// Find the next hypothesis of an edge, from `row` on, that its options may follow.
bool Search::corner(const Stack& stack, std::uint32_t edge, std::uint32_t row,
                    Corner& found) const {
  const Edge& joined = stack.edges[edge];
  const Option& option = options_[joined.option];
  const Vertex& from = vertices_[joined.from];
  for (; from.first + row < from.last; ++row) {
    const Hypothesis& hypothesis = hypotheses_[ordered_[from.first + row]];
    if (!may_follow(hypothesis, option.start)) continue;
    const double estimate = hypothesis.score + joint(hypothesis, option) +
                            option.estimate + joined.future;
    found = {estimate, edge, row, joined.option};
    return true;
  }
  return false;
}

// Make the hypotheses of a stack from its edges, those that look best first. What
// the models say is asked only of those that are made.
void Search::fill(Stack& stack) {
  if (stack.edges.empty()) return;
  recombined_.clear();
  queue_.clear();
  Corner next;
  for (std::uint32_t edge = 0; edge < stack.edges.size(); ++edge) {
    if (corner(stack, edge, 0, next)) queue_.push_back(next);
  }
  std::make_heap(queue_.begin(), queue_.end());
  for (std::size_t popped = 0; popped < pops_ && !queue_.empty(); ++popped) {
    std::pop_heap(queue_.begin(), queue_.end());
    const Corner best = queue_.back();
    queue_.pop_back();
    if (best.estimate < stack.best - scoring_.settings.beam) break;
    const Edge& edge = stack.edges[best.edge];
    const std::uint32_t previous = ordered_[vertices_[edge.from].first + best.row];
    extend(previous, best.option, edge.to, stack);
    if (best.option + 1 < edge.last_option) {
      const Hypothesis& hypothesis = hypotheses_[previous];
      const Option& option = options_[best.option + 1];
      queue_.push_back({hypothesis.score + joint(hypothesis, option) +
                            option.estimate + edge.future,
                        best.edge, best.row, best.option + 1});
      std::push_heap(queue_.begin(), queue_.end());
    }
    if (best.option == edge.option && corner(stack, best.edge, best.row + 1, next)) {
      queue_.push_back(next);
      std::push_heap(queue_.begin(), queue_.end());
    }
  }
}

// Without cube pruning: every hypothesis by every option.
void Search::expand(const Stack& stack, std::uint32_t covered) {
  for (const std::uint32_t i : stack.hypotheses) {
    const Coverage coverage = vertices_[hypotheses_[i].vertex].coverage;
    for_spans(coverage, [&](std::uint32_t start, const Span& span) {
      if (!may_follow(hypotheses_[i], start)) return;
      const std::uint32_t to = vertex(coverage.with(start, span.end));
      Stack& grown = stacks_[covered + span.end - start];
      for (std::uint32_t option = span.first; option < span.last; ++option) {
        extend(i, option, to, grown);
      }
      if (grown.hypotheses.size() >= 2 * most_) {
        auto& kept = grown.hypotheses;
        const auto last = kept.begin() + static_cast<std::ptrdiff_t>(most_);
        std::nth_element(kept.begin(), last, kept.end(),
                         [&](std::uint32_t one, std::uint32_t other) {
                           const double first = hypotheses_[one].total;
                           const double second = hypotheses_[other].total;
                           return first != second ? first > second : one < other;
                         });
        grown.bound = hypotheses_[*last].total;
        for (auto dropped = last; dropped != kept.end(); ++dropped) {
          hypotheses_[*dropped].dropped = true;
        }
        kept.erase(last, kept.end());
      }
    });
  }
}

std::uint32_t Search::vertex(const Coverage& coverage) {
  const std::uint64_t hash = mixed(coverage.mask ^ mixed(coverage.gap));
  std::uint32_t& found = vertex_index_.at(hash, [&](std::uint32_t number) {
    return vertices_[number].coverage == coverage;
  });
  if (found == kNone) {
    found = static_cast<std::uint32_t>(vertices_.size());
    // The way over what lies covered among the gaps must still be gone.
    const double way = std::max(0.0, scoring_.distortion) * std::popcount(coverage.mask);
    vertices_.push_back({coverage, options_.future(coverage) - way});
  }
  return found;
}

bool Search::may_follow(const Hypothesis& hypothesis, std::uint32_t start) const {
  const int limit = scoring_.settings.distortion;
  return limit < 0 || std::abs(static_cast<int>(start) - hypothesis.end) <= limit;
}

// Score what a hypothesis and an option have to do with each other, but for the
// language models: distortion and reordering.
double Search::joint(const Hypothesis& hypothesis, const Option& option) const {
  const int way = std::abs(static_cast<int>(option.start) - hypothesis.end);
  const double jump = -scoring_.distortion * way;
  const std::size_t orientation = way == 0 ? 0 : option.end == hypothesis.swap ? 1 : 2;
  return jump + option.before[orientation] +
         options_.after(hypothesis.after)[orientation];
}

// Estimate the jump from the end of a phrase to the first gap.
double Search::jump_back(std::uint32_t end, const Coverage& coverage) const {
  if (coverage.gap == length_) return 0;
  const std::uint32_t way = end > coverage.gap ? end - coverage.gap : coverage.gap - end;
  return -std::max(0.0, scoring_.distortion) * way;
}

void Search::extend(std::uint32_t previous, std::uint32_t number, std::uint32_t to,
                    Stack& stack) {
  const Hypothesis& from = hypotheses_[previous];
  const Option& option = options_[number];
  const Vertex& vertex = vertices_[to];
  const Transition step = transitions_[transitions_.number(from.state, option.output)];
  Hypothesis made{};
  made.score = from.score + joint(from, option) + option.isolated + step.score;
  made.previous = previous;
  made.option = number;
  made.vertex = to;
  made.losers = made.next = kNone;
  made.swap = kNoSwap;
  if (vertex.coverage.gap == length_) {
    made.score += transitions_[transitions_.number(step.state, kNone)].score;
    made.total = made.score;
  } else {
    made.state = step.state;
    made.after = option.after;
    made.end = option.end;
    made.total = made.score + vertex.future + jump_back(option.end, vertex.coverage);
    // Nothing can be a swap any more if the word before the phrase is taken.
    const bool open = option.start > vertex.coverage.gap &&
                      !vertex.coverage.covers(option.start - 1u);
    if (open && scoring_.table.has_reordering()) made.swap = option.start;
  }
  if (made.total >= std::max(stack.bound, stack.best - scoring_.settings.beam)) {
    recombine(made, stack);
  }
}

void Search::recombine(const Hypothesis& made, Stack& stack) {
  stack.best = std::max(stack.best, made.total);
  const std::uint64_t key = std::uint64_t{made.vertex} << 32 | made.state;
  const std::uint64_t place = std::uint64_t{made.after} << 32 |
                              std::uint32_t{made.end} << 16 | made.swap;
  std::uint32_t& found = recombined_.at(
      mixed(key ^ mixed(place)), [&](std::uint32_t number) {
        const Hypothesis& other = hypotheses_[number];
        return other.vertex == made.vertex && other.state == made.state &&
               other.after == made.after && other.end == made.end &&
               other.swap == made.swap;
      });
  const auto next = static_cast<std::uint32_t>(hypotheses_.size());
  if (found == kNone) {
    found = next;
    hypotheses_.push_back(made);
    stack.hypotheses.push_back(next);
    return;
  }
  // The winner keeps its number, under which the stack knows it.
  const std::uint32_t winner = found;
  Hypothesis loser = made;
  if (made.score > hypotheses_[winner].score) {
    std::swap(loser, hypotheses_[winner]);
    hypotheses_[winner].losers = loser.losers;
    if (loser.dropped) stack.hypotheses.push_back(winner);
  }
  if (keep_losers_) {
    loser.losers = kNone;
    loser.next = hypotheses_[winner].losers;
    hypotheses_[winner].losers = next;
    hypotheses_.push_back(loser);
  }
}

}  // namespace paraphrast
