import type { ServerResponse } from "node:http";
import type { Answer } from "./messages.ts";
import type { Delays } from "../faults/faults.ts";
import type { Delivery } from "../faults/injection.ts";

/**
 * The response side of a connection, implemented over HTTP here and over a simulated network in the
 * simulation.
 */
export interface ClientConnection {
  /** The client disconnected while the request was held. */
  isGone(): boolean;
  /** Sends the whole answer; settles when it was delivered or the connection closed. */
  send(answer: Answer): Promise<"delivered" | "lost">;
  /** Sends the headers and only the first half of the body. */
  sendHalf(answer: Answer): void;
  /** Writes raw bytes; false when the connection is closed. */
  sendBytes(bytes: string | Uint8Array): boolean;
  /** Resets the connection (TCP RST). */
  reset(): void;
}

export function connectionOf(response: ServerResponse): ClientConnection {
  return {
    isGone: () => response.destroyed || response.socket === null || response.socket.destroyed,
    send: (answer) =>
      new Promise((resolve) => {
        response.once("finish", () => resolve("delivered"));
        response.once("close", () => resolve("lost"));
        response.writeHead(answer.status, { ...answer.headers, "content-length": byteLength(answer) });
        response.end(answer.body);
      }),
    sendHalf(answer) {
      const bytes = Buffer.from(answer.body);
      response.writeHead(answer.status, { ...answer.headers, "content-length": bytes.byteLength });
      response.write(bytes.subarray(0, Math.floor(bytes.byteLength / 2)));
    },
    sendBytes(bytes) {
      response.socket?.write(bytes);
      return response.socket?.destroyed === false;
    },
    reset() {
      response.socket?.resetAndDestroy();
      response.destroy();
    },
  };
}

export function byteLength(answer: Answer): number {
  return Buffer.byteLength(answer.body);
}

/** Sends an answer as the delivery specifies; settles when it was delivered or the connection closed. */
export async function deliver(
  connection: ClientConnection,
  answer: Answer,
  delivery: Delivery,
  delays: Delays,
): Promise<"delivered" | "lost"> {
  if (connection.isGone()) return "lost";
  if (delivery.kind === "whole") return await connection.send(answer);
  if (delivery.kind === "drip") await drip(connection, answer, { ...delivery, delays });
  else {
    if (delivery.isHalfSent) connection.sendHalf(answer);
    await delays.wait(Math.max(delivery.afterMs, delivery.isHalfSent ? HALF_SENT_MS : 0));
  }
  connection.reset();
  return "lost";
}

/** Lets the first half leave the machine before the reset. */
const HALF_SENT_MS = 50;

const BYTE_INTERVAL_MS = 1_000;

async function drip(
  connection: ClientConnection,
  answer: Answer,
  options: { part: "headers" | "body"; forMs: number; delays: Delays },
): Promise<void> {
  const head = headText(answer);
  const isBody = options.part === "body";
  const bytes = Buffer.from(isBody ? answer.body : head);
  let isThere = isBody ? connection.sendBytes(head) : !connection.isGone();
  const byteCount = Math.min(bytes.byteLength, Math.floor(options.forMs / BYTE_INTERVAL_MS) + 1);
  for (let index = 0; index < byteCount && isThere; index += 1) {
    connection.sendBytes(bytes.subarray(index, index + 1));
    await options.delays.wait(Math.min(BYTE_INTERVAL_MS, options.forMs));
    isThere = !connection.isGone();
  }
}

/** Serialises the headers by hand, because ServerResponse sends them in one piece. */
function headText(answer: Answer): string {
  const headers = { ...answer.headers, "content-length": String(byteLength(answer)) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${answer.status} Slow\r\n${lines.join("")}\r\n`;
}
