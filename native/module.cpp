// The Python module paraphrast._native: each file binds what it holds.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace paraphrast {
void bind_arpa(nb::module_& module);
void bind_cooccurrence(nb::module_& module);
void bind_extraction(nb::module_& module);
void bind_kneser_ney(nb::module_& module);
void bind_decoder(nb::module_& module);
void bind_language_model(nb::module_& module);
void bind_line_search(nb::module_& module);
void bind_ngram_counts(nb::module_& module);
}  // namespace paraphrast

NB_MODULE(_native, module) {
  module.doc() = "The compiled part of paraphrast: models, extraction, decoding.";
  paraphrast::bind_arpa(module);
  paraphrast::bind_cooccurrence(module);
  paraphrast::bind_extraction(module);
  paraphrast::bind_kneser_ney(module);
  paraphrast::bind_decoder(module);
  paraphrast::bind_language_model(module);
  paraphrast::bind_line_search(module);
  paraphrast::bind_ngram_counts(module);
}
