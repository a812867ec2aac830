// The search for the best sequence of phrases for one sentence (Koehn et al. 2003),
// with cube pruning (Huang & Chiang 2007) or without.
//
// Hypotheses that have covered equally many words compete in a stack. Those that no
// future can tell apart (coverage, place, models' states, reordering) are recombined:
// the best goes on, the others wait beside it for the list of alternatives.
#pragma once

#include <cstdint>
#include <vector>

#include "coverage.h"
#include "index.h"
#include "options.h"
#include "transitions.h"

namespace paraphrast {

struct Hypothesis {
  double score;            // of what is covered
  double total;            // and what the rest may score
  std::uint32_t previous;  // hypothesis
  std::uint32_t option;    // that was added to it
  std::uint32_t vertex;    // coverage
  std::uint32_t state;     // of the models
  std::uint32_t after;     // its last phrase's scores for what comes after
  std::uint32_t losers;    // first of those recombined with it
  std::uint32_t next;      // loser beside this one
  std::uint16_t end;       // of the last phrase
  std::uint16_t swap;      // where a phrase must end to be a swap, or kNoSwap
  bool dropped;            // pruned from its stack
  bool sorted;             // the losers are in order
};

constexpr std::uint16_t kNoSwap = 0xFFFF;

class Search {
 public:
  explicit Search(const Scoring& scoring);

  // Search; `keep_losers` if alternatives will be asked for. Returns the best
  // hypothesis of the whole sentence. There always is one.
  std::uint32_t run(const Sentence& sentence, bool keep_losers);

  const SentenceOptions& options() const { return options_; }
  Transitions& transitions() { return transitions_; }
  std::vector<Hypothesis>& hypotheses() { return hypotheses_; }

 private:
  struct Vertex {
    Coverage coverage;
    double future;
    std::uint32_t first = 0, last = 0;  // its hypotheses in the sorted stack
  };
  // All hypotheses of a vertex by all options of a span.
  struct Edge {
    std::uint32_t from, to, option, last_option;
    double future;
  };
  struct Corner {
    double estimate;
    std::uint32_t edge, row, option;
    bool operator<(const Corner& other) const {
      if (estimate != other.estimate) return estimate < other.estimate;
      if (edge != other.edge) return edge > other.edge;
      if (row != other.row) return row > other.row;
      return option > other.option;
    }
  };
  struct Stack {
    std::vector<std::uint32_t> hypotheses;
    std::vector<Edge> edges;
    double best, bound;
  };

  void begin(const Sentence& sentence);
  void prune(Stack& stack);
  void fill(Stack& stack);
  bool corner(const Stack& stack, std::uint32_t edge, std::uint32_t row,
              Corner& found) const;
  void add_edges(const Stack& stack, std::uint32_t covered);
  void release(Stack& stack);
  void expand(const Stack& stack, std::uint32_t covered);
  template <class Use>
  void for_spans(const Coverage& coverage, Use&& use) const;
  std::uint32_t vertex(const Coverage& coverage);
  bool may_follow(const Hypothesis& hypothesis, std::uint32_t start) const;
  double joint(const Hypothesis& hypothesis, const Option& option) const;
  double jump_back(std::uint32_t end, const Coverage& coverage) const;
  void extend(std::uint32_t previous, std::uint32_t option, std::uint32_t to,
              Stack& stack);
  void recombine(const Hypothesis& made, Stack& stack);

  const Scoring& scoring_;
  SentenceOptions options_;
  Transitions transitions_;
  std::uint32_t length_ = 0, reach_ = 0;
  std::size_t pops_ = 0, most_ = 0;
  bool keep_losers_ = false;
  std::vector<Hypothesis> hypotheses_;
  std::vector<Vertex> vertices_;
  std::vector<Stack> stacks_;
  std::vector<std::vector<Edge>> spare_;  // room for edges
  std::vector<std::uint32_t> ordered_;  // what was expanded, by vertex, best first
  std::vector<Corner> queue_;
  Index vertex_index_, recombined_;
};

}  // namespace paraphrast
