import type { Socket } from 'node:net';
import type { Clock } from '../../wire/clock/ports.ts';
import { answerOf, sendLine } from './lines.ts';

// Our choice: less than the forwarder waits. A window that is busy for longer is let go, and joins anew when it has time.
export const windowAnswerMsMax = 1500;

/** Another window of the game, as the first instance sees it: it is offered addresses and answers in their order. */
export class JoinedWindow {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #offers: ((isAccepted: boolean) => void)[] = [];

  constructor(socket: Socket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    socket.once('close', () => {
      for (const answer of this.#offers.splice(0)) answer(false);
    });
  }

  /** Resolves with false too when the window goes away or does not answer in time. */
  offer(address: string): Promise<boolean> {
    if (this.#socket.destroyed) return Promise.resolve(false);
    return new Promise(resolve => {
      // Without the missing answer later ones would be taken for those of other offers.
      const cancel = this.#clock.schedule(windowAnswerMsMax, () => void this.#socket.destroy());
      this.#offers.push(isAccepted => {
        cancel();
        resolve(isAccepted);
      });
      sendLine(this.#socket, address);
    });
  }

  /** What the window said; whoever answers unasked is let go. */
  answered(text: string | undefined): void {
    const answer = this.#offers.shift();
    if (answer) answer(text === answerOf(true));
    else this.#socket.destroy();
  }
}
