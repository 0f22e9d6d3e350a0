import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { words } from '../words/en.ts';

const stepPercent = 4;
const [smallest, largest] = [20, 80];

/** A list and its details, side by side; on small screens the details cover the list. The bar between them moves by pointer and arrow keys. */
export function Split({
  main,
  side,
  storageKey,
}: {
  readonly main: ComponentChildren;
  /** Absent: the list has all the space. */
  readonly side?: ComponentChildren;
  /** Under this name the browser keeps the share of the list. */
  readonly storageKey: string;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const [percent, setPercent] = useState(() => readPercent(storageKey));
  const change = (value: number) => {
    const next = Math.round(Math.max(smallest, Math.min(largest, value)));
    setPercent(next);
    try {
      localStorage.setItem(`rallypoint.split.${storageKey}`, String(next));
    } catch {
      // Storage can be switched off; the share then lasts until the view is left.
    }
  };
  const onPointerMove = (event: PointerEvent) => {
    const bar = event.currentTarget as HTMLElement;
    const box = frame.current?.getBoundingClientRect();
    if (!box || !bar.hasPointerCapture(event.pointerId)) return;
    change(((event.clientX - box.left) / box.width) * 100);
  };
  const hasSide = side !== undefined && side !== null && side !== false;
  return (
    <div ref={frame} class={hasSide ? 'split open' : 'split'} style={{ '--share': `${percent}%` }}>
      <div class="split-main">{main}</div>
      {hasSide && (
        <>
          <div
            class="split-bar"
            role="separator"
            aria-orientation="vertical"
            aria-label={words.kit.resize}
            aria-valuenow={percent}
            aria-valuemin={smallest}
            aria-valuemax={largest}
            tabIndex={0}
            onPointerDown={event => event.currentTarget.setPointerCapture(event.pointerId)}
            onPointerMove={onPointerMove}
            onKeyDown={event => {
              const step = { ArrowLeft: -stepPercent, ArrowRight: stepPercent }[event.key];
              if (step === undefined) return;
              event.preventDefault();
              change(percent + step);
            }}
          />
          <div class="split-side">{side}</div>
        </>
      )}
    </div>
  );
}

function readPercent(storageKey: string): number {
  try {
    const stored = Number(localStorage.getItem(`rallypoint.split.${storageKey}`));
    return stored >= smallest && stored <= largest ? stored : 55;
  } catch {
    return 55;
  }
}
