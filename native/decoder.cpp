#include "decoder.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>
#include <unordered_set>

#include "best_paths.h"
#include "search.h"

namespace paraphrast {

namespace {

// Larger weights could make scores overflow, and hypotheses that have no order.
constexpr double kLargestWeight = 1e6;
// Of so many paths the distinct ones among them are given, however few they are.
constexpr std::size_t kPathsAnAlternative = 1000;

// Decodes one sentence after another; every thread has its own.
class Worker {
 public:
  Worker(const Scoring& scoring, const std::vector<double>& weights)
      : scoring_(scoring), weights_(weights), search_(scoring) {}

  void decode(const Sentence& sentence, const Request& request, Translations& made) {
    const std::uint32_t last = search_.run(sentence, request.alternatives > 1);
    BestPaths paths(search_.hypotheses(), last);
    std::unordered_set<std::u32string> seen;
    for (std::size_t i = 0; i < request.alternatives * kPathsAnAlternative; ++i) {
      if (made.scores.size() == request.alternatives || !paths.next(path_)) break;
      if (request.distinct && !seen.insert(words_of_path()).second) continue;
      add(made);
    }
    made.extra = search_.options().extra();
  }

 private:
  std::u32string words_of_path() const {
    std::u32string words;
    for (const std::uint32_t number : path_) {
      const SentenceOptions& options = search_.options();
      for (const Word word : options.output_words(options[number].output)) {
        words.push_back(static_cast<char32_t>(word));
      }
    }
    return words;
  }

  void add(Translations& made) {
    const SentenceOptions& options = search_.options();
    const std::size_t words = made.words.size(), links = made.links.size();
    features_.assign(weights_.size(), 0.0);
    const Option* previous = nullptr;
    std::uint32_t state = search_.transitions().start();
    for (const std::uint32_t number : path_) {
      const Option& option = options[number];
      score_alone(option);
      score_joint(previous, option);
      state = score_models(state, option.output);
      add_phrase(option, words, made);
      previous = &option;
    }
    score_models(state, kNone);
    double score = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) score += weights_[i] * features_[i];
    made.scores.push_back(score);
    made.features.insert(made.features.end(), features_.begin(), features_.end());
    made.word_counts.push_back(static_cast<std::uint32_t>(made.words.size() - words));
    made.phrase_counts.push_back(static_cast<std::uint32_t>(path_.size()));
    made.link_counts.push_back(static_cast<std::uint32_t>((made.links.size() - links) / 2));
  }

  void score_alone(const Option& option) {
    features_[1] -= option.length;
    features_[2] += 1;
    features_[3] -= option.row == kCopied;
    features_[4] += option.kept;
    double* const table = features_.data() + kFixedFeatures + scoring_.models.size();
    const std::size_t scores = scoring_.table.score_count();
    for (std::size_t i = 0; i < scores; ++i) {
      if (option.row >= 0) {
        table[i] += static_cast<double>(
            scoring_.table.scores(static_cast<std::uint32_t>(option.row))[i]);
      } else if (option.row == kKept) {
        table[i] += scoring_.settings.copy_score;
      }
    }
  }

  void score_joint(const Option* previous, const Option& option) {
    const int end = previous ? previous->end : 0;
    features_[0] -= std::abs(static_cast<int>(option.start) - end);
    if (!scoring_.table.has_reordering()) return;
    const bool swapped = previous && option.end == previous->start;
    const std::size_t orientation = option.start == end ? 0 : swapped ? 1 : 2;
    double* const reordering =
        features_.data() + features_.size() - kReorderingScores;
    const auto add = [&](const Option& scored, std::size_t column) {
      if (scored.row < 0) return;
      reordering[column] += static_cast<double>(
          scoring_.table.reordering(static_cast<std::uint32_t>(scored.row))[column]);
    };
    add(option, orientation);
    if (previous) add(*previous, 3 + orientation);
  }

  std::uint32_t score_models(std::uint32_t state, std::uint32_t output) {
    Transitions& transitions = search_.transitions();
    const std::uint32_t number = transitions.number(state, output);
    const auto parts = transitions.parts(number);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      features_[kFixedFeatures + i] += parts[i];
    }
    return transitions[number].state;
  }

  // Add what an option says; the translation's words start at `first`.
  void add_phrase(const Option& option, std::size_t first, Translations& made) const {
    const auto start = static_cast<std::int32_t>(made.words.size() - first);
    const auto words = search_.options().output_words(option.output);
    made.words.insert(made.words.end(), words.begin(), words.end());
    const std::int32_t end = start + static_cast<std::int32_t>(words.size());
    made.phrases.push_back({option.start, option.end, start, end, option.row});
    const auto link = [&](std::uint32_t source, std::uint32_t target) {
      made.links.push_back(option.start + source);
      made.links.push_back(static_cast<std::uint32_t>(start) + target);
    };
    if (option.row >= 0) {
      const auto pairs = scoring_.table.links(static_cast<std::uint32_t>(option.row));
      for (std::size_t i = 0; i < pairs.size(); i += 2) link(pairs[i], pairs[i + 1]);
    } else if (words.size() == std::size_t{option.end} - option.start) {
      // A span given word for word; of any other only the phrases are known.
      for (std::uint32_t i = 0; i < words.size(); ++i) link(i, i);
    }
  }

  const Scoring& scoring_;
  const std::vector<double>& weights_;
  Search search_;
  std::vector<std::uint32_t> path_;
  std::vector<double> features_;
};

}  // namespace

Decoder::Decoder(const PhraseTable& table, std::vector<const LanguageModel*> models)
    : table_(table), models_(std::move(models)) {
  for (const LanguageModel* model : models_) {
    std::vector<Word>& words = model_words_.emplace_back();
    words.reserve(table.target().size());
    for (std::size_t i = 0; i < table.target().size(); ++i) {
      words.push_back(model_number(*model, table.target()[i]));
    }
  }
}

std::size_t Decoder::feature_count() const {
  return kFixedFeatures + models_.size() + table_.score_count() +
         (table_.has_reordering() ? kReorderingScores : 0);
}

Scoring Decoder::scoring(const std::vector<double>& weights,
                         const Settings& settings) const {
  if (weights.size() != feature_count()) {
    throw std::invalid_argument("there is not one weight a feature");
  }
  for (const double weight : weights) {
    if (!(std::abs(weight) <= kLargestWeight)) {
      throw std::invalid_argument("a weight is not a number or too large");
    }
  }
  Scoring scoring{table_, models_, model_words_, settings};
  auto next = weights.begin();
  scoring.distortion = *next++;
  scoring.words = *next++;
  scoring.phrases = *next++;
  scoring.unknown = *next++;
  scoring.kept = *next++;
  const auto models = next + static_cast<std::ptrdiff_t>(models_.size());
  scoring.model_weights.assign(next, models);
  const auto scores = models + static_cast<std::ptrdiff_t>(table_.score_count());
  scoring.table_weights.assign(models, scores);
  std::copy(scores, weights.end(), scoring.reordering.begin());
  return scoring;
}

std::vector<Translations> Decoder::decode(const std::vector<Sentence>& sentences,
                                          const std::vector<double>& weights,
                                          const Settings& settings,
                                          const Request& request) const {
  const Scoring scoring = this->scoring(weights, settings);
  std::vector<Translations> made(sentences.size());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      Worker worker(scoring, weights);
      for (std::size_t i = next++; i < sentences.size() && !failed; i = next++) {
        worker.decode(sentences[i], request, made[i]);
      }
    } catch (...) {
      // Memory may run out; the first to fail tells, the others stop.
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  };
  const auto wanted = static_cast<std::size_t>(std::max(1, request.threads));
  const std::size_t threads = std::min(wanted, std::max<std::size_t>(1, sentences.size()));
  std::vector<std::thread> others;
  others.reserve(threads - 1);
  for (std::size_t i = 1; i < threads; ++i) {
    try {
      others.emplace_back(work);
    } catch (const std::system_error&) {
      break;  // no more threads to be had: those there are do the work
    }
  }
  work();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
  return made;
}

}  // namespace paraphrast
