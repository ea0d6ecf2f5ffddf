import type { Holds } from "../faults/holds.ts";
import type { Delivery } from "../faults/twists.ts";
import type { Answer } from "./answer.ts";
import { byteLength, type Line } from "./line.ts";

/** Sends an answer the way the delivery says. Settles when the client has it, or never will. */
export async function deliver(
  line: Line,
  answer: Answer,
  delivery: Delivery,
  holds: Holds,
): Promise<"delivered" | "lost"> {
  if (line.isGone()) return "lost";
  if (delivery.kind === "whole") return await line.sendWhole(answer);
  if (delivery.kind === "drip") await drip(line, answer, { ...delivery, holds });
  else {
    if (delivery.isHalfSent) line.sendHalf(answer);
    await holds.wait(Math.max(delivery.afterMs, delivery.isHalfSent ? HALF_SENT_MS : 0));
  }
  line.breakOff();
  return "lost";
}

/** Time for the first half to leave the machine before the connection is reset. */
const HALF_SENT_MS = 50;

const BYTE_INTERVAL_MS = 1_000;

async function drip(
  line: Line,
  answer: Answer,
  options: { part: "headers" | "body"; forMs: number; holds: Holds },
): Promise<void> {
  const head = headText(answer);
  const isBody = options.part === "body";
  const bytes = Buffer.from(isBody ? answer.body : head);
  let isThere = isBody ? line.sendBytes(head) : !line.isGone();
  const byteCount = Math.min(bytes.byteLength, Math.floor(options.forMs / BYTE_INTERVAL_MS) + 1);
  for (let index = 0; index < byteCount && isThere; index += 1) {
    line.sendBytes(bytes.subarray(index, index + 1));
    await options.holds.wait(Math.min(BYTE_INTERVAL_MS, options.forMs));
    isThere = !line.isGone();
  }
}

/** The head as bytes, since the response object sends its headers in one piece. */
function headText(answer: Answer): string {
  const headers = { ...answer.headers, "content-length": String(byteLength(answer)) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${answer.status} Slow\r\n${lines.join("")}\r\n`;
}
