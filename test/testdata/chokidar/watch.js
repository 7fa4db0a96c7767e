// Says what changes in a directory: a line for each event, and "ready" first.
const chokidar = require('chokidar');
const path = require('path');

const watcher = chokidar.watch(process.argv[2], { ignoreInitial: true });
for (const kind of ['add', 'change', 'unlink']) {
  watcher.on(kind, (file) => console.log(`${kind} ${path.basename(file)}`));
}
watcher.on('ready', () => console.log('ready'));
watcher.on('error', (err) => { console.error(err); process.exit(1); });
