import { parentPort, workerData } from 'node:worker_threads';
import { builtAddon } from './built.ts';

// A worker that takes the lock, reports it, and ends on request without releasing it.
const lock = (await builtAddon()).tryLock(workerData);
parentPort?.once('message', () => process.exit(lock ? 0 : 1));
parentPort?.postMessage(lock !== undefined);
