// The Python module paraphrast._native: each file binds what it holds.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_native, module) {
  module.doc() = "The compiled part of paraphrast: models, extraction, decoding.";
}
