import { serviceNow } from '../control/clock.ts';
import { words } from '../words/en.ts';
import { clockText, durationText } from './text/time.ts';

/** The time that is left until then, on the service's clock: `in 2 min 5 s`, `3 s ago`. */
export function Countdown({ atMs }: { readonly atMs: number }) {
  // Whole seconds, so that neighbours count in step.
  const seconds = Math.round((atMs - serviceNow.value) / 1000);
  const text = durationText(Math.abs(seconds) * 1000);
  return (
    <time class="mono" title={clockText(atMs)}>
      {seconds === 0 ? words.kit.now : seconds > 0 ? words.kit.inTime(text) : words.kit.ago(text)}
    </time>
  );
}
