import { rmSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../../node_modules/.compile-cache');

/**
 * Lets the many processes of a test run share what Node compiled: a service started from its sources is ready in half
 * the time. Each run begins anew, for programs in temporary folders would let it grow without end.
 */
export default function shareCompiled(): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.env.NODE_COMPILE_CACHE = folder;
}
