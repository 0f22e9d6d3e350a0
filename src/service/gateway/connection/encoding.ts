import type { Buffer } from 'node:buffer';
import type { GatewayFrame } from '../../../model/gateway.ts';
import type { OutFrame } from './frames.ts';

/** An encoding other than JSON: frames are binary messages in both directions. */
export interface Encoding {
  /** The message that carries a frame. @param sequence its number, if it has one */
  message(frame: OutFrame, sequence: number): Buffer;
  /** Undefined when the message carries no frame. */
  read(message: Buffer): GatewayFrame | undefined;
}
