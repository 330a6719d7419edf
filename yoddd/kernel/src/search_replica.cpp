#include "search_replica.hpp"

#include <algorithm>
#include <bit>

#include "portable.hpp"

namespace yoddd::tree {
namespace {

constexpr u32 busy = 128;         // visits from which on a node is copied
constexpr u32 part = 32;          // a copy is merged after this part of its visits ...
constexpr u32 longest = 64;       // ... and after so many at most
constexpr u64 most_places = 256;  // for copies; a node's key selects its place
constexpr u64 copies_part = 16;   // the part of the memory that all copies may take

// Add what has changed since `then` to `shared`, and make all three equal. So nothing is added when
// a place is given to another node: its two copies are equal after the last merge.
template <class T>
void merge_one(std::atomic<T>& shared, std::atomic<T>& now, std::atomic<T>& then) {
    const T sum = load(shared) + (load(now) - load(then));
    for (std::atomic<T>* one : {&shared, &now, &then}) store(*one, sum);
}

// The same for arrays.
template <class T>
void merge_all(T* shared, T* now, T* then, std::size_t count) {
    YODDD_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i)
        shared[i] = now[i] = then[i] = shared[i] + (now[i] - then[i]);
}

void merge_tallies(Tally& shared, Tally& now, Tally& then) {
    merge_one(shared.visits, now.visits, then.visits);
    merge_one(shared.black_wins, now.black_wins, then.black_wins);
    merge_one(shared.value, now.value, then.value);
    merge_one(shared.margin, now.margin, then.margin);
    merge_one(shared.squares, now.squares, then.squares);
}

void merge_edges(Edges& shared, Edges& now, Edges& then, std::size_t count) {
    merge_all(shared.taken, now.taken, then.taken, count);
    merge_all(shared.visits, now.visits, then.visits, count);
    merge_all(shared.value, now.value, then.value, count);
}

void merge_statistics(Statistics& shared, Statistics& now, Statistics& then, std::size_t stones) {
    merge_one(shared.playouts, now.playouts, then.playouts);
    merge_all(shared.sums, now.sums, then.sums, stones);
}

// The length of the arrays of all half turns of a node.
std::size_t room(std::size_t stones) { return whole_rows(stones + others); }

}  // namespace

OwnRecord::OwnRecord(std::size_t half_turns, std::size_t stones)
    : words(2 * half_turns), reals(half_turns), sums(stones + 1) {
    record.edges = {words.data(), words.data() + half_turns, reals.data()};
    statistics.sums = sums.data();
}

Replica::Replica(std::size_t half_turns, std::size_t stones)
    : stones_(stones), now_(half_turns, stones), then_(half_turns, stones) {}

Record& Replica::visit() {
    idle_ = 0;
    const u32 visits = load(now_.record.tally.visits);
    if (++since_ >= std::min(visits / part, longest)) {
        // If another thread holds the lock, the next visit tries again.
        if (const std::unique_lock held(node_->record.lock, std::try_to_lock); held) {
            if (Statistics* statistics = node_->record.statistics.load(std::memory_order_acquire))
                statistics->keep_small(stones_);
            merge();
        }
    }
    return now_.record;
}

void Replica::become(Node& node) {
    leave();
    node_ = &node;
    idle_ = 0;
    const std::lock_guard held(node_->record.lock);
    merge();
}

void Replica::leave() {
    if (!node_) return;
    const std::lock_guard held(node_->record.lock);
    merge();
    node_ = nullptr;
}

// The caller holds the lock of the tree's record.
void Replica::merge() {
    Record& shared = node_->record;
    merge_tallies(shared.tally, now_.record.tally, then_.record.tally);
    merge_edges(shared.edges, now_.record.edges, then_.record.edges, node_->count);
    Statistics* statistics = shared.statistics.load(std::memory_order_acquire);
    if (statistics) merge_statistics(*statistics, now_.statistics, then_.statistics, stones_);
    now_.record.statistics = statistics ? &now_.statistics : nullptr;
    since_ = 0;
}

Replicas::Replicas(std::size_t stones, std::size_t places)
    : stones_(stones), replicas_(places), nodes_(places), borrowed_(0, stones) {}

std::size_t Replicas::places(const SearchSettings& settings, std::size_t stones) {
    const auto threads = static_cast<u64>(settings.threads);
    const u64 room = settings.memory / (copies_part * threads * size(stones));
    return std::bit_floor(std::clamp<u64>(room, 1, most_places));
}

std::size_t Replicas::size(std::size_t stones) {
    return sizeof(Replica) +
           2 * (room(stones) * (2 * sizeof(u32) + sizeof(float)) + (stones + 1) * sizeof(StoneSum));
}

Record& Replicas::visit(Node& node) {
    if (Replica* own = of(node)) return own->visit();
    if (load(node.record.tally.visits) < busy || node.stage != Node::grown) return node.record;
    std::unique_ptr<Replica>& replica = replicas_[slot(node)];
    if (!replica) replica = std::make_unique<Replica>(room(stones_), stones_);
    if (!replica->gives_way()) return node.record;
    replica->become(node);
    nodes_[slot(node)] = &node;
    return replica->record();
}

Replica* Replicas::of(const Node& node) {
    const std::size_t at = slot(node);
    return nodes_[at] == &node ? replicas_[at].get() : nullptr;
}

const Statistics& Replicas::borrow(const Record& record, const Statistics& statistics) {
    Statistics& copy = borrowed_.statistics;
    const std::lock_guard held(record.lock);
    std::copy_n(statistics.sums, stones_, copy.sums);
    return copy;
}

void Replicas::share() {
    for (const auto& replica : replicas_)
        if (replica) replica->leave();
    std::fill(nodes_.begin(), nodes_.end(), nullptr);
}

}  // namespace yoddd::tree
