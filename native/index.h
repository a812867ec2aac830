// A hash index from keys that live elsewhere to their numbers, emptied in no time.
//
// The caller keeps the keys in an array of its own; the index holds only hashes and
// numbers. Clearing starts a new generation instead of writing over the slots, so one
// index serves sentence after sentence without touching memory it does not need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hashing.h"

namespace paraphrast {

class Index {
 public:
  Index() : slots_(64) {}

  void clear() {
    used_ = 0;
    if (++generation_ == 0) {
      slots_.assign(slots_.size(), Slot{});
      generation_ = 1;
    }
  }

  // Return the number stored for the key, or a place that holds kNone, into which the
  // caller must write a number before the next call. `same` tells whether a number's
  // key is the wanted one.
  template <class Same>
  std::uint32_t& at(std::uint64_t hash, Same&& same) {
    if (2 * used_ >= slots_.size()) grow();
    const std::size_t last = slots_.size() - 1;
    for (std::size_t i = hash & last;; i = (i + 1) & last) {
      Slot& slot = slots_[i];
      if (slot.generation != generation_) {
        slot = {hash, generation_, kNone};
        ++used_;
        return slot.number;
      }
      if (slot.hash == hash && same(slot.number)) return slot.number;
    }
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t generation = 0;
    std::uint32_t number = kNone;
  };

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    const std::size_t last = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.generation != generation_) continue;
      std::size_t i = slot.hash & last;
      while (slots_[i].generation == generation_) i = (i + 1) & last;
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two of them
  std::size_t used_ = 0;
  std::uint32_t generation_ = 1;
};

}  // namespace paraphrast
