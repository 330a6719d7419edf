// A link names its game in the query, so that the server can draw a preview; from here on the
// fragment names it.
const { pathname, search } = location;
if (search.length > 1 && search !== '?modules')
  history.replaceState(null, '', `${pathname}#${search.slice(1)}`);
