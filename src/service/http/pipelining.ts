import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { intakeLimits } from '../support/service-limits.ts';

/** Requests of a connection that arrived before earlier ones were answered. */
interface Line {
  running: number;
  readonly waiting: (() => void)[];
  isPaused: boolean;
}

const line = Symbol('line');
type LineSocket = Socket & { [line]?: Line };

/**
 * Handles pipelined requests some at a time, between which other connections have their turn: otherwise one chunk of bytes, with a thousand
 * small requests, would occupy the event loop and memory for their answers. Reading pauses while requests wait. A connection
 * whose requests exceed the number that may wait in total is closed.
 */
export function servePipelined(serve: RequestListener): RequestListener {
  const { pipelinedRunningMax, pipelinedWaitingMax } = intakeLimits;
  let waitingInAll = 0;

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
      if (requests.waiting.length > 0) setImmediate(next, requests);
    });
    begin();
  }

  function next({ waiting, running }: Line): void {
    const begins = waiting.splice(0, pipelinedRunningMax - running);
    waitingInAll -= begins.length;
    for (const begin of begins) begin();
  }

  return (request, response) => {
    // Without earlier requests the response has the socket already.
    if (response.socket) return serve(request, response);
    const socket: LineSocket = request.socket;
    const requests = lineOf(socket);
    const begin = () => {
      if (requests.isPaused && requests.waiting.length === 0) {
        requests.isPaused = false;
        socket.resume();
      }
      serve(request, response);
    };
    if (requests.running < pipelinedRunningMax && requests.waiting.length === 0) return run(requests, response, begin);
    if (socket.destroyed) return;
    if (waitingInAll >= pipelinedWaitingMax) {
      socket.destroy();
      return;
    }
    waitingInAll++;
    // The request begins in its own asynchronous context, not in that of the one whose answer has ended.
    requests.waiting.push(AsyncLocalStorage.bind(() => run(requests, response, begin)));
    requests.isPaused = true;
    socket.pause();
  };
}
