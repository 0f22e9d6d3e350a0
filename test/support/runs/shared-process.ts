import { afterAll, expect } from 'vitest';

/** What a test file must leave as it found it, because the process runs another file after it. */
function stateOfProcess(): object {
  return { environment: { ...process.env }, folder: process.cwd(), umask: process.umask() };
}

const before = stateOfProcess();
afterAll(() => expect(stateOfProcess()).toEqual(before));
