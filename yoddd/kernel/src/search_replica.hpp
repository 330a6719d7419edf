// A thread's own copies of busy nodes' records.
//
// All threads go through the nodes near the root, and each playout writes two words for every stone
// there. Where threads write to the same words, what one has written the others have to fetch, and
// they wait for that more than they compute. So each works on copies of its own; every few visits
// it adds to the tree what it has learned and takes over what others have.
#pragma once

#include <deque>
#include <vector>

#include "search_tree.hpp"

namespace yoddd::tree {

class Replica {
public:
    // Room for a record of so many half turns and stones.
    Replica(std::size_t half_turns, std::size_t stones);

    bool is_of(const Node& node) const { return node_ == &node; }
    Record& record() { return now_.record; }
    // The node comes by once more: its record, brought up to date now and then.
    Record& visit();
    // Another node comes by in vain; whether it should have this place.
    bool gives_way() { return !node_ || ++idle_ >= patience; }
    // Be a copy of `node`.
    void become(Node& node);
    // Add to the tree what is new, and be nobody's copy.
    void leave();

private:
    static constexpr u32 patience = 16;

    // A record with memory of its own.
    struct Copy {
        Copy(std::size_t half_turns, std::size_t stones);

        std::vector<u32> words;
        std::vector<float> reals;
        Statistics statistics;
        Record record;
    };

    void merge();

    std::size_t stones_;
    Copy now_;
    Copy then_;  // as the record was when it was last the tree's
    Node* node_ = nullptr;
    u32 since_ = 0;  // visits since then
    u32 idle_ = 0;   // visits of others since its last one
};

class Replicas {
public:
    explicit Replicas(std::size_t stones);

    // The record of a node that a visit comes to: of a busy one a copy.
    Record& visit(Node& node);
    // The same again on the way back.
    Record& find(Node& node);
    // Add everything to the tree and forget the copies.
    void share();

private:
    Replica& place(const Node& node);

    std::deque<Replica> replicas_;
};

}  // namespace yoddd::tree
