import type { AppState } from './model.ts';

/** A part of the window: made once, then told of every state. */
export interface View {
  readonly element: HTMLElement;
  update(state: AppState): void;
}
