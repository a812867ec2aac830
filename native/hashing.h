// What every hash table of numbers here shares.
#pragma once

#include <cstdint>

namespace paraphrast {

constexpr std::uint32_t kNone = 0xFFFFFFFF;  // no number

// A bijection of 64-bit numbers (the finaliser of MurmurHash3): equal hashes of whole
// keys are equal keys.
inline std::uint64_t mixed(std::uint64_t key) {
  key ^= key >> 33;
  key *= 0xFF51AFD7ED558CCDULL;
  key ^= key >> 33;
  key *= 0xC4CEB9FE1A85EC53ULL;
  key ^= key >> 33;
  return key;
}

}  // namespace paraphrast
