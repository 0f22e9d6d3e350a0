import { BehaviorSubject } from 'rxjs';
import type { GameState } from '../shared/state.ts';

/** The one state of the game. */
export class StateStore extends BehaviorSubject<GameState> {
  /** Replaces the fields given. */
  set(change: Partial<GameState>): void {
    this.next({ ...this.value, ...change });
  }
}
