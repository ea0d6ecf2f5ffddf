import type { ServerResponse } from "node:http";
import type { Holds } from "../faults/holds.ts";
import type { Delivery } from "../faults/twists.ts";
import type { Answer } from "./answer.ts";

/** Sends an answer the way the delivery says. Settles when the client has it, or never will. */
export async function deliver(
  response: ServerResponse,
  answer: Answer,
  delivery: Delivery,
  holds: Holds,
): Promise<"delivered" | "lost"> {
  if (isGone(response)) return "lost";
  if (delivery.kind === "whole") return await sendWhole(response, answer);
  if (delivery.kind === "drip") await drip(response, answer, { ...delivery, holds });
  else {
    if (delivery.isHalfSent) sendHalf(response, answer);
    await holds.wait(Math.max(delivery.afterMs, delivery.isHalfSent ? HALF_SENT_MS : 0));
  }
  breakOff(response);
  return "lost";
}

/** Time for the first half to leave the machine before the connection is reset. */
const HALF_SENT_MS = 50;

/** Resets the connection, as a failing server or network does. */
export function breakOff(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
  response.destroy();
}

/** Its client went away while the request was held. */
function isGone(response: ServerResponse): boolean {
  return response.destroyed || response.socket === null || response.socket.destroyed;
}

async function sendWhole(response: ServerResponse, answer: Answer): Promise<"delivered" | "lost"> {
  return await new Promise((resolve) => {
    response.once("finish", () => resolve("delivered"));
    response.once("close", () => resolve("lost"));
    response.writeHead(answer.status, { ...answer.headers, "content-length": byteLength(answer) });
    response.end(answer.body);
  });
}

function sendHalf(response: ServerResponse, answer: Answer): void {
  const bytes = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, "content-length": bytes.byteLength });
  response.write(bytes.subarray(0, Math.floor(bytes.byteLength / 2)));
}

const BYTE_INTERVAL_MS = 1_000;

async function drip(
  response: ServerResponse,
  answer: Answer,
  options: { part: "headers" | "body"; forMs: number; holds: Holds },
): Promise<void> {
  const head = headText(answer);
  const isBody = options.part === "body";
  const bytes = Buffer.from(isBody ? answer.body : head);
  const { socket } = response;
  if (socket === null) return;
  if (isBody) socket.write(head);
  const byteCount = Math.min(bytes.byteLength, Math.floor(options.forMs / BYTE_INTERVAL_MS) + 1);
  for (let index = 0; index < byteCount && !socket.destroyed; index += 1) {
    socket.write(bytes.subarray(index, index + 1));
    await options.holds.wait(Math.min(BYTE_INTERVAL_MS, options.forMs));
  }
}

/** The head as bytes, since the response object sends its headers in one piece. */
function headText(answer: Answer): string {
  const headers = { ...answer.headers, "content-length": String(byteLength(answer)) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${answer.status} Slow\r\n${lines.join("")}\r\n`;
}

function byteLength(answer: Answer): number {
  return Buffer.byteLength(answer.body);
}
