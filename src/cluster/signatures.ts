import { createHmac, timingSafeEqual } from "node:crypto";
import type { Log } from "#domain/log.ts";

/**
 * Access to Redis alone does not make a node: messages are signed with a key that only processes with the store's master
 * keys can derive. A signature is valid for one topic. A replayed message passes, with no further effect: messages are
 * idempotent, and wishes become stale.
 */
export interface Signatures {
  /** One line of text: the signature, a space, the message. */
  sign(topic: string, message: string): string;
  /** The message; null for a message without a valid signature, which is counted and logged. */
  verified(topic: string, signed: string): string | null;
  /** How many forged messages this process has refused. */
  readonly refusedCount: number;
  /** Counts a message that was refused for another reason than its signature. */
  refuse(topic: string): void;
}

const SIGNATURE_BYTES = 32;
const SIGNATURE_LETTERS = 43;
/** A flood of forgeries must not fill the log: the first is logged, then every hundredth. */
const LOGGED_EACH = 100;

/** @param key 32 bytes, the same on every node */
export function createSignatures(key: Uint8Array, log: Log): Signatures {
  let refusedCount = 0;

  const signature = (topic: string, message: string): Buffer =>
    createHmac("sha256", key).update(`${topic}\n`).update(message).digest();

  const refuse = (topic: string): void => {
    if (refusedCount % LOGGED_EACH === 0)
      log.warn({ task: topic, count: refusedCount + 1 }, "a message on the bus has no valid signature");
    refusedCount += 1;
  };

  return {
    sign: (topic, message) => `${signature(topic, message).toString("base64url")} ${message}`,
    verified(topic, signed) {
      const given = Buffer.from(signed.slice(0, SIGNATURE_LETTERS), "base64url");
      const message = signed.slice(SIGNATURE_LETTERS + 1);
      const isOurs =
        given.length === SIGNATURE_BYTES &&
        signed[SIGNATURE_LETTERS] === " " &&
        timingSafeEqual(given, signature(topic, message));
      if (isOurs) return message;
      refuse(topic);
      return null;
    },
    get refusedCount() {
      return refusedCount;
    },
    refuse,
  };
}
