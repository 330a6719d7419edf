// Where the page's data lies: beside it on a server; a site without one keeps that of each version apart.

/** The folder of the data on a site without a server; null on a server. */
const folder = globalThis.document?.body?.getAttribute('data-static') ?? null;

/** Whether the page is of a site without a server. */
export const isStatic = folder !== null;

/** The address of data. @param {string} path */
export const dataUrl = (path) => `${folder ?? ''}${path}`;
