import { randomBytes } from "node:crypto";
import type { Random } from "#domain/clock.ts";

const SEQUENCE_LIMIT = 0x1000;
const RANDOM_RANGE = 2 ** 48;

/**
 * Randomness of the operating system. Its UUIDs (RFC 9562, version 7) sort by creation time even within one millisecond:
 * the twelve bits after the time count up from a random start.
 */
export function createSystemRandom(): Random {
  let lastMs = 0;
  let sequence = 0;

  function nextMoment(nowMs: number): void {
    // After a clock step back an id must not sort before earlier ones.
    const isNewMoment = nowMs > lastMs;
    lastMs = Math.max(nowMs, lastMs);
    sequence = isNewMoment ? randomBytes(2).readUInt16BE() % (SEQUENCE_LIMIT / 2) : sequence + 1;
    if (sequence < SEQUENCE_LIMIT) return;
    lastMs += 1;
    sequence = 0;
  }

  return {
    next: () => randomBytes(6).readUIntBE(0, 6) / RANDOM_RANGE,
    uuid(nowMs) {
      nextMoment(Math.trunc(nowMs));
      const bytes = randomBytes(16);
      bytes.writeUIntBE(lastMs, 0, 6);
      bytes.writeUInt16BE(0x7000 | sequence, 6);
      bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
      return formatUuid(bytes.toString("hex"));
    },
  };
}

function formatUuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
