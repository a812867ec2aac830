// Runs of numbers, each kept once and known by the order in which it came.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "hashing.h"

namespace paraphrast {

// Open addressing over numbers 0, 1, 2, …; whoever owns the things compares them.
// Hashes are kept, so that growing never looks at the things again.
class NumberTable {
 public:
  // Return the number with this hash for which same(number) holds, or kNone.
  template <typename Same>
  std::uint32_t find(std::uint32_t hash, Same&& same) const {
    if (slots_.empty()) return kNone;
    for (std::size_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      const Slot& entry = slots_[slot];
      if (entry.number == kNone) return kNone;
      if (entry.hash == hash && same(entry.number)) return entry.number;
    }
  }

  // Add the next number; the caller knows that its thing is new.
  std::uint32_t add(std::uint32_t hash) {
    if (count_ >= kNone - 1) throw std::overflow_error("too many phrases to number");
    if (2 * (count_ + 1) > slots_.size()) grow();
    const std::uint32_t number = static_cast<std::uint32_t>(count_++);
    place({number, hash});
    return number;
  }

 private:
  struct Slot {
    std::uint32_t number = kNone;
    std::uint32_t hash = 0;
  };

  void place(Slot entry) {
    std::size_t slot = entry.hash & mask_;
    while (slots_[slot].number != kNone) slot = (slot + 1) & mask_;
    slots_[slot] = entry;
  }

  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(1024, 2 * slots_.size()));
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& entry : old) {
      if (entry.number != kNone) place(entry);
    }
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::size_t count_ = 0;
};

// Runs of numbers of one type: words of a phrase, or the places of its links.
template <typename Number>
class Pool {
 public:
  using Run = std::span<const Number>;

  std::uint32_t find(Run run) const {
    return table_.find(hashed(run), [&](std::uint32_t n) { return same(n, run); });
  }

  std::uint32_t intern(Run run) {
    const std::uint32_t hash = hashed(run);
    const std::uint32_t known =
        table_.find(hash, [&](std::uint32_t n) { return same(n, run); });
    if (known != kNone) return known;
    const std::uint32_t number = table_.add(hash);
    numbers_.insert(numbers_.end(), run.begin(), run.end());
    starts_.push_back(numbers_.size());
    return number;
  }

  Run operator[](std::uint32_t number) const {
    return Run(numbers_).subspan(starts_[number],
                                 starts_[number + 1] - starts_[number]);
  }

  std::size_t size() const { return starts_.size() - 1; }
  std::size_t numbers() const { return numbers_.size(); }

  // Return the runs' numbers in the order of what they hold.
  std::vector<std::uint32_t> sorted() const {
    // The first two numbers decide nearly always, and lie where sorting looks.
    struct Entry {
      std::uint64_t beginning;
      std::uint32_t number;
    };
    std::vector<Entry> entries(size());
    for (std::uint32_t n = 0; n < entries.size(); ++n) {
      const Run run = (*this)[n];
      const std::uint64_t first = run.size() > 0 ? run[0] : 0;
      const std::uint64_t second = run.size() > 1 ? run[1] : 0;
      entries[n] = {(first << 32) | second, n};
    }
    std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
      if (a.beginning != b.beginning) return a.beginning < b.beginning;
      const Run one = (*this)[a.number], two = (*this)[b.number];
      return std::lexicographical_compare(one.begin(), one.end(), two.begin(),
                                          two.end());
    });
    std::vector<std::uint32_t> order(entries.size());
    std::transform(entries.begin(), entries.end(), order.begin(),
                   [](const Entry& entry) { return entry.number; });
    return order;
  }

 private:
  static std::uint32_t hashed(Run run) {
    std::uint64_t hash = run.size();
    for (const Number number : run) hash = mixed(hash ^ number) + 0x9e3779b97f4a7c15ULL;
    return static_cast<std::uint32_t>(hash >> 32);
  }

  bool same(std::uint32_t number, Run run) const {
    const Run known = (*this)[number];
    return std::equal(known.begin(), known.end(), run.begin(), run.end());
  }

  NumberTable table_;
  std::vector<Number> numbers_;
  std::vector<std::size_t> starts_ = {0};
};

}  // namespace paraphrast
