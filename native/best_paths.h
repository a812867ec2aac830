// The best ways through a search, one after the other, exactly.
//
// Every path but the best leaves another path at one hypothesis for one that was
// recombined with it, and follows the best way from there back to the start. Asking
// for the next path looks only at those that leave the paths already given.
#pragma once

#include <cstdint>
#include <vector>

#include "search.h"

namespace paraphrast {

class BestPaths {
 public:
  // `last` is the hypothesis of the whole sentence that the search returned.
  BestPaths(std::vector<Hypothesis>& hypotheses, std::uint32_t last);

  // Put the options of the next path into `options`, from the first on; false if
  // there is none, or if so many were looked at that memory would run out.
  bool next(std::vector<std::uint32_t>& options);

 private:
  struct Path {
    double score;
    std::uint32_t parent;      // the path it leaves
    std::uint32_t depth;       // so many phrases before the end
    std::uint32_t hypothesis;  // for this one
  };

  std::uint32_t first_loser(std::uint32_t winner);
  void add(double score, std::uint32_t parent, std::uint32_t depth,
           std::uint32_t hypothesis);
  void trace(std::uint32_t path);

  std::vector<Hypothesis>& hypotheses_;
  std::vector<Path> paths_;
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint32_t> traced_;   // hypotheses from the end on
  std::vector<std::uint32_t> chain_;
  std::vector<std::uint32_t> losers_;
  std::uint32_t last_;
};

}  // namespace paraphrast
