// What tuning asks of n-best lists: exact line search, updates by hope and fear,
// and n-gram counts of many candidates at once.
#pragma once

#include <nanobind/nanobind.h>

namespace paraphrast {

void bind_line_search(nanobind::module_& module);

}  // namespace paraphrast
