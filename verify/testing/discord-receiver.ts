import { once } from "node:events";
import { createServer } from "node:http";

interface ReceivedAlert {
  readonly path: string;
  readonly body: unknown;
}

/** A local replacement for Discord's webhooks. */
export interface DiscordReceiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly ReceivedAlert[];
  /** Queues the answer to one call; calls without a queued answer get 204. */
  answerNext(status: number, headers?: Readonly<Record<string, string>>): void;
}

export async function startDiscordReceiver(): Promise<DiscordReceiver> {
  const received: ReceivedAlert[] = [];
  const answers: { readonly status: number; readonly headers: Readonly<Record<string, string>> }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      received.push({
        path: request.url ?? "",
        body: JSON.parse(Buffer.concat(parts).toString("utf8")) as unknown,
      });
      const { status, headers } = answers.shift() ?? { status: 204, headers: {} };
      response.writeHead(status, headers).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the receiver has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    answerNext: (status, headers = {}) => void answers.push({ status, headers }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
