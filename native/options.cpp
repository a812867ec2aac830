#include "options.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace paraphrast {

namespace {

const double kLogTen = 2.302585092994045684;
constexpr double kNever = -std::numeric_limits<double>::infinity();
// Options are first ranked without the models, which cost most; so many times the
// number wanted go on to be ranked with them.
constexpr std::size_t kConsidered = 5;
// Forget prepared phrases beyond this many options, so that memory stays bounded.
constexpr std::size_t kMostPrepared = 1 << 18;

bool better(const Option& one, const Option& other) {
  if (one.estimate != other.estimate) return one.estimate > other.estimate;
  return one.row < other.row;
}

}  // namespace

SentenceOptions::SentenceOptions(const Scoring& scoring) : scoring_(scoring) {
  afters_.push_back({});  // number 0: no scores, as at the start of a sentence
}

void SentenceOptions::begin(const Sentence& sentence) {
  length_ = static_cast<std::uint32_t>(sentence.words.size());
  source_.clear();
  for (const std::string& word : sentence.words) {
    source_.push_back(scoring_.table.source().find(word));
  }
  options_.clear();
  spans_.clear();
  span_starts_.clear();
  given_words_.clear();
  given_starts_.assign(1, 0);
  extra_.clear();
  extra_numbers_.clear();
  extra_model_words_.clear();
  if (prepared_options_.size() > kMostPrepared) {
    prepared_.clear();
    prepared_options_.clear();
    afters_.resize(1);
    after_index_.clear();
  }
  auto forced = sentence.forced.begin();
  for (std::uint32_t start = 0; start < length_; ++start) {
    span_starts_.push_back(static_cast<std::uint32_t>(spans_.size()));
    while (forced != sentence.forced.end() && forced->end <= start) ++forced;
    if (forced == sentence.forced.end() || start < forced->start) {
      const bool ahead = forced != sentence.forced.end();
      add_phrases(sentence, start, ahead ? forced->start : length_);
    } else if (start == forced->start) {
      add_given(start, forced->end, kForced, forced->words, sentence);
    }
  }
  span_starts_.push_back(static_cast<std::uint32_t>(spans_.size()));
  estimate_future();
}

void SentenceOptions::add_phrases(const Sentence& sentence, std::uint32_t start,
                                  std::uint32_t end) {
  bool alone = false;  // whether the word has options of its own
  const std::uint32_t longest =
      std::min(end - start, static_cast<std::uint32_t>(kLongestPhrase));
  const auto before = spans_.size();
  scoring_.table.phrases_at(
      std::span<const Word>(source_).subspan(start, longest),
      [&](std::uint32_t length, std::uint32_t phrase) {
        add_phrase(start, length, phrase);
        if (length == 1 && spans_.size() > before) {
          alone = true;
          if (scoring_.settings.copy) add_kept(sentence, start);
        }
      });
  if (!alone) {
    const std::span<const std::string> word(&sentence.words[start], 1);
    add_given(start, start + 1, kCopied, word, sentence);
    // Spans are shortest first, and this is the shortest.
    std::rotate(spans_.begin() + before, spans_.end() - 1, spans_.end());
  }
}

void SentenceOptions::add_phrase(std::uint32_t start, std::uint32_t length,
                                 std::uint32_t phrase) {
  const Prepared range = prepared(phrase);
  if (range.first == range.last) return;
  const auto first = static_cast<std::uint32_t>(options_.size());
  for (std::uint32_t i = range.first; i < range.last; ++i) {
    Option option = prepared_options_[i];
    option.start = static_cast<std::uint16_t>(start);
    option.end = static_cast<std::uint16_t>(start + length);
    options_.push_back(option);
  }
  spans_.push_back({start + length, first, static_cast<std::uint32_t>(options_.size())});
}

void SentenceOptions::add_given(std::uint32_t start, std::uint32_t end,
                                std::int32_t row, std::span<const std::string> words,
                                const Sentence& sentence) {
  Option option{};
  option.row = row;
  option.start = static_cast<std::uint16_t>(start);
  option.end = static_cast<std::uint16_t>(end);
  option.length = static_cast<std::uint16_t>(words.size());
  option.output = scoring_.table.output_count() +
                  static_cast<std::uint32_t>(given_starts_.size() - 1);
  for (const std::string& word : words) {
    given_words_.push_back(target_word(word));
    const auto first = sentence.words.begin() + start;
    const auto last = sentence.words.begin() + end;
    if (std::find(first, last, word) != last) ++option.kept;
  }
  given_starts_.push_back(static_cast<std::uint32_t>(given_words_.size()));
  option.isolated = scoring_.phrases + scoring_.kept * option.kept -
                    scoring_.words * option.length;
  if (row == kCopied) option.isolated -= scoring_.unknown;
  if (row == kKept) {
    for (const double weight : scoring_.table_weights) {
      option.isolated += weight * scoring_.settings.copy_score;
    }
  }
  option.estimate = option.isolated + models_alone(output_words(option.output));
  const auto first = static_cast<std::uint32_t>(options_.size());
  options_.push_back(option);
  spans_.push_back({end, first, first + 1});
}

// Let the span added last, one word, also keep its word, unless it does already.
void SentenceOptions::add_kept(const Sentence& sentence, std::uint32_t start) {
  const Word twin = scoring_.table.twin(source_[start]);
  const Span span = spans_.back();
  for (std::uint32_t i = span.first; i < span.last; ++i) {
    const auto words = output_words(options_[i].output);
    if (words.size() == 1 && words[0] == twin) return;
  }
  const std::span<const std::string> word(&sentence.words[start], 1);
  add_given(start, start + 1, kKept, word, sentence);
  spans_.pop_back();
  spans_.back().last = span.last + 1;
  std::sort(options_.begin() + span.first, options_.end(), better);
}

const SentenceOptions::Prepared& SentenceOptions::prepared(std::uint32_t phrase) {
  const auto [place, is_new] = prepared_.try_emplace(phrase);
  if (!is_new) return place->second;
  const Range rows = scoring_.table.options(phrase);
  considered_.clear();
  for (std::uint32_t row = rows.first; row < rows.last; ++row) {
    considered_.push_back(scored(phrase, row));
  }
  const auto wanted = static_cast<std::size_t>(std::max(0, scoring_.settings.options));
  const auto keep = [&](std::size_t count) {
    if (wanted == 0 || considered_.size() <= count) return;
    const auto last = considered_.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(considered_.begin(), last, considered_.end(), better);
    considered_.erase(last, considered_.end());
  };
  keep(kConsidered * wanted);
  for (Option& option : considered_) {
    option.estimate = option.isolated + models_alone(output_words(option.output));
  }
  keep(wanted);
  std::sort(considered_.begin(), considered_.end(), better);
  const auto first = static_cast<std::uint32_t>(prepared_options_.size());
  for (Option& option : considered_) {
    finish(option, static_cast<std::uint32_t>(option.row));
    prepared_options_.push_back(option);
  }
  place->second = {first, static_cast<std::uint32_t>(prepared_options_.size())};
  return place->second;
}

Option SentenceOptions::scored(std::uint32_t phrase, std::uint32_t row) const {
  const PhraseTable& table = scoring_.table;
  Option option{};
  option.row = static_cast<std::int32_t>(row);
  option.output = table.output(row);
  const auto words = table.output_words(option.output);
  option.length = static_cast<std::uint16_t>(words.size());
  for (const Word word : words) {
    for (const Word source : table.phrase(phrase)) {
      if (table.twin(source) == word) {
        ++option.kept;
        break;
      }
    }
  }
  option.isolated = scoring_.phrases + scoring_.kept * option.kept -
                    scoring_.words * option.length;
  const auto scores = table.scores(row);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    option.isolated += scoring_.table_weights[i] * static_cast<double>(scores[i]);
  }
  option.estimate = option.isolated;
  return option;
}

// Fill in what only the options that are used need.
void SentenceOptions::finish(Option& option, std::uint32_t row) {
  const auto scores = scoring_.table.reordering(row);
  if (scores.empty()) return;
  Orientations after;
  for (std::size_t i = 0; i < 3; ++i) {
    option.before[i] = scoring_.reordering[i] * static_cast<double>(scores[i]);
    // Adding 0 makes -0 into 0, which would else be another number.
    after[i] = scoring_.reordering[i + 3] * static_cast<double>(scores[i + 3]) + 0.0;
  }
  std::uint64_t hash = 0;
  for (const double score : after) hash = mixed(hash ^ std::bit_cast<std::uint64_t>(score));
  std::uint32_t& number =
      after_index_.at(hash, [&](std::uint32_t other) { return afters_[other] == after; });
  if (number == kNone) {
    number = static_cast<std::uint32_t>(afters_.size());
    afters_.push_back(after);
  }
  option.after = number;
}

double SentenceOptions::models_alone(std::span<const Word> words) const {
  double total = 0;
  for (std::size_t model = 0; model < scoring_.models.size(); ++model) {
    const LanguageModel& asked = *scoring_.models[model];
    State from = asked.empty(), to;
    double sum = 0;
    for (const Word word : words) {
      sum += floored_score(asked, from, model_word(model, word), to);
      from = to;
    }
    total += scoring_.model_weights[model] * sum * kLogTen;
  }
  return total;
}

std::span<const Word> SentenceOptions::output_words(std::uint32_t output) const {
  const std::uint32_t known = scoring_.table.output_count();
  if (output < known) return scoring_.table.output_words(output);
  const std::uint32_t start = given_starts_[output - known];
  return std::span<const Word>(given_words_)
      .subspan(start, given_starts_[output - known + 1] - start);
}

Word SentenceOptions::model_word(std::size_t model, Word target) const {
  const std::size_t known = scoring_.table.target().size();
  if (target < known) return scoring_.model_words[model][target];
  return extra_model_words_[(target - known) * scoring_.models.size() + model];
}

Word SentenceOptions::target_word(const std::string& word) {
  const Word known = scoring_.table.target().find(word);
  if (known != kNoWord) return known;
  const auto next = static_cast<Word>(scoring_.table.target().size() + extra_.size());
  const auto [place, is_new] = extra_numbers_.try_emplace(word, next);
  if (is_new) {
    extra_.push_back(word);
    for (const LanguageModel* model : scoring_.models) {
      extra_model_words_.push_back(model_number(*model, word));
    }
  }
  return place->second;
}

void SentenceOptions::estimate_future() {
  width_ = std::min(length_, kWindow);
  best_.assign(std::size_t{length_} * width_, kNever);
  rest_.assign(length_ + 1, kNever);
  rest_[length_] = 0;
  for (std::uint32_t start = length_; start-- > 0;) {
    double* const best = &best_[std::size_t{start} * width_];
    for (const Span& span : spans_at(start)) {
      const double score = options_[span.first].estimate;
      rest_[start] = std::max(rest_[start], score + rest_[span.end]);
      const std::uint32_t length = span.end - start;
      if (length <= width_) best[length - 1] = std::max(best[length - 1], score);
    }
    // A stretch's first phrase is one of the spans that start here.
    for (const Span& span : spans_at(start)) {
      const std::uint32_t first = span.end - start;
      const std::uint32_t most = std::min(width_, length_ - start);
      const double score = options_[span.first].estimate;
      for (std::uint32_t length = first + 1; length <= most; ++length) {
        const double more = best_[std::size_t{span.end} * width_ + length - first - 1];
        best[length - 1] = std::max(best[length - 1], score + more);
      }
    }
  }
}

double SentenceOptions::future(const Coverage& coverage) const {
  double total = 0;
  std::uint32_t place = coverage.gap;
  for (std::uint64_t mask = coverage.mask; mask != 0;) {
    const auto free = static_cast<std::uint32_t>(std::countr_zero(mask));
    total += best_[std::size_t{place} * width_ + free - 1];
    mask >>= free;
    const auto covered = static_cast<std::uint32_t>(std::countr_one(mask));
    mask = covered < kWindow ? mask >> covered : 0;
    place += free + covered;
  }
  return total + rest_[place];
}

}  // namespace paraphrast
