const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `12,345` */
export function countText(count: number): string {
  return Number.isFinite(count) ? whole.format(count) : String(count);
}

/** `12.3K`, for axes and narrow places. */
export function shortCountText(count: number): string {
  return Number.isFinite(count) ? short.format(count) : String(count);
}

const units = ['B', 'KiB', 'MiB', 'GiB'] as const;

/** `1.5 KiB` */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
