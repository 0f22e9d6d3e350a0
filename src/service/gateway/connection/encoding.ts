import type { Buffer } from 'node:buffer';
import type { GatewayFrame } from '../../../model/gateway.ts';
import type { OutFrame } from './frames.ts';

/** How frames travel where they are not JSON: as binary messages, both ways. */
export interface Encoding {
  /** The message that carries a frame. @param sequence its number, if it has one */
  message(frame: OutFrame, sequence: number): Buffer;
  /** Undefined when it carries none. */
  read(message: Buffer): GatewayFrame | undefined;
}
