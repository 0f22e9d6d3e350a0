import { writeSync } from 'node:fs';
import { createServer } from 'node:net';

// Listens at the pipe, says so, and does nothing any more: a game that hangs.
createServer().listen(process.argv[2], () => {
  writeSync(1, 'hangs\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
