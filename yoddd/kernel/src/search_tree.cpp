#include "search_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <queue>
#include <stdexcept>
#include <utility>

#include "features.hpp"
#include "layers.hpp"
#include "pages.hpp"
#include "rng.hpp"
#include "search_replica.hpp"

namespace yoddd::tree {
namespace {

constexpr std::size_t bytes_a_bucket = 1024;  // of memory; a node takes about that on average
constexpr std::size_t pieces = 512;           // into which several threads divide it, at least
constexpr std::size_t largest_piece = std::size_t{1} << 18;
// Bytes that stay at most where room is made, so that it takes some 0.15 s, in which no search ends.
constexpr u64 most_kept = u64{128} << 20;
// A sweep of so many empty cells takes about as long as one visit, and twice as long with each more.
constexpr int cells_of_a_visit = 3;
// A `Place` reaches no further, nor may a block of a 32-bit system.
constexpr u64 largest_arena = std::min<u64>(u64{cache_line} << 32, PTRDIFF_MAX - 2 * cache_line);

std::size_t rounded(std::size_t size) { return (size + cache_line - 1) & ~(cache_line - 1); }

Place lines(std::size_t size) { return static_cast<Place>(rounded(size) / cache_line); }

// An array where `at` points to, which moves behind it. Zeros are valid values of all that we keep
// in arrays.
template <class T>
T* carve(char*& at, std::size_t count) {
    auto* first = reinterpret_cast<T*>(at);
    at += count * sizeof(T);
    return first;
}

// The bytes of the arrays of so many half turns, with so many floats of each.
std::size_t size_of_children(std::size_t count, std::size_t floats) {
    constexpr std::size_t each =
        sizeof(Place) + 2 * sizeof(u32) + sizeof(float) + sizeof(u16) + sizeof(signed char);
    return whole_rows(count) * (each + floats * sizeof(float));
}

SearchSettings with_a_thread(SearchSettings settings) {
    settings.threads = std::max(1, settings.threads);
    return settings;
}

// The bytes of the copies that the threads of a search make.
u64 size_of_copies(const SearchSettings& settings, std::size_t stones) {
    if (settings.threads == 1) return 0;
    return static_cast<u64>(settings.threads) * Replicas::places(settings, stones) *
           Replicas::size(stones);
}

// The half turns of a turn as the tree stores them: in canonical order, with an explicit end.
std::vector<Move> canonical(const Board& board, std::vector<Move> moves) {
    if (moves.size() == 2 && moves[1].step == Step::stone && before(moves[1].stone, moves[0].stone))
        std::swap(moves[0], moves[1]);
    if (moves.size() == 1 && moves[0].step == Step::stone && board.by_halves())
        moves.push_back({Step::end, {}});
    return moves;
}

// A pointer into memory that is about to be moved by so many bytes.
template <class T>
T* shifted(T* pointer, std::ptrdiff_t bytes) {
    return reinterpret_cast<T*>(reinterpret_cast<std::intptr_t>(pointer) + bytes);
}

}  // namespace

void Statistics::keep_small(std::size_t stones) {
    const u32 n = load(playouts);
    if (n < large) return;
    store(playouts, n / 2);
    for (std::size_t id = 0; id < stones; ++id) {
        const float kept = std::floor(sums[id].playouts / 2);
        if (kept > 0) sums[id].value *= kept / sums[id].playouts;
        sums[id].playouts = kept;
    }
}

void Node::take_children(Node& more, u8 to) {
    const std::lock_guard held(record.lock);
    if (load(stage) == grown) return;
    const u32 known = count;
    std::copy_n(record.edges.taken, known, more.record.edges.taken);
    std::copy_n(record.edges.visits, known, more.record.edges.visits);
    std::copy_n(record.edges.value, known, more.record.edges.value);
    for (u32 i = 0; i < known; ++i) {
        store(more.child_proven[i], load(child_proven[i]));
        store(more.below[i], load(below[i]));
    }
    ids = load(more.ids);
    below = load(more.below);
    child_proven = load(more.child_proven);
    policy = load(more.policy);
    likeliest = load(more.likeliest);
    values = load(more.values);
    record.edges = more.record.edges;
    considered = 0;
    count = load(more.count);
    stage = to;
}

void Node::drop_children() {
    ids = nullptr;
    below = nullptr;
    child_proven = nullptr;
    count = 0;
    considered = 0;
    stage = leaf;
    has_proofs = false;
    policy = nullptr;
    values = nullptr;
    record.statistics = nullptr;
    record.edges = {};
}

void Node::shift_children(std::ptrdiff_t bytes) {
    ids = shifted(load(ids), bytes);
    below = shifted(load(below), bytes);
    child_proven = shifted(load(child_proven), bytes);
    if (load(policy)) policy = shifted(load(policy), bytes);
    if (load(values)) values = shifted(load(values), bytes);
    Edges& edges = record.edges;
    edges = {shifted(edges.taken, bytes), shifted(edges.visits, bytes),
             shifted(edges.value, bytes)};
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

Arena::Arena(u64 bytes, u64 kept, int threads, std::size_t stones)
    : bytes_(std::min(bytes, largest_arena)),
      kept_(std::min(kept, bytes_)),
      stones_(stones),
      piece_(threads > 1 ? std::min<std::size_t>(bytes_ / pieces, largest_piece) : 0),
      mask_(std::bit_floor(std::max<std::size_t>(bytes_ / bytes_a_bucket, 1)) - 1),
      // Zeros that the system hands out when they are first touched.
      block_(static_cast<char*>(std::calloc(bytes_ + cache_line, 1))),
      memory_(block_ + (cache_line - reinterpret_cast<std::uintptr_t>(block_) % cache_line)),
      chunks_(static_cast<std::size_t>(threads)),
      used_(size_of_table()) {
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
    if (at < touched_) std::memset(chunk.at, 0, std::min<u64>(wanted, touched_ - at));
    return true;
}

std::size_t Arena::size_of_table() const { return rounded((mask_ + 1) * sizeof(Place)); }

std::size_t Arena::size_of_statistics() const {
    return sizeof(Statistics) + (stones_ + 1) * sizeof(StoneSum);
}

bool Arena::make_children(int thread, Node& node, std::size_t count, std::size_t floats) {
    Edges& edges = node.record.edges;
    char* at = take(thread, size_of_children(count, floats));
    if (!at) return false;
    const std::size_t room = whole_rows(count);
    if (floats > 0) node.policy = carve<float>(at, room);
    if (floats > 1) node.values = carve<float>(at, room);
    node.below = carve<std::atomic<Place>>(at, room);
    edges.taken = carve<u32>(at, room);
    edges.visits = carve<u32>(at, room);
    edges.value = carve<float>(at, room);
    node.ids = carve<u16>(at, room);
    node.child_proven = carve<std::atomic<signed char>>(at, room);
    for (std::size_t i = 0; i < count; ++i) store<signed char>(node.child_proven[i], none);
    return true;
}

Statistics* Arena::make_statistics(int thread) {
    char* at = take(thread, size_of_statistics());
    if (!at) return nullptr;
    auto* made = new (at) Statistics;
    at += sizeof(Statistics);
    made->sums = carve<StoneSum>(at, stones_ + 1);
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

// From now on `size` bytes with so many nodes are in use, and no thread has memory in reserve.
void Arena::restart(u64 size, u64 nodes) {
    touched_ = std::max(touched_, std::min(load(used_), bytes_));
    store(used_, size);
    for (Chunk& chunk : chunks_) {
        chunk.at = chunk.end = nullptr;
        store(chunk.nodes, std::exchange(nodes, 0));
    }
}

void Arena::clear() {
    std::memset(memory_, 0, size_of_table());
    restart(size_of_table(), 0);
}

// A sliding compaction: what stays is marked, by the number of visits, gets its new place, and is
// moved in the order in which it lies. A marked node's `place` is 0 at first, then its new one.
Node* Arena::compact(Node& root) {
    struct Piece {
        Place from;
        Place lines;  // of the cache, that it takes
        Place owner;  // the node whose children or statistics it is; the same as `from` for a node
    };
    std::vector<Piece> pieces;
    u64 size = size_of_table();
    const auto keep = [&](const void* begin, std::size_t bytes, Place owner) {
        const auto from = (static_cast<const char*>(begin) - memory_) / cache_line;
        pieces.push_back({static_cast<Place>(from), lines(bytes), owner});
        size += rounded(bytes);
    };
    // The most visits first; among equals the node that lies first.
    std::priority_queue<std::pair<u32, Place>> reached;
    u64 nodes = 0;
    const auto mark = [&](Node& node) {
        const Place from = std::exchange(node.place, 0);
        if (!from) return;
        keep(&node, sizeof node, from);
        reached.emplace(load(node.record.tally.visits), ~from);
        ++nodes;
    };
    const u64 key = root.key;
    mark(root);
    while (!reached.empty()) {
        const Place from = ~reached.top().second;
        Node& node = *at(from);
        reached.pop();
        if (!node.is_grown() || size > kept_) {
            node.drop_children();
            continue;
        }
        const float* const policy = node.policy;
        const void* arrays = policy ? static_cast<const void*>(policy) : load(node.below);
        const std::size_t floats = (policy != nullptr) + (load(node.values) != nullptr);
        keep(arrays, size_of_children(node.count, floats), from);
        if (const Statistics* known = load(node.record.statistics))
            keep(known, size_of_statistics(), from);
        for (u32 child = 0; child < node.count; ++child)
            if (Node* next = below(node, child)) mark(*next);
    }

    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& one, const Piece& other) { return one.from < other.from; });
    const Place first = lines(size_of_table());
    Place to = first;
    for (const Piece& piece : pieces) {
        if (piece.owner == piece.from) at(piece.from)->place = to;
        to += piece.lines;
    }
    to = first;
    for (const Piece& piece : pieces) {
        const auto bytes =
            (static_cast<std::ptrdiff_t>(to) - static_cast<std::ptrdiff_t>(piece.from)) *
            cache_line;
        to += piece.lines;
        if (piece.owner == piece.from) continue;
        Node& owner = *at(piece.owner);
        Statistics* const statistics = load(owner.record.statistics);
        if (static_cast<void*>(statistics) == at(piece.from)) {
            statistics->sums = shifted(statistics->sums, bytes);
            owner.record.statistics = shifted(statistics, bytes);
            continue;
        }
        for (u32 child = 0; child < owner.count; ++child)
            if (const Node* next = below(owner, child)) store(owner.below[child], next->place);
        owner.shift_children(bytes);
    }
    std::memset(memory_, 0, size_of_table());
    to = first;
    for (const Piece& piece : pieces) {
        std::memmove(memory_ + std::size_t{to} * cache_line,
                     memory_ + std::size_t{piece.from} * cache_line,
                     std::size_t{piece.lines} * cache_line);
        if (piece.owner == piece.from) {
            Node& node = *at(to);
            node.chain = load(bucket(node.key));
            store(bucket(node.key), to);
        }
        to += piece.lines;
    }
    restart(std::size_t{to} * cache_line, nodes);
    return find(key);
}

u64 Arena::nodes() const {
    u64 sum = 0;
    for (const Chunk& chunk : chunks_) sum += load(chunk.nodes);
    return sum;
}

// -- the tree ----------------------------------------------------------------------------------

Tree::Tree(const Board& board, const SearchSettings& settings)
    : board_(board),
      settings_(with_a_thread(settings)),
      value_share_(settings.value_share),
      arena_(settings.memory - size_of_copies(settings_, stones()),
             std::min(settings.memory / 2, most_kept), settings_.threads, stones()) {
    if (!settings_.weights.empty() && !Learned::fits(settings_.weights.size(), board.geometry()))
        throw std::invalid_argument("weights for another board");
    if (!settings_.barred.empty() && settings_.barred.size() != 2 * (stones() + 2))
        throw std::invalid_argument("bars for another board");
    plant();
}

// Experiment 52 (docs/lab/experiments.md) has what wins most with how many visits.
void Tree::expect(u64 visits) {
    constexpr double yodd_fade = 60'000, other_fade = 15'000;
    const bool is_like_yodd = board_.rules().has_pass() && board_.geometry().shape == Shape::hex;
    const double own = is_like_yodd ? yodd_fade : other_fade;
    const double fade = settings_.value_fade > 0 ? settings_.value_fade : own;
    value_share_ = settings_.value_share * fade / (fade + static_cast<double>(visits));
}

// Begin at the board's position, whose node may exist already.
void Tree::plant() {
    root_ = arena_.node(0, board_.hash(), board_.player());
    if (!root_) throw std::bad_alloc();
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

int Tree::sweep(const Board& board, Node& node, u32 visits) const {
    const int empty = board.state().empty;
    if (settings_.swept_cells == 0 || empty > settings_.swept_cells) return none;
    // Of the root the turn is asked for, which the winner alone does not tell.
    if (board.is_pending() || &node == root_) return none;
    if (load(root_->record.tally.visits) < least_proving) return none;
    if (visits >> std::max(0, empty - cells_of_a_visit) == 0) return none;
    const Rules& rules = board.rules();
    // Bars, and a swap to come, are no part of a sweep.
    const bool may_swap = rules.pie && board.state().number <= 2;
    if (may_swap || !settings_.barred.empty() || !Layers::can_sweep(rules)) return none;
    Layers layers(board, {});
    layers.run({});
    const int winner = layers.wins() ? board.player() : 1 - board.player();
    node.proven.store(static_cast<signed char>(winner));
    return winner;
}

Node* Tree::find(const std::vector<Move>& moves) const {
    Node* node = root_;
    for (const Move& move : moves) {
        if (!node || !node->is_grown()) return nullptr;
        const u32 count = node->count;
        const u16* begin = node->ids;
        const u16* end = begin + count;
        const u16* found = std::find_if(begin, end, [&](u16 id) { return move_of(id) == move; });
        node = found == end ? nullptr : arena_.below(*node, static_cast<u32>(found - begin));
    }
    return node;
}

void Tree::advance(const std::vector<Move>& moves) {
    const std::vector<Move> ordered = canonical(board_, moves);
    Node* kept = find(ordered);
    for (const Move& move : ordered) board_.play(move);
    const bool low = arena_.is_half_used();
    if (kept) {
        root_ = low ? arena_.compact(*kept) : kept;
        // A sweep has told who wins here, but not by which turn.
        root_->proven = static_cast<signed char>(root_->verdict());
    } else {
        if (low) arena_.clear();
        plant();
    }
}

}  // namespace yoddd::tree
