import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { theme } from '../shell/theme.ts';
import { shortCountText } from './text/numbers.ts';

/** The colours of lines, by what they say; variables of the style sheet. */
export type LineColour = 'accent' | 'info' | 'good' | 'warn' | 'fault' | 'soft';

export interface Line {
  readonly label: string;
  readonly colour: LineColour;
  /** One value for each time; null leaves a gap. */
  readonly values: readonly (number | null)[];
  /** Further lines differ by more than their colour. */
  readonly isDashed?: boolean;
}

export interface ChartProps {
  readonly title: string;
  /** In seconds since the Unix epoch, rising. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** How many seconds are shown, up to the last time. */
  readonly seconds: number;
  /** Default: a short number. */
  format?(value: number): string;
}

const height = 140;

/** Lines over time with their newest values in words. The drawing is for eyes; screen readers are given the words. */
export function Chart({ title, times, lines, seconds, format = shortCountText }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef({ times, lines, seconds, format });
  latest.current = { times, lines, seconds, format };
  const scheme = theme.value;
  const labels = lines.map(({ label }) => label).join();

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const redraw = () => {
      plot.current?.destroy();
      plot.current = new uPlot(
        optionsOf(element, latest.current.lines, value => latest.current.format(value)),
        dataOf(latest.current),
        element,
      );
      setRange(plot.current, latest.current);
    };
    redraw();
    const sizes = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
    sizes.observe(element);
    // The colours are painted, so that a change of the system's scheme needs another painting.
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', redraw);
    return () => {
      dark.removeEventListener('change', redraw);
      sizes.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [labels, scheme]);
  useEffect(() => {
    if (!plot.current) return;
    plot.current.setData(dataOf(latest.current), false);
    setRange(plot.current, latest.current);
  }, [times, lines]);

  return (
    <figure class="chart card">
      <figcaption>
        <h2>{title}</h2>
        <ul>
          {lines.map(({ label, colour, values, isDashed }) => (
            <li key={label}>
              <span class={`chart-key ${colour}${isDashed ? ' dashed' : ''}`} aria-hidden="true" />
              {label} <strong>{lastOf(values, format)}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
      <div ref={frame} class="chart-frame" aria-hidden="true" />
    </figure>
  );
}

function lastOf(values: readonly (number | null)[], format: (value: number) => string): string {
  const value = values.at(-1);
  return value === undefined || value === null ? '–' : format(value);
}

function dataOf({ times, lines }: Pick<ChartProps, 'times' | 'lines'>): uPlot.AlignedData {
  return [times as number[], ...lines.map(({ values }) => values as (number | null)[])];
}

function setRange(plot: uPlot, { times, seconds }: Pick<ChartProps, 'times' | 'seconds'>): void {
  const end = times.at(-1) ?? Date.now() / 1000;
  plot.setScale('x', { min: end - seconds, max: end });
}

function optionsOf(element: HTMLElement, lines: readonly Line[], format: (value: number) => string): uPlot.Options {
  const styles = getComputedStyle(element);
  const soft = colourOf(styles, 'soft');
  const grid = { stroke: colourOf(styles, 'line'), width: 1 };
  const axis = { stroke: soft, grid, ticks: { ...grid, size: 4 }, font: '11px system-ui, sans-serif' };
  return {
    width: Math.max(80, element.clientWidth),
    height,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 16, 0, 0],
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, (high ?? 0) * 1.1)] } },
    axes: [
      {
        ...axis,
        size: 26,
        space: 70,
        values: (_plot, marks) => marks.map(mark => new Date(mark * 1000).toTimeString().slice(0, 8)),
      },
      { ...axis, size: 52, space: 28, values: (_plot, marks) => marks.map(format) },
    ],
    series: [
      {},
      ...lines.map(({ colour, isDashed }) => ({
        stroke: colourOf(styles, colour === 'accent' ? 'accent-text' : colour),
        width: 1.5,
        points: { show: false },
        ...(isDashed && { dash: [5, 3] }),
      })),
    ],
  };
}

/** The colour that a variable has in the present scheme. A canvas does not know `light-dark()`. */
function colourOf(styles: CSSStyleDeclaration, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = styles.getPropertyValue(`--${name}`);
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
