import { resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../../../samples/electron-lobby/host/find-program.ts';

const executablePath = findChromium();

/** The machine's own browser, without a window. */
export function launchChromium(): Promise<Browser> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ ...(executablePath !== undefined && { executablePath }), args });
}

/** Where pictures of one kind go; git does not see them. */
export function picturesFolder(kind: string): string {
  return resolve(import.meta.dirname, '../../../test-output', kind);
}
