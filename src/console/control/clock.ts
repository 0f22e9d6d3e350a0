import { computed, signal } from '@preact/signals';

/** The service's clock as last read. A virtual one stands still until somebody advances it. */
const reading = signal({ serviceMs: Date.now(), browserMs: Date.now(), isVirtual: false, isKnown: false });

/** The browser's time, once a second. */
const tick = signal(Date.now());

/** The service's time now, in milliseconds since the Unix epoch. Reading it in a component renders that component every second. */
export const serviceNow = computed(() => {
  const { serviceMs, browserMs, isVirtual } = reading.value;
  return isVirtual ? serviceMs : serviceMs + Math.max(0, tick.value - browserMs);
});

export const isClockVirtual = computed(() => reading.value.isVirtual);
export const isClockKnown = computed(() => reading.value.isKnown);

export function setServiceClock(serviceMs: number, isVirtual: boolean): void {
  if (!Number.isFinite(serviceMs)) return;
  const browserMs = Date.now();
  reading.value = { serviceMs, browserMs, isVirtual, isKnown: true };
  tick.value = browserMs;
}

/** Starts the ticking; a hidden page does not tick. */
export function startTicking(): () => void {
  const timer = setInterval(() => {
    if (!document.hidden) tick.value = Date.now();
  }, 1000);
  return () => clearInterval(timer);
}
