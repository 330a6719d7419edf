#include "search_tree.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <queue>
#include <stdexcept>
#include <utility>

#include "features.hpp"
#include "pages.hpp"
#include "rng.hpp"

namespace yoddd::tree {
namespace {

constexpr std::size_t bytes_a_bucket = 1024;  // of memory; a node takes about that on average
constexpr std::size_t pieces = 512;           // into which several threads divide it, at least
constexpr std::size_t largest_piece = std::size_t{1} << 18;
constexpr std::size_t abreast = 4;  // half turns whose arrays are of whole vectors
// A `Place` reaches no further, nor may a block of a 32-bit system.
constexpr u64 largest_arena = std::min<u64>(u64{cache_line} << 32, PTRDIFF_MAX - 2 * cache_line);

std::size_t rounded(std::size_t size) { return (size + cache_line - 1) & ~(cache_line - 1); }

// An array where `at` points to, which moves behind it. Zeros are valid values of all that we keep
// in arrays.
template <class T>
T* carve(char*& at, std::size_t count) {
    auto* first = reinterpret_cast<T*>(at);
    at += count * sizeof(T);
    return first;
}

// The half turns of a turn as the tree stores them: in canonical order, with an explicit end.
std::vector<Move> canonical(const Board& board, std::vector<Move> moves) {
    if (moves.size() == 2 && moves[1].step == Step::stone && before(moves[1].stone, moves[0].stone))
        std::swap(moves[0], moves[1]);
    if (moves.size() == 1 && moves[0].step == Step::stone && board.two_stones())
        moves.push_back({Step::end, {}});
    return moves;
}

template <class T>
void copy_atomic(std::atomic<T>& to, const std::atomic<T>& from) {
    store(to, load(from));
}

void copy_tally(Node& to, const Node& from) {
    copy_atomic(to.record.tally.visits, from.record.tally.visits);
    copy_atomic(to.record.tally.black_wins, from.record.tally.black_wins);
    copy_atomic(to.record.tally.value, from.record.tally.value);
    copy_atomic(to.record.tally.margin, from.record.tally.margin);
    copy_atomic(to.record.tally.squares, from.record.tally.squares);
    copy_atomic(to.proven, from.proven);
}

// What is known of the half turns, but for where they lead to.
void copy_known(Node& to, const Node& from) {
    const u32 count = from.count;
    std::copy_n(from.record.edges.taken, count, to.record.edges.taken);
    std::copy_n(from.record.edges.visits, count, to.record.edges.visits);
    std::copy_n(from.record.edges.value, count, to.record.edges.value);
    for (u32 i = 0; i < count; ++i) copy_atomic(to.child_proven[i], from.child_proven[i]);
}

void copy_children(Node& to, const Node& from) {
    const u32 count = from.count;
    std::copy_n(load(from.ids), count, load(to.ids));
    if (from.policy) std::copy_n(from.policy, count, to.policy);
    copy_known(to, from);
    copy_atomic(to.has_proofs, from.has_proofs);
    to.count = count;
    to.stage = load(from.stage);
}

void copy_statistics(Statistics& to, const Statistics& from, std::size_t stones) {
    copy_atomic(to.playouts, from.playouts);
    std::copy_n(from.visits, stones, to.visits);
    std::copy_n(from.value, stones, to.value);
}

}  // namespace

void Statistics::keep_small(std::size_t stones) {
    const u32 n = load(playouts);
    if (n < large) return;
    store(playouts, n / 2);
    for (std::size_t id = 0; id < stones; ++id) {
        const u32 kept = visits[id] / 2;
        if (kept) value[id] *= static_cast<float>(kept) / static_cast<float>(visits[id]);
        visits[id] = kept;
    }
}

void Node::take_children(Node& more, u8 to) {
    const std::lock_guard held(record.lock);
    if (load(stage) == grown) return;
    copy_known(more, *this);
    for (u32 i = 0; i < count; ++i) copy_atomic(more.below[i], below[i]);
    ids = load(more.ids);
    below = load(more.below);
    child_proven = load(more.child_proven);
    policy = more.policy;
    record.edges = more.record.edges;
    count = load(more.count);
    stage = to;
}

bool Node::all_lost() const {
    const u32 known = count;
    const std::atomic<signed char>* const begin = child_proven;
    return known > 0 && std::all_of(begin, begin + known,
                                    [&](const auto& winner) { return load(winner) == 1 - player; });
}

int Node::verdict() const {
    const u32 known = count;
    const std::atomic<signed char>* const winners = child_proven;
    for (u32 i = 0; i < known; ++i)
        if (load(winners[i]) == player) return player;
    return stage == grown && all_lost() ? 1 - player : none;
}

int Node::best_child() const {
    if (!is_grown()) return -1;
    const std::lock_guard held(record.lock);
    int best = -1;
    u32 most = 0;
    const u32 children = count;
    for (u32 i = 0; i < children; ++i) {
        const int known = load(child_proven[i]);
        if (known == player) return static_cast<int>(i);
        // Visits decide among those not proven to lose; any of these beats a proven loss.
        const u32 visits = known == none ? load(record.edges.taken[i]) + 1 : 0;
        if (best < 0 || visits > most) {
            best = static_cast<int>(i);
            most = visits;
        }
    }
    return best;
}

// -- memory ------------------------------------------------------------------------------------

Arena::Arena(u64 bytes, int threads, std::size_t stones)
    : bytes_(std::min(bytes, largest_arena)),
      stones_(stones),
      piece_(threads > 1 ? std::min<std::size_t>(bytes_ / pieces, largest_piece) : 0),
      mask_(std::bit_floor(std::max<std::size_t>(bytes_ / bytes_a_bucket, 1)) - 1),
      // Zeros that the system hands out when they are first touched.
      block_(static_cast<char*>(std::calloc(bytes_ + cache_line, 1))),
      memory_(block_ + (cache_line - reinterpret_cast<std::uintptr_t>(block_) % cache_line)),
      chunks_(static_cast<std::size_t>(threads)),
      used_(rounded((mask_ + 1) * sizeof(Place))) {
    if (!block_) throw std::bad_alloc();
    ask_for_huge_pages(block_, bytes_);
}

Arena::~Arena() { std::free(block_); }

// Zeroed memory of whole cache lines; null when it is used up.
char* Arena::take(int thread, std::size_t size) {
    Chunk& chunk = chunks_[static_cast<std::size_t>(thread)];
    size = rounded(size);
    if (static_cast<std::size_t>(chunk.end - chunk.at) < size && !refill(chunk, size))
        return nullptr;
    return std::exchange(chunk.at, chunk.at + size);
}

bool Arena::refill(Chunk& chunk, std::size_t size) {
    const std::size_t wanted = std::max(size, rounded(piece_));
    const u64 at = used_.fetch_add(wanted, std::memory_order_relaxed);
    if (at + wanted > bytes_) return false;
    chunk.at = memory_ + at;
    chunk.end = chunk.at + wanted;
    return true;
}

bool Arena::make_children(int thread, Node& node, std::size_t count, bool with_policy) {
    Edges& edges = node.record.edges;
    constexpr std::size_t each = sizeof *node.below + sizeof *edges.taken + sizeof *edges.visits +
                                 sizeof *edges.value + sizeof *node.ids + sizeof *node.child_proven;
    const std::size_t padded = (count + abreast - 1) / abreast * abreast;
    char* at = take(thread, padded * (each + (with_policy ? sizeof *node.policy : 0)));
    if (!at) return false;
    if (with_policy) node.policy = carve<float>(at, padded);
    node.below = carve<std::atomic<Place>>(at, padded);
    edges.taken = carve<u32>(at, padded);
    edges.visits = carve<u32>(at, padded);
    edges.value = carve<float>(at, padded);
    node.ids = carve<u16>(at, padded);
    node.child_proven = carve<std::atomic<signed char>>(at, padded);
    for (std::size_t i = 0; i < count; ++i) store<signed char>(node.child_proven[i], none);
    return true;
}

Statistics* Arena::make_statistics(int thread) {
    char* at = take(thread, sizeof(Statistics) + stones_ * (sizeof(u32) + sizeof(float)));
    if (!at) return nullptr;
    auto* made = new (at) Statistics;
    at += sizeof(Statistics);
    made->visits = carve<u32>(at, stones_);
    made->value = carve<float>(at, stones_);
    return made;
}

Node* Arena::in_chain(Place place, u64 key) const {
    Node* node = at(place);
    while (node && node->key != key) node = at(node->chain);
    return node;
}

Node* Arena::find(u64 key) const {
    return in_chain(bucket(key).load(std::memory_order_acquire), key);
}

Node* Arena::node(int thread, u64 key, int player) {
    Place first = bucket(key).load(std::memory_order_acquire);
    if (Node* found = in_chain(first, key)) return found;
    char* at = take(thread, sizeof(Node));
    if (!at) return nullptr;
    auto* made = new (at) Node;
    made->key = key;
    made->player = static_cast<u8>(player);
    made->place = static_cast<Place>((at - memory_) / cache_line);
    do {
        // Another thread may have put in something, even this very position.
        if (Node* found = in_chain(first, key)) return found;
        made->chain = first;
    } while (!bucket(key).compare_exchange_weak(first, made->place, std::memory_order_acq_rel,
                                                std::memory_order_acquire));
    add(chunks_[static_cast<std::size_t>(thread)].nodes, u64{1});
    return made;
}

u64 Arena::nodes() const {
    u64 sum = 0;
    for (const Chunk& chunk : chunks_) sum += load(chunk.nodes);
    return sum;
}

// -- the tree ----------------------------------------------------------------------------------

Tree::Tree(const Board& board, const SearchSettings& settings)
    : board_(board), settings_(settings), value_share_(settings.value_share) {
    settings_.threads = std::max(1, settings_.threads);
    if (!settings_.weights.empty() && settings_.weights.size() != weights_of(board.geometry()))
        throw std::invalid_argument("weights for another board");
    if (!settings_.barred.empty() && settings_.barred.size() != 2 * (stones() + 2))
        throw std::invalid_argument("bars for another board");
    arena_ = make_arena();
    plant();
}

// Experiment 52 (docs/lab/experiments.md) has what wins most with how many visits.
void Tree::expect(u64 visits) {
    constexpr double yodd_fade = 60'000, other_fade = 15'000;
    const double own = board_.rules().game == Game::yodd ? yodd_fade : other_fade;
    const double fade = settings_.value_fade > 0 ? settings_.value_fade : own;
    value_share_ = settings_.value_share * fade / (fade + static_cast<double>(visits));
}

std::unique_ptr<Arena> Tree::make_arena() const {
    return std::make_unique<Arena>(settings_.memory, settings_.threads, stones());
}

// Begin at the board's position, whose node may exist already.
void Tree::plant() {
    root_ = arena_->node(0, board_.hash(), board_.player());
    if (!root_) throw std::bad_alloc();
}

// Freed by another thread: giving memory back takes the system milliseconds.
void Tree::replace(std::unique_ptr<Arena> fresh) {
    std::swap(arena_, fresh);
    wait();
    freeing_ = Thread([old = std::move(fresh)]() mutable { old.reset(); });
}

void Tree::wait() {
    if (freeing_.joinable()) freeing_.join();
}

Move Tree::move_of(u16 id) const {
    if (id == id_end) return {Step::end, {}};
    if (id == id_pass) return {Step::pass, {}};
    if (id == id_swap) return {Step::swap, {}};
    const Geometry& g = board_.geometry();
    const int colour = id >= g.cells;
    return {Step::stone, {g.index[id - colour * g.cells], static_cast<u16>(colour)}};
}

bool Tree::is_barred(const Board& board, const Move& move) const {
    if (settings_.barred.empty() || move.step == Step::end) return false;
    const Geometry& g = board.geometry();
    std::size_t index = stones() + (move.step == Step::swap);
    if (move.step == Step::stone)
        index = static_cast<std::size_t>(move.stone.colour * g.cells + g.cell[move.stone.at]);
    const auto mover = static_cast<std::size_t>(board.player());
    const u32 turns = board.state().number - board_.state().number;
    return turns < settings_.barred[mover * (stones() + 2) + index];
}

u64 Tree::key_of(const Board& board, const Node& above, u16 id) const {
    return settings_.transpositions ? board.hash() : split_mix(above.key + id);
}

Node* Tree::find(const std::vector<Move>& moves) const {
    Node* node = root_;
    for (const Move& move : moves) {
        if (!node || !node->is_grown()) return nullptr;
        const u32 count = node->count;
        const u16* begin = node->ids;
        const u16* end = begin + count;
        const u16* found = std::find_if(begin, end, [&](u16 id) { return move_of(id) == move; });
        node = found == end ? nullptr : arena_->below(*node, static_cast<u32>(found - begin));
    }
    return node;
}

void Tree::advance(const std::vector<Move>& moves) {
    const std::vector<Move> ordered = canonical(board_, moves);
    Node* kept = find(ordered);
    for (const Move& move : ordered) board_.play(move);
    const bool low = arena_->is_half_used();
    if (kept) {
        root_ = low ? collect(*kept) : kept;
    } else {
        if (low) replace(make_arena());
        plant();
    }
}

// C. J. Cheney's algorithm (Comm. ACM 13, 1970), but by the number of visits instead of level by
// level, so that what is left out for want of room was visited least. The table of the new block
// tells what was copied already.
Node* Tree::collect(const Node& kept) {
    struct Copied {
        u32 visits;
        std::size_t number;  // the earlier one first among equals
        const Node* old;
        Node* twin;

        bool operator<(const Copied& other) const {
            return visits != other.visits ? visits < other.visits : number > other.number;
        }
    };
    std::unique_ptr<Arena> fresh = make_arena();
    std::priority_queue<Copied> copied;
    std::size_t count = 0;
    const auto twin_of = [&](const Node& old) {
        if (Node* known = fresh->find(old.key)) return known;
        Node* twin = fresh->node(0, old.key, old.player);
        if (!twin) return twin;
        copy_tally(*twin, old);
        copied.push({load(old.record.tally.visits), count++, &old, twin});
        return twin;
    };
    Node* root = twin_of(kept);
    if (!root) throw std::bad_alloc();
    while (!copied.empty() && !fresh->is_half_used()) {
        const auto [visits, number, old, twin] = copied.top();
        copied.pop();
        if (!old->is_grown() || !fresh->make_children(0, *twin, old->count, old->policy)) continue;
        copy_children(*twin, *old);
        if (const Statistics* known = load(old->record.statistics))
            if (Statistics* made = fresh->make_statistics(0)) {
                copy_statistics(*made, *known, stones());
                twin->record.statistics = made;
            }
        for (u32 child = 0; child < old->count; ++child)
            if (const Node* next = arena_->below(*old, child))
                if (const Node* second = twin_of(*next)) twin->below[child] = second->place;
    }
    replace(std::move(fresh));
    return root;
}

}  // namespace yoddd::tree
