// The first thing that every entry point loads. Plain JavaScript for old versions of Node.js; browsers have none, and pass.
import { isNewEnough, oldestNode } from './oldest-node.js';

const { node, electron } = globalThis.process?.versions ?? {};

if (node !== undefined && !isNewEnough(node)) {
  const running = electron === undefined ? `Node.js ${node}` : `Electron ${electron} with Node.js ${node}`;
  throw new Error(`@rallypoint/sdk needs Node.js ${oldestNode} or newer, and this is ${running}.`);
}
