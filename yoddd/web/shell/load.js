// Runs the page's script. It comes packed, since a static host may not compress what it serves; where
// that fails it comes plain. What keeps the site comes last: it loads all files of the site.
(async () => {
  const parsed = new Promise((done) => document.addEventListener('DOMContentLoaded', done));
  const run = (values) =>
    document.head.append(
      Object.assign(document.createElement('script'), { type: 'module', ...values }),
    );
  try {
    const { body } = await fetch('$packed');
    const unpacked = body.pipeThrough(new DecompressionStream('gzip'));
    const textContent = await new Response(unpacked).text();
    await parsed;
    const styles = document.querySelector('link[rel=stylesheet]');
    if (!styles.sheet) await new Promise((done) => (styles.onload = styles.onerror = done));
    run({ textContent });
  } catch {
    run({ src: '$plain' });
  }
  run({ src: '$offline' });
})();
