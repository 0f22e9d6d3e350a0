import { signal } from '@preact/signals';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'note' | 'fault';
  readonly act?: { readonly label: string; run(): void };
}

const shownMs = 5000;
const shownWithActMs = 12_000;
const shownAtOnceMax = 4;

export const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

/** Shows a short text at the edge of the window. With an act, such as undoing, it stays longer. */
export function toast(text: string, kind: Toast['kind'] = 'note', act?: Toast['act']): void {
  const id = ++lastId;
  toasts.value = [...toasts.value, { id, text, kind, ...(act && { act }) }].slice(-shownAtOnceMax);
  setTimeout(() => dismissToast(id), act ? shownWithActMs : shownMs);
}

export function dismissToast(id: number): void {
  toasts.value = toasts.value.filter(toast => toast.id !== id);
}
