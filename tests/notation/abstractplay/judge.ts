// Judges games by the rules of Abstract Play's gameslib: bundled in a checkout of it by make.py.
// A line in is a game: name, variants, moves, and for each moment before a move the turns to try.
// A line out says at which move it was refused (-1: nowhere), which turns were taken, after which
// moves it was over, who has won, and the two counts of the last position.
import { createInterface } from "node:readline";
import { YoddGame } from "./src/games/yodd";
import { ProductGame } from "./src/games/product";

const GAMES = { yodd: YoddGame, product: ProductGame };

function takeBack(game: any, depth: number): void {
    game.stack.length = depth;
    game.gameover = false;
    game.winner = [];
    game.load();
}

// A turn that is only the beginning of one changes the board, but ends no turn.
function takes(game: any, turn: string): boolean {
    const depth = game.stack.length;
    try {
        game.move(turn);
        return game.stack.length === depth + 1;
    } catch {
        return false;
    }
}

createInterface({ input: process.stdin }).on("line", (line: string) => {
    const { name, variants, moves, tried } = JSON.parse(line);
    const game: any = new GAMES[name as keyof typeof GAMES](undefined, variants);
    const taken: string[] = [];
    let over = "";
    let refused = -1;
    for (let at = 0; at < moves.length && refused < 0; at++) {
        const verdicts = tried[at].map((turn: string) => {
            const verdict = takes(game, turn);
            takeBack(game, at + 1);
            return verdict ? "1" : "0";
        });
        taken.push(verdicts.join(""));
        if (takes(game, moves[at])) over += game.gameover ? "1" : "0";
        else refused = at;
    }
    const count = (player: number) =>
        name === "yodd" ? game.countGroups(player) : game.getPlayerScore(player);
    console.log(JSON.stringify({ refused, taken, over, winner: game.winner, counts: [count(1), count(2)] }));
});
