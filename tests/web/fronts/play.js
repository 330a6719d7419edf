// The work of every project: three turns of level 3, one of level 10, and a count of turns.
// eslint-disable-next-line import-x/no-unresolved -- it is installed where this file is copied to
import { Counter, GameTree, Position, formatTurn, makeRules, startEngine } from 'yoddd';

export async function play(start = () => startEngine(), load = () => Counter.load()) {
  const engine = await start();
  let game = GameTree.from(new Position(makeRules('yodd', 'hex4')));
  const turns = [];
  for (const level of [3, 3, 3, 10]) {
    const { turn } = await engine.genmove(game, { level, seed: 1 });
    turns.push(formatTurn(turn, game.rules));
    game = game.play(turn);
  }
  const counter = await load();
  return { turns, legal: Number(counter.countTurns(game.position)) };
}
