#include "review.hpp"

#include <algorithm>

namespace yoddd {
namespace {

// The visits of the searches that decide on an error, as a multiple of the others'.
constexpr u64 again = 4;
constexpr u64 other_seed = 1 << 20;
constexpr std::size_t most_turns = 12;  // of a line
// The most turns that are solved to find one that wins where only the end of the game is solved.
constexpr std::size_t checked = 4;
constexpr int last_stage = 4;
constexpr double even = 0.5;

ChanceReport written(const Chance& chance) {
    return {chance.value, chance.visits, chance.exact, chance.distance};
}

Line joined(const Moves& turn, Line line) {
    line.insert(line.begin(), turn);
    return line;
}

Line shortened(Line line) {
    line.resize(std::min(line.size(), most_turns));
    return line;
}

}  // namespace

Review::Review(const Played& start, const std::vector<Moves>& turns)
    : start_(start), positions_{start.board()} {
    for (const Moves& moves : turns) {
        const Turn turn = start_.turn(moves);
        turns_.push_back(start_.numbers(turn));
        positions_.push_back(positions_.back());
        play_turn(positions_.back(), turn);
    }
}

void Review::solve(const ExactLimits& limits, Table table, const Ended& ended) {
    exact_ = std::make_unique<ExactValues>(start_, positions_, limits, std::move(table), ended);
}

// -- searches ----------------------------------------------------------------------------------

std::vector<Wanted> Review::wanted(u64 visits, u64 seed, const Ended& ended) {
    bool was_ended = false;
    for (; stage_ <= last_stage; end_stage()) {
        if (found_.empty()) places_ = places([&] { return was_ended = was_ended || ended(); });
        if (was_ended) return {};
        skip_ends();
        if (found_.size() < places_.size()) break;
    }
    const bool is_longer = stage_ == 2 || stage_ == 3;
    std::vector<Wanted> list;
    for (std::size_t i = found_.size(); i < places_.size(); ++i) {
        const auto& [at, more, board] = places_[i];
        if (!board.is_over())
            list.emplace_back(at, more.empty() ? Moves{} : more[0],
                              is_longer ? again * visits : visits,
                              seed + (is_longer ? other_seed : 0) + board.state().number);
    }
    return list;
}

// Ends of the game need no search.
void Review::skip_ends() {
    while (found_.size() < places_.size() && places_[found_.size()].board.is_over()) {
        const Board& board = places_[found_.size()].board;
        found_.push_back({Chance::proven(board.score().winner == board.player(), 0), {}});
    }
}

void Review::end_stage() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const std::size_t at = places_[i].at;
        if (stage_ == 1) compared_[at] = {found_[i], estimates_[at + 1]};
        if (stage_ == 2) compared_[flawed_[i]].first = found_[i];
        if (stage_ == 3) compared_[flawed_[i]].second = found_[i];
        if (stage_ == 4) better_ = {places_[i].more[0], found_[i]};
    }
    if (stage_ == 0) estimates_ = found_;
    if (stage_ == 1)
        for (const auto& [at, pair] : compared_)
            if (grade_of(pair.first.chance.opponents(), pair.second.chance.opponents()))
                flawed_.push_back(at);
    places_.clear();
    found_.clear();
    ++stage_;
}

// The positions of the stage: those that are not solved, those after the best turns that were not
// played, both of what looks like an error once more, and that after a turn that may be better.
std::vector<Place> Review::places(const Ended& ended) {
    const std::size_t first = exact_->first();
    std::vector<Place> list;
    if (stage_ == 0)
        for (std::size_t at = 0; at < first; ++at) list.push_back({at, {}, positions_[at]});
    if (stage_ == 1)
        for (std::size_t at = 0; at + 1 < first; ++at)
            if (best_turn(at) != turns_[at]) list.push_back(after(at, best_turn(at)));
    for (const std::size_t at : flawed_) {
        if (stage_ == 2) list.push_back(after(at, best_turn(at)));
        if (stage_ == 3) list.push_back({at + 1, {}, positions_[at + 1]});
    }
    if (stage_ < last_stage || !first || first > turns_.size() || !is_edge(first - 1)) return list;
    std::size_t count = 0;
    win_.reset();
    for (const Line& line : estimates_[first - 1].lines) {
        if (line[0] == turns_[first - 1]) continue;
        if (++count > checked) break;
        const Place next = after(first - 1, line[0]);
        auto known = exact_->find(next, ended);
        if (known && known->chance.value == 0) {
            win_ = {line[0], std::move(*known)};
            return {};
        }
        if (!known && list.empty()) list.push_back(next);
    }
    return list;
}

// Whether only the position after a turn is solved, and the turn loses.
bool Review::is_edge(std::size_t at) const {
    return at + 1 == exact_->first() && exact_->known(at + 1).chance.value > 0;
}

Place Review::after(std::size_t at, const Moves& turn) const {
    Board board = positions_[at];
    play_turn(board, start_.turn(turn));
    return {at, {turn}, board};
}

void Review::take(const Moves& turn, double value, u64 visits, const std::vector<Line>& lines) {
    Found found{{value, visits}, lines};
    const auto begins = [&](const Line& line) { return line[0] == turn; };
    const auto first = std::find_if(found.lines.begin(), found.lines.end(), begins);
    Line best = first == found.lines.end() ? Line{turn} : *first;
    std::erase_if(found.lines, begins);
    found.lines.insert(found.lines.begin(), std::move(best));
    skip_ends();
    found_.push_back(std::move(found));
}

// -- judgements --------------------------------------------------------------------------------

Review::Judged Review::judge(std::size_t at) const {
    const std::size_t first = exact_->first();
    if (at + 1 >= first) {
        const Known& after = exact_->known(at + 1);
        const Chance played = after.chance.before();
        const auto& reply = after.line;
        if (at >= first) {
            const Known& known = exact_->known(at);
            const bool is_better = known.chance.value > played.value;
            return {is_better ? known.chance : played, played, known.line, reply};
        }
        if (win_) {
            const auto& [turn, known] = *win_;
            return {known.chance.before(), played, [&] { return joined(turn, known.line()); },
                    reply};
        }
        if (better_) {
            const auto& [turn, found] = *better_;
            return {found.chance.opponents(), played, [&] { return joined(turn, found.line()); },
                    reply};
        }
        return {played, played, [] { return Line{}; }, reply};
    }
    const auto pair = compared_.find(at);
    const Found& played = pair == compared_.end() ? estimates_[at + 1] : pair->second.second;
    const Found& best = pair == compared_.end() ? played : pair->second.first;
    const bool is_better = best.chance.value < played.chance.value;
    return {(is_better ? best : played).chance.opponents(), played.chance.opponents(),
            [&, at] { return joined(best_turn(at), best.line()); }, [&] { return played.line(); }};
}

TurnReport Review::judged(std::size_t at) const {
    const auto [best, played, better, reply] = judge(at);
    const double loss = loss_of(best, played);
    const int grade = grade_of(best, played);
    const bool is_sole = at >= exact_->first() && exact_->known(at).sole;
    return {written(best),
            written(played),
            loss,
            accuracy_of(loss),
            grade,
            grade ? shortened(better()) : Line{},
            grade ? shortened(reply()) : Line{},
            is_sole && played.value == 1,
            grade && best.value >= even && played.value < even,
            seat(at)};
}

// The chance of the player on turn.
const Chance& Review::chance(std::size_t at) const {
    if (at >= exact_->first()) return exact_->known(at).chance;
    const auto pair = at ? compared_.find(at - 1) : compared_.end();
    return (pair == compared_.end() ? estimates_[at] : pair->second.second).chance;
}

// The participant on turn, by the colour that they began with.
int Review::seat(std::size_t at) const {
    const auto end = turns_.begin() + static_cast<std::ptrdiff_t>(at);
    const auto is_swap = [&](const Moves& turn) { return start_.turn(turn).kind == Step::swap; };
    const auto swaps = std::count_if(turns_.begin(), end, is_swap);
    return (positions_[at].player() + static_cast<int>(swaps)) % 2;
}

PlayerReport Review::player(const std::vector<TurnReport>& turns,
                            const std::vector<double>& chances, int seat) const {
    std::vector<double> accuracies;
    std::vector<std::size_t> places;
    std::vector<int> errors(std::size(thresholds));
    double sum = 0;
    for (const auto& [best, played, loss, accuracy, grade, better, reply, only, turning, who] :
         turns) {
        accuracies.push_back(accuracy);
        if (who != seat) continue;
        places.push_back(accuracies.size() - 1);
        sum += loss;
        if (grade) ++errors[static_cast<std::size_t>(grade - 1)];
    }
    if (places.empty()) return {0, 0, 0, errors};
    const auto count = static_cast<int>(places.size());
    return {count, game_accuracy(accuracies, chances, places), sum / count, errors};
}

ReviewReport Review::report() const {
    std::vector<TurnReport> turns;
    std::vector<double> chances;
    for (std::size_t at = 0; at < turns_.size(); ++at) turns.push_back(judged(at));
    for (std::size_t at = 0; at < positions_.size(); ++at)
        chances.push_back(seat(at) ? 1 - chance(at).value : chance(at).value);
    const std::size_t first = exact_->first();
    const int exact_from = first < positions_.size() ? static_cast<int>(first) : -1;
    std::vector<PlayerReport> players{player(turns, chances, black), player(turns, chances, white)};
    return {std::move(turns), std::move(chances), exact_from, std::move(players)};
}

}  // namespace yoddd
