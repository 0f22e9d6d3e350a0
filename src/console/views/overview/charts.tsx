import type { ControlMetrics } from '../../../wire/control/metrics.ts';
import { samples } from '../../control/live.ts';
import { Chart, type Line, type LineColour } from '../../ui/chart.tsx';
import { words } from '../../words/en/overview.ts';

const secondsShown = 300;
const secondsShownMin = 60;

interface ChartPlan {
  readonly title: string;
  readonly format?: (value: number) => string;
  readonly lines: readonly {
    readonly label: string;
    readonly colour: LineColour;
    readonly isDashed?: boolean;
    read(sample: ControlMetrics): number;
  }[];
}

const charts: readonly ChartPlan[] = [
  {
    title: words.requests,
    lines: [{ label: words.requestsLine, colour: 'accent', read: sample => sample.requests_per_second }],
  },
  {
    title: words.errors,
    lines: [
      { label: words.rejections, colour: 'warn', read: sample => sample.rejections_per_second },
      { label: words.rateLimits, colour: 'info', isDashed: true, read: sample => sample.rate_limits_per_second },
      { label: words.failures, colour: 'fault', read: sample => sample.errors_per_second },
    ],
  },
  {
    title: words.events,
    lines: [
      { label: words.dispatches, colour: 'accent', read: sample => sample.dispatches_per_second },
      { label: words.announced, colour: 'info', isDashed: true, read: sample => sample.events_per_second },
      { label: words.deliveries, colour: 'good', read: sample => sample.deliveries_per_second },
      { label: words.failedDeliveries, colour: 'fault', read: sample => sample.failed_deliveries_per_second },
    ],
  },
  {
    title: words.sessions,
    lines: [
      { label: words.connected, colour: 'good', read: sample => sample.sessions_connected },
      { label: words.resumable, colour: 'warn', isDashed: true, read: sample => sample.sessions_resumable },
    ],
  },
  {
    title: words.delay,
    format: words.ms,
    lines: [
      { label: words.p50, colour: 'info', read: sample => sample.loop_delay_ms.p50 },
      { label: words.p99, colour: 'warn', isDashed: true, read: sample => sample.loop_delay_ms.p99 },
    ],
  },
  {
    title: words.backlog,
    format: words.bytes,
    lines: [{ label: words.backlogLine, colour: 'accent', read: sample => sample.backlog_bytes }],
  },
];

/** The metrics of the last minutes, which grow by a sample every second. */
export function Charts() {
  const shown = samples.value.slice(-secondsShown);
  const times = shown.map(({ taken_at_ms }) => taken_at_ms / 1000);
  // The first samples would be a sliver of five minutes.
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const seconds = Math.min(secondsShown, Math.max(secondsShownMin, span));
  return (
    <section class="stack" aria-labelledby="overview-charts">
      <h2 id="overview-charts">{words.charts}</h2>
      {shown.length === 0 && <p class="hint">{words.chartsWait}</p>}
      <div class="overview-charts">
        {charts.map(({ title, format, lines }) => (
          <Chart
            key={title}
            title={title}
            seconds={seconds}
            times={times}
            lines={lines.map(
              ({ read, ...line }): Line => ({ ...line, values: shown.map(sample => numberOf(() => read(sample))) }),
            )}
            {...(format && { format })}
          />
        ))}
      </div>
    </section>
  );
}

/** A sample of a service of another version may lack a field. */
function numberOf(read: () => number): number | null {
  try {
    const value = read();
    return Number.isFinite(value) ? value : null;
  } catch {
    return null;
  }
}
