// Between vectors here and arrays there, without copying.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace paraphrast {

// Give a vector away as a numpy array that keeps it alive.
template <typename Number>
nanobind::object owned(std::vector<Number>&& numbers,
                       std::initializer_list<std::size_t> shape = {}) {
  auto kept = std::make_unique<std::vector<Number>>(std::move(numbers));
  Number* data = kept->data();
  const std::size_t length = kept->size();
  nanobind::capsule owner(kept.get(), [](void* vector) noexcept {
    delete static_cast<std::vector<Number>*>(vector);
  });
  kept.release();
  using Array = nanobind::ndarray<nanobind::numpy, Number>;
  const Array array = shape.size() ? Array(data, shape, owner)
                                   : Array(data, {length}, owner);
  return nanobind::cast(array);
}

// Look at a one-dimensional array that someone else keeps alive.
template <typename Number, typename... Rest>
std::span<const Number> viewed(const nanobind::ndarray<const Number, Rest...>& array) {
  return {array.data(), array.shape(0)};
}

}  // namespace paraphrast
