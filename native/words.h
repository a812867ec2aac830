// Words of text that comes from Python.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string_view>

namespace paraphrast {

// The string's own UTF-8, which lives as long as the string; nothing if it is no
// string or holds a lone surrogate.
inline std::optional<std::string_view> utf8(nanobind::handle text) {
  if (!PyUnicode_Check(text.ptr())) return std::nullopt;
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!data) {
    PyErr_Clear();
    return std::nullopt;
  }
  return std::string_view(data, static_cast<std::size_t>(size));
}

// ASCII spaces part words, and so does NUL, which other tools read as an end.
constexpr bool is_space(char letter) {
  return letter == ' ' || (letter >= '\t' && letter <= '\r') || letter == '\0';
}

template <typename Each>
void each_word(std::string_view line, Each each) {
  std::size_t i = 0;
  while (i < line.size()) {
    while (i < line.size() && is_space(line[i])) ++i;
    const std::size_t start = i;
    while (i < line.size() && !is_space(line[i])) ++i;
    if (i > start) each(line.substr(start, i - start));
  }
}

}  // namespace paraphrast
