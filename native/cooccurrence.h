// In how many sentence pairs phrases occur, alone and together (Johnson et al. 2007).
#pragma once

#include <nanobind/nanobind.h>

namespace paraphrast {

void bind_cooccurrence(nanobind::module_& module);

}  // namespace paraphrast
