// Replicas: a thread's own copies of busy nodes' records.
//
// All threads pass through the nodes near the root, and each playout writes two words for every
// stone there. Threads that write to the same cache lines spend more time waiting for them than
// computing (true sharing, and false sharing between neighbouring words). So each thread works on
// replicas; every few visits it adds to the tree what is new in them and copies what others added.
#pragma once

#include <memory>
#include <vector>

#include "search_tree.hpp"

namespace yoddd::tree {

// A record with memory of its own.
struct OwnRecord {
    OwnRecord(std::size_t half_turns, std::size_t stones);

    std::vector<u32> words;
    std::vector<float> reals;
    std::vector<StoneSum> sums;
    Statistics statistics;
    Record record;
};

class Replica {
public:
    // Room for a record of so many half turns and stones.
    Replica(std::size_t half_turns, std::size_t stones);

    Record& record() { return now_.record; }
    // The half turns as they were in the tree at the last merge: the difference is what is new.
    Edges& merged() { return then_.record.edges; }
    // Count a visit of the node. Returns its record, merged with the tree's every few visits.
    Record& visit();
    // Count a visit of another node that belongs here. Returns whether it should take the place.
    bool gives_way() { return !node_ || ++idle_ >= patience; }
    // Become a copy of `node`.
    void become(Node& node);
    // Add to the tree what is new and stop being a copy.
    void leave();

private:
    static constexpr u32 patience = 16;

    void merge();

    std::size_t stones_;
    OwnRecord now_;
    OwnRecord then_;  // the tree's record at the last merge
    Node* node_ = nullptr;
    u32 since_ = 0;  // visits since then
    u32 idle_ = 0;   // visits of other nodes since the last one of `node_`
};

class Replicas {
public:
    Replicas(std::size_t stones, std::size_t places);
    // How many copies each thread of a search makes at most: a power of two.
    static std::size_t places(const SearchSettings& settings, std::size_t stones);
    // The bytes of a copy of a node with so many stones.
    static std::size_t size(std::size_t stones);

    // The record of a node that a visit comes to: of a busy one a copy.
    Record& visit(Node& node);
    // The copy of a node, or null.
    Replica* of(const Node& node);
    // A copy of the statistics of a record that is shared, valid until the next one is asked for.
    const Statistics& borrow(const Record& record, const Statistics& statistics);
    // Add everything to the tree and forget the copies.
    void share();

private:
    // The place for a copy of a node.
    std::size_t slot(const Node& node) const { return node.key & (nodes_.size() - 1); }

    std::size_t stones_;
    std::vector<std::unique_ptr<Replica>> replicas_;  // made when they are needed
    std::vector<const Node*> nodes_;                  // of which each is a copy
    OwnRecord borrowed_;
};

}  // namespace yoddd::tree
