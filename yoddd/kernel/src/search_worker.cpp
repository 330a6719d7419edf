#include "search_worker.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "features.hpp"
#include "legality.hpp"

namespace yoddd::tree {
namespace {

constexpr float at_once = 1e6F;     // the value of what has to be looked at before all else
constexpr double margin_scale = 6;  // groups; a lead of so many is worth most of a margin's share
constexpr int usual_margins = 128;  // whose values are computed once; the rest is worth all of it
// What is left of the learned value's part where a leaf has so many playouts that their mean says
// nearly all (docs/lab/experiments.md, 70).
constexpr double value_beside_many = 1.0 / 16;
constexpr u32 young_part = 4;  // a node that has this part of the playouts that lending takes
                               // begins to keep statistics
// After how many doublings of its visits a node gets the children that are not considered before, for
// the first time, and after how many more each next time.
constexpr int first_part = 6;
constexpr int next_part = 3;
constexpr int whole = 64;

double chance(double logit) { return 1 / (1 + std::exp(-logit)); }

}  // namespace

Worker::Worker(const Tree& tree, int thread, u64 seed)
    : tree_(tree),
      settings_(tree.settings()),
      thread_(thread),
      rng_(Pcg32::stream(seed, 0)),
      board_(tree.board()),
      has_policy_(Learned(settings_.weights, board_.geometry()).has_policy()) {
    if (settings_.threads > 1)
        replicas_.emplace(tree.stones(), Replicas::places(settings_, tree.stones()));
    if (const Rules& rules = board_.rules(); !rules.has_pass()) {
        fillings_.emplace(board_.geometry());
        const bool alternates = rules.own && rules.most == 1;
        if (settings_.bridges && alternates && rules.has_fewest_groups()) fillings_->keep_bridges();
    }
    for (int margin = 0; margin < usual_margins; ++margin)
        leads_.push_back(0.5 * std::tanh(margin / margin_scale));
    if (has_policy_) value_of_.resize(tree.stones());
    nothing_.resize(tree.stones() + 1);
    if (settings_.rave) {
        more_.resize(tree.stones());
        one_.resize(tree.stones());
    }
}

bool Worker::simulate() {
    board_ = tree_.board();
    path_.clear();
    const int winner = descend();
    if (winner == none) return roll_out();
    const double won = winner == black;
    back_up({won, won, 2 * won - 1, 1}, 0);
    prove();
    return false;
}

void Worker::share() {
    if (replicas_) replicas_->share();
}

// -- down --------------------------------------------------------------------------------------

// Walk from the root to a leaf. Returns the winner where the end is known, or none.
int Worker::descend() {
    Node* node = &tree_.root();
    const Statistics* lent = nullptr;
    for (;;) {
        Record& record = replicas_ ? replicas_->visit(*node) : node->record;
        if (const Statistics* own = statistics_of(*node, record))
            if (!lent || load(own->playouts) >= settings_.rave_playouts)
                lent = is_shared(*node, record) ? &replicas_->borrow(record, *own) : own;
        const int solved = tree_.sweep(board_, *node, load(record.tally.visits));
        if (solved != none) return solved;
        if (!is_grown(*node) || node->count == 0) return none;
        const u32 child = follow(*node, record, lent);
        board_.play(tree_.move_of(node->ids[child]));
        if (const int known = load(node->child_proven[child]); known != none) return seen(known);
        if (board_.is_over()) {
            const int winner = board_.score().winner;
            note(*node, child, winner);
            return winner;
        }
        node = below(*node, child);
        if (!node) return none;
        if (const int known = load(node->proven); known != none) return known;
    }
}

// Choose a child. Until the visit's result is known it counts as a loss (virtual loss), which keeps
// other threads away.
u32 Worker::follow(Node& node, Record& record, const Statistics* lent) {
    const auto held = hold(node, record);
    const u32 child = select(node, record, lent);
    add(record.edges.taken[child], u32{1});
    add(record.edges.visits[child], u32{1});
    path_.push_back({&node, child});
    return child;
}

// The statistics of a node that has earned some: most nodes are visited a few times only, and
// theirs would never be lent.
const Statistics* Worker::statistics_of(Node& node, Record& record) {
    Statistics* found = record.statistics.load(std::memory_order_acquire);
    const bool earned =
        load(record.tally.visits) >= settings_.rave_playouts / young_part || &node == &tree_.root();
    if (found || !earned || !settings_.rave) return found;
    if (Statistics* made = tree_.arena().make_statistics(thread_))
        node.record.statistics.compare_exchange_strong(found, made, std::memory_order_acq_rel);
    // A replica gets its copy when it is merged next.
    return record.statistics.load(std::memory_order_acquire);
}

// The node below a child, sought or made at its first visit; null if memory is used up.
Node* Worker::below(Node& node, u32 child) {
    if (Node* found = tree_.arena().below(node, child)) return found;
    const u64 key = tree_.key_of(board_, node, node.ids[child]);
    Node* made = tree_.arena().node(thread_, key, board_.player());
    // Another thread at this place finds the same one.
    if (made && node.policy && load(made->learned) < 0)
        store(made->learned, value_after(node, child));
    if (made) node.below[child].store(made->place, std::memory_order_release);
    return made;
}

// The learned value after a child that has just been played; the policy was made from it, or has one of
// its own beside it.
double Worker::value_after(const Node& node, u32 child) const {
    if (const float* const values = node.values) return chance(values[child]);
    const u16 id = node.ids[child];
    const double sharp =
        Successors::sharpness(board_.geometry(), board_.state().empty + (id < id_end));
    const double logit = (double{node.policy[child]} + load(node.likeliest)) / sharp;
    return chance((node.player == black) != (id == id_swap) ? logit : -logit);
}

bool Worker::is_grown(Node& node) {
    const u8 stage = node.stage.load(std::memory_order_acquire);
    if (stage == Node::grown) return true;
    if (stage >= Node::part) {
        const int known = stage - Node::part;
        const bool all = &node == &tree_.root() || (load(node.has_proofs) && node.all_lost());
        if ((all || load(node.record.tally.visits) + 1 >= u64{2} << known) &&
            !tree_.arena().is_full())
            grow(node, all || settings_.threads > 1 ? whole : known + next_part);
        return true;
    }
    const u32 wanted = settings_.expand_visits * (settings_.weights.empty() ? 1 : 2);
    const bool earned = load(node.record.tally.visits) + 1 >= wanted;
    if (!earned && &node != &tree_.root()) return false;
    u8 leaf = Node::leaf;
    if (!node.stage.compare_exchange_strong(leaf, Node::growing)) return false;
    // Where memory is used up the node stays as it is until room is made.
    return grow(node, &node == &tree_.root() ? whole : first_part);
}

// Give a node the half turns that are considered up to so many doublings of its visits; false where
// memory is used up.
bool Worker::grow(Node& node, int doublings) {
    const bool judged = !settings_.weights.empty();
    if (judged) around_.look_at(board_);
    list_ids();
    const std::size_t all = ids_.size();
    const float likeliest = judged ? judge(doublings) : 0;
    Node made;
    const std::size_t floats = std::size_t{judged} + has_policy_;
    if (!tree_.arena().make_children(thread_, made, ids_.size(), floats)) return false;
    std::copy(ids_.begin(), ids_.end(), load(made.ids));
    if (judged) std::copy_n(logs_.begin(), ids_.size(), load(made.policy));
    if (has_policy_) std::copy_n(values_.begin(), ids_.size(), load(made.values));
    made.count = static_cast<u32>(ids_.size());
    made.likeliest = likeliest;
    const int stage = ids_.size() < all ? Node::part + doublings : Node::grown;
    node.take_children(made, static_cast<u8>(stage));
    return true;
}

// Judge what may be played, put the stones in the order of the policy, the likeliest first, and leave
// out what is not considered yet. Returns the logit of the likeliest one.
float Worker::judge(int doublings) {
    moves_.clear();
    for (const u16 id : ids_) moves_.push_back(tree_.move_of(id));
    logs_.resize(ids_.size());
    values_.resize(ids_.size());
    const float likeliest = around_.judge(settings_.weights, moves_, logs_.data(), values_.data());
    for (std::size_t i = 0; has_policy_ && i < ids_.size(); ++i)
        if (ids_[i] < id_end) value_of_[ids_[i]] = values_[i];
    const u32 ends = ends_of(ids_.data(), static_cast<u32>(ids_.size()));
    const bool all = doublings == whole || settings_.widening <= 0;
    const double limit = all ? -HUGE_VAL : limit_after(doublings);
    // As integers, which are compared in one step: the bits of floats of 0 and less rise as these
    // fall.
    constexpr int id_bits = 16;
    order_.clear();
    for (u32 i = 0; i < ids_.size(); ++i)
        if (i < ends || logs_[i] >= limit)
            order_.push_back(u64{std::bit_cast<u32>(logs_[i])} << id_bits |
                             static_cast<u16>(~ids_[i]));
    std::sort(order_.begin() + ends, order_.end());
    ids_.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
        logs_[i] = std::bit_cast<float>(static_cast<u32>(order_[i] >> id_bits));
        ids_[i] = static_cast<u16>(~order_[i]);
    }
    for (std::size_t i = ends; has_policy_ && i < ids_.size(); ++i) values_[i] = value_of_[ids_[i]];
    return likeliest;
}

u16 Worker::id_of(Stone stone) const {
    const Geometry& g = board_.geometry();
    return static_cast<u16>(stone.colour * g.cells + g.cell[stone.at]);
}

// What may be played: what is no stone first; of the two orders of a pair only the canonical one.
// Where everything is barred, all of it, for the game has to go on.
void Worker::list_ids() {
    ids_.clear();
    if (board_.is_over()) return;
    heeds_bars_ = !settings_.barred.empty();
    list_turn();
    if (!ids_.empty() || !heeds_bars_) return;
    heeds_bars_ = false;
    list_turn();
}

void Worker::list_turn() {
    if (board_.may_swap() && !is_barred(id_swap)) ids_.push_back(id_swap);
    if (board_.is_pending()) {
        if (board_.may_end()) ids_.push_back(id_end);
        list_seconds();
    } else if (board_.rules().has_pass() && board_.by_halves()) {
        list_firsts();
    } else {
        list_stones();
    }
}

// In turns of one stone, and without passes, each stone can be judged by itself.
void Worker::list_stones() {
    u16 list[max_cells];
    const int count = board_.list_empty(list);
    const Rules& rules = board_.rules();
    const bool is_free = rules.parity == none, fits = board_.fits();
    const bool is_forced = rules.pass == Pass::forced;
    if (!is_forced) list_pass();
    const std::size_t others = ids_.size();
    for (const u16 colour : {u16{black}, u16{white}}) {
        if (board_.only_own() && colour != board_.player()) continue;
        for (int i = 0; i < count; ++i)
            if (const u16 id = id_of({list[i], colour}); !is_barred(id))
                if (is_free || flips_here({list[i], colour}) != fits) ids_.push_back(id);
    }
    if (is_forced && ids_.size() == others) list_pass();
    if (!board_.must_drop_two() || ids_.size() == others) return;
    // The last stone begins no pair, nor does one before it on the same cell.
    const int cells = board_.geometry().cells, last = ids_.back() % cells;
    while (ids_.size() > others && ids_.back() % cells == last) ids_.pop_back();
}

void Worker::list_pass() {
    if (may_pass(board_) && !is_barred(id_pass)) ids_.push_back(id_pass);
}

// The first stones that can stand alone or that a later one can follow, as `Drops` would say; and
// passing.
void Worker::list_firsts() {
    list_pass();
    u16 list[max_cells];
    const int count = board_.list_empty(list);
    const bool fits = board_.fits(), may_stand_alone = !board_.must_drop_two();
    bool flips_of[2][max_cells];
    int later[2][2] = {};  // stones of each colour that flip the parity or do not
    const auto plays = [&](u16 colour) { return !board_.only_own() || colour == board_.player(); };
    const auto is_open = [&](u16 colour, int i) { return !is_barred(id_of({list[i], colour})); };
    for (const u16 colour : {u16{black}, u16{white}})
        for (int i = 0; plays(colour) && i < count; ++i) {
            flips_of[colour][i] = flips_here({list[i], colour});
            later[colour][flips_of[colour][i]] += is_open(colour, i);
        }
    // Whether one of them makes a turn of a first one. All but a few pairs add up their parities: a
    // stone beside one group or none is entangled with neighbours only.
    const auto is_followed = [&](u16 colour, int i) {
        const bool wanted = flips_of[colour][i] == fits;
        if (colour == black && plays(white)) {
            const bool is_here = flips_of[white][i] == wanted && is_open(white, i);
            if (later[white][wanted] > is_here) return true;
        }
        const Stone first{list[i], colour};
        const Geometry& g = board_.geometry();
        if (later[colour][wanted] > g.directions / 2 && joins_here(first) < 2) return true;
        for (int j = i + 1; j < count; ++j)
            if (is_open(colour, j) &&
                is_legal(board_, {Step::stone, 2, {first, {list[j], colour}}}))
                return true;
        return false;
    };
    for (const u16 colour : {u16{black}, u16{white}})
        for (int i = 0; plays(colour) && i < count; ++i) {
            if (!is_open(colour, i)) continue;
            --later[colour][flips_of[colour][i]];
            const bool stands = may_stand_alone && flips_of[colour][i] != fits;
            if (stands || (board_.may_drop_two() && is_followed(colour, i)))
                ids_.push_back(id_of({list[i], colour}));
        }
}

// How many groups a stone would join.
int Worker::joins_here(Stone stone) const {
    return settings_.weights.empty() ? touch(board_.geometry(), board_.planes(), stone).joins
                                     : around_.joins(stone);
}

// The second stones behind the first one, as `Drops` would say; most nodes list nothing else.
void Worker::list_seconds() {
    if (!board_.may_drop_two()) return;
    const bool is_free = board_.rules().parity == none, fits = board_.fits();
    const Stone first = board_.pending();
    u16 list[max_cells];
    const int count = board_.list_empty(list);
    for (u16 colour = first.colour; colour <= white; ++colour) {
        if (board_.only_own() && colour != board_.player()) continue;
        for (int i = 0; i < count; ++i) {
            const Stone second{list[i], colour};
            if (!before(first, second) || is_barred(id_of(second))) continue;
            if (is_free || flips_here(second) != fits) ids_.push_back(id_of(second));
        }
    }
}

// -- selection ---------------------------------------------------------------------------------

// The half turn to follow: one that is proven to win, else the most promising one that is not
// proven to lose, else any.
u32 Worker::select(Node& node, const Record& record, const Statistics* lent) {
    u32 count = considered(node, record);
    for (;; count = node.count) {
        promise(node, record, lent, count);
        if (settings_.exploration > 0) explore(record, count);
        // What has neither statistics nor a policy is looked at before all else.
        const u32 blind = lent || node.policy ? ends_of(node.ids, node.count) : count;
        for (u32 i = 0; i < blind; ++i)
            if (load(record.edges.visits[i]) == 0) promises_[i] = at_once;
        if (!load(node.has_proofs)) break;
        bool open = false;
        for (u32 i = 0; i < count; ++i) {
            const int known = load(node.child_proven[i]);
            if (known == node.player) return i;
            if (known != none) promises_[i] = 0;
            open |= known == none;
        }
        if (open || count == node.count) break;
    }
    // Where several promise as much, which is usual before the first visit, any of them.
    return chooser_.best(promises_.data(), count, rng_.below(count));
}

// How many of the children may be followed; the first ones.
u32 Worker::considered(Node& node, const Record& record) const {
    const u32 count = node.count;
    const float* const policy = node.policy;
    if (!policy || settings_.widening <= 0) return count;
    const auto width = static_cast<u32>(std::bit_width(load(record.tally.visits) + 1));
    constexpr int bits = 8;
    const u32 known = load(node.considered);
    if ((known & ((1 << bits) - 1)) == width) return known >> bits;
    const double limit = limit_after(static_cast<int>(width) - 1);
    const float* const found = std::partition_point(
        policy + ends_of(node.ids, count), policy + count, [&](float log) { return log >= limit; });
    const auto considered = static_cast<u32>(found - policy);
    store(node.considered, considered << bits | width);
    return considered;
}

// The least logarithm that is followed after so many doublings of a node's visits.
double Worker::limit_after(int doublings) const {
    return -settings_.widening - settings_.widening_rate * std::numbers::ln2 * doublings;
}

// Write what each of the first children promises.
void Worker::promise(const Node& node, const Record& record, const Statistics* lent, u32 count) {
    const u32 visits = std::max<u32>(1, load(record.tally.visits));
    const double mean = load(record.tally.value) / visits;
    promises_.resize(std::max(promises_.size(), whole_rows(count)));
    // Means of several playouts vary less, so they outweigh lent statistics as much sooner.
    const double bias = settings_.rave_bias * leaf_playouts();
    chooser_.promise({.count = count,
                      .ids = node.ids,
                      .visits = record.edges.visits,
                      .value = record.edges.value,
                      .policy = node.policy,
                      .lent = lent ? lent->sums : nothing_.data(),
                      .stones = static_cast<u32>(tree_.stones()),
                      .white = node.player == white,
                      .mean = static_cast<float>(node.player == black ? mean : 1 - mean),
                      .bias = static_cast<float>(bias),
                      .weight = static_cast<float>(settings_.prior_weight),
                      .fade = static_cast<float>(settings_.prior_fade)},
                     promises_.data());
}

// How many half turns are no stones; these are the first ones.
u32 Worker::ends_of(const u16* ids, u32 count) {
    u32 ends = 0;
    while (ends < count && ids[ends] >= id_end) ++ends;
    return ends;
}

// UCB1 on top.
void Worker::explore(const Record& record, u32 count) {
    const auto width = static_cast<float>(settings_.exploration *
                                          std::sqrt(std::log(load(record.tally.visits) + 1.0)));
    for (u32 i = 0; i < count; ++i)
        promises_[i] += width / std::sqrt(static_cast<float>(load(record.edges.taken[i]) + 1));
}

// -- and back ----------------------------------------------------------------------------------

// The node that the walk has come to, or null.
Node* Worker::leaf() {
    if (path_.empty()) return &tree_.root();
    return tree_.arena().below(*path_.back().node, path_.back().child);
}

// The learned value of the leaf, which its node keeps: most leaves are visited several times.
double Worker::learned_here() {
    Node* const leaf = this->leaf();
    if (leaf && load(leaf->learned) >= 0) return load(leaf->learned);
    around_.look_at(board_);
    const double logit = around_.logit(board_.state(), settings_.weights);
    const double value = chance(logit);
    if (leaf) store(leaf->learned, value);
    return value;
}

// What a leaf is worth by its playouts and by the learned value.
bool Worker::roll_out() {
    const bool judged = !settings_.weights.empty();
    const double learned = judged ? learned_here() : 0;
    const int count = leaf_playouts();
    const double w = settings_.margin_weight;
    const double share = tree_.value_share() * (count == fill_lanes ? value_beside_many : 1);
    const auto next = [this] { return Draws::from(rng_); };
    Result sum;
    const auto add_up = [&](const PlayoutResult& found) {
        const bool won = found.winner == black;
        // By a factor, since a branch would not be predicted.
        const int sign = 2 * won - 1;
        const double margin = sign * found.score;
        const double half = leads_[static_cast<u32>(std::min(found.score, usual_margins - 1))];
        const double lead = 0.5 + sign * half;
        double value = (1 - w) * won + w * lead;
        if (judged) value += share * (learned - value);
        sum.black_wins += won;
        sum.value += value;
        sum.margin += margin;
        sum.squares += margin * margin;
        return static_cast<float>(value);
    };
    if (fillings_) {
        float values[fill_lanes];
        fillings_->run(board_, count, next);
        for (int i = 0; i < count; ++i) values[i] = add_up(fillings_->result(i));
        if (settings_.rave) fillings_->spread(values, more_.data());
    } else {
        bool is_first = true;
        const auto take = [&](const PlayoutResult& found, const signed char* cells) {
            const float value = add_up(found);
            if (!settings_.rave) return;
            std::vector<StoneSum>& into = std::exchange(is_first, false) ? more_ : one_;
            chooser_.spread(cells, into.size() / 2, value, into.data());
            if (&into == &one_) chooser_.gather(more_.data(), one_.data(), more_.size());
        };
        // By reference: a copy of what it captures would be allocated for each leaf.
        play_out(board_, static_cast<u64>(count), next, std::cref(take));
    }
    back_up({sum.black_wins / count, sum.value / count, sum.margin / count, sum.squares / count},
            count);
    return true;
}

// Of how many playouts a leaf's value is the mean. Fillings take little more time for all of their
// boards than for one, unless these are counted one by one. In Yoin, where players have a colour
// each, the learned value leaves less for them to say.
int Worker::leaf_playouts() const {
    if (const auto chosen = static_cast<int>(settings_.leaf_playouts))
        return fillings_ ? std::min(chosen, fill_lanes) : chosen;
    if (!fillings_) return 1;
    constexpr int few = 4;
    return board_.rules().own || !board_.rules().is_counted_at_once() ? few : fill_lanes;
}

// Add a result to everything on the path, from the leaf up; that of playouts also to the stones that
// lay on the board at their ends.
void Worker::back_up(Result result, int playouts) {
    Node* const leaf = this->leaf();
    Record* below = leaf ? &record_of(*leaf) : nullptr;
    for (auto visit = path_.rbegin(); visit != path_.rend(); ++visit) {
        if (below) count(*below, result, playouts);
        if (is_swap(*visit)) {
            result = {1 - result.black_wins, 1 - result.value, -result.margin, result.squares};
            for (StoneSum& one : more_) one.value = one.playouts - one.value;
        }
        Record& record = record_of(*visit->node);
        const double mine = visit->node->player == black ? result.value : 1 - result.value;
        const auto held = hold(*visit->node, record);
        add(record.edges.value[visit->child], static_cast<float>(mine));
        if (below) learn(*visit, record.edges, below->tally);
        below = &record;
    }
    count(*below, result, playouts);
}

// Where more visits came to a position by other ways, what they have found counts here too (UCT2 of
// B. E. Childs et al., "Transpositions and Move Groups in Monte Carlo Tree Search", CIG 2008). And
// the node adds up in doubles what is too much for a float.
void Worker::learn(const Visit& visit, Edges& edges, const Tally& below) {
    const u32 visits = load(below.visits);
    if (visits <= load(edges.visits[visit.child]) && visits < large) return;
    const bool blacks = (visit.node->player == black) != is_swap(visit);
    const double value = load(below.value);
    const auto mine = static_cast<float>(blacks ? value : visits - value);
    // Not new to the tree: each thread learns it, and what all of them added would count twice.
    if (Replica* own = replica_of(*visit.node)) {
        own->merged().visits[visit.child] += visits - edges.visits[visit.child];
        own->merged().value[visit.child] += mine - edges.value[visit.child];
    }
    store(edges.visits[visit.child], visits);
    store(edges.value[visit.child], mine);
}

// `playouts` is 0 for the result of a game that has ended.
void Worker::count(Record& record, const Result& result, int playouts) {
    add(record.tally.visits, u32{1});
    add(record.tally.value, result.value);
    add(record.tally.margin, result.margin);
    add(record.tally.squares, result.squares);
    add(record.tally.black_wins, result.black_wins);
    Statistics* statistics = record.statistics.load(std::memory_order_acquire);
    if (!statistics || !playouts) return;
    const std::lock_guard held(record.lock);
    add(statistics->playouts, static_cast<u32>(playouts));
    chooser_.gather(statistics->sums, more_.data(), more_.size());
    if (!replicas_) statistics->keep_small(tree_.stones());
}

// Carry proofs up the path, as far as they decide.
void Worker::prove() {
    for (auto visit = path_.rbegin(); visit != path_.rend(); ++visit) {
        Node& node = *visit->node;
        if (const Node* next = tree_.arena().below(node, visit->child))
            if (const signed char known = load(next->proven); known != none)
                note(node, visit->child, is_swap(*visit) ? 1 - known : known);
        const int winner = node.verdict();
        if (winner == none) return;
        node.proven.store(static_cast<signed char>(winner));
    }
}

void Worker::note(Node& node, u32 child, int winner) {
    // What is written moves the line from one processor core to the other.
    if (load(node.child_proven[child]) == winner) return;
    store(node.child_proven[child], static_cast<signed char>(winner));
    store(node.has_proofs, true);
}

}  // namespace yoddd::tree
