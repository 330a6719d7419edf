// Rules and notation alone, without the engine, descriptions and sentences: the `reason` of an error
// is the key of its sentence, such as `rules.occupied`.
export { NotationError, RulesError } from '../../yoddd/web/js/base/errors.js';
export { geometry } from '../../yoddd/web/js/rules/geometry.js';
export { BLACK, GAMES, Position, WHITE, makeRules, other } from '../../yoddd/web/js/rules/rules.js';
export {
  PASS,
  RESIGN,
  SWAP,
  drop,
  formatPosition,
  formatTurn,
  isSameTurn,
  parsePosition,
  parseTurn,
} from '../../yoddd/web/js/rules/notation.js';
