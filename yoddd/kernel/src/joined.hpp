// Which groups are one if some of them are joined (union-find with path halving).
#pragma once

#include "types.hpp"

namespace yoddd {

// Groups of one colour that are told apart; those beyond count as one more. Only the largest boards
// have so many.
constexpr int most_groups = 256;

class Joined {
public:
    void add(int group) { parent_[group] = static_cast<u8>(group); }

    // Whether the two were apart.
    bool join(int a, int b) {
        a = root(a);
        b = root(b);
        parent_[a] = static_cast<u8>(b);
        return a != b;
    }

    // The same group for all that are joined.
    u8 root(int group) {
        while (parent_[group] != group) group = parent_[group] = parent_[parent_[group]];
        return static_cast<u8>(group);
    }

private:
    u8 parent_[most_groups];
};

}  // namespace yoddd
