import type { ServerResponse } from "node:http";
import type { Answer } from "./answer.ts";

/** The way back to one client: all that can become of an answer, whatever carries its bytes. */
export interface Line {
  /** Its client went away while the request was held. */
  isGone(): boolean;
  /** Settles when the client has it, or never will. */
  sendWhole(answer: Answer): Promise<"delivered" | "lost">;
  /** The head, and the first half of the body that it promises. */
  sendHalf(answer: Answer): void;
  /** Bytes as they are; whether anybody is still there to take more. */
  sendBytes(bytes: string | Uint8Array): boolean;
  /** Resets the connection, as a failing server or network does. */
  breakOff(): void;
}

export function lineOf(response: ServerResponse): Line {
  return {
    isGone: () => response.destroyed || response.socket === null || response.socket.destroyed,
    sendWhole: (answer) =>
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
    breakOff() {
      response.socket?.resetAndDestroy();
      response.destroy();
    },
  };
}

export function byteLength(answer: Answer): number {
  return Buffer.byteLength(answer.body);
}
