// Arrays across the border to Python: checked on the way in, given away on the way out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace paraphrast {

template <typename T>
using Array = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig,
                                nanobind::device::cpu>;
template <typename T>
using Matrix = nanobind::ndarray<const T, nanobind::ndim<2>, nanobind::c_contig,
                                 nanobind::device::cpu>;
template <typename T>
using Pairs = nanobind::ndarray<const T, nanobind::shape<-1, 2>, nanobind::c_contig,
                                nanobind::device::cpu>;

template <typename T, typename... Settings>
std::span<const T> view(const nanobind::ndarray<const T, Settings...>& array) {
  return {array.data(), array.size()};
}

// The array of this name, as the type says and aligned, or a ValueError.
template <typename A>
A named_array(const nanobind::dict& arrays, const char* name) {
  using T = std::remove_const_t<typename A::Scalar>;
  A array;
  if (!arrays.contains(name) || !nanobind::try_cast(arrays[name], array, false)) {
    throw nanobind::value_error(
        (std::string(name) + ": no such array, or one of another type or shape").c_str());
  }
  if (reinterpret_cast<std::uintptr_t>(array.data()) % alignof(T)) {
    throw nanobind::value_error((std::string(name) + ": not aligned").c_str());
  }
  return array;
}

// Give a vector to Python as an array of this shape, without copying.
template <typename T>
nanobind::object array_from(std::vector<T>&& values,
                            std::initializer_list<std::size_t> shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  // An empty vector may have no address, which an array must have.
  static T nothing{};
  T* const data = kept->empty() ? &nothing : kept->data();
  nanobind::capsule owner(kept.get(), [](void* pointer) noexcept {
    delete static_cast<std::vector<T>*>(pointer);
  });
  kept.release();
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(
      data, shape.size(), shape.begin(), owner));
}

template <typename T>
nanobind::object array_from(std::vector<T>&& values) {
  const std::size_t size = values.size();
  return array_from(std::move(values), {size});
}

[[noreturn]] inline void refuse(const char* what) { throw std::invalid_argument(what); }

template <typename T>
bool all_finite(std::span<const T> values) {
  return std::all_of(values.begin(), values.end(),
                     [](T value) { return std::isfinite(value); });
}

// Starts of consecutive ranges that fill 0 … total, or an error.
inline void check_starts(std::span<const std::int64_t> starts, std::size_t total,
                         const char* what = "starts do not fit their array") {
  if (starts.empty() || starts.front() != 0 ||
      !std::is_sorted(starts.begin(), starts.end()) ||
      static_cast<std::uint64_t>(starts.back()) != total) {
    refuse(what);
  }
}

}  // namespace paraphrast
