import type { AppState } from '../shared/state.ts';

/** A part of the window: made once, then told of every state. */
export interface View {
  readonly element: HTMLElement;
  update(state: AppState): void;
}
