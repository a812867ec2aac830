// The quick part of reading and writing ARPA files; paraphrast.phrase.arpa has the
// rest, and says what is wrong with a line that is not understood here.
#include <nanobind/nanobind.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrays.h"
#include "language_model.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace paraphrast {
namespace {

// Takes fields off the front of a line. NUL is no space here, and so no word has it.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  std::string_view next() {
    std::size_t start = 0;
    while (start < rest_.size() && is_blank(rest_[start])) ++start;
    std::size_t end = start;
    while (end < rest_.size() && !is_blank(rest_[end])) ++end;
    const std::string_view field = rest_.substr(start, end - start);
    rest_.remove_prefix(end);
    return field;
  }

 private:
  static bool is_blank(char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
  }
  std::string_view rest_;
};

std::optional<float> number_in(std::string_view field) {
  double value = 0;
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (error != std::errc() || stop != end || !(std::abs(value) < 99)) return std::nullopt;
  return static_cast<float>(value);
}

// Append what the line says; false, and nothing appended, if it is out of the ordinary.
bool read_row(std::string_view line, int order, const Vocabulary& vocabulary,
              std::vector<Word>& words, std::vector<float>& values) {
  Fields fields(line);
  const std::optional<float> probability = number_in(fields.next());
  if (!probability || *probability > 0) return false;
  std::array<Word, kMostOrders> found{};
  for (int i = 0; i < order; ++i) {
    const std::string_view field = fields.next();
    if (field.empty()) return false;
    found[i] = vocabulary.find(field);
    if (found[i] == kUnknown && field != "<unk>") return false;
  }
  const std::string_view last = fields.next();
  const std::optional<float> backoff = last.empty() ? 0.0F : number_in(last);
  if (!backoff || !fields.next().empty()) return false;
  words.insert(words.end(), found.begin(), found.begin() + order);
  values.push_back(*probability);
  values.push_back(*backoff);
  return true;
}

// The words and values of the lines from `first` to the first one that is not plain.
nb::tuple arpa_rows(const nb::list& lines, std::size_t first, int order,
                    const Array<std::uint8_t>& text, const Array<std::uint32_t>& starts,
                    const Array<std::uint32_t>& table) {
  if (order < 1 || order > kMostOrders) throw nb::value_error("no such order");
  const Vocabulary vocabulary{view(text), view(starts), view(table)};
  vocabulary.check();
  std::vector<Word> words;
  std::vector<float> values;
  for (std::size_t i = first; i < lines.size(); ++i) {
    const nb::object line = lines[i];
    if (!PyBytes_Check(line.ptr())) throw nb::type_error("lines must be bytes");
    const std::string_view row(PyBytes_AS_STRING(line.ptr()),
                               static_cast<std::size_t>(PyBytes_GET_SIZE(line.ptr())));
    if (!read_row(row, order, vocabulary, words, values)) break;
  }
  const std::size_t rows = values.size() / 2;
  return nb::make_tuple(
      array_from(std::move(words), {rows, static_cast<std::size_t>(order)}),
      array_from(std::move(values), {rows, 2}));
}

void append_number(std::string& lines, float value) {
  char digits[64];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  if (error == std::errc()) lines.append(digits, end);
}

// A line an n-gram. A back-off of -0.0 is never asked for, and left out.
nb::bytes arpa_lines(const Matrix<std::uint32_t>& words, const Matrix<float>& values,
                     const Array<std::uint8_t>& text,
                     const Array<std::uint32_t>& starts) {
  if (values.shape(0) != words.shape(0) || values.shape(1) != 2 || starts.size() == 0) {
    throw nb::value_error("there are not two values an n-gram");
  }
  const Vocabulary vocabulary{view(text), view(starts), {}};
  const std::size_t order = words.shape(1);
  std::string lines;
  for (std::size_t i = 0; i < words.shape(0); ++i) {
    append_number(lines, values.data()[2 * i]);
    for (std::size_t k = 0; k < order; ++k) {
      lines += k ? ' ' : '\t';
      lines += vocabulary.word(words.data()[i * order + k]);
    }
    const float backoff = values.data()[2 * i + 1];
    if (begins_longer(backoff)) {
      lines += '\t';
      append_number(lines, backoff);
    }
    lines += '\n';
  }
  return nb::bytes(lines.data(), lines.size());
}

}  // namespace

void bind_arpa(nb::module_& module) {
  module.def("arpa_rows", &arpa_rows, "lines"_a, "first"_a, "order"_a, "text"_a,
             "starts"_a, "lookup"_a);
  module.def("arpa_lines", &arpa_lines, "words"_a, "values"_a, "text"_a, "starts"_a);
}

}  // namespace paraphrast
