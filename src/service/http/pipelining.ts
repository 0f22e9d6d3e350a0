import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import { intakeLimits } from '../support/service-limits.ts';

/** Requests of a connection that arrived before earlier ones were answered. */
interface Line {
  running: number;
  readonly waiting: (() => void)[];
  isPaused: boolean;
}

/** While requests wait, reading the body of an earlier one must not make Node.js read on. */
function stayPaused(this: Socket): Socket {
  return this;
}

function pause(socket: Socket): void {
  socket.pause();
  socket.resume = stayPaused as typeof socket.resume;
}

function resume(socket: Socket): void {
  // The prototype's own again.
  Reflect.deleteProperty(socket, 'resume');
  socket.resume();
}

const line = Symbol('line');
/** How many bytes had been received with the last request. */
const bytesAt = Symbol('bytesAt');
type LineSocket = Socket & { [line]?: Line; [bytesAt]?: number };

/**
 * Handles pipelined requests some at a time, of one connection and of all, between which others have their turn: otherwise one chunk of
 * bytes, with a thousand small requests, would occupy the event loop and memory for their answers. Reading pauses while requests
 * wait. A connection whose requests exceed the number that may wait in total is closed.
 */
export function servePipelined(serve: RequestListener): RequestListener {
  const { pipelinedRunningMax, pipelinedWaitingMax } = intakeLimits;
  let waitingInAll = 0;
  /** Those whose next request may begin; each begins one when it is its turn. */
  const ready = new Set<Line>();
  let isTurnDue = false;

  function lineOf(socket: LineSocket): Line {
    const known = socket[line];
    if (known) return known;
    const made: Line = { running: 0, waiting: [], isPaused: false };
    socket[line] = made;
    socket.once('close', () => {
      waitingInAll -= made.waiting.length;
      made.waiting.length = 0;
    });
    return made;
  }

  function run(requests: Line, response: ServerResponse, begin: () => void): void {
    requests.running++;
    response.once('close', () => {
      requests.running--;
      beginLater(requests);
    });
    begin();
  }

  function beginLater(requests: Line): void {
    if (requests.waiting.length === 0 || requests.running >= pipelinedRunningMax) return;
    ready.add(requests);
    awaitTurn();
  }

  function awaitTurn(): void {
    if (isTurnDue) return;
    isTurnDue = true;
    setImmediate(takeTurn);
  }

  function takeTurn(): void {
    isTurnDue = false;
    let begun = 0;
    for (const requests of ready) {
      if (begun++ === pipelinedRunningMax) break;
      ready.delete(requests);
      const begin = requests.waiting.shift();
      if (!begin) continue;
      waitingInAll--;
      begin();
      // At the end of the set, where this loop comes to it again.
      beginLater(requests);
    }
    if (ready.size > 0) awaitTurn();
  }

  return (request, response) => {
    const socket: LineSocket = request.socket;
    const { bytesRead } = socket;
    // Of requests that arrive together all but the first wait, even if that one is answered already: otherwise all would run in one turn.
    const isFirst = socket[bytesAt] !== bytesRead;
    socket[bytesAt] = bytesRead;
    // Without earlier requests the response has the socket already.
    if (isFirst && response.socket) return serve(request, response);
    const requests = lineOf(socket);
    const begin = () => {
      if (requests.isPaused && requests.waiting.length === 0) {
        requests.isPaused = false;
        resume(socket);
      }
      serve(request, response);
    };
    const mayBegin = isFirst && requests.running < pipelinedRunningMax && requests.waiting.length === 0;
    if (mayBegin) return run(requests, response, begin);
    if (socket.destroyed) return;
    if (waitingInAll >= pipelinedWaitingMax) {
      socket.destroy();
      return;
    }
    waitingInAll++;
    // The request begins in its own asynchronous context, not in that of the one whose answer has ended.
    requests.waiting.push(AsyncLocalStorage.bind(() => run(requests, response, begin)));
    requests.isPaused = true;
    pause(socket);
    beginLater(requests);
  };
}
