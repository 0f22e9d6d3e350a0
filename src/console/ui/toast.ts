import { signal } from '@preact/signals';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'note' | 'fault';
  readonly act?: { readonly label: string; run(): void };
}

const shownMs = 5000;
const shownWithActMs = 12_000;
const shownAtOnceMax = 3;

export const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

/** Shows a short text over the header, in place of the same text from before. With an act, such as undoing, it stays longer. */
export function toast(text: string, kind: Toast['kind'] = 'note', act?: Toast['act']): void {
  const id = ++lastId;
  const others = toasts.value.filter(toast => toast.text !== text || toast.act);
  toasts.value = [...others, { id, text, kind, ...(act && { act }) }].slice(-shownAtOnceMax);
  setTimeout(() => dismissToast(id), act ? shownWithActMs : shownMs);
}

export function dismissToast(id: number): void {
  toasts.value = toasts.value.filter(toast => toast.id !== id);
}
