import { type Clock, type Logger, systemClock } from '../wire/clock/ports.ts';
import { reportError } from '../wire/error-report.ts';
import { residentMemory } from '../wire/resident-memory.ts';

export interface IdleMemoryOptions {
  readonly log: Logger;
  /** How often it is looked whether the process has nothing to do. Default {@link lookMsDefault}. */
  readonly lookMs?: number;
  readonly clock?: Clock;
}

// A process that used less than a twentieth of a processor in this time is idle.
const lookMsDefault = 5_000;
const idleShareMax = 0.05;
/** Less is not worth a collection. */
const growthMin = 32 * 1024 * 1024;
/** Buffers are freed on another thread, and V8 releases its pages one collection later. */
const rounds = 3;
/** A collection pauses the process for about 0.6 ms per MiB of live heap (measured); above this bound it is left to V8. */
const heapMax = 256 * 1024 * 1024;

/**
 * Gives memory back to the system while the process has nothing to do and holds more than it did after the last time: V8
 * collects nothing while nothing is allocated, and glibc keeps what is freed between two blocks in use.
 *
 * For a process that is the service's alone: it sets a flag of V8. The clock's timers do not keep the process.
 */
export function releaseMemoryWhenIdle({ log, lookMs = lookMsDefault, clock = systemClock }: IdleMemoryOptions): void {
  let used = process.cpuUsage();
  let held = residentMemory();
  let left = 0;
  let release: Promise<() => void> | undefined;

  async function look(): Promise<void> {
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    const before = residentMemory();
    if (before === undefined) return;
    held ??= before;
    if (before > held + growthMin) left = rounds;
    const isIdle = user + system < lookMs * 1000 * idleShareMax;
    if (isIdle && left > 0) {
      left--;
      release ??= loadRelease(log);
      (await release)();
      held = residentMemory() ?? before;
      log.debug({ beforeBytes: before, afterBytes: held }, 'Memory was returned to the system.');
      used = process.cpuUsage(); // this was no work of the service's
    }
  }

  function lookLater(): void {
    clock.schedule(lookMs, async () => {
      await look().catch(error =>
        log.warn({ error: reportError(error) }, 'Memory could not be returned to the system.'),
      );
      lookLater();
    });
  }
  lookLater();
}

/** Loaded when it is first needed: a start must not wait for it. */
async function loadRelease(log: Logger): Promise<() => void> {
  const [{ getHeapStatistics, setFlagsFromString }, { runInNewContext }, { loadNative }] = await Promise.all([
    import('node:v8'),
    import('node:vm'),
    import('../sdk/native/addon.ts'),
  ]);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // The addon knows the way to glibc alone.
  const native = process.platform === 'linux' ? await loadNative() : undefined;
  if (native && 'missing' in native) log.debug({ missing: native.missing }, 'The allocator keeps what is freed.');
  return () => {
    if (getHeapStatistics().used_heap_size <= heapMax) collect();
    if (native && 'addon' in native) native.addon.trimMemory();
  };
}
