// The names of users: what the server accepts, and an answer for what it does not.
import { FACTS } from './facts.js';

const MOST = FACTS.names.longest;
const NAME = new RegExp(`^${FACTS.names.form}$`);

/** The name as near to `text` as there is one; empty if nothing of it can be used. @param {string} text */
export const suggestName = (text) =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/\s+/g, '-')
    .replace(/[^A-Za-z0-9._-]/g, '')
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
    .slice(0, MOST);

/** Why a name cannot be used, in words; empty if it can. @param {string} text */
export function nameProblem(text) {
  if (!text) return 'Enter your name first.';
  if (text.length > MOST) return `A name has at most ${MOST} letters.`;
  if (NAME.test(text)) return '';
  const rule = 'A name has letters from A to Z, digits, dots, dashes and underscores, and no space';
  const near = suggestName(text);
  return near ? `${rule}. How about ${near}?` : `${rule}: enter another one.`;
}
