// The names of users: what the server accepts, and an answer for what it does not.
import { FACTS } from './facts.js';
import { t } from './texts.js';

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
  if (!text) return t('name.first');
  if (text.length > MOST) return t('name.long', { n: MOST });
  if (NAME.test(text)) return '';
  const rule = t('name.rule');
  const near = suggestName(text);
  return near ? t('name.near', { rule, near }) : t('name.other', { rule });
}
