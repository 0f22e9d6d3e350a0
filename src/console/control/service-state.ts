import { signal } from '@preact/signals';

/** Whether the service answers. `away`: it does not; the console keeps trying, and shows what it knew. */
export type ServiceState =
  | { readonly kind: 'connecting' | 'here' }
  | { readonly kind: 'away'; readonly sinceMs: number };

export const serviceState = signal<ServiceState>({ kind: 'connecting' });

/** Grows whenever the service comes back: what was read before may be old, or of another process. */
export const returns = signal(0);

export function serviceAnswered(): void {
  if (serviceState.peek().kind === 'here') return;
  if (serviceState.peek().kind === 'away') returns.value++;
  serviceState.value = { kind: 'here' };
}

/** Another process answers than before. */
export function serviceRestarted(): void {
  returns.value++;
}

export function serviceFailed(): void {
  if (serviceState.peek().kind !== 'away') serviceState.value = { kind: 'away', sinceMs: Date.now() };
}
