import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Lets the many processes of a test run share what Node compiled: a service started from its sources is ready in half
 * the time. What was compiled is gone with the run.
 */
export default function keepCompiled(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-compiled-'));
  process.env.NODE_COMPILE_CACHE = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
